"""PURE: how a file is to be imported, as the API and the pages say it."""

from collections.abc import Mapping
from typing import Annotated, Any, Literal

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, ValidationError
from pydantic_core import PydanticCustomError

from evaluations.importers.columns import MAX_COLUMNS, target_fault
from foundation.errors import ValidationFailed
from scoring.kit.faults import field_errors
from scoring.kit.settings import bounded

Kind = Literal["csv", "json", "jsonl"]
Mode = Literal["append", "upsert"]
FORMAT_BY_SUFFIX: Mapping[str, Kind] = {
    "csv": "csv",
    "tsv": "csv",
    "json": "json",
    "jsonl": "jsonl",
    "ndjson": "jsonl",
}
"""What a file is, by the end of its name."""


def _known_targets(mapping: dict[str, str | None]) -> dict[str, str | None]:
    for column, target in mapping.items():
        reason = None if target is None else target_fault(target)
        if reason:
            raise PydanticCustomError("unknown_field", "{reason}", {"reason": f'Column "{column[:64]}": {reason}'})
    return mapping


class ImportOptions(BaseModel):
    """How to read a file, and what to do with its rows."""

    model_config = ConfigDict(frozen=True, extra="forbid", strict=True)

    format: Kind = Field(description="What the file is.")
    mode: Mode = Field(
        default="append",
        description="append adds every row; upsert changes the items whose key a row has, and adds the others.",
    )
    preview: bool = Field(default=False, description="Only say what would happen.")
    mapping: Annotated[
        dict[str, Annotated[str, bounded(1, 512)] | None],
        Field(max_length=MAX_COLUMNS),
        AfterValidator(_known_targets),
    ] = Field(
        default_factory=dict,
        description=(
            "Column → where it goes: input, expected_output, metadata, metadata.NAME, expected, expected.NAME, "
            "scorers, key, each with :json after it when cells hold JSON; null leaves the column out. "
            "Columns that are not named go where their own name says, else to metadata."
        ),
    )
    trim: bool = Field(default=False, description="Take white space off both ends of each cell (CSV).")
    guarded: bool | None = Field(
        default=None,
        description=(
            "Whether an apostrophe before what looks like a formula is the export's and is taken off (CSV); "
            "left out: yes for a file with the column expected_output:json, which exports have."
        ),
    )
    allow_duplicates: bool = Field(
        default=False, description="Append even when every row stands in the dataset already."
    )


def read_options(given: Any) -> ImportOptions:
    """The options that an object holds. Raises ValidationFailed, naming the path of every fault."""
    if not isinstance(given, dict):
        raise ValidationFailed.one("", "dict_type", "The body must be an object.")
    try:
        return ImportOptions.model_validate(given)
    except ValidationError as error:
        raise ValidationFailed(field_errors(error)) from error
