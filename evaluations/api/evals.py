"""Evals, over HTTP."""

from collections.abc import Mapping
from typing import Annotated, Any

from pydantic import Field
from rest_framework.request import Request
from rest_framework.response import Response

from evaluations.api.texts import Identifier, JsonObject, Name, Share
from evaluations.api.views import ProjectView, only_parameters, page_of
from evaluations.models import Eval
from evaluations.permissions import LEAST_ROLE, Act, project_to_write
from evaluations.queries.evals import eval_for, evals_listed
from evaluations.services.evals import eval_create, eval_delete, eval_update
from foundation.http.api import json_body
from foundation.http.bodies import PAGE_PARAMETERS, Moment, StrictBody, read_body, write_answer
from foundation.http.openapi import describe

OF_PROJECT: Mapping[str, tuple[Mapping[str, Any], str]] = {
    **PAGE_PARAMETERS,
    "project_id": ({"type": "string"}, "Only what is in this project."),
}
GroupName = Annotated[str, Field(min_length=1, max_length=255)]
_EXAMPLE = {
    "project_id": "proj_0123456789abcdef",
    "name": "refund-triage",
    "dataset_id": "dset_0123456789abcdef",
    "agent_id": "agent_0123456789abcdef",
    "scorers": [
        {"type": "output_schema"},
        {"type": "json_logic", "expression": {"==": [{"var": "object.category"}, {"var": "item.metadata.category"}]}},
    ],
    "pass_threshold": 0.75,
    "group_by": "kind",
}


class EvalBody(StrictBody):
    """A new eval: `scorers` or `profile_id` judge each answer.

    Without `agent_id` its runs bring their outputs. A run passes when its pass rate reaches
    `pass_threshold` and the share of items that could be scored reaches `min_coverage`.
    """

    project_id: Identifier
    name: Name
    dataset_id: Identifier
    agent_id: Identifier | None = None
    scorers: list[JsonObject] | None = None
    profile_id: Identifier | None = None
    pass_threshold: Share | None = None
    group_by: GroupName | None = None
    min_coverage: Share = 0.9


class EvalChange(StrictBody):
    """What to change of an eval; what is left out stays. Giving scorers removes the profile, and the other way."""

    name: Name = Field(default="")
    dataset_id: Identifier = Field(default="")
    agent_id: Identifier | None = None
    scorers: list[JsonObject] | None = None
    profile_id: Identifier | None = None
    pass_threshold: Share | None = None
    group_by: GroupName | None = None
    min_coverage: Share = 0.9
    baseline_run_id: Identifier | None = None


class EvalAnswer(StrictBody):
    """An eval. `baseline_run_id` is what new runs are compared with when they name no other."""

    id: str
    project_id: str
    name: str
    dataset_id: str
    agent_id: str | None
    profile_id: str | None
    scorers: list[JsonObject] | None
    pass_threshold: float | None
    group_by: str | None
    min_coverage: float
    baseline_run_id: str | None
    created_at: Moment
    updated_at: Moment


class EvalList(StrictBody):
    """A part of the evals, newest first."""

    data: list[EvalAnswer]
    total: int
    limit: int
    offset: int


def eval_document(row: Eval) -> dict[str, Any]:
    """The eval as the API answers it."""
    answer = EvalAnswer(
        id=row.public_id,
        project_id=row.project.public_id,
        name=row.name,
        dataset_id=row.dataset.public_id,
        agent_id=row.agent.public_id if row.agent else None,
        profile_id=row.profile_id,
        scorers=None,
        pass_threshold=row.pass_threshold,
        group_by=row.group_by,
        min_coverage=row.min_coverage,
        baseline_run_id=row.baseline_run.public_id if row.baseline_run else None,
        created_at=row.created_at,
        updated_at=row.updated_at,
    )
    # The scorers are the caller's own JSON, whose exact numbers no model may touch.
    return {**write_answer(answer), "scorers": row.scorers}


class Evals(ProjectView):
    """All of them."""

    @describe(
        "list-evals",
        "List evals.",
        query=OF_PROJECT,
        answers={200: EvalList},
        needs=LEAST_ROLE[Act.READ],
    )
    def get(self, request: Request) -> Response:
        """The evals of one project, or of all that the caller may see."""
        project_id = only_parameters(request, OF_PROJECT).get("project_id")
        return page_of(request, evals_listed(self.actor(request), project_id), eval_document)

    @describe(
        "create-eval",
        "Create an eval.",
        body=EvalBody,
        answers={201: EvalAnswer},
        needs=LEAST_ROLE[Act.WRITE],
        refusals=(409,),
        example=_EXAMPLE,
    )
    def post(self, request: Request) -> Response:
        """The new eval."""
        body = read_body(EvalBody, json_body(request)).model_dump()
        project = project_to_write(self.actor(request), body.pop("project_id"))
        row = eval_create(actor=self.actor(request), project=project, body=body)
        return Response(eval_document(row), status=201)


class EvalDetail(ProjectView):
    """One of them."""

    @describe("get-eval", "Get an eval.", answers={200: EvalAnswer}, needs=LEAST_ROLE[Act.READ], refusals=(404,))
    def get(self, request: Request, eval_id: str) -> Response:
        """The eval."""
        return Response(eval_document(eval_for(self.actor(request), eval_id)))

    @describe(
        "update-eval",
        "Change an eval.",
        body=EvalChange,
        answers={200: EvalAnswer},
        needs=LEAST_ROLE[Act.WRITE],
        refusals=(404, 409),
        example={"pass_threshold": 0.9},
    )
    def put(self, request: Request, eval_id: str) -> Response:
        """The eval as it is now; runs that have started keep what they froze."""
        row = eval_for(self.actor(request), eval_id, Act.WRITE)
        changes = read_body(EvalChange, json_body(request)).model_dump(exclude_unset=True)
        return Response(eval_document(eval_update(actor=self.actor(request), row=row, changes=changes)))

    @describe(
        "delete-eval",
        "Delete an eval with its runs.",
        answers={204: None},
        needs=LEAST_ROLE[Act.DELETE],
        refusals=(404,),
    )
    def delete(self, request: Request, eval_id: str) -> Response:
        """Nothing: the eval, its runs and their results are deleted."""
        eval_delete(actor=self.actor(request), row=eval_for(self.actor(request), eval_id, Act.DELETE))
        return Response(status=204)
