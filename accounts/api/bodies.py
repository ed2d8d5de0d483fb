"""The JSON documents of the addresses about people, and how a body becomes one."""

from datetime import datetime
from typing import Annotated, Any, Literal, TypeVar

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, PlainSerializer, ValidationError, WithJsonSchema

from accounts.services.keys import NAME_LENGTH
from foundation import times
from foundation.errors import FieldError, ValidationFailed

RoleName = Literal["viewer", "reviewer", "editor", "owner"]
RequestVia = Literal["session", "key", "token", "local"]
Document = TypeVar("Document", bound=BaseModel)


def _moment(value: Any) -> Any:
    return times.parse_iso(value) if isinstance(value, str) else value


Moment = Annotated[
    datetime,
    BeforeValidator(_moment),
    PlainSerializer(times.iso, return_type=str),
    WithJsonSchema({"type": "string", "format": "date-time"}),
]


class _Strict(BaseModel):
    model_config = ConfigDict(strict=True, extra="forbid", frozen=True)


class LoginBody(_Strict):
    """What a login needs."""

    username: str = Field(min_length=1, max_length=150)
    password: str = Field(min_length=1, max_length=512)


class PersonAnswer(_Strict):
    """Who acts. `role` is the role in force; `via` is session, key, token or local."""

    id: str
    username: str
    name: str
    role: RoleName
    via: RequestVia
    created_at: Moment
    updated_at: Moment


class LoginAnswer(_Strict):
    """The person, and a token that works for seven days as `Authorization: Bearer <token>`."""

    id: str
    username: str
    role: RoleName
    token: str
    created_at: Moment
    updated_at: Moment


class KeyBody(_Strict):
    """A new API key. `role` left out: editor, or your own when lower. `expires_at` left out: never."""

    name: str = Field(min_length=1, max_length=NAME_LENGTH)
    role: RoleName | None = None
    expires_at: Moment | None = None


class KeyAnswer(_Strict):
    """An API key without its secret. `role` is the role in force, never above its person's."""

    id: str
    name: str
    role: RoleName
    prefix: str
    created_at: Moment
    expires_at: Moment | None
    last_used_at: Moment | None


class NewKeyAnswer(KeyAnswer):
    """An API key with its secret, which is shown this once."""

    secret: str


class KeyList(_Strict):
    """A part of the caller's API keys, newest first."""

    data: list[KeyAnswer]
    total: int
    limit: int
    offset: int


def read_body(kind: type[Document], data: Any) -> Document:
    """The document that the body holds. Raises ValidationFailed naming each wrong field by its path."""
    try:
        return kind.model_validate(data)
    except ValidationError as error:
        raise ValidationFailed(
            FieldError(".".join(str(part) for part in fault["loc"]), fault["type"], f"{fault['msg']}.")
            for fault in error.errors(include_url=False, include_context=False, include_input=False)
        ) from error


def write_answer(document: BaseModel) -> dict[str, Any]:
    """The document as plain JSON values."""
    return document.model_dump(mode="json")


def read_page(parameters: Any) -> tuple[int, int]:
    """The `limit` (1 to 100, else 50) and `offset` (0 and up) of a list. Raises ValidationFailed on either."""
    faults: list[FieldError] = []
    numbers: dict[str, int] = {}
    for name, default, low, high in (("limit", 50, 1, 100), ("offset", 0, 0, 1_000_000)):
        raw = parameters.get(name, str(default))
        number = int(raw) if raw.isascii() and raw.isdigit() and len(raw) < 10 else -1
        if not low <= number <= high:
            faults.append(FieldError(name, "out_of_range", f"{name} must be a whole number from {low} to {high:,}."))
        numbers[name] = number
    if faults:
        raise ValidationFailed(faults)
    return numbers["limit"], numbers["offset"]
