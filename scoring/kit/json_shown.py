"""JSON values in sentences and in evidence: short, in JSON's spelling, whatever their size."""

import json
import math
import re
from decimal import Decimal
from typing import Any

from foundation import exact_json

_SURROGATE = re.compile("[\ud800-\udfff]")
_CONTROL = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f]")
_PLAIN_STEP = re.compile(r"[A-Za-z_$][A-Za-z0-9_$-]*")
_MOST_DEPTH, _MOST_ITEMS = 3, 6


def clean(text: str) -> str:
    """`text` that every database and encoding takes: no lone surrogates, no control characters."""
    return _CONTROL.sub("\ufffd", _SURROGATE.sub("\ufffd", text))


def shown(value: Any, limit: int = 60) -> str:
    """`value` as JSON on one line, cut with an ellipsis after `limit` characters.

    Takes as long for a huge value as for one that fits.
    """
    text = _short(value, limit) or exact_json.dumps(_trimmed(value, limit, 0), spaced=True, allow_nan=True)
    return text if len(text) <= limit else text[: limit - 1] + "…"


def _short(value: Any, limit: int) -> str | None:
    """The JSON of a number or a plain text, by the shortest way; None for the rest."""
    if type(value) is int or (type(value) is float and math.isfinite(value)):
        return repr(value)
    if type(value) is str and len(value) < limit and value.isascii() and value.isprintable():
        return json.encoder.encode_basestring(value)
    return None


def excerpt(value: Any, limit: int = 200) -> Any:
    """`value` for evidence: numbers and constants as they are, texts cut, the rest as cut JSON."""
    if isinstance(value, str):
        return clean(value) if len(value) <= limit else clean(value[: limit - 1]) + "…"
    if isinstance(value, Decimal):
        # What reads an answer of ours may have doubles alone: there such a number would be infinite.
        return value if len(str(value)) <= limit and math.isfinite(float(value)) else shown(value, limit)
    return shown(value, limit) if isinstance(value, dict | list) else value


def json_path(steps: Any) -> str:
    """A place in a document, `$.items[0].price`; other than plain names as `$["a b"]`."""
    written = ["$"]
    for step in steps:
        if isinstance(step, int):
            written.append(f"[{step}]")
        elif _PLAIN_STEP.fullmatch(step):
            written.append(f".{step}")
        else:
            written.append(f"[{shown(step, 80)}]")
    return "".join(written)


def _trimmed(value: Any, limit: int, depth: int) -> Any:
    """`value` with no more of it than could be shown."""
    if isinstance(value, str):
        return clean(value[: limit + 1])
    if isinstance(value, list):
        if depth >= _MOST_DEPTH:
            return ["…"] if value else []
        items = [_trimmed(item, limit, depth + 1) for item in value[:_MOST_ITEMS]]
        return [*items, "…"] if len(value) > _MOST_ITEMS else items
    if isinstance(value, dict):
        names = list(value)[:_MOST_ITEMS] if depth < _MOST_DEPTH else []
        members = {clean(name[: limit + 1]): _trimmed(value[name], limit, depth + 1) for name in names}
        return {**members, "…": "…"} if len(value) > len(names) else members
    return value
