"""A question put to a provider through the door, and its answer read as it comes."""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import partial
from itertools import chain
from types import ModuleType
from typing import Any

from evaluations.outbound.connections import Limits
from evaluations.outbound.door import Chunk, Door, Incoming, Request, read_json
from evaluations.outbound.errors import (
    MOST_KEPT,
    BadAnswer,
    BrokenOff,
    OutboundError,
    RequestFault,
    StreamEnded,
    TimedOut,
    kept,
)
from evaluations.outbound.providers import anthropic_messages, chat_completions
from evaluations.outbound.providers.declarations import Provider
from evaluations.outbound.providers.event_stream import EventReader
from evaluations.outbound.providers.failures import said_error
from evaluations.outbound.providers.generation import Draft, Generation, GenerationRequest
from evaluations.outbound.providers.output_schemas import usable_schema, with_object
from evaluations.outbound.retries import RetryPolicy, attempted
from evaluations.outbound.statuses import body_value, http_error
from evaluations.outbound.tools import SHORTEST_REDACTED
from foundation import exact_json

_EVENT_STREAM = "text/event-stream"
_STREAM_BEGINNINGS = (b"data:", b"event:", b"id:", b"retry:", b":")
_KEPT_BYTES = 4 * MOST_KEPT


def generate(
    provider: Provider, request: GenerationRequest, *, door: Door, retries: RetryPolicy | None = None
) -> Generation:
    """What the model answers, with the times of its tokens.

    Raises OutboundError: HttpError for other statuses than 2xx, ProviderFailure for an error that
    the provider reports inside an answer, StreamEnded, BadAnswer, TooLarge, TimedOut; and
    OutputSchemaViolation when the answer does not meet the output schema. What came is in `raw`.
    """
    schema = None if request.output_schema is None else usable_schema(request.output_schema)
    api = anthropic_messages if provider.kind == "anthropic" else chat_completions
    call = partial(_answer, api, door, _http_request(api, provider, request))
    generation, attempts = attempted(call, retries or RetryPolicy(), door.clock)
    generation = replace(generation, attempts=attempts)
    return generation if schema is None else with_object(generation, schema)


def _http_request(api: ModuleType, provider: Provider, request: GenerationRequest) -> Request:
    members = {name: value for name, value in api.body(provider, request).items() if value is not None}
    members |= provider.config.get("parameters") or {}
    body = {name: value for name, value in members.items() if value is not None}
    theirs: dict[str, str] = provider.config.get("headers") or {}
    ours = {"Content-Type": "application/json", "Accept": f"{_EVENT_STREAM}, application/json"}
    ours |= api.headers(provider)
    if request.idempotency_key is not None:
        ours["Idempotency-Key"] = request.idempotency_key
    replaced = {name.lower() for name in theirs}
    headers = {**{name: value for name, value in ours.items() if name.lower() not in replaced}, **theirs}
    try:
        data = exact_json.dumps(body).encode("utf-8")
    except (TypeError, ValueError, RecursionError) as error:
        raise RequestFault("The messages cannot be written as JSON.", field="messages") from error
    key = provider.api_key or ""
    secrets = (key,) if len(key) >= SHORTEST_REDACTED else ()
    limits = Limits(read_s=provider.timeout_s, total_s=provider.timeout_s)
    return Request(provider.url(api.PATH), "POST", tuple(headers.items()), data, limits, secrets)


def _answer(api: ModuleType, door: Door, request: Request) -> Generation:
    with door.open(request) as incoming:
        if not 200 <= incoming.status < 300:
            answer = incoming.whole()
            said = said_error(body_value(kept(answer.body, request.secrets)))
            raise http_error(answer, door.clock, request.secrets, said)
        return _Reading(api, request, incoming).generation()


@dataclass(slots=True)
class _Reading:
    """One answer on its way in; what has come is kept for an error."""

    api: ModuleType
    request: Request
    incoming: Incoming

    def generation(self) -> Generation:
        """The answer, streamed or in one piece."""
        draft = Draft(self.incoming.location.display)
        came = bytearray()
        try:
            streamed, chunks = self._kind(self._kept(came))
            if streamed:
                self._read_stream(draft, chunks)
            else:
                self.api.read_whole(draft, read_json(b"".join(chunk.data for chunk in chunks), draft.display))
            return draft.generation(
                streamed=streamed, connect_ms=self.incoming.connect_ms, total_ms=self.incoming.arrived_ms
            )
        except OutboundError as error:
            failure = _ended_early(error, draft)
            failure.raw = kept(bytes(came), self.request.secrets)
            for secret in self.request.secrets:
                failure.message = failure.message.replace(secret, "•••")
                failure.operator_message = failure.operator_message.replace(secret, "•••")
            if failure is error:
                raise
            raise failure from error

    def _kept(self, came: bytearray) -> Iterator[Chunk]:
        for chunk in self.incoming.chunks():
            came += chunk.data[: max(0, _KEPT_BYTES - len(came))]
            yield chunk

    def _kind(self, chunks: Iterator[Chunk]) -> tuple[bool, Iterator[Chunk]]:
        """Whether it is a stream of events, and all of it. Servers that cannot stream answer in one piece."""
        first: list[Chunk] = []
        beginning = b""
        for chunk in chunks:
            first.append(chunk)
            beginning = (beginning + chunk.data).lstrip(b"\xef\xbb\xbf \t\r\n")
            if len(beginning) >= max(map(len, _STREAM_BEGINNINGS)):
                break
        declared = self.incoming.headers.get("content-type", "").lower().startswith(_EVENT_STREAM)
        if beginning.startswith(b"{"):
            return False, chain(first, chunks)
        if declared or beginning.startswith(_STREAM_BEGINNINGS):
            return True, chain(first, chunks)
        raise BadAnswer(f"{self.incoming.location.display} answered neither events nor a JSON object.")

    def _read_stream(self, draft: Draft, chunks: Iterator[Chunk]) -> None:
        reader = EventReader()
        try:
            for chunk in chunks:
                for event in reader.feed(chunk.data):
                    if self._read_event(draft, event.name, event.data, chunk.at_ms):
                        return
            for event in reader.finish():
                self._read_event(draft, event.name, event.data, self.incoming.arrived_ms)
        except UnicodeDecodeError as error:
            raise BadAnswer(f"The stream of {draft.display} is not UTF-8.") from error
        if not draft.ended:
            raise StreamEnded(f"The stream of {draft.display} ended before the answer was complete.")

    def _read_event(self, draft: Draft, name: str, data: str, at_ms: float) -> bool:
        """Whether the stream says that it ends here."""
        if self.api.is_end(data):
            draft.ended = True
            return True
        document: Any = read_json(data, draft.display)
        self.api.read_event(draft, name, document, at_ms)
        return False


def _ended_early(error: OutboundError, draft: Draft) -> OutboundError:
    """A connection that broke in the middle of an answer is a stream that ended, whatever HTTP thinks of it."""
    if isinstance(error, BrokenOff) and draft.begun:
        return StreamEnded(f"The stream of {draft.display} broke off before the answer was complete.")
    if isinstance(error, TimedOut) and draft.begun:
        error.message += " The answer had begun."
    return error
