"""The texts and JSON values that bodies hold, with their bounds: what no database and no page can show is refused."""

from decimal import Decimal
from typing import Annotated, Any

from pydantic import AfterValidator, BeforeValidator, Field
from pydantic_core import PydanticCustomError

from foundation.text import unstorable_reason


def _storable(text: str) -> str:
    reason = unstorable_reason(text)
    if reason:
        raise PydanticCustomError("unstorable_text", "This {reason}", {"reason": reason})
    return text


def _trimmed(value: Any) -> Any:
    return value.strip() if isinstance(value, str) else value


Name = Annotated[str, BeforeValidator(_trimmed), Field(min_length=1, max_length=256), AfterValidator(_storable)]
LongText = Annotated[str, Field(max_length=100_000), AfterValidator(_storable)]
ShortText = Annotated[str, Field(max_length=256), AfterValidator(_storable)]
Identifier = Annotated[str, Field(min_length=1, max_length=64)]
JsonObject = dict[str, Any]


def _double(value: Any) -> Any:
    return float(value) if isinstance(value, Decimal) else value


Share = Annotated[float, BeforeValidator(_double), Field(ge=0, le=1)]
Number = Annotated[float, BeforeValidator(_double), Field(allow_inf_nan=False)]
