"""Items of a dataset: added, edited, deleted one by one. Each edit keeps what was there before."""

from typing import Any

from django.db import transaction

from accounts.actors import Actor
from accounts.services.audit import audit_record
from evaluations.item_documents import MEMBERS, ItemContent, changed_item, read_item
from evaluations.models import Dataset, DatasetItem, ItemRevision
from evaluations.permissions import Act, permit
from evaluations.queries.items import item_content, item_of, items_by_key, next_position
from evaluations.services.datasets import hold_dataset
from foundation import times
from foundation.errors import NameConflict
from scoring.kit.json_values import json_equal


def item_create(*, actor: Actor | None, dataset: Dataset, body: Any) -> DatasetItem:
    """A new item at the end of the dataset.

    Raises ValidationFailed, naming every fault of the body, and NameConflict for a key that is taken.
    """
    actor = permit(actor, dataset.project, Act.WRITE)
    content = read_item(body)
    with transaction.atomic():
        hold_dataset(dataset)
        _check_key(dataset, content)
        row = item_row(dataset, content, next_position(dataset), content.content_hash())
        row.save()
        _record(actor, "item.created", row, dataset)
    return row


def item_update(*, actor: Actor | None, dataset: Dataset, item_id: str, body: Any) -> DatasetItem:
    """The item with the members of `body`; what it was before is kept as a revision.

    Nothing is written when nothing differs. Raises NotFound, ValidationFailed and NameConflict.
    """
    actor = permit(actor, dataset.project, Act.WRITE)
    with transaction.atomic():
        hold_dataset(dataset)
        row = item_of(dataset, item_id)
        before = item_content(row)
        content = changed_item(before, body)
        changed = changed_members(before, content)
        if changed:
            if "key" in changed:
                _check_key(dataset, content)
            revise(actor, row, content, content.content_hash())
            _record(actor, "item.updated", row, dataset, fields=changed)
    return row


def item_delete(*, actor: Actor | None, dataset: Dataset, item_id: str) -> None:
    """The item and its revisions are gone; results of runs keep the copy that they froze."""
    actor = permit(actor, dataset.project, Act.WRITE)
    with transaction.atomic():
        hold_dataset(dataset)
        row = item_of(dataset, item_id)
        _record(actor, "item.deleted", row, dataset)
        DatasetItem.objects.filter(pk=row.pk).delete()


def changed_members(before: ItemContent, after: ItemContent) -> list[str]:
    """The names of the members that differ as JSON values."""
    return [name for name in MEMBERS if not json_equal(getattr(before, name), getattr(after, name))]


def item_row(dataset: Dataset, content: ItemContent, position: int, content_hash: str) -> DatasetItem:
    """A row for a new item, not stored yet."""
    now = times.now()
    return DatasetItem(
        created_at=now,
        updated_at=now,
        dataset=dataset,
        position=position,
        content_hash=content_hash,
        search_text=content.search_text(),
        **content.as_document(),
    )


def revise(actor: Actor, row: DatasetItem, content: ItemContent, content_hash: str) -> None:
    """Give the row this content, keeping what it held as a revision; within the caller's transaction."""
    ItemRevision.objects.create(
        item=row,
        content=item_content(row).as_document(),
        created_by_id=actor.user_id,
        created_by_name=actor.name[:256],
    )
    columns = {
        **content.as_document(),
        "content_hash": content_hash,
        "search_text": content.search_text(),
        "updated_at": times.now(),
    }
    DatasetItem.objects.filter(pk=row.pk).update(**columns)
    for name, value in columns.items():
        setattr(row, name, value)


def _check_key(dataset: Dataset, content: ItemContent) -> None:
    if content.key is not None and items_by_key(dataset, [content.key]):
        raise NameConflict(f'An item of the dataset has the key "{content.key}" already.', hint="Choose another key.")


def _record(actor: Actor, action: str, row: DatasetItem, dataset: Dataset, **changes: Any) -> None:
    audit_record(
        actor=actor,
        action=action,
        kind="item",
        object_id=row.public_id,
        object_name=row.key or "",
        changes={"dataset": dataset.public_id, **changes},
    )
