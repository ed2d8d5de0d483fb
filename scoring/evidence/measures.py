"""Evidence that is a number: a measurement with its limit, a number against its range."""

from scoring.evidence.parts import Left, Part, Source, number_in, taken

# What timing scorers count beside the time itself, in words.
_COUNTED = (("events", "token events"), ("gaps", "gaps"), ("tokens", "tokens"))


def measured(left: Left, source: Source) -> Part | None:
    """What was measured, drawn against its limit where it has one."""
    if source.value is None or number_in(left.get("value", source.value)) is None:
        return None
    limit, zero = number_in(left.get("max")), number_in(left.get("zeroAt"))
    taken(left, "value", "max", "zeroAt")
    facts = [(words, left.pop(name), "") for name, words in _COUNTED if number_in(left.get(name)) is not None]
    if number_in(left.get("longest")) is not None:
        facts.append(("the longest gap", left.pop("longest"), source.unit))
    falloff = zero - limit if zero is not None and limit is not None and zero > limit else None
    data = {"value": source.value, "unit": source.unit, "limit": limit, "falloff": falloff, "facts": facts}
    return Part("measured", data)


def number_range(left: Left, _: Source) -> Part | None:
    """A number against its range, drawn."""
    value, low, high = (number_in(left.get(name)) for name in ("value", "min", "max"))
    if value is None or (low is None and high is None):
        return None
    data = {"value": value, "low": low, "high": high, "falloff": number_in(left.get("falloff"))}
    data |= {"path": left.get("path", ""), "source": left.get("source", "")}
    taken(left, "value", "min", "max", "falloff", "path", "source")
    return Part("range", data)
