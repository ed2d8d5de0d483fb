"""Datasets, over HTTP."""

from typing import Any

from pydantic import Field
from rest_framework.request import Request
from rest_framework.response import Response

from evaluations.api.projects import FORCE
from evaluations.api.texts import Identifier, LongText, Name
from evaluations.api.views import ProjectView, only_parameters, page_of
from evaluations.models import Dataset
from evaluations.permissions import LEAST_ROLE, Act, project_to_write
from evaluations.queries.datasets import dataset_for, datasets_listed, item_count, kinds_of
from evaluations.services.datasets import dataset_create, dataset_delete, dataset_update
from foundation.errors import ValidationFailed
from foundation.http.api import json_body
from foundation.http.bodies import PAGE_PARAMETERS, Moment, StrictBody, read_body, write_answer
from foundation.http.openapi import describe
from foundation.text import unstorable_reason

_LISTED: dict[str, tuple[dict[str, Any], str]] = {
    **PAGE_PARAMETERS,
    "project_id": ({"type": "string"}, "Only those of this project."),
}
_BY: dict[str, tuple[dict[str, Any], str]] = {
    "by": (
        {"type": "string", "minLength": 1, "maxLength": 255, "default": "kind"},
        "The metadata key that divides the items.",
    )
}


class DatasetBody(StrictBody):
    """A new dataset."""

    project_id: Identifier
    name: Name
    description: LongText = ""


class DatasetChange(StrictBody):
    """What to change of a dataset; what is left out stays."""

    name: Name = Field(default="")
    description: LongText = ""


class DatasetAnswer(StrictBody):
    """A dataset, and how many items it has."""

    id: str
    project_id: str
    name: str
    description: str
    item_count: int
    created_at: Moment
    updated_at: Moment


class DatasetList(StrictBody):
    """A part of the datasets, newest first."""

    data: list[DatasetAnswer]
    total: int
    limit: int
    offset: int


class KindCount(StrictBody):
    """How many items have one value."""

    value: str
    count: int


class KindsAnswer(StrictBody):
    """How a dataset's items divide by one metadata key.

    Only texts are kinds: `ungrouped` items have no such key, or something else under it. `kinds`
    holds the most frequent thousand of `kind_count` values, by value.
    """

    by: str
    kinds: list[KindCount]
    kind_count: int
    ungrouped: int
    total: int


def dataset_document(dataset: Dataset) -> dict[str, Any]:
    """The dataset as the API answers it."""
    answer = DatasetAnswer(
        id=dataset.public_id,
        project_id=dataset.project.public_id,
        name=dataset.name,
        description=dataset.description,
        item_count=item_count(dataset),
        created_at=dataset.created_at,
        updated_at=dataset.updated_at,
    )
    return write_answer(answer)


class Datasets(ProjectView):
    """All of them."""

    @describe(
        "list-datasets",
        "List datasets.",
        query=_LISTED,
        answers={200: DatasetList},
        needs=LEAST_ROLE[Act.READ],
    )
    def get(self, request: Request) -> Response:
        """The datasets of one project, or of all that the caller may see, newest first."""
        project_id = only_parameters(request, _LISTED).get("project_id")
        return page_of(request, datasets_listed(self.actor(request), project_id), dataset_document)

    @describe(
        "create-dataset",
        "Create a dataset.",
        body=DatasetBody,
        answers={201: DatasetAnswer},
        needs=LEAST_ROLE[Act.WRITE],
        refusals=(409,),
        example={"project_id": "proj_0123456789abcdef", "name": "refund-requests"},
    )
    def post(self, request: Request) -> Response:
        """The new dataset, without items."""
        body = read_body(DatasetBody, json_body(request))
        actor = self.actor(request)
        project = project_to_write(actor, body.project_id)
        dataset = dataset_create(actor=actor, project=project, name=body.name, description=body.description)
        return Response(dataset_document(dataset), status=201)


class DatasetDetail(ProjectView):
    """One of them."""

    @describe(
        "get-dataset", "Get a dataset.", answers={200: DatasetAnswer}, needs=LEAST_ROLE[Act.READ], refusals=(404,)
    )
    def get(self, request: Request, dataset_id: str) -> Response:
        """The dataset; its items have an address of their own."""
        only_parameters(request, ())
        return Response(dataset_document(dataset_for(self.actor(request), dataset_id)))

    @describe(
        "update-dataset",
        "Change a dataset.",
        body=DatasetChange,
        answers={200: DatasetAnswer},
        needs=LEAST_ROLE[Act.WRITE],
        refusals=(404, 409),
        example={"description": "Refunds and questions, labelled by kind."},
    )
    def put(self, request: Request, dataset_id: str) -> Response:
        """The dataset as it is now."""
        dataset = dataset_for(self.actor(request), dataset_id, Act.WRITE)
        changes = read_body(DatasetChange, json_body(request)).model_dump(exclude_unset=True)
        return Response(dataset_document(dataset_update(actor=self.actor(request), dataset=dataset, changes=changes)))

    @describe(
        "delete-dataset",
        "Delete a dataset with its items.",
        query=FORCE,
        answers={204: None},
        needs=LEAST_ROLE[Act.DELETE],
        refusals=(404, 409),
    )
    def delete(self, request: Request, dataset_id: str) -> Response:
        """Nothing: the dataset and its items are deleted, with force also the evals that use it."""
        force = only_parameters(request, FORCE).get("force") == "true"
        dataset = dataset_for(self.actor(request), dataset_id, Act.DELETE)
        dataset_delete(actor=self.actor(request), dataset=dataset, force=force)
        return Response(status=204)


class DatasetKinds(ProjectView):
    """How its items are labelled."""

    @describe(
        "list-dataset-kinds",
        "Count a dataset's items by a metadata key.",
        query=_BY,
        answers={200: KindsAnswer},
        needs=LEAST_ROLE[Act.READ],
        refusals=(404,),
        tags=("datasets",),
    )
    def get(self, request: Request, dataset_id: str) -> Response:
        """The number of items of each kind."""
        key = only_parameters(request, _BY).get("by", "kind")
        if not 1 <= len(key) <= 255 or unstorable_reason(key):
            raise ValidationFailed.one("by", "bad_key", "Must be a metadata key of 1 to 255 characters.")
        found = kinds_of(dataset_for(self.actor(request), dataset_id), key)
        answer = KindsAnswer(
            by=key,
            kinds=[KindCount(value=value, count=count) for value, count in found.counts.items()],
            kind_count=found.kind_count,
            ungrouped=found.ungrouped,
            total=found.total,
        )
        return Response(write_answer(answer))
