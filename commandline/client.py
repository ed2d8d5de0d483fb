"""A server, whoever asks it, and its operations."""

import http.client
import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any
from urllib.parse import quote, urlencode

from commandline.answers import indented
from commandline.failures import Failure, Refused
from commandline.flags import CONTENT_TYPE, Given
from commandline.operations import JSON, Operation
from commandline.transport import Answer, Send, Wanted, checked_header

_CHUNK = 1 << 16
_MOST_OF_A_REFUSAL = 1_000_000
_EXCERPT = 300


@dataclass(frozen=True, slots=True)
class Client:
    """`token` may be empty: a server in local mode asks for none."""

    base_url: str
    token: str
    send: Send

    def call(self, given: Given) -> Any:
        """A context manager that gives the Answer to the operation with what was given. Raises Failure on a refusal."""
        return self.send(self._wanted(given))

    def text(self, path: str, query: Mapping[str, str] | None = None) -> str:
        """The JSON document at `path`, as it was written. Raises Failure when the server refuses or answers no JSON."""
        words = f"?{urlencode(query)}" if query else ""
        with self.send(Wanted("GET", f"{self.base_url}{path}{words}", self._headers())) as answer:
            text = read_text(answer)
        try:
            json.loads(text)
        except ValueError as error:
            raise Failure("BAD_ANSWER", f"{self.base_url}{path} did not answer with JSON.") from error
        return text

    def document(self, path: str, query: Mapping[str, str] | None = None) -> Any:
        """The JSON document at `path`, read. Raises Failure as `text` does."""
        return json.loads(self.text(path, query))

    def _headers(self) -> dict[str, str]:
        headers = {"Accept": JSON, "User-Agent": "plumbline"}
        if self.token:
            headers["Authorization"] = f"Bearer {checked_header('The token', self.token)}"
        return headers

    def _wanted(self, given: Given) -> Wanted:
        headers = self._headers()
        headers |= {name: checked_header(name, value) for name, value in given.of("header").items()}
        body = given.body()
        if body is not None:
            headers["Content-Type"] = given.text(CONTENT_TYPE.name) or given.operation.media_types[0]
        query = urlencode(given.of("query"))
        url = f"{self.base_url}{_address(given.operation, given.of('path'))}"
        return Wanted(given.operation.method, f"{url}?{query}" if query else url, headers, body)


def segment(text: str) -> str:
    """`text` as one step of an address; one of dots alone would be taken for a way up."""
    return text.replace(".", "%2E") if set(text) == {"."} else quote(text, safe="")


def is_file(answer: Answer) -> bool:
    """Whether the answer is to be kept as it is, rather than read on a screen."""
    kind = (answer.headers.get("Content-Type") or "").partition(";")[0].strip()
    return "attachment" in (answer.headers.get("Content-Disposition") or "") or kind != JSON


def pieces(answer: Answer) -> Any:
    """The bytes of the answer, piece by piece. Raises Failure when it is a refusal."""
    refuse(answer)
    while piece := answer.read(_CHUNK):
        yield piece


def read_text(answer: Answer) -> str:
    """The answer as text, empty when it has none. Raises Failure when it is a refusal."""
    return b"".join(pieces(answer)).decode(errors="replace")


def refuse(answer: Answer) -> None:
    """Raise the Failure that the answer is, if it is one."""
    if answer.status < 300:
        return
    if answer.status < 400:
        target = answer.headers.get("Location") or "elsewhere"
        raise Failure("REDIRECTED", f"The server points to {target}.", "Set PLUMBLINE_BASE_URL to the address itself.")
    text = answer.read(_MOST_OF_A_REFUSAL).decode(errors="replace")
    try:
        error = json.loads(text)["error"]
        code, message = str(error["code"]), str(error["message"])
    except (ValueError, KeyError, TypeError, RecursionError):
        reason = http.client.responses.get(answer.status, "an error")
        shown = " ".join(text[:_EXCERPT].split())
        raise Failure(f"HTTP_{answer.status}", f"The server answered {answer.status} ({reason}).", shown) from None
    raise Refused(code, message, http_status=answer.status, answer=indented(text))


def _address(operation: Operation, given: Mapping[str, str]) -> str:
    path = operation.path
    for name, value in given.items():
        if not value:
            raise Failure("USAGE", f"--{name.replace('_', '-')} is empty.", status=2)
        path = path.replace(f"{{{name}}}", segment(value))
    return path
