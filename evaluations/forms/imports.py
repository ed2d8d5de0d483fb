"""The form of an import: the file, how it is read, and where each of its columns goes.

Nothing of a file is kept on the server between the preview and the import. A browser that runs
scripts keeps the chosen file in the form; for one that does not, a small file goes along in a
hidden field, byte for byte.
"""

import base64
import binascii
import io
from collections.abc import Mapping
from dataclasses import dataclass
from typing import IO, Any

from evaluations.forms.fields import with_plain_lines
from evaluations.importers import MAX_FILE_BYTES, ImportOptions, read_options
from evaluations.importers.options import FORMAT_BY_SUFFIX
from foundation.errors import ValidationFailed

MOST_CARRIED = 1_000_000
MOST_COLUMNS = 200
_SNIFFED = 4_096
_LEFT_OUT = "-"
_PLACES = (
    ("input", "Question (input)"),
    ("expected_output", "Expected answer"),
    ("key", "Key"),
    ("metadata", "Metadata, all of it as JSON"),
    ("expected", "Ground truth, all of it as JSON"),
    ("scorers", "Scorers"),
)


@dataclass(frozen=True, slots=True)
class ImportForm:
    """What was sent: the file's bytes, its name, and the options as they stand in the form."""

    stream: IO[bytes]
    size: int
    name: str
    text: str
    given: Mapping[str, str]
    mapping: Mapping[str, str | None]

    def options(self, *, preview: bool, mapped: bool = True) -> ImportOptions:
        """How the file is to be read. Raises ValidationFailed for what the form does not offer."""
        chosen = self.given.get("format", "")
        return read_options(
            {
                "format": chosen or self._sniffed(),
                "mode": self.given.get("mode", "append"),
                "preview": preview,
                "mapping": dict(self.mapping) if mapped else {},
                "trim": "trim" in self.given,
                "allow_duplicates": "allow_duplicates" in self.given,
            }
        )

    def _sniffed(self) -> str:
        known = FORMAT_BY_SUFFIX.get(self.name.rpartition(".")[2].lower())
        if known:
            return known
        self.stream.seek(0)
        first = self.stream.read(_SNIFFED).removeprefix(b"\xef\xbb\xbf").lstrip()[:1]
        self.stream.seek(0)
        return {b"[": "json", b"{": "jsonl"}.get(first, "csv")

    @property
    def carried(self) -> str:
        """The file for a hidden field; empty for what was pasted, and for a large file."""
        if not self.name or self.size > MOST_CARRIED:
            return ""
        self.stream.seek(0)
        return base64.b64encode(self.stream.read()).decode()


def read_form(posted: Mapping[str, str], uploaded: Any) -> ImportForm:
    """The form as it was sent; `uploaded` is the chosen file, or None.

    Raises ValidationFailed when there is nothing to import, or too much.
    """
    text = with_plain_lines(posted.get("text", ""))
    name, size, stream = _source(posted, uploaded, text)
    if size > MAX_FILE_BYTES:
        message = f"A file may have at most {MAX_FILE_BYTES // 2**20} MB; this has {size:,} bytes."
        raise ValidationFailed.one("file", "too_large", message)
    given = {name: posted[name] for name in ("format", "mode", "trim", "allow_duplicates") if name in posted}
    return ImportForm(stream, size, name, text, given, _mapping(posted))


def _source(posted: Mapping[str, str], uploaded: Any, text: str) -> tuple[str, int, IO[bytes]]:
    if uploaded is not None:
        return uploaded.name or "file", uploaded.size or 0, uploaded.file
    if text.strip():
        data = text.encode("utf-8", "replace")
        return "", len(data), io.BytesIO(data)
    try:
        data = base64.b64decode(posted.get("carried", ""), validate=True)
    except (binascii.Error, ValueError):
        data = b""
    if not data:
        raise ValidationFailed.one("file", "missing", "Choose a file, or paste the rows.")
    return posted.get("carried_name", "") or "file", len(data), io.BytesIO(data)


def _mapping(posted: Mapping[str, str]) -> dict[str, str | None]:
    """Where the columns go that the form lists; a column whose select says nothing goes where its name says."""
    mapping: dict[str, str | None] = {}
    for index in range(MOST_COLUMNS):
        column, target = posted.get(f"column-{index}"), posted.get(f"target-{index}")
        if column is not None and target:
            mapping[column] = None if target == _LEFT_OUT else target
    return mapping


def column_rows(columns: Mapping[str, str | None]) -> list[dict[str, Any]]:
    """Each column with where it goes and where else it could."""
    return [_column_row(index, name, target) for index, (name, target) in enumerate(columns.items())]


def _column_row(index: int, name: str, target: str | None) -> dict[str, Any]:
    value = _LEFT_OUT if target is None else target
    options = [*_PLACES, (f"metadata.{name}", f"Metadata: {name}"), (f"expected.{name}", f"Ground truth: {name}")]
    if value != _LEFT_OUT and value not in {place for place, _ in options}:
        options.append((value, value))
    options.append((_LEFT_OUT, "Leave it out"))
    return {
        "index": index,
        "name": name,
        "value": value,
        "options": [{"value": place, "label": label} for place, label in options],
    }
