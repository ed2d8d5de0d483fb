"""How Django REST framework learns who acts, and refuses when nobody does."""

from typing import TYPE_CHECKING, Any

from django.http import HttpRequest, HttpResponse
from django.middleware.csrf import CsrfViewMiddleware
from rest_framework.authentication import BaseAuthentication
from rest_framework.permissions import BasePermission
from rest_framework.request import Request

from accounts.permissions import actor_of
from foundation.errors import Forbidden, Problem, Unauthorized

if TYPE_CHECKING:
    # REST framework's views import this module through its settings.
    from rest_framework.views import APIView


class _CsrfCheck(CsrfViewMiddleware):
    """Django's own check, answering with the reason instead of a page."""

    def _reject(self, request: HttpRequest, reason: str) -> str:
        return reason


def _no_view(_request: HttpRequest) -> HttpResponse:
    return HttpResponse()


class ActorAuthentication(BaseAuthentication):
    """Takes the actor that ActorMiddleware found.

    A browser's session must send the CSRF token with every write; a bearer needs none, and in
    local mode LocalModeGuard has refused what other sites send.
    """

    def authenticate(self, request: Request) -> tuple[Any, None] | None:
        """The person, or None when there is nobody. Raises the refusal that the middleware kept for us."""
        problem: Problem | None = getattr(request, "actor_problem", None)
        if problem is not None:
            raise problem
        actor = actor_of(request._request)  # noqa: SLF001 - DRF offers no other way to the request
        if actor is None:
            return None
        if actor.via == "session":
            self._check_csrf(request._request)  # noqa: SLF001
        return request._request.user, None  # noqa: SLF001

    def authenticate_header(self, request: Request) -> str:
        """What makes DRF answer 401, not 403."""
        return 'Bearer realm="plumbline"'

    @staticmethod
    def _check_csrf(request: HttpRequest) -> None:
        check = _CsrfCheck(_no_view)
        check.process_request(request)
        reason = check.process_view(request, _no_view, (), {})
        if reason:
            raise Forbidden(
                f"This request came with a browser's session and without its CSRF token ({reason}).",
                hint="Send the cookie plumbline_csrf's value in the header X-CSRFToken, or use an API key.",
            )


class SignedIn(BasePermission):
    """Somebody has to be there; what they may is for the services to say."""

    def has_permission(self, request: Request, view: "APIView") -> bool:
        """True, or Unauthorized is raised."""
        if actor_of(request._request) is None:  # noqa: SLF001
            raise Unauthorized
        return True
