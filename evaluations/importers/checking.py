"""PURE: a whole file read once for its faults, and its items put aside for the second pass.

What is put aside lies on disk beyond 2 MB: memory does not grow with the file, but for its keys.
"""

from collections.abc import Iterator
from dataclasses import dataclass, field
from tempfile import SpooledTemporaryFile
from types import TracebackType
from typing import IO, Self

from evaluations.importers.items import ItemRow, read_rows
from evaluations.importers.options import ImportOptions
from evaluations.importers.rows import RowFault
from evaluations.item_documents import ItemContent, item_from
from foundation import exact_json
from foundation.errors import ValidationFailed

MOST_FAULTS = 100
SHOWN_ROWS = 20
_IN_MEMORY = 2_000_000


@dataclass(frozen=True, slots=True)
class CheckedRow:
    """An item of the file that is right in itself."""

    line: int
    content: ItemContent
    content_hash: str


@dataclass
class CheckedFile:
    """A file that was read to its end, or to where it can be read no further. Close it, or use `with`.

    `faults` holds the first MOST_FAULTS of `fault_count`, `shown` the first SHOWN_ROWS rows of
    `row_count`, `columns` each column and where it goes.
    """

    columns: dict[str, str | None] = field(default_factory=dict)
    row_count: int = 0
    fault_count: int = 0
    faults: list[RowFault] = field(default_factory=list)
    shown: list[ItemRow] = field(default_factory=list)
    aside: IO[bytes] = field(default_factory=lambda: SpooledTemporaryFile(max_size=_IN_MEMORY))  # noqa: SIM115 - __exit__ closes it

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self.aside.close()

    def add_fault(self, fault: RowFault) -> None:
        """Count a fault, and keep it while there is room."""
        self.fault_count += 1
        if len(self.faults) < MOST_FAULTS:
            self.faults.append(fault)

    def batches(self, size: int) -> Iterator[list[CheckedRow]]:
        """The items that are right in themselves, in the order of the file, `size` at a time."""
        self.aside.seek(0)
        batch: list[CheckedRow] = []
        for line in self.aside:
            number, content_hash, document = line.decode().split("\t", 2)
            batch.append(CheckedRow(int(number), item_from(exact_json.loads(document)), content_hash))
            if len(batch) == size:
                yield batch
                batch = []
        if batch:
            yield batch

    def refusal(self) -> ValidationFailed:
        """What an import of a file with faults is answered: the first of them, and how many there are."""
        more = f" (and {self.fault_count - 1:,} more)" if self.fault_count > 1 else ""
        return ValidationFailed(
            (fault.as_field_error() for fault in self.faults),
            f"{self.faults[0].sentence()}{more} Nothing was imported.",
            hint="Mend the rows listed in meta.fields and send the whole file again; preview=true only tries it.",
            meta={"fault_count": self.fault_count},
        )


def check_file(stream: IO[bytes], options: ImportOptions) -> CheckedFile:
    """The file, read once. `stream` must be seekable and stays open."""
    checked = CheckedFile()
    for row in read_rows(stream, options, checked.columns):
        checked.row_count += row.line > 0
        if len(checked.shown) < SHOWN_ROWS:
            checked.shown.append(row)
        for fault in row.faults:
            checked.add_fault(fault)
        if row.content is not None:
            # JSON has neither tabs nor line ends but for those that we put in.
            checked.aside.write(f"{row.line}\t{row.content.content_hash()}\t{row.text}\n".encode())
    return checked
