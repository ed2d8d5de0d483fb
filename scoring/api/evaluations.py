"""Evaluating, previewing and the history, over HTTP."""

from collections.abc import Iterable, Iterator
from tempfile import SpooledTemporaryFile
from typing import Any

from django.http import StreamingHttpResponse
from rest_framework.parsers import BaseParser
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from accounts.permissions import actor_of
from foundation import exact_json
from foundation.errors import Problem, TooLarge, ValidationFailed
from foundation.http.api import StrictJsonParser, declared_length, json_body
from foundation.http.openapi import describe
from foundation.json_stream import list_items
from scoring.api import examples, schemas
from scoring.evaluate_bodies import EvaluateBody, PreviewBody, read_body
from scoring.history_filters import read_history
from scoring.permissions import LEAST_ROLE, Act, permit
from scoring.profile_documents import read_profile
from scoring.queries.documents import evaluation_document
from scoring.queries.history import evaluation_get, evaluations_by_id, history_count, history_page
from scoring.queries.previews import preview_answer, preview_stored
from scoring.services.evaluations import evaluation_create, evaluations_create

MAX_BATCH_BYTES = 64_000_000
# An observation document of the largest size, and room for what stands beside it.
MAX_ANSWER_BYTES = 5_000_000
_IN_MEMORY = 2_000_000


class _AnswerParser(StrictJsonParser):
    """Reads a body that may hold an observation document; 5 MB at most."""

    most_bytes = MAX_ANSWER_BYTES


class Evaluate(APIView):
    """Evaluate one output."""

    parser_classes = (_AnswerParser,)

    @describe(
        "evaluate",
        "Evaluate an output with a profile and store what it said.",
        body=EvaluateBody,
        answers={201: schemas.EVALUATION},
        needs=LEAST_ROLE[Act.EVALUATE],
        answer_headers={"Location": "The address of the evaluation."},
        refusals=(404, 422),
        example=examples.EVALUATE,
        answer_example=examples.EVALUATION,
        tags=("evaluations",),
    )
    def post(self, request: Request) -> Response:
        """The evaluation as it was stored. `errored` means that a scorer which counts could not measure."""
        actor = permit(actor_of(request), Act.EVALUATE)
        row = evaluation_create(actor=actor, body=read_body(EvaluateBody, json_body(request)))
        return Response(
            evaluation_document(row), status=201, headers={"Location": f"/api/scoring/history/{row.public_id}"}
        )


class _Spool(BaseParser):
    """Puts a large body aside, on disk beyond 2 MB, without reading it as JSON yet."""

    media_type = "application/json"

    def parse(self, stream: Any, media_type: str | None = None, parser_context: Any = None) -> Any:
        """The body as a file at its start; TooLarge beyond 64 MB."""
        message = f"The body is larger than {MAX_BATCH_BYTES:,} bytes."
        refusal = TooLarge(message, meta={"limitBytes": MAX_BATCH_BYTES})
        declared = declared_length(stream)
        if declared is not None and declared > MAX_BATCH_BYTES:
            raise refusal
        spool = SpooledTemporaryFile(max_size=_IN_MEMORY)  # noqa: SIM115 - the view closes it
        while chunk := stream.read(65_536):
            spool.write(chunk)
            if spool.tell() > MAX_BATCH_BYTES:
                spool.close()
                raise refusal
        spool.seek(0)
        return spool


class Batch(APIView):
    """Evaluate many outputs at once."""

    parser_classes = (_Spool,)

    @describe(
        "evaluate-batch",
        "Evaluate up to 1,000 outputs; one answer each, in order, errors in place.",
        body=schemas.BATCH,
        answers={201: [schemas.BATCH_ANSWER]},
        needs=LEAST_ROLE[Act.EVALUATE],
        example=[examples.EVALUATE, {**examples.EVALUATE, "profileId": "prof_unknown"}],
        tags=("evaluations",),
    )
    def post(self, request: Request) -> StreamingHttpResponse:
        """One answer for each body, in order: the evaluation or the error. A refused whole stores nothing."""
        actor = permit(actor_of(request), Act.EVALUATE)
        spool: Any
        with json_body(request) as spool:
            _check_whole(spool)
            spool.seek(0)
            answers = evaluations_create(actor=actor, bodies=_items(spool))
            documents = (
                answer.as_dict() if isinstance(answer, Problem) else evaluation_document(answer) for answer in answers
            )
            # All is stored before the first byte is sent: a client that hangs up loses answers, not evaluations.
            written = SpooledTemporaryFile(max_size=_IN_MEMORY)  # noqa: SIM115 - the response closes it
            for piece in _list_pieces(documents):
                written.write(piece)
        return StreamingHttpResponse(_pieces_of(written), status=201, content_type="application/json")


def _pieces_of(written: Any) -> Iterator[bytes]:
    """A file from its start, in pieces: by itself it would come as one line, whatever its size."""
    with written:
        written.seek(0)
        while piece := written.read(65_536):
            yield piece


def _check_whole(spool: Any) -> None:
    """Read once for faults of the whole, so that a torn upload stores nothing; raises ValidationFailed."""
    count = 0
    for count, _ in enumerate(_items(spool), start=1):
        if count > schemas.MAX_BATCH:
            raise ValidationFailed.one("", "too_long", f"Must have at most {schemas.MAX_BATCH:,} bodies.")
    if count == 0:
        raise ValidationFailed.one("", "too_short", "Must have at least one body.")


def _items(spool: Any) -> Iterator[Any]:
    return list_items(spool, limit=MAX_BATCH_BYTES, item_limit=MAX_ANSWER_BYTES)


def _list_pieces(documents: Iterable[Any]) -> Iterator[bytes]:
    """A JSON list, item by item."""
    separator = b"["
    for document in documents:
        yield separator + exact_json.dumps(document).encode()
        separator = b","
    yield b"]" if separator == b"," else b"[]"


class PreviewView(APIView):
    """Try an unsaved profile."""

    parser_classes = (_AnswerParser,)

    @describe(
        "preview",
        "What an unsaved profile would say of an answer, or of up to 50 stored evaluations. Stores nothing.",
        body=PreviewBody,
        answers={200: schemas.PREVIEWS},
        needs=LEAST_ROLE[Act.PREVIEW],
        refusals=(404,),
        example={"profile": examples.PROFILE_BODY, "output": examples.EVALUATE["output"]},
        tags=("evaluations",),
    )
    def post(self, request: Request) -> Response:
        """One would-be evaluation for each answer, in order."""
        permit(actor_of(request), Act.PREVIEW)
        body = read_body(PreviewBody, json_body(request))
        profile = unsaved_profile(body.profile)
        if body.evaluation_ids is None:
            previews = [preview_answer(profile, body.observe())]
        else:
            previews = preview_stored(profile, evaluations_by_id(body.evaluation_ids))
        return Response({"results": [preview.as_document() for preview in previews]})


def unsaved_profile(document: Any) -> Any:
    """The profile, its faults at paths under `profile`."""
    try:
        return read_profile(document)
    except ValidationFailed as error:
        raise error.under("profile") from error


class History(APIView):
    """The stored evaluations."""

    @describe(
        "list-evaluations",
        "List evaluations, newest first.",
        query=schemas.HISTORY_PARAMETERS,
        answers={200: [schemas.EVALUATION]},
        needs=LEAST_ROLE[Act.READ],
        answer_headers={
            "Link": 'The address of the next page (rel="next"); none on the last.',
            "X-Total-Count": "With count=true: how many evaluations match.",
        },
        answer_example=[examples.EVALUATION],
        tags=("evaluations",),
    )
    def get(self, request: Request) -> StreamingHttpResponse:
        """One page of evaluations, newest first; the address of the next page is in the Link header."""
        permit(actor_of(request), Act.READ)
        wanted, page = read_history(request.query_params.dict())
        found = history_page(wanted, page)
        pieces = _list_pieces(evaluation_document(row) for row in found.rows)
        response = StreamingHttpResponse(pieces, content_type="application/json")
        if found.next_cursor is not None:
            query = request.query_params.copy()
            query["cursor"] = found.next_cursor
            response["Link"] = f'<{request.path}?{query.urlencode()}>; rel="next"'
        if page.counted:
            response["X-Total-Count"] = str(history_count(wanted))
        return response


class EvaluationDetail(APIView):
    """One stored evaluation."""

    @describe(
        "get-evaluation",
        "Get an evaluation.",
        answers={200: schemas.EVALUATION},
        needs=LEAST_ROLE[Act.READ],
        refusals=(404,),
        answer_example=examples.EVALUATION,
        tags=("evaluations",),
    )
    def get(self, request: Request, evaluation_id: str) -> Response:
        """The evaluation in full."""
        permit(actor_of(request), Act.READ)
        return Response(evaluation_document(evaluation_get(evaluation_id)))
