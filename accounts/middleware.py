"""Before any view: the local mode's guard, then who acts and whether somebody has to."""

from collections.abc import Callable
from typing import Any
from urllib.parse import urlencode, urlsplit

from django.conf import settings
from django.contrib.auth.models import AnonymousUser
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.http.request import split_domain_port
from django.http.response import HttpResponseBase
from django.urls import reverse

from accounts.actors import Actor
from accounts.addresses import client_address, peer
from accounts.models import User
from accounts.queries import actor_from, is_key, is_token, key_by_secret, token_by_secret
from accounts.services import key_touch, local_owner_ensure
from foundation.errors import BadRequest, Forbidden, Problem, Unauthorized
from foundation.http.middleware import API_PREFIX
from foundation.http.pages import problem_page

GetResponse = Callable[[HttpRequest], HttpResponseBase]
_LOOPBACK_NAMES = {"localhost", "127.0.0.1", "[::1]"}
_PROXY_HEADERS = ("HTTP_FORWARDED", "HTTP_VIA", "HTTP_X_REAL_IP")
_PROXY_PREFIX = "HTTP_X_FORWARDED_"
_FOREIGN_SITES = {"cross-site", "same-site"}
_SIGN_IN_HINT = "To let others in, run in server mode, where everybody signs in: docs/operating.md."


class LocalModeGuard:
    """In local mode, only this machine's own programs and its own pages come through.

    Whoever comes through acts as the owner without signing in. So a request from another machine,
    through a proxy, under a foreign name (DNS rebinding) or sent by another site's page is refused.
    """

    def __init__(self, get_response: GetResponse) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponseBase:
        """The inner answer, or the refusal."""
        if settings.PLUMBLINE_MODE == "local":
            try:
                _check_machine(request)
                _check_site(request)
            except Problem as problem:
                return problem_page(request, problem)
        return self.get_response(request)


def _check_machine(request: HttpRequest) -> None:
    host = request.META.get("HTTP_HOST", request.META.get("SERVER_NAME", ""))
    if split_domain_port(host)[0] not in _LOOPBACK_NAMES:
        raise BadRequest(
            "In local mode this server answers only to the names localhost, 127.0.0.1 and [::1].",
            hint=_SIGN_IN_HINT,
        )
    address = peer(request)
    if address is None or not address.is_loopback:
        raise Forbidden("In local mode this server answers only to the machine it runs on.", hint=_SIGN_IN_HINT)
    forwarded = [name for name in request.META if name in _PROXY_HEADERS or name.startswith(_PROXY_PREFIX)]
    if forwarded:
        raise Forbidden("This request came through a proxy, which local mode does not allow.", hint=_SIGN_IN_HINT)


def _check_site(request: HttpRequest) -> None:
    origin = request.META.get("HTTP_ORIGIN")
    if origin is not None and origin.lower() != f"{request.scheme}://{request.META.get('HTTP_HOST', '')}".lower():
        raise Forbidden("This request was sent by another site.", hint="Open the page here and send it from there.")
    site = request.META.get("HTTP_SEC_FETCH_SITE", "").lower()
    if site in _FOREIGN_SITES and not _is_followed_link(request):
        raise Forbidden("This request was sent by another site.", hint="Open the page here and send it from there.")


def _is_followed_link(request: HttpRequest) -> bool:
    """Whether a person followed a link to a page, say from a chat: the one thing another site may cause."""
    return (
        request.method in {"GET", "HEAD"}
        and request.META.get("HTTP_SEC_FETCH_MODE", "").lower() == "navigate"
        and request.META.get("HTTP_SEC_FETCH_DEST", "").lower() == "document"
        and not request.path_info.startswith(API_PREFIX)
    )


class ActorMiddleware:
    """Sets `request.actor` (None for nobody) and `request.user` to match; lets only the signed in see pages.

    An Authorization header decides alone: when it is wrong there is no actor, whatever the
    session says, and `request.actor_problem` says why. Views that are for everybody are marked
    with Django's `login_not_required`; REST framework's views ask their permission classes.
    """

    def __init__(self, get_response: GetResponse) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponseBase:
        """The inner answer, with the actor set before."""
        actor, problem = None, None
        try:
            found = _find_actor(request)
        except Problem as refusal:
            found, problem = None, refusal
        if found is not None:
            actor, request.user = found
        elif problem is not None:
            request.user = AnonymousUser()
        request.actor = actor  # type: ignore[attr-defined]
        request.actor_problem = problem  # type: ignore[attr-defined]
        return self.get_response(request)

    def process_view(
        self,
        request: HttpRequest,
        view: Callable[..., HttpResponseBase],
        _args: Any,
        _kwargs: Any,
    ) -> HttpResponseBase | None:
        """None for those who may go on; else the way to the sign-in page, or 401."""
        if not getattr(view, "login_required", True) or request.actor is not None:  # type: ignore[attr-defined]
            return None
        problem: Problem | None = request.actor_problem  # type: ignore[attr-defined]
        if problem is not None or request.path_info.startswith(API_PREFIX):
            return problem_page(request, problem or Unauthorized())
        return _to_sign_in(request)

    def process_exception(self, request: HttpRequest, error: Exception) -> HttpResponseBase | None:
        """The page that answers a refusal which a page's view let out."""
        if isinstance(error, Problem) and not request.path_info.startswith(API_PREFIX):
            return problem_page(request, error)
        return None


def bearer_of(request: HttpRequest) -> str | None:
    """The token or key in the Authorization header, or None when there is no such header.

    Raises Unauthorized for any other kind of authorization.
    """
    header: str | None = request.META.get("HTTP_AUTHORIZATION")
    if header is None:
        return None
    scheme, _, secret = header.strip().partition(" ")
    if scheme.lower() != "bearer" or not secret.strip():
        raise Unauthorized("The Authorization header must be 'Bearer' and a token or API key.")
    return secret.strip()


def _find_actor(request: HttpRequest) -> tuple[Actor, User] | None:
    address = client_address(request)
    secret = bearer_of(request)
    if secret is not None:
        return _bearer_actor(secret, address)
    user = request.user
    if user.is_authenticated:
        return actor_from(user, via="session", address=address), user
    if settings.PLUMBLINE_MODE == "local":
        owner = local_owner_ensure()
        return actor_from(owner, via="local", address=address), owner
    return None


def _bearer_actor(secret: str, address: str) -> tuple[Actor, User]:
    if is_key(secret):
        key = key_by_secret(secret)
        key_touch(key=key)
        return actor_from(key.user, via="key", address=address, key=key), key.user
    if is_token(secret):
        user = token_by_secret(secret).user
        return actor_from(user, via="token", address=address), user
    raise Unauthorized("This is neither a login token (at_…) nor an API key (sk_…).")


def _to_sign_in(request: HttpRequest) -> HttpResponse:
    """The way to the sign-in page and back; a fragment that htmx fetches sends the whole page there."""
    fragment = "HTTP_HX_REQUEST" in request.META
    if fragment:
        seen = urlsplit(request.META.get("HTTP_HX_CURRENT_URL", ""))
        target = f"{seen.path}?{seen.query}" if seen.query else seen.path
    else:
        target = request.get_full_path() if request.method in {"GET", "HEAD"} else ""
    address = reverse("sign-in") + (f"?{urlencode({'next': target})}" if target else "")
    if fragment:
        return HttpResponse(status=401, headers={"HX-Redirect": address})
    return HttpResponseRedirect(address)
