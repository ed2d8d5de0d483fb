"""Comparing two runs, and taking a run's results away as a file, over HTTP."""

from collections.abc import Iterator
from typing import Any

from django.http import StreamingHttpResponse
from rest_framework.request import Request
from rest_framework.response import Response

from evaluations.api.run_documents import result_document
from evaluations.api.texts import JsonObject
from evaluations.api.views import ProjectView, only_parameters
from evaluations.findings import finding
from evaluations.models import Run
from evaluations.permissions import LEAST_ROLE, Act
from evaluations.queries.comparisons import comparison_of, differences_of_judgement
from evaluations.queries.evals import eval_for
from evaluations.queries.runs import results_of, run_for
from evaluations.result_filters import PARAMETERS, read_filters
from evaluations.run_exports import MEDIA_TYPES, export_pieces
from evaluations.specification import Specification
from foundation.errors import NotFound, ValidationFailed
from foundation.http.bodies import StrictBody
from foundation.http.openapi import describe
from foundation.table_files import joined

_AT_ONCE = 200
_RUNS = {
    "run": ({"type": "string"}, "The run to judge."),
    "baseline": ({"type": "string"}, "What it is compared with; the run's own baseline when left out."),
}
_EXPORT = {
    "format": ({"type": "string", "enum": sorted(MEDIA_TYPES), "default": "jsonl"}, "The kind of file."),
    **PARAMETERS,
}


class ComparisonAnswer(StrictBody):
    """Two runs over the items that both scored and nobody edited in between.

    `comparison` has the members of `aggregate_scores.baseline`, `answer` says it in words, and
    `warnings` names what the runs were not judged alike by.
    """

    run_id: str
    baseline_run_id: str
    answer: str
    notes: list[str]
    warnings: list[JsonObject]
    comparison: JsonObject


class Compare(ProjectView):
    """Two runs of one eval."""

    @describe(
        "compare-eval-runs",
        "Compare two runs of an eval.",
        query=_RUNS,
        answers={200: ComparisonAnswer},
        needs=LEAST_ROLE[Act.READ],
        refusals=(404,),
    )
    def get(self, request: Request, eval_id: str) -> Response:
        """What changed, kind by kind and scorer by scorer, and whether it is more than noise."""
        eval_for(self.actor(request), eval_id)
        asked = only_parameters(request, _RUNS)
        if "run" not in asked:
            raise ValidationFailed.one("run", "missing", "Say which run is to be compared.")
        candidate = self._finished(request, eval_id, asked["run"], "run")
        baseline_id = asked.get("baseline") or (candidate.baseline_run.public_id if candidate.baseline_run else None)
        if baseline_id is None:
            raise ValidationFailed.one("baseline", "missing", "The run has no baseline of its own; name one.")
        baseline = self._finished(request, eval_id, baseline_id, "baseline")
        document = comparison_of(candidate, baseline)
        said = finding(document)
        return Response(
            {
                "run_id": candidate.public_id,
                "baseline_run_id": baseline.public_id,
                "answer": said.text,
                "notes": list(said.notes),
                "warnings": differences_of_judgement(candidate, baseline),
                "comparison": document,
            }
        )

    def _finished(self, request: Request, eval_id: str, run_id: str, field: str) -> Run:
        try:
            run = run_for(self.actor(request), eval_id, run_id)
        except NotFound as error:
            raise ValidationFailed.one(field, "unknown", "This eval has no run with this identifier.") from error
        if run.status != Run.Status.COMPLETED:
            raise ValidationFailed.one(field, "not_finished", f"This run is {run.status}, not completed.")
        return run


class Export(ProjectView):
    """A run's results as a file."""

    @describe(
        "export-eval-run",
        "Export a run's results as CSV, JSON or JSON Lines.",
        query=_EXPORT,
        answers={200: {"type": "string", "format": "binary"}},
        needs=LEAST_ROLE[Act.READ],
        refusals=(404,),
    )
    def get(self, request: Request, eval_id: str, eval_run_id: str) -> StreamingHttpResponse:
        """The results that the filters let through, in dataset order, streamed."""
        run = run_for(self.actor(request), eval_id, eval_run_id)
        asked = only_parameters(request, _EXPORT)
        kind = asked.get("format", "jsonl")
        if kind not in MEDIA_TYPES:
            raise ValidationFailed.one("format", "literal_error", f"Must be one of {', '.join(sorted(MEDIA_TYPES))}.")
        filters = read_filters({name: value for name, value in asked.items() if name != "format"})
        scorers = [keyed.key for keyed in Specification(run.specification).scorers]
        pieces = export_pieces(kind, _documents(run, filters), scorers)
        response = StreamingHttpResponse(joined(pieces), content_type=MEDIA_TYPES[kind])
        response["Content-Disposition"] = f'attachment; filename="plumbline-{run.public_id}.{kind}"'
        return response


def _documents(run: Run, filters: Any) -> Iterator[dict[str, Any]]:
    for result in results_of(run, filters).iterator(_AT_ONCE):
        result.run = run
        yield result_document(result)
