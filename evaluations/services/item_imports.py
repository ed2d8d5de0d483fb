"""Importing files of items: all of a file or nothing, and what would happen before it does."""

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import IO

from django.db import transaction

from accounts.actors import Actor
from evaluations.importers import ImportOptions, ItemRow, RowFault
from evaluations.importers.checking import CheckedFile, CheckedRow, check_file
from evaluations.models import Dataset, DatasetItem
from evaluations.permissions import Act, permit
from evaluations.queries.items import item_content, items_by_key, keyless_items, next_position
from evaluations.services.datasets import dataset_record, hold_dataset
from evaluations.services.items import item_row, revise
from foundation.errors import FieldError, ValidationFailed

BATCH = 500


@dataclass
class ImportReport:
    """What an import did, or what it would do when it was a preview.

    `added`, `changed` and `unchanged` count rows; `duplicates` those without a key that are the same
    as an item without a key in the dataset. `faults` are the first 100 of `fault_count`; with any,
    nothing is imported. `shown` are the first 20 rows.
    """

    row_count: int
    columns: dict[str, str | None]
    faults: list[RowFault] = field(default_factory=list)
    fault_count: int = 0
    shown: list[ItemRow] = field(default_factory=list)
    added: int = 0
    changed: int = 0
    unchanged: int = 0
    duplicates: int = 0


def items_import(*, actor: Actor | None, dataset: Dataset, stream: IO[bytes], options: ImportOptions) -> ImportReport:
    """The items of a file, in the dataset in one transaction; with `options.preview`, only what would happen.

    A row is the whole item: what an upsert changes has nothing left of before. `stream` must be
    seekable. Raises ValidationFailed with line and column of each fault (the first 100) when any row
    is refused, and for an append of nothing but what is there already: nothing is imported then.
    """
    actor = permit(actor, dataset.project, Act.WRITE)
    with check_file(stream, options) as checked:
        if options.preview:
            report = _Comparison(dataset, checked, options).reported()
            report.shown = checked.shown
            return report
        _refuse_faults(checked)
        with transaction.atomic():
            hold_dataset(dataset)
            comparison = _Comparison(dataset, checked, options)
            _store(actor, dataset, comparison)
            _refuse_faults(checked)
            report = comparison.reported()
            _refuse_duplicate(report, options)
            counts = {"added": report.added, "changed": report.changed, "unchanged": report.unchanged}
            dataset_record(actor, "dataset.imported", dataset, format=options.format, mode=options.mode, **counts)
    return report


def _refuse_faults(checked: CheckedFile) -> None:
    if checked.fault_count:
        raise checked.refusal()


def _refuse_duplicate(report: ImportReport, options: ImportOptions) -> None:
    if options.mode == "append" and report.duplicates == report.row_count and not options.allow_duplicates:
        message = "Every row of this file stands in the dataset already. Nothing was imported."
        hint = "Send mode=upsert to leave them as they are, or allow_duplicates=true to add them again."
        raise ValidationFailed([FieldError("", "duplicate_upload", message)], hint=hint)


class _Comparison:
    """The good rows of a file against what stands in the dataset."""

    def __init__(self, dataset: Dataset, checked: CheckedFile, options: ImportOptions) -> None:
        self.dataset = dataset
        self.checked = checked
        self.options = options
        self.report = ImportReport(row_count=checked.row_count, columns=checked.columns)
        self.walked = False

    def reported(self) -> ImportReport:
        """The counts, after all rows were compared, and the faults found by then."""
        if not self.walked:
            for _ in self.batches():
                pass
        self.report.faults = self.checked.faults
        self.report.fault_count = self.checked.fault_count
        return self.report

    def batches(self) -> Iterator[tuple[list[CheckedRow], list[tuple[CheckedRow, DatasetItem]]]]:
        """The rows that are new, and those that change an item, a batch at a time."""
        copies: set[tuple[bytes, bytes]] | None = None
        for batch in self.checked.batches(BATCH):
            keys = [row.content.key for row in batch if row.content.key is not None]
            there = items_by_key(self.dataset, keys)
            if copies is None and len(keys) < len(batch):
                # Read before anything is written: the rows of one file are no copies of each other.
                copies = keyless_items(self.dataset)
            added: list[CheckedRow] = []
            changed: list[tuple[CheckedRow, DatasetItem]] = []
            for row in batch:
                if row.content.key is None:
                    added += self._without_key(row, copies or set())
                elif row.content.key not in there:
                    added.append(row)
                else:
                    changed += self._with_key(row, there[row.content.key])
            self.report.added += len(added)
            self.report.changed += len(changed)
            yield added, changed
        self.walked = True

    def _without_key(self, row: CheckedRow, copies: set[tuple[bytes, bytes]]) -> list[CheckedRow]:
        if (row.content_hash.encode(), row.content.labels_hash()) not in copies:
            return [row]
        self.report.duplicates += 1
        if self.options.mode == "append":
            return [row]
        self.report.unchanged += 1
        return []

    def _with_key(self, row: CheckedRow, item: DatasetItem) -> list[tuple[CheckedRow, DatasetItem]]:
        if self.options.mode == "append":
            message = f'An item of the dataset has the key "{item.key}"; import with mode=upsert to change it.'
            column = next((name for name, target in self.checked.columns.items() if target == "key"), "key")
            unit = "Item" if self.options.format == "json" else "Line"
            self.checked.add_fault(RowFault(row.line, column, "key_taken", message, unit))
            return []
        same_content = item.content_hash == row.content_hash
        if same_content and item_content(item).labels_hash() == row.content.labels_hash():
            self.report.unchanged += 1
            return []
        return [(row, item)]


def _store(actor: Actor, dataset: Dataset, comparison: _Comparison) -> None:
    """Write what the comparison gives; after the first fault only compare on, for nothing will stay."""
    position = next_position(dataset)
    for added, changed in comparison.batches():
        if comparison.checked.fault_count:
            continue
        rows = [item_row(dataset, row.content, position + index, row.content_hash) for index, row in enumerate(added)]
        DatasetItem.objects.bulk_create(rows)
        position += len(rows)
        for row, item in changed:
            revise(actor, item, row.content, row.content_hash)
