"""The words after an operation's name → what each of its fields was given."""

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from commandline.failures import misused, unknown
from commandline.operations import JSON, Field, Operation

BODY = Field("body", "option", description="The whole body, instead of a flag for each of its members.")
CONTENT_TYPE = Field("content-type", "option", description="What --body is, where the operation takes several kinds.")
PICK = Field("pick", "option", description="Print this member of the answer alone, such as id or data.0.name.")
SERVER = Field("server", "option", description="The address of the server, instead of PLUMBLINE_BASE_URL.")
SERVER_SCHEMA = Field(
    "server-schema", "option", frozenset({"boolean"}), description="Take the operations from the server itself."
)
COMMON = (PICK, SERVER, SERVER_SCHEMA)
_FLAG = "--"


@dataclass(slots=True)
class Given:
    """What was written for each field, read from files and standard input where that was asked for.

    Values are bytes as they came; `positional` words were given their fields already.
    """

    operation: Operation
    values: dict[Field, bytes] = field(default_factory=dict)

    def text(self, name: str) -> str | None:
        """What was given for the option or field of this name, or None."""
        return next((_decoded(one, value) for one, value in self.values.items() if one.name == name), None)

    def of(self, place: str) -> dict[str, str]:
        """The texts of one place by name."""
        return {one.name: _decoded(one, value) for one, value in self.values.items() if one.place == place}

    def body(self) -> bytes | None:
        """The request's body, or None when the operation takes none. Numbers keep the digits they were written with."""
        whole = next((value for one, value in self.values.items() if one == BODY), None)
        if whole is not None:
            return whole
        if not self.operation.media_types:
            return None
        members = [
            f"{json.dumps(one.name)}: {as_json(one, _decoded(one, value))}"
            for one, value in self.values.items()
            if one.place == "body"
        ]
        return f"{{{', '.join(members)}}}".encode()


def accepted(operation: Operation) -> list[Field]:
    """Every field that has a flag in this operation."""
    taken = {one.flag for one in operation.fields}
    body = (BODY,) if operation.media_types else ()
    kinds = (CONTENT_TYPE,) if len(operation.media_types) > 1 else ()
    return [*operation.fields, *(one for one in (*body, *kinds, *COMMON) if one.flag not in taken)]


def as_json(one: Field, text: str) -> str:
    """The JSON that `text` stands for: itself where it is JSON and the field may be more than a text, else a string."""
    if one.takes_text:
        return "null" if text == "null" and "null" in one.types else json.dumps(text)
    return text if _is_json(text) else json.dumps(text)


def read_words(operation: Operation, words: Sequence[str], source: Callable[[str], bytes]) -> Given:
    """What the words give. `source` reads the file of this name, or standard input for `-`.

    Raises Failure for flags that do not exist, lack their value or come twice, for a word too many,
    and for what is required and missing.
    """
    given = Given(operation)
    by_flag = _by_flag(operation)
    positional: list[str] = []
    rest = list(words)
    while rest:
        word = rest.pop(0)
        if word == _FLAG:
            positional += rest
            break
        if not word.startswith(_FLAG):
            positional.append(word)
            continue
        name, separator, value = word.removeprefix(_FLAG).partition("=")
        one = _field(operation, by_flag, name)
        if one in given.values:
            raise misused(f"--{one.flag} is given twice.")
        given.values[one] = _value(value if separator else _next(one, rest), source)
    for word in positional:
        given.values[_unfilled(operation, given, word)] = _value(word, source)
    _check_body(given)
    _check_missing(given)
    return given


def _by_flag(operation: Operation) -> dict[str, Field]:
    found: dict[str, Field] = {}
    for one in accepted(operation):
        # Where a body's member and a parameter share a name, the member is meant; see _check_body.
        if one.flag not in found or one.place == "body":
            found[one.flag] = one
    if len(operation.path_fields) == 1:
        found["id"] = operation.path_fields[0]
    return found


def _field(operation: Operation, by_flag: Mapping[str, Field], name: str) -> Field:
    from_user = name.replace("_", "-")
    folded = {flag.replace("-", ""): one for flag, one in by_flag.items()}
    one = by_flag.get(from_user) or folded.get(from_user.replace("-", "").lower())
    if one is None:
        help_words = f"plumbline help {operation.name} lists its flags."
        raise unknown(f"flag of {operation.name} called", name, list(by_flag), prefix=_FLAG, otherwise=help_words)
    return one


def _next(one: Field, rest: list[str]) -> str:
    if one.is_switch:
        return rest.pop(0) if rest and rest[0] in {"true", "false", "null"} else "true"
    if not rest or rest[0].startswith(_FLAG):
        hint = f"A value that begins with two dashes is written --{one.flag}=VALUE." if rest else ""
        raise misused(f"--{one.flag} needs a value.", hint)
    return rest.pop(0)


def _value(text: str, source: Callable[[str], bytes]) -> bytes:
    if text == "-":
        return source(text)
    if text.startswith("@@"):
        text = text[1:]
    elif text.startswith("@"):
        return source(text[1:])
    try:
        return text.encode()
    except UnicodeEncodeError as error:
        raise misused("The command line is not valid UTF-8.") from error


def _decoded(one: Field, value: bytes) -> str:
    try:
        return value.decode()
    except UnicodeDecodeError as error:
        raise misused(f"What --{one.flag} was given is not text in UTF-8.") from error


def _unfilled(operation: Operation, given: Given, word: str) -> Field:
    for one in operation.path_fields:
        if one not in given.values:
            return one
    raise misused(f"The word {word!r} belongs to no flag.", f"plumbline help {operation.name} lists its flags.")


def _check_body(given: Given) -> None:
    """With --body, a flag named like a member of the body means the parameter of that name, if there is one."""
    if BODY not in given.values:
        return
    parameters = {one.flag: one for one in given.operation.fields if one.place != "body"}
    for one in [one for one in given.values if one.place == "body"]:
        other = parameters.get(one.flag)
        if other is None:
            raise misused(f"--{one.flag} is part of the body, which --body gives whole.")
        given.values[other] = given.values.pop(one)


def _check_missing(given: Given) -> None:
    required = [one for one in given.operation.fields if one.required and one not in given.values]
    if BODY in given.values:
        required = [one for one in required if one.place != "body"]
    if required:
        names = ", ".join(f"--{one.flag}" for one in required)
        raise misused(f"{given.operation.name} needs {names}.", f"plumbline help {given.operation.name} says more.")
    takes = given.operation.media_types
    if takes and not any(one.place == "body" for one in given.operation.fields) and BODY not in given.values:
        raise misused(f"{given.operation.name} needs --body.")
    kind = given.text(CONTENT_TYPE.name)
    if kind is not None and kind not in takes:
        raise misused(f"{given.operation.name} takes {', '.join(takes or (JSON,))}, not {kind}.")


def _is_json(text: str) -> bool:
    def refused(_word: str) -> Any:
        raise ValueError("NaN and Infinity are not JSON")

    try:
        json.loads(text, parse_constant=refused, parse_int=str, parse_float=str)
    except ValueError:
        return False
    except RecursionError as error:
        raise misused("The JSON is nested too deeply.") from error
    return True
