"""Evidence about texts: places, keywords, counts, and what was compared with what."""

from scoring.evidence.parts import Left, Part, Source, is_spans, is_texts, needle, number_in, taken

MOST_PLACES = 30
_CONTEXT = 120


def keywords(left: Left, _: Source) -> Part | None:
    """Words found and words missing."""
    if not (is_texts(left.get("found")) and is_texts(left.get("missing"))):
        return None
    return Part("keywords", taken(left, "found", "missing"))


def counts(left: Left, _: Source) -> Part | None:
    """How often each text occurred, and what that was divided by."""
    found = left.get("counts")
    if not isinstance(found, dict) or not all(number_in(count) is not None for count in found.values()):
        return None
    rows = [(needle(text), count) for text, count in taken(left, "counts")["counts"].items()]
    count, denominator = taken(left, "count", "denominator").values()
    return Part("counts", {"rows": rows, "count": count, "denominator": number_in(denominator)})


def comparison(left: Left, _: Source) -> Part | None:
    """What the output gave (texts; none when it gave nothing) beside what was expected."""
    expected = left.get("expected")
    if not is_texts(expected):
        return None
    if isinstance(left.get("compared"), str):
        given = [left.pop("compared")]
    elif is_texts(left.get("pieces")):
        given = left.pop("pieces")
    elif isinstance(left.get("symbol"), str) and isinstance(left.get("value"), str | int | float):
        given = ["{symbol}{value}".format(**taken(left, "symbol", "value"))]
    elif len(left) == 1:
        given = []
    else:
        return None
    return Part("comparison", {"given": given, "expected": left.pop("expected")})


def places(left: Left, source: Source) -> Part | None:
    """The matched places, marked in the text they were found in."""
    spans = left.get("spans", [left["span"]] if "span" in left else None)
    target = left.get("target")
    if not is_spans(spans):
        return None
    taken(left, "spans", "span", "target")
    text = source.texts.get(target) if isinstance(target, str) else None
    if not spans or not text:
        return None
    shown = sorted(spans)[:MOST_PLACES]
    data = {"text": text, "spans": shown, "context": _CONTEXT, "target": target, "shown": len(shown)}
    return Part("places", {**data, "places": len(spans)})
