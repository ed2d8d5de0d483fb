"""How every address under /api/ reads a body and answers: strict JSON in, one error shape out."""

import logging
from collections.abc import Mapping
from typing import Any

from django.core.exceptions import PermissionDenied
from django.http import Http404, JsonResponse
from rest_framework import exceptions
from rest_framework.negotiation import BaseContentNegotiation
from rest_framework.parsers import BaseParser
from rest_framework.renderers import BaseRenderer
from rest_framework.request import Request
from rest_framework.response import Response

from foundation import errors, exact_json, strict_json

logger = logging.getLogger(__name__)
MAX_BODY_BYTES = 1_000_000


def read_bounded(stream: Any, declared: int | None, limit: int) -> bytes:
    """The whole body, at most `limit` bytes; raises TooLarge without reading more than that."""
    message = f"The body is larger than {limit:,} bytes."
    if declared is not None and declared > limit:
        raise errors.TooLarge(message, meta={"limitBytes": limit})
    data: bytes = stream.read(limit + 1)
    if len(data) > limit:
        raise errors.TooLarge(message, meta={"limitBytes": limit})
    return data


def declared_length(request: Any) -> int | None:
    """The Content-Length of the request, or None when there is no usable one."""
    raw = request.META.get("CONTENT_LENGTH") or ""
    return int(raw) if raw.isascii() and raw.isdigit() else None


def json_body(request: Request) -> Any:
    """The body as the view's parser reads it. Raises MalformedJson when there is none.

    A body sent in chunks has no declared length, which Django takes for no body at all; it is read
    to its end where the server says that its input ends by itself, and refused elsewhere.
    """
    environ = request.META
    if "HTTP_TRANSFER_ENCODING" in environ and not environ.get("CONTENT_LENGTH"):
        if not environ.get("wsgi.input_terminated"):
            raise errors.BadRequest("The body has no length.", hint="Send the header Content-Length.")
        request._request._stream = environ["wsgi.input"]  # noqa: SLF001
        request._stream = request._request  # type: ignore[assignment]  # noqa: SLF001 - neither Django nor DRF offers another way
    if request.stream is None:
        raise errors.MalformedJson("The body is empty.")
    return request.data


class StrictJsonParser(BaseParser):
    """Reads application/json through the strict door; 1 MB at most, unless a subclass says otherwise."""

    media_type = "application/json"
    most_bytes = MAX_BODY_BYTES

    def parse(self, stream: Any, media_type: str | None = None, parser_context: Mapping[str, Any] | None = None) -> Any:
        """The value of the body. Raises TooLarge, MalformedJson or ValidationFailed."""
        data = read_bounded(stream, declared_length(stream), self.most_bytes)
        return strict_json.loads(data)


class CompactJsonRenderer(BaseRenderer):
    """Writes compact UTF-8 JSON; a NaN among the data is a fault of ours and raises."""

    media_type = "application/json"
    format = "json"
    charset = None

    def render(
        self, data: Any, accepted_media_type: str | None = None, renderer_context: Mapping[str, Any] | None = None
    ) -> bytes:
        """The bytes of the body; none for an answer without content."""
        if data is None and renderer_context and renderer_context["response"].status_code == 204:
            return b""
        return exact_json.dumps(data).encode()


class AlwaysJson(BaseContentNegotiation):
    """Answers JSON whatever the client asks for, and matches bodies by their media type."""

    def select_parser(self, request: Request, parsers: Any) -> Any:
        """The parser for the body's media type, or None, which DRF answers with 415."""
        content_type = (request.content_type or "").split(";")[0].strip().lower()
        return next((parser for parser in parsers if parser.media_type == content_type), None)

    def select_renderer(self, request: Request, renderers: Any, format_suffix: str | None = None) -> Any:
        """The first renderer: there is one form."""
        return renderers[0], renderers[0].media_type


def problem_response(problem: errors.Problem) -> JsonResponse:
    """The JSON answer to a refusal, for code outside DRF (middleware, error handlers)."""
    body = problem.as_dict()
    return JsonResponse(body, status=problem.status, headers=problem.headers, json_dumps_params={"ensure_ascii": False})


def answer_exception(error: Exception, context: Mapping[str, Any]) -> Response | None:
    """DRF's exception handler: every refusal in the one shape; None lets a fault reach the 500 handler."""
    problem = as_problem(error)
    if problem is None:
        return None
    return Response(problem.as_dict(), status=problem.status, headers=problem.headers)


def as_problem(error: Exception) -> errors.Problem | None:  # noqa: PLR0911 - one a case
    """The refusal that an exception of Django or DRF stands for, or None when it is a fault of ours."""
    match error:
        case errors.Problem():
            return error
        case Http404() | exceptions.NotFound():
            return errors.NotFound()
        case PermissionDenied() | exceptions.PermissionDenied():
            return errors.Forbidden()
        case exceptions.NotAuthenticated() | exceptions.AuthenticationFailed():
            return errors.Unauthorized()
        case exceptions.MethodNotAllowed():
            return errors.MethodNotAllowed(str(error.detail))
        case exceptions.UnsupportedMediaType():
            return errors.UnsupportedMediaType()
        case exceptions.NotAcceptable():
            return errors.NotAcceptable()
        case exceptions.Throttled():
            wait = str(max(1, int(getattr(error, "wait", None) or 1)))
            return errors.RateLimited(headers={"Retry-After": wait})
        case exceptions.APIException() if error.status_code < 500:
            return errors.BadRequest(str(error.detail))
    return None
