"""One request and its answer. Redirects are not followed, so that a token goes nowhere but where it was sent."""

import http.client
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any, Protocol
from urllib.error import HTTPError, URLError
from urllib.parse import urlsplit
from urllib.request import HTTPRedirectHandler, OpenerDirector, Request, build_opener

from commandline.failures import Failure, misused

DEFAULT_BASE_URL = "http://localhost:3001"
# Longer than the server waits with an answer: a run that is waited for is answered within a minute.
DEFAULT_SECONDS = 90.0
UNREACHABLE = "UNREACHABLE"


class Answer(Protocol):
    """What came back, still being read."""

    status: int
    headers: Any

    def read(self, size: int, /) -> bytes:
        """The next bytes; empty at the end."""


@dataclass(frozen=True, slots=True)
class Wanted:
    """A request; `url` is whole."""

    method: str
    url: str
    headers: Mapping[str, str] = field(default_factory=dict)
    body: bytes | None = None


Send = Callable[[Wanted], Any]
"""A context manager that gives the Answer; its refusals are raised as Failure."""


class _Whole:
    """An answer that says so when it ends before it is whole, which http.client keeps to itself."""

    def __init__(self, answer: Any) -> None:
        self._answer = answer
        self.status: int = answer.status
        self.headers: Any = answer.headers

    def read(self, size: int, /) -> bytes:
        piece: bytes = self._answer.read(size)
        missing = getattr(self._answer, "length", None)
        if not piece and missing:
            raise http.client.IncompleteRead(piece, missing)
        return piece


class _NoRedirects(HTTPRedirectHandler):
    def redirect_request(self, *_: Any) -> None:
        """None: urllib then raises the redirect as the answer."""


def sender(seconds: float) -> Send:
    """How requests are sent; no silence between two pieces of an answer may last longer than `seconds`."""
    opener = build_opener(_NoRedirects)

    @contextmanager
    def send(wanted: Wanted) -> Iterator[Answer]:
        with _opened(opener, wanted, seconds) as answer:
            try:
                yield _Whole(answer)
            except (OSError, http.client.HTTPException) as error:
                if isinstance(error, BrokenPipeError):
                    raise
                raise _broken(wanted.url, seconds, error) from error

    return send


def base_url_of(text: str) -> str:
    """The base URL without a slash at its end. Raises Failure when it is none."""
    try:
        parts = urlsplit(text)
        good = parts.scheme in {"http", "https"} and bool(parts.hostname) and parts.username is None
        # Reading it checks it.
        _ = parts.port
    except ValueError:
        good = False
    if not good or not text.isascii() or " " in text:
        raise misused("The base URL is not an address such as http://localhost:3001.", "Set PLUMBLINE_BASE_URL.")
    return text.rstrip("/")


def checked_header(name: str, value: str) -> str:
    """The value, which a header can carry. Raises Failure, without showing it, when it cannot."""
    if not value.isascii() or not value.isprintable():
        raise misused(f"{name} holds characters that a header cannot carry.")
    return value


def _opened(opener: OpenerDirector, wanted: Wanted, seconds: float) -> Any:
    request = Request(  # noqa: S310 - base_url_of lets http and https through alone
        wanted.url, data=wanted.body, headers=dict(wanted.headers), method=wanted.method
    )
    try:
        return opener.open(request, timeout=seconds)
    except HTTPError as answer:
        return answer
    except (URLError, OSError, http.client.HTTPException) as error:
        raise _broken(wanted.url, seconds, error) from error


def _broken(url: str, seconds: float, error: Exception) -> Failure:
    parts = urlsplit(url)
    where = f"{parts.scheme}://{parts.netloc}"
    cause = error.reason if isinstance(error, URLError) else error
    if isinstance(cause, TimeoutError):
        return Failure(UNREACHABLE, f"{where} did not answer within {seconds:g} s.", "PLUMBLINE_TIMEOUT sets how long.")
    hint = "Is the server running? PLUMBLINE_BASE_URL says where it is."
    return Failure(UNREACHABLE, f"{where} cannot be reached: {cause or type(cause).__name__}.", hint)
