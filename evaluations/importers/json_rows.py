"""PURE: the rows of a JSON file (a list, or an object that holds one) and of JSON Lines."""

import codecs
from collections.abc import Iterator
from typing import IO, Any

from evaluations.importers.columns import MAX_COLUMNS
from evaluations.importers.rows import MAX_FILE_BYTES, MAX_ROW_BYTES, FileFault, Row, RowFault, json_faults
from foundation import strict_json
from foundation.errors import MalformedJson, Problem, TooLarge, ValidationFailed
from foundation.json_stream import list_items

MAX_OBJECT_BYTES = 8_000_000
LIST_MEMBERS = ("items", "data")
ITEM = "Item"
_CHUNK = 65_536
_SPACE = b" \t\r\n"


def jsonl_rows(stream: IO[bytes]) -> Iterator[Row | RowFault]:
    """One row a line, or what is wrong with it; blank lines are left out. Raises FileFault."""
    _skip_mark(stream)
    number = 0
    while line := stream.readline(MAX_ROW_BYTES + 2):
        number += 1
        if len(line.rstrip(b"\r\n")) > MAX_ROW_BYTES:
            raise FileFault(number, "", "too_large", f"A line may have at most {MAX_ROW_BYTES:,} bytes.")
        if not line.strip(_SPACE):
            continue
        try:
            yield _row(number, strict_json.loads(line))
        except (MalformedJson, ValidationFailed) as error:
            yield from _faults(number, error)


def json_rows(stream: IO[bytes]) -> Iterator[Row | RowFault]:
    """One row for each item of the list, or what is wrong with it. Raises FileFault."""
    _skip_mark(stream)
    start = stream.tell()
    bracket = stream.read(_CHUNK).lstrip(_SPACE)[:1]
    stream.seek(start)
    number = 0
    try:
        items = (
            _in_object(stream)
            if bracket == b"{"
            else list_items(stream, limit=MAX_FILE_BYTES, item_limit=MAX_ROW_BYTES)
        )
        for number, item in enumerate(items, start=1):
            yield from _faults(number, item, ITEM) if isinstance(item, ValidationFailed) else [_row(number, item, ITEM)]
    except (MalformedJson, TooLarge) as error:
        place = number + 1 if bracket == b"[" else 0
        (_, code, message), *_ = json_faults(error)
        raise FileFault(place, "", code, message.replace("This must be one", "The file must be one"), ITEM) from error


def _skip_mark(stream: IO[bytes]) -> None:
    stream.seek(0)
    if stream.read(3) != codecs.BOM_UTF8:
        stream.seek(0)


def _in_object(stream: IO[bytes]) -> list[Any]:
    data = stream.read(MAX_OBJECT_BYTES + 1)
    if len(data) > MAX_OBJECT_BYTES:
        message = f"An object around the list may have at most {MAX_OBJECT_BYTES:,} bytes; send the list alone."
        raise FileFault(0, "", "too_large", message)
    try:
        document = strict_json.loads(data)
    except ValidationFailed as error:
        first = error.fields[0]
        raise FileFault(0, first.path, first.code, first.message) from error
    lists = [document[name] for name in LIST_MEMBERS if isinstance(document.get(name), list)]
    if len(lists) != 1:
        message = "The file must hold a list, or an object with a list under “items” or “data”."
        raise FileFault(0, "", "no_list", message)
    items: list[Any] = lists[0]
    return items


def _row(number: int, value: Any, unit: str = "Line") -> Row | RowFault:
    if not isinstance(value, dict):
        return RowFault(number, "", "dict_type", "An item must be an object.", unit)
    if len(value) > MAX_COLUMNS:
        return RowFault(number, "", "too_many_columns", f"An item may have at most {MAX_COLUMNS} members.", unit)
    return Row(number, value)


def _faults(number: int, error: Problem, unit: str = "Line") -> Iterator[RowFault]:
    for path, code, message in json_faults(error):
        yield RowFault(number, path, code, message, unit)
