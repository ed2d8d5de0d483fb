"""What settings models are made of: the shared base, and text bounded as the contract counts."""

from dataclasses import dataclass
from decimal import Decimal
from functools import cache
from typing import Annotated, Any, get_args

from pydantic import (
    BaseModel,
    ConfigDict,
    Field,
    GetCoreSchemaHandler,
    GetJsonSchemaHandler,
    model_validator,
)
from pydantic.alias_generators import to_camel
from pydantic_core import PydanticCustomError, core_schema

from scoring.kit.text import utf16_length


@dataclass(frozen=True, slots=True)
class bounded:  # noqa: N801 - reads as a word inside Annotated
    """An annotation of `str`: from `low` to `high` UTF-16 code units."""

    low: int
    high: int

    def __get_pydantic_core_schema__(self, source: Any, handler: GetCoreSchemaHandler) -> core_schema.CoreSchema:
        return core_schema.no_info_after_validator_function(self._checked, handler(source))

    def __get_pydantic_json_schema__(self, schema: Any, handler: GetJsonSchemaHandler) -> dict[str, Any]:
        lengths = {"minLength": self.low, "maxLength": self.high} if self.low else {"maxLength": self.high}
        return {**handler(schema), **lengths}

    def _checked(self, text: str) -> str:
        length = utf16_length(text)
        if length < self.low:
            message = "Must not be empty." if self.low == 1 else "Must have at least {low} characters."
            raise PydanticCustomError("too_short", message, {"low": self.low})
        if length > self.high:
            limits = {"high": f"{self.high:,}", "length": f"{length:,}"}
            raise PydanticCustomError("too_long", "Must have at most {high} characters; this has {length}.", limits)
        return text


def not_blank(text: str) -> str:
    """`text`, unless it is white space alone."""
    if not text.strip():
        raise PydanticCustomError("blank", "Must hold more than white space.")
    return text


def distinct(items: tuple[str, ...]) -> tuple[str, ...]:
    """`items` without repeats, in order of first appearance."""
    return tuple(dict.fromkeys(items))


Fraction = Annotated[float, Field(ge=0, le=1)]


def _takes_a_double(annotation: Any) -> bool:
    return annotation is float or any(map(_takes_a_double, get_args(annotation)))


class Settings(BaseModel):
    """What every settings model shares: frozen, strict, camelCase outside, no unknown fields.

    A field that is a number is a double; a field that is any JSON keeps the exact numbers in it.
    """

    model_config = ConfigDict(
        frozen=True,
        extra="forbid",
        strict=True,
        alias_generator=to_camel,
        populate_by_name=True,
        allow_inf_nan=False,
    )

    @model_validator(mode="before")
    @classmethod
    def _numbers_are_doubles(cls, data: Any) -> Any:
        if not isinstance(data, dict) or Decimal not in map(type, data.values()):
            return data
        doubles = cls._doubles()
        return {
            name: float(value) if isinstance(value, Decimal) and name in doubles else value
            for name, value in data.items()
        }

    @classmethod
    @cache
    def _doubles(cls) -> frozenset[str]:
        """The fields that are a number, in either spelling."""
        fields = {name: info for name, info in cls.model_fields.items() if _takes_a_double(info.annotation)}
        return frozenset({*fields, *(info.alias for info in fields.values() if info.alias)})
