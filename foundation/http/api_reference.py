"""PURE: an OpenAPI document as the rows and words of a page that people read."""

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from foundation.errors import problem_classes
from foundation.schema_words import Piece, Row, pieces, rows
from foundation.text import code_pieces

METHODS = ("get", "post", "put", "patch", "delete")


@dataclass(frozen=True, slots=True)
class Parameter:
    """A parameter of an operation; `place` is path, query or header."""

    name: str
    place: str
    pieces: tuple[Piece, ...]
    required: bool
    default: str
    meaning: str


@dataclass(frozen=True, slots=True)
class Answer:
    """What an operation may answer with one status."""

    status: int
    meaning: str
    pieces: tuple[Piece, ...]
    headers: tuple[tuple[str, str], ...]
    example: str

    @property
    def refused(self) -> bool:
        """Whether it is an error."""
        return self.status >= 400


@dataclass(frozen=True, slots=True)
class Operation:
    """One method at one path. `curl` is a command that calls it, `body` the pieces of its body's type."""

    id: str
    method: str
    path: str
    summary: str
    description: str
    parameters: tuple[Parameter, ...]
    body: tuple[Piece, ...]
    body_rows: tuple[Row, ...]
    body_example: str
    answers: tuple[Answer, ...]
    curl: str


@dataclass(frozen=True, slots=True)
class NamedSchema:
    """A component schema: a table of members, or one line for what is no object."""

    name: str
    meaning: list[tuple[str, bool]]
    """Its description, cut at what is code."""
    rows: tuple[Row, ...]
    pieces: tuple[Piece, ...]


@dataclass(frozen=True, slots=True)
class Reference:
    """The whole document, its operations by tag in the document's order."""

    title: str
    version: str
    description: str
    groups: tuple[tuple[str, tuple[Operation, ...]], ...]
    schemas: tuple[NamedSchema, ...]


def read_document(document: Mapping[str, Any], *, base: str, with_key: bool) -> Reference:
    """The reference of an OpenAPI document.

    `base` is the server's address without a slash at its end, for the curl commands; `with_key`
    puts an Authorization header into them.
    """
    schemas = document["components"]["schemas"]
    groups: dict[str, list[Operation]] = {tag["name"]: [] for tag in document.get("tags", ())}
    for path, methods in document["paths"].items():
        for method in METHODS:
            if method in methods:
                operation = methods[method]
                keyed = with_key and bool(operation.get("security"))
                read = _operation(path, method, operation, schemas, base=base, keyed=keyed)
                groups.setdefault(operation["tags"][0], []).append(read)
    info = document["info"]
    return Reference(
        info["title"],
        info["version"],
        info["description"],
        tuple((tag, tuple(operations)) for tag, operations in groups.items() if operations),
        tuple(_named(name, schema) for name, schema in schemas.items()),
    )


def _operation(
    path: str, method: str, operation: Mapping[str, Any], schemas: Mapping[str, Any], *, base: str, keyed: bool
) -> Operation:
    content = operation.get("requestBody", {}).get("content", {}).get("application/json", {})
    schema = content.get("schema")
    example = _example(content)
    resolved = _resolved(schema, schemas)
    return Operation(
        id=operation["operationId"],
        method=method.upper(),
        path=path,
        summary=operation.get("summary", ""),
        description=operation.get("description", ""),
        parameters=tuple(_parameter(parameter) for parameter in operation.get("parameters", ())),
        body=pieces(schema) if schema else (),
        body_rows=rows(resolved),
        body_example=example,
        answers=tuple(_answer(int(status), answer) for status, answer in sorted(operation["responses"].items())),
        curl="\n".join(_curl(base + path, method, example, keyed=keyed)),
    )


def _resolved(schema: Mapping[str, Any] | None, schemas: Mapping[str, Any]) -> Mapping[str, Any]:
    """The schema itself where `schema` is a reference to it; empty where there is none."""
    if schema is None:
        return {}
    name = str(schema.get("$ref", "")).rsplit("/", 1)[-1]
    found: Mapping[str, Any] = schemas.get(name, schema)
    return found


def _parameter(parameter: Mapping[str, Any]) -> Parameter:
    schema = parameter["schema"]
    default = json.dumps(schema["default"]) if "default" in schema else ""
    return Parameter(
        parameter["name"],
        parameter["in"],
        pieces(schema),
        parameter.get("required", False),
        default,
        parameter.get("description", ""),
    )


def _answer(status: int, answer: Mapping[str, Any]) -> Answer:
    content = answer.get("content", {}).get("application/json", {})
    headers = tuple((name, header.get("description", "")) for name, header in answer.get("headers", {}).items())
    schema = content.get("schema")
    return Answer(status, answer.get("description", ""), pieces(schema) if schema else (), headers, _example(content))


def _example(content: Mapping[str, Any]) -> str:
    for example in content.get("examples", {}).values():
        return json.dumps(example["value"], ensure_ascii=False, indent=2)
    return ""


def _curl(address: str, method: str, body: str, *, keyed: bool) -> Iterator[str]:
    """A command for a POSIX shell; the body comes from a here-document, which needs no quoting."""
    words = ["curl"] if method == "get" else ["curl", "-X", method.upper()]
    lines = [" ".join([*words, f"'{address}'" if "{" in address else address])]
    if keyed:
        lines.append('  -H "Authorization: Bearer $PLUMBLINE_KEY"')
    if body:
        lines += ["  -H 'Content-Type: application/json'", "  --data-binary @- <<'JSON'"]
    for line in lines[:-1]:
        yield f"{line} \\"
    yield lines[-1]
    if body:
        yield body
        yield "JSON"


def _named(name: str, schema: Mapping[str, Any]) -> NamedSchema:
    members = rows(schema)
    return NamedSchema(name, code_pieces(schema.get("description", "")), members, () if members else pieces(schema))


@dataclass(frozen=True, slots=True)
class ErrorKind:
    """A kind of refusal: its status, its code, what it says and what to do."""

    status: int
    code: str
    message: str
    hint: str


def errors_by_status() -> list[ErrorKind]:
    """Every kind of refusal, by status and then by code."""
    kinds = sorted(problem_classes(), key=lambda kind: (kind.status, kind.code))
    return [ErrorKind(kind.status, kind.code, kind.default_message, kind.default_hint) for kind in kinds]
