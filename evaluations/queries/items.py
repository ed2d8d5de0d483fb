"""Reads of a dataset's items: one, filtered lists, the whole in order, and what an import meets."""

from collections.abc import Collection, Iterator, Mapping

from django.db.models import Max, QuerySet

from evaluations.item_documents import MEMBERS, ItemContent
from evaluations.models import Dataset, DatasetItem, ItemRevision
from evaluations.queries.datasets import MetadataText
from foundation.errors import FieldError, NotFound, ValidationFailed
from foundation.text import unstorable_reason

LONGEST_FILTER = 1_000
METADATA_PREFIX = "metadata."
MAX_FILTERS = 10
_AT_ONCE = 500


def item_content(row: DatasetItem) -> ItemContent:
    """What the row holds."""
    return ItemContent(**{name: getattr(row, name) for name in MEMBERS})


def item_of(dataset: Dataset, public_id: str) -> DatasetItem:
    """The item of the dataset with this identifier. Raises NotFound."""
    row = None
    if not unstorable_reason(public_id):
        row = DatasetItem.objects.filter(dataset=dataset, public_id=public_id).defer("search_text").first()
    if row is None:
        raise NotFound("There is no item with this identifier in the dataset.")
    return row


def items_of(dataset: Dataset, filters: Mapping[str, str] | None = None) -> QuerySet[DatasetItem]:
    """The items in dataset order.

    `filters` may hold `q` (a text somewhere in the item, whatever the case), `key` (exactly) and
    `metadata.NAME` (a text, exactly). Raises ValidationFailed for one that cannot be asked for.
    """
    rows = DatasetItem.objects.filter(dataset=dataset).defer("search_text")
    filters = filters or {}
    faults = [fault for name, value in filters.items() for fault in _filter_faults(name, value)]
    if len(filters) > MAX_FILTERS:
        faults.append(FieldError("", "too_many_filters", f"There may be at most {MAX_FILTERS} filters."))
    if faults:
        raise ValidationFailed(faults)
    for index, (name, value) in enumerate(filters.items()):
        if name == "q":
            rows = rows.filter(search_text__contains=value.casefold())
        elif name == "key":
            rows = rows.filter(key=value)
        else:
            alias = f"metadata_text_{index}"
            rows = rows.alias(**{alias: MetadataText(name.removeprefix(METADATA_PREFIX))}).filter(**{alias: value})
    return rows


def _filter_faults(name: str, value: str) -> Iterator[FieldError]:
    reason = unstorable_reason(value) or unstorable_reason(name)
    if reason:
        yield FieldError(name.replace("\x00", ""), "unstorable_text", f"This {reason}.")
    elif max(len(name), len(value)) > LONGEST_FILTER:
        yield FieldError(name[:64], "too_long", f"Must have at most {LONGEST_FILTER:,} characters.")


def items_stream(dataset: Dataset) -> Iterator[DatasetItem]:
    """Every item in dataset order, read 500 at a time and held no longer."""
    position = -1
    while True:
        batch = list(items_of(dataset).filter(position__gt=position)[:_AT_ONCE])
        yield from batch
        if len(batch) < _AT_ONCE:
            return
        position = batch[-1].position


def neighbours_of(item: DatasetItem) -> tuple[str | None, str | None]:
    """The identifiers of the items before and after this one in the dataset; None at its ends."""
    rows = DatasetItem.objects.filter(dataset=item.dataset_id)
    before = rows.filter(position__lt=item.position).order_by("-position")
    after = rows.filter(position__gt=item.position).order_by("position")
    return (before.values_list("public_id", flat=True).first(), after.values_list("public_id", flat=True).first())


def revisions_of(item: DatasetItem) -> QuerySet[ItemRevision]:
    """What the item was before each edit, newest first."""
    return ItemRevision.objects.filter(item=item)


def next_position(dataset: Dataset) -> int:
    """The position after the last item; 0 in an empty dataset."""
    last = DatasetItem.objects.filter(dataset=dataset).aggregate(last=Max("position"))["last"]
    return 0 if last is None else int(last) + 1


def items_by_key(dataset: Dataset, keys: Collection[str]) -> dict[str, DatasetItem]:
    """The items that have one of these keys, by key."""
    if not keys:
        return {}
    # Without an order: for the sake of one SQLite walks through the whole dataset, whatever the keys.
    rows = DatasetItem.objects.filter(dataset=dataset, key__in=keys).defer("search_text").order_by()
    return {row.key: row for row in rows if row.key is not None}


def keyless_items(dataset: Dataset) -> set[tuple[bytes, bytes]]:
    """Content and label hashes of the items without a key: what tells a copy from a new item."""
    rows = DatasetItem.objects.filter(dataset=dataset, key=None).order_by()
    found = set()
    columns = rows.values_list("content_hash", "metadata", "scorers")
    for content_hash, metadata, scorers in columns.iterator(chunk_size=_AT_ONCE):
        labels = ItemContent(input=[], metadata=metadata, scorers=scorers).labels_hash()
        found.add((content_hash.encode(), labels))
    return found
