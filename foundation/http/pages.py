"""Error pages: what happened, and what to do. Under /api/ the same as JSON."""

from django.http import HttpRequest
from django.http.response import HttpResponseBase
from django.shortcuts import render

from foundation import errors
from foundation.http.api import problem_response
from foundation.http.middleware import API_PREFIX
from foundation.identifiers import new_identifier


def problem_page(request: HttpRequest, problem: errors.Problem) -> HttpResponseBase:
    """The page (or, under /api/, the JSON) that answers a refusal."""
    if request.path_info.startswith(API_PREFIX):
        return problem_response(problem)
    response = render(request, "error.html", {"problem": problem}, status=problem.status)
    for name, value in problem.headers.items():
        response[name] = value
    return response


def bad_request(request: HttpRequest, exception: Exception) -> HttpResponseBase:
    """400, as Django's handler400."""
    return problem_page(request, errors.BadRequest())


def permission_denied(request: HttpRequest, exception: Exception) -> HttpResponseBase:
    """403, as Django's handler403."""
    return problem_page(request, errors.Forbidden())


def page_not_found(request: HttpRequest, exception: Exception) -> HttpResponseBase:
    """404, as Django's handler404."""
    return problem_page(request, errors.NotFound())


def server_error(request: HttpRequest) -> HttpResponseBase:
    """500, as Django's handler500; needs no database and no context processor."""
    problem = errors.InternalError(meta={"id": new_identifier("fault")})
    if request.path_info.startswith(API_PREFIX):
        return problem_response(problem)
    return render(None, "error_plain.html", {"problem": problem}, status=500)


def csrf_failure(request: HttpRequest, reason: str = "") -> HttpResponseBase:
    """403 for a form sent without its token, which mostly means that it was open for too long."""
    problem = errors.Forbidden(
        "This form was open for too long, or was not sent from this site.",
        hint="Go back, reload the page, and send it again.",
    )
    return problem_page(request, problem)
