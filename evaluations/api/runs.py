"""Runs and their results, over HTTP."""

import time
from typing import Annotated, Any

from pydantic import Field
from rest_framework.request import Request
from rest_framework.response import Response

from evaluations.api.idempotency import HEADER_WORDS, idempotent
from evaluations.api.run_documents import (
    ResultAnswer,
    ResultList,
    RunAnswer,
    RunList,
    result_document,
    run_document,
)
from evaluations.api.texts import Identifier, JsonObject, ShortText
from evaluations.api.views import ProjectView, only_parameters, page_of
from evaluations.engine.working import work_on_run
from evaluations.models import Run
from evaluations.permissions import LEAST_ROLE, Act
from evaluations.queries.evals import eval_for
from evaluations.queries.runs import progress_of, result_for, results_of, run_for, runs_of
from evaluations.result_filters import PARAMETERS, read_filters
from evaluations.services.runs import RunOrder, run_cancel, run_delete, run_retry_errored, run_start
from foundation.http.api import StrictJsonParser, json_body
from foundation.http.bodies import PAGE_PARAMETERS, StrictBody, read_body
from foundation.http.openapi import describe

# Recorded outputs of a whole dataset come in one body.
MOST_BYTES = 64_000_000
_WAIT_SECONDS = 55.0
_FILTERS = {**PAGE_PARAMETERS, **PARAMETERS}


class StartBody(StrictBody):
    """How to run an eval. All of it may be left out.

    `outputs` are answers that were recorded elsewhere: nothing is generated. Each is `{item_key |
    item_id, observation | output, object | error}`. `rescore_of` is an earlier run of the same
    eval, whose answers today's scorers judge. With `wait` the answer comes when the run is done (25
    results at most, within a minute).
    """

    name: ShortText = ""
    wait: bool = False
    trials: Annotated[int, Field(ge=1, le=20)] = 1
    agent_version: Annotated[int, Field(ge=1)] | None = None
    baseline_run_id: Identifier | None = None
    metadata: JsonObject = Field(default_factory=dict)
    outputs: Annotated[list[Any], Field(min_length=1, max_length=1_000_000)] | None = None
    rescore_of: Identifier | None = None


class _BulkJsonParser(StrictJsonParser):
    most_bytes = MOST_BYTES


def _document(run: Run) -> dict[str, Any]:
    return run_document(run, progress_of([run])[run.pk])


class Runs(ProjectView):
    """The runs of one eval."""

    parser_classes = (_BulkJsonParser,)

    @describe(
        "list-eval-runs",
        "List an eval's runs.",
        query=PAGE_PARAMETERS,
        answers={200: RunList},
        needs=LEAST_ROLE[Act.READ],
        refusals=(404,),
    )
    def get(self, request: Request, eval_id: str) -> Response:
        """The runs, newest first."""
        only_parameters(request, ())
        rows = runs_of(eval_for(self.actor(request), eval_id))
        page = page_of(request, rows, lambda run: run)
        progress = progress_of(page.data["data"])
        page.data["data"] = [run_document(run, progress[run.pk]) for run in page.data["data"]]
        return page

    @describe(
        "start-eval-run",
        "Start a run of an eval.",
        body=StartBody,
        headers=HEADER_WORDS,
        answers={201: RunAnswer},
        needs=LEAST_ROLE[Act.RUN],
        refusals=(404, 409, 422),
        example={"name": "nightly", "baseline_run_id": "evrun_0123456789abcdef"},
    )
    @idempotent
    def post(self, request: Request, eval_id: str) -> Response:
        """The new run: queued, or done when it was waited for."""
        row = eval_for(self.actor(request), eval_id, Act.RUN)
        body = read_body(StartBody, json_body(request) if request.stream is not None else {})
        order = RunOrder(**{name: getattr(body, name) for name in StartBody.model_fields})
        run = run_start(actor=self.actor(request), row=row, order=order)
        if body.wait:
            _work_until_done(run)
        return Response(_document(run_for(self.actor(request), eval_id, run.public_id)), status=201)


def _work_until_done(run: Run) -> None:
    """Work on the run here, beside the workers, until it is done or a minute has passed."""
    ends = time.monotonic() + _WAIT_SECONDS
    while not work_on_run(run.pk, seconds=ends - time.monotonic()) and time.monotonic() < ends:
        time.sleep(0.1)


class RunDetail(ProjectView):
    """One run."""

    @describe("get-eval-run", "Get a run.", answers={200: RunAnswer}, needs=LEAST_ROLE[Act.READ], refusals=(404,))
    def get(self, request: Request, eval_id: str, eval_run_id: str) -> Response:
        """The run, with its counts now and its aggregates once it is settled."""
        return Response(_document(run_for(self.actor(request), eval_id, eval_run_id)))

    @describe(
        "delete-eval-run",
        "Delete a run with its results.",
        answers={204: None},
        needs=LEAST_ROLE[Act.DELETE],
        refusals=(404,),
    )
    def delete(self, request: Request, eval_id: str, eval_run_id: str) -> Response:
        """Nothing: the run is deleted."""
        run_delete(actor=self.actor(request), run=run_for(self.actor(request), eval_id, eval_run_id, Act.DELETE))
        return Response(status=204)


class Cancel(ProjectView):
    """Ending a run early."""

    @describe(
        "cancel-eval-run",
        "Cancel a run; what is done is kept.",
        answers={200: RunAnswer},
        needs=LEAST_ROLE[Act.RUN],
        refusals=(404,),
    )
    def post(self, request: Request, eval_id: str, eval_run_id: str) -> Response:
        """The canceled run."""
        run = run_for(self.actor(request), eval_id, eval_run_id, Act.RUN)
        return Response(_document(run_cancel(actor=self.actor(request), run=run)))


class RetryErrored(ProjectView):
    """Another try for what erred."""

    @describe(
        "retry-errored-eval-run",
        "Try the errored results of a completed run again.",
        answers={200: RunAnswer},
        needs=LEAST_ROLE[Act.RUN],
        refusals=(404,),
    )
    def post(self, request: Request, eval_id: str, eval_run_id: str) -> Response:
        """The run, queued again."""
        run = run_for(self.actor(request), eval_id, eval_run_id, Act.RUN)
        return Response(_document(run_retry_errored(actor=self.actor(request), run=run)))


class Results(ProjectView):
    """The results of one run."""

    @describe(
        "list-eval-results",
        "List a run's results.",
        query=_FILTERS,
        answers={200: ResultList},
        needs=LEAST_ROLE[Act.READ],
        refusals=(404,),
    )
    def get(self, request: Request, eval_id: str, eval_run_id: str) -> Response:
        """The results in dataset order, those that all given filters let through."""
        run = run_for(self.actor(request), eval_id, eval_run_id)
        filters = read_filters(only_parameters(request, PARAMETERS))

        def document(result: Any) -> dict[str, Any]:
            result.run = run
            return result_document(result)

        return page_of(request, results_of(run, filters), document)


class ResultDetail(ProjectView):
    """One result."""

    @describe(
        "get-eval-result", "Get one result.", answers={200: ResultAnswer}, needs=LEAST_ROLE[Act.READ], refusals=(404,)
    )
    def get(self, request: Request, eval_id: str, eval_run_id: str, result_id: str) -> Response:
        """The result with everything that was recorded."""
        return Response(result_document(result_for(self.actor(request), eval_id, eval_run_id, result_id)))
