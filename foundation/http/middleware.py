"""The last word on every answer under /api/: it is JSON, whatever went wrong and wherever."""

import logging
from collections.abc import Callable

from django.core.exceptions import RequestDataTooBig, SuspiciousOperation
from django.db import OperationalError
from django.http import HttpRequest
from django.http.response import HttpResponseBase

from foundation import errors
from foundation.http.api import problem_response
from foundation.identifiers import new_identifier

logger = logging.getLogger(__name__)
API_PREFIX = "/api/"
_BY_STATUS: dict[int, type[errors.Problem]] = {
    400: errors.BadRequest,
    403: errors.Forbidden,
    404: errors.NotFound,
    405: errors.MethodNotAllowed,
    413: errors.TooLarge,
}


class ApiErrorsMiddleware:
    """Outermost: turns an error page or an exception under /api/ into the one JSON shape."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponseBase]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponseBase:
        """The inner answer, or its JSON form when it is an HTML error under /api/."""
        response = self.get_response(request)
        if not request.path_info.startswith(API_PREFIX) or response.status_code < 400:
            return response
        if response.headers.get("Content-Type", "").startswith("application/json"):
            return response
        kind = _BY_STATUS.get(response.status_code)
        if kind is None:
            return response
        headers = {"Allow": response.headers["Allow"]} if "Allow" in response.headers else {}
        return problem_response(kind(headers=headers))

    def process_exception(self, request: HttpRequest, error: Exception) -> HttpResponseBase | None:
        """The JSON answer to an exception that a view under /api/ let out."""
        if not request.path_info.startswith(API_PREFIX):
            return None
        match error:
            case errors.Problem():
                return problem_response(error)
            case RequestDataTooBig():
                return problem_response(errors.TooLarge())
            case SuspiciousOperation():
                return problem_response(errors.BadRequest())
            case OperationalError():
                logger.error("database not able to answer %s", request.path, exc_info=error)
                unavailable = errors.Unavailable(
                    "The database is not able to answer now.", headers={"Retry-After": "5"}
                )
                return problem_response(unavailable)
        identifier = new_identifier("fault")
        logger.error("fault %s at %s %s", identifier, request.method, request.path, exc_info=error)
        return problem_response(errors.InternalError(meta={"id": identifier}))
