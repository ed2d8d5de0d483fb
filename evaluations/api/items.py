"""The items of a dataset, over HTTP."""

from collections.abc import Callable
from typing import Any

from rest_framework.request import Request
from rest_framework.response import Response

from evaluations.api.texts import JsonObject
from evaluations.api.views import ProjectView, only_parameters, page_of
from evaluations.item_documents import ItemBody, ItemChange, Message
from evaluations.models import Dataset, DatasetItem, ItemRevision
from evaluations.permissions import LEAST_ROLE, Act
from evaluations.queries.datasets import dataset_for
from evaluations.queries.items import METADATA_PREFIX, item_content, item_of, items_of, revisions_of
from evaluations.services.items import item_create, item_delete, item_update
from foundation import times
from foundation.http.api import json_body
from foundation.http.bodies import PAGE_PARAMETERS, Moment, StrictBody
from foundation.http.openapi import describe

_TAGS = ("datasets",)
_LISTED = {
    **PAGE_PARAMETERS,
    "q": ({"type": "string", "maxLength": 1000}, "Only those that hold this text, in either case."),
    "key": ({"type": "string", "maxLength": 1000}, "Only the one with this key."),
    "metadata.kind": (
        {"type": "string", "maxLength": 1000},
        "Only those whose metadata has this text under `kind`; likewise `metadata.NAME` for any other name.",
    ),
}
_EXAMPLE = {
    "input": [{"role": "user", "content": "Do you ship to Canada?"}],
    "metadata": {"kind": "question", "expected_category": "question", "order_total": 0},
}


class ItemAnswer(StrictBody):
    """An item. `content_hash` is of its input, expected output and ground truth: runs compare what has the same."""

    id: str
    dataset_id: str
    position: int
    key: str | None
    input: list[Message]
    expected_output: Any
    metadata: JsonObject
    expected: JsonObject | None
    scorers: list[str] | None
    content_hash: str
    created_at: Moment
    updated_at: Moment


class ItemList(StrictBody):
    """A part of the items, in dataset order."""

    data: list[ItemAnswer]
    total: int
    limit: int
    offset: int


class ItemRevisionAnswer(StrictBody):
    """What an item was before an edit, when that was, and who edited it."""

    key: str | None
    input: list[Message]
    expected_output: Any
    metadata: JsonObject
    expected: JsonObject | None
    scorers: list[str] | None
    replaced_at: Moment
    replaced_by: str


class ItemRevisionList(StrictBody):
    """A part of an item's earlier contents, newest first."""

    data: list[ItemRevisionAnswer]
    total: int
    limit: int
    offset: int


# The items are the caller's own JSON, whose exact numbers no model may touch: these are written by hand.
def item_document(dataset: Dataset) -> Callable[[DatasetItem], dict[str, Any]]:
    """What writes an item of the dataset as the API answers it."""

    def write(row: DatasetItem) -> dict[str, Any]:
        return {
            "id": row.public_id,
            "dataset_id": dataset.public_id,
            "position": row.position,
            **item_content(row).as_document(),
            "content_hash": row.content_hash,
            "created_at": times.iso(row.created_at),
            "updated_at": times.iso(row.updated_at),
        }

    return write


def _revision_document(revision: ItemRevision) -> dict[str, Any]:
    return {
        **revision.content,
        "replaced_at": times.iso(revision.created_at),
        "replaced_by": revision.created_by_name,
    }


class Items(ProjectView):
    """All of a dataset."""

    @describe(
        "list-dataset-items",
        "List a dataset's items.",
        query=_LISTED,
        answers={200: ItemList},
        needs=LEAST_ROLE[Act.READ],
        refusals=(404,),
        tags=_TAGS,
    )
    def get(self, request: Request, dataset_id: str) -> Response:
        """The items that every filter lets through, in dataset order."""
        dataset = dataset_for(self.actor(request), dataset_id)
        by_metadata = (name for name in request.query_params if name.startswith(METADATA_PREFIX))
        known = {*_LISTED, *(name for name in by_metadata if name != METADATA_PREFIX)}
        given = only_parameters(request, known)
        filters = {name: value for name, value in given.items() if name not in PAGE_PARAMETERS}
        return page_of(request, items_of(dataset, filters), item_document(dataset))

    @describe(
        "create-dataset-item",
        "Add an item to a dataset.",
        body=ItemBody,
        answers={201: ItemAnswer},
        needs=LEAST_ROLE[Act.WRITE],
        refusals=(404, 409),
        example=_EXAMPLE,
        tags=_TAGS,
    )
    def post(self, request: Request, dataset_id: str) -> Response:
        """The new item, the last of the dataset."""
        dataset = dataset_for(self.actor(request), dataset_id, Act.WRITE)
        row = item_create(actor=self.actor(request), dataset=dataset, body=json_body(request))
        return Response(item_document(dataset)(row), status=201)


class ItemDetail(ProjectView):
    """One of them."""

    @describe(
        "get-dataset-item",
        "Get an item.",
        answers={200: ItemAnswer},
        needs=LEAST_ROLE[Act.READ],
        refusals=(404,),
        tags=_TAGS,
    )
    def get(self, request: Request, dataset_id: str, item_id: str) -> Response:
        """The item."""
        only_parameters(request, ())
        dataset = dataset_for(self.actor(request), dataset_id)
        return Response(item_document(dataset)(item_of(dataset, item_id)))

    @describe(
        "update-dataset-item",
        "Change an item.",
        body=ItemChange,
        answers={200: ItemAnswer},
        needs=LEAST_ROLE[Act.WRITE],
        refusals=(404, 409),
        example={"expected_output": "Yes, to every province."},
        tags=_TAGS,
    )
    def put(self, request: Request, dataset_id: str, item_id: str) -> Response:
        """The item as it is now; what it was is among its revisions. Runs keep what they froze."""
        dataset = dataset_for(self.actor(request), dataset_id, Act.WRITE)
        row = item_update(actor=self.actor(request), dataset=dataset, item_id=item_id, body=json_body(request))
        return Response(item_document(dataset)(row))

    @describe(
        "delete-dataset-item",
        "Delete an item.",
        answers={204: None},
        needs=LEAST_ROLE[Act.WRITE],
        refusals=(404,),
        tags=_TAGS,
    )
    def delete(self, request: Request, dataset_id: str, item_id: str) -> Response:
        """Nothing: the item is deleted; results of runs keep the copy that they froze."""
        dataset = dataset_for(self.actor(request), dataset_id, Act.WRITE)
        item_delete(actor=self.actor(request), dataset=dataset, item_id=item_id)
        return Response(status=204)


class ItemRevisions(ProjectView):
    """What one item was before."""

    @describe(
        "list-dataset-item-revisions",
        "List what an item was before each edit.",
        query=PAGE_PARAMETERS,
        answers={200: ItemRevisionList},
        needs=LEAST_ROLE[Act.READ],
        refusals=(404,),
        tags=_TAGS,
    )
    def get(self, request: Request, dataset_id: str, item_id: str) -> Response:
        """The earlier contents, newest first, each with who replaced it and when."""
        only_parameters(request, ())
        dataset = dataset_for(self.actor(request), dataset_id)
        return page_of(request, revisions_of(item_of(dataset, item_id)), _revision_document)
