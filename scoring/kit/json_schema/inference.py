"""A JSON Schema out of example values: what they have in common, and nothing that they do not show."""

from collections.abc import Sequence
from decimal import Decimal
from typing import Any, Final

# A schema is nested about twice as deep as what it describes, and JSON here has at most 64 levels.
MOST_LEVELS: Final = 28
_ORDER: Final = ("object", "array", "string", "number", "integer", "boolean", "null")


def inferred_schema(examples: Sequence[Any], *, closed: bool = False) -> dict[str, Any]:
    """The JSON Schema (2020-12) that all `examples`, JSON values, are valid by; `{}` of none.

    Whole numbers are `integer` until one has a fraction. A member is required where every example
    of its object has it. Items of lists are described together. What is sometimes null has a list
    of types. With `closed`, objects take no members but those seen. Below 28 levels only the type
    is told.
    """
    return _schema(list(examples), closed, 0)


def _schema(values: list[Any], closed: bool, level: int) -> dict[str, Any]:  # noqa: FBT001 - a private recursion
    found = {_type(value) for value in values}
    if "number" in found:
        found.discard("integer")
    types = [name for name in _ORDER if name in found]
    if not types:
        return {}
    schema: dict[str, Any] = {"type": types[0] if len(types) == 1 else types}
    if level >= MOST_LEVELS:
        return schema
    if "object" in found:
        schema |= _members([value for value in values if isinstance(value, dict)], closed, level)
    if "array" in found:
        items = [item for value in values if isinstance(value, list) for item in value]
        schema |= {"items": _schema(items, closed, level + 1)} if items else {}
    return schema


def _members(objects: list[dict[str, Any]], closed: bool, level: int) -> dict[str, Any]:  # noqa: FBT001 - as above
    names = list(dict.fromkeys(name for item in objects for name in item))
    required = [name for name in names if all(name in item for item in objects)]
    properties = {name: _schema([item[name] for item in objects if name in item], closed, level + 1) for name in names}
    return {
        "properties": properties,
        **({"required": required} if required else {}),
        **({"additionalProperties": False} if closed else {}),
    }


def _type(value: Any) -> str:
    if value is None:
        return "null"
    if isinstance(value, bool):
        return "boolean"
    if isinstance(value, int):
        return "integer"
    if isinstance(value, float | Decimal):
        return "number"
    if isinstance(value, str):
        return "string"
    return "object" if isinstance(value, dict) else "array"
