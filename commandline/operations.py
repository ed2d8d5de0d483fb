"""The operations of an OpenAPI document, and the flags that each of them takes."""

import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any, Literal

from commandline.failures import Failure

Place = Literal["path", "query", "header", "body", "option"]
PACKAGED = Path(__file__).resolve().parent.parent / "docs" / "openapi.json"
"""The document of the server that this client came with."""
JSON = "application/json"
_METHODS = ("get", "post", "put", "patch", "delete")
_DEEPEST = 16


def flag_name(name: str) -> str:
    """`name` as flags are written: project_id, profileId and If-Match become project-id, profile-id, if-match."""
    return re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "-", name).replace("_", "-").lower()


@dataclass(frozen=True, slots=True)
class Field:
    """One thing that a flag gives. `types` are JSON Schema's; empty means: any JSON value.

    `place` is where it goes; `option` is one that the command itself reads.
    """

    name: str
    place: Place
    types: frozenset[str] = frozenset({"string"})
    required: bool = False
    description: str = ""
    choices: tuple[str, ...] = ()
    default: Any = field(default=None, hash=False)

    @property
    def flag(self) -> str:
        """The flag without its dashes."""
        return flag_name(self.name)

    @property
    def takes_text(self) -> bool:
        """Whether what is written is the text itself, never JSON."""
        return bool(self.types) and self.types <= {"string", "null"}

    @property
    def is_switch(self) -> bool:
        """Whether the flag may stand alone, for true."""
        return "boolean" in self.types and self.types <= {"boolean", "null"}


@dataclass(frozen=True)
class Operation:
    """One operation. `media_types` are what its body may be, JSON first; none when it takes no body."""

    name: str
    method: str
    path: str
    summary: str
    description: str
    fields: tuple[Field, ...]
    media_types: tuple[str, ...] = ()
    example: Any = None

    @cached_property
    def path_fields(self) -> list[Field]:
        """What stands in the address, in its order."""
        names = re.findall(r"\{(\w+)\}", self.path)
        if not self.path:
            return [one for one in self.fields if one.required]
        return sorted((one for one in self.fields if one.place == "path"), key=lambda one: names.index(one.name))


def packaged_document() -> Mapping[str, Any]:
    """The OpenAPI document beside this client. Raises Failure when it is not there."""
    try:
        document: Mapping[str, Any] = json.loads(PACKAGED.read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise Failure("NO_SCHEMA", f"{PACKAGED} cannot be read: {error}", "Use --server-schema.") from error
    return document


def operations_of(document: Mapping[str, Any]) -> dict[str, Operation]:
    """The operations of the document by name, sorted. Raises Failure when it is no OpenAPI document."""
    try:
        found = [
            _operation(document, path, method, described)
            for path, methods in document["paths"].items()
            for method, described in methods.items()
            if method in _METHODS and isinstance(described.get("operationId"), str)
        ]
    except (KeyError, TypeError, AttributeError) as error:
        raise Failure("NO_SCHEMA", "The server's schema is not an OpenAPI document.") from error
    # A PATCH that shares its identifier with a PUT does the same.
    return {operation.name: operation for operation in sorted(found, key=lambda one: (one.name, one.method == "PUT"))}


def _operation(document: Mapping[str, Any], path: str, method: str, described: Mapping[str, Any]) -> Operation:
    content: Mapping[str, Any] = described.get("requestBody", {}).get("content", {})
    fields = [_parameter(document, parameter) for parameter in described.get("parameters", ())]
    body = content.get(JSON, {})
    fields += _body_fields(document, body.get("schema", {}))
    return Operation(
        name=described["operationId"],
        method=method.upper(),
        path=path,
        summary=described.get("summary", ""),
        description=described.get("description", ""),
        fields=tuple(fields),
        media_types=tuple(sorted(content, key=lambda kind: kind != JSON)),
        example=next((example["value"] for example in body.get("examples", {}).values()), None),
    )


def _parameter(document: Mapping[str, Any], parameter: Mapping[str, Any]) -> Field:
    schema = parameter.get("schema", {})
    return Field(
        name=parameter["name"],
        place=parameter["in"],
        types=_types(document, schema),
        required=bool(parameter.get("required")),
        description=parameter.get("description", ""),
        choices=tuple(_choices(document, schema)),
        default=schema.get("default"),
    )


def _body_fields(document: Mapping[str, Any], schema: Mapping[str, Any]) -> list[Field]:
    whole = _resolved(document, schema)
    required = whole.get("required", ())
    return [
        Field(
            name=name,
            place="body",
            types=_types(document, part),
            required=name in required,
            description=part.get("description", ""),
            choices=tuple(_choices(document, part)),
            default=part.get("default"),
        )
        for name, part in whole.get("properties", {}).items()
    ]


def _resolved(document: Mapping[str, Any], schema: Mapping[str, Any]) -> Mapping[str, Any]:
    for _ in range(_DEEPEST):
        if "$ref" not in schema:
            return schema
        name = str(schema["$ref"]).rpartition("/")[2]
        schema = document["components"]["schemas"][name]
    return {}


def _branches(document: Mapping[str, Any], schema: Mapping[str, Any], depth: int = 0) -> Iterator[Mapping[str, Any]]:
    """The alternatives that the schema is made of, each without alternatives of its own."""
    whole = _resolved(document, schema)
    inner = [*whole.get("anyOf", ()), *whole.get("oneOf", ())]
    if not inner and "type" not in whole:
        inner = list(whole.get("allOf", ()))
    if not inner or depth > _DEEPEST:
        yield whole
    for part in inner:
        yield from _branches(document, part, depth + 1)


def _types(document: Mapping[str, Any], schema: Mapping[str, Any]) -> frozenset[str]:
    found: set[str] = set()
    for branch in _branches(document, schema):
        named = branch.get("type") or ("string" if branch.get("enum") else None)
        if named is None:
            return frozenset()
        found.update([named] if isinstance(named, str) else named)
    return frozenset(found)


def _choices(document: Mapping[str, Any], schema: Mapping[str, Any]) -> Iterator[str]:
    for branch in _branches(document, schema):
        yield from (str(value) for value in branch.get("enum", ()) if value is not None)
