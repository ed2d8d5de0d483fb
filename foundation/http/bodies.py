"""How the snake_case addresses under /api/v1 read a body and a page's bounds, and write an answer."""

from datetime import datetime
from typing import Annotated, Any, TypeVar

from pydantic import BaseModel, BeforeValidator, ConfigDict, PlainSerializer, ValidationError, WithJsonSchema

from foundation import times
from foundation.errors import FieldError, ValidationFailed

Document = TypeVar("Document", bound=BaseModel)
PAGE_PARAMETERS = {
    "limit": ({"type": "integer", "minimum": 1, "maximum": 100, "default": 50}, "How many at most."),
    "offset": ({"type": "integer", "minimum": 0, "maximum": 1_000_000, "default": 0}, "How many to leave out."),
}


def _moment(value: Any) -> Any:
    return times.parse_iso(value) if isinstance(value, str) else value


Moment = Annotated[
    datetime,
    BeforeValidator(_moment),
    PlainSerializer(times.iso, return_type=str),
    WithJsonSchema({"type": "string", "format": "date-time"}),
]


class StrictBody(BaseModel):
    """A document without conversions and without unknown members."""

    model_config = ConfigDict(strict=True, extra="forbid", frozen=True)


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
