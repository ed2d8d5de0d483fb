"""Why a call to the outside did not give an answer that can be used: one class per kind.

The sentences are safe to show to any member of a project: they hold nothing of our network that
the caller did not write. What an operator needs beyond that stands in `operator_message`.
"""

from collections.abc import Mapping, Sequence
from typing import Any, ClassVar, Literal

MOST_KEPT = 4_000
MOST_SHOWN = 500
Stage = Literal["connect", "read", "total"]


class OutboundError(Exception):
    """A call failed. `retryable` says whether the same call may do better a moment later.

    `raw` is what came back, made storable and cut to 4,000 characters; `retry_after_s` what the
    other side asked us to wait; `attempts` how often the call was made.
    """

    code: ClassVar[str] = "outbound"
    retryable: bool = False

    def __init__(
        self,
        message: str,
        *,
        operator_message: str | None = None,
        raw: str | None = None,
        retryable: bool | None = None,
        retry_after_s: float | None = None,
    ) -> None:
        super().__init__(message)
        self.message = message
        self.operator_message = operator_message or message
        self.raw = raw
        self.retry_after_s = retry_after_s
        self.attempts = 1
        if retryable is not None:
            self.retryable = retryable

    @property
    def excerpt(self) -> str | None:
        """The beginning of what came back, at most 500 characters."""
        return None if self.raw is None else self.raw[:MOST_SHOWN]

    def as_dict(self) -> dict[str, Any]:
        """The error as JSON: its code, its sentence, and what else is known."""
        known = {"raw": self.raw, "retry_after_s": self.retry_after_s, **self._more()}
        return {
            "code": self.code,
            "message": self.message,
            "attempts": self.attempts,
            **{name: value for name, value in known.items() if value is not None},
        }

    def _more(self) -> dict[str, Any]:
        return {}


class InvalidUrl(OutboundError):
    """The address is not one that may be written here."""

    code = "invalid_url"


class Blocked(OutboundError):
    """The address is not public, or its name is not known: the two are not told apart."""

    code = "egress_blocked"

    def __init__(self, address: str, setting: str, *, reason: str, told: bool = False, retryable: bool = False) -> None:
        """`told`: whether the caller may know the reason, since it follows from what they wrote."""
        self.address = address
        self.setting = setting
        why = reason if told else "its name is not known here, or it is not a public address"
        message = (
            f"{address} may not be called: {why}. "
            f"An operator of this server can allow it by adding {address} to {setting}."
        )
        super().__init__(message, operator_message=f"{message} ({reason}.)", retryable=retryable)

    def _more(self) -> dict[str, Any]:
        return {"address": self.address, "setting": self.setting}


class Unreachable(OutboundError):
    """No connection, or one that broke before anything of the answer had come."""

    code = "unreachable"
    retryable = True


class TimedOut(OutboundError):
    """No answer in time. `stage` is connect, read (silence) or total."""

    code = "timed_out"

    def __init__(self, message: str, *, stage: Stage, raw: str | None = None) -> None:
        super().__init__(message, raw=raw, retryable=stage == "connect")
        self.stage = stage

    def _more(self) -> dict[str, Any]:
        return {"stage": self.stage}


class TooLarge(OutboundError):
    """The answer, or its headers, are larger than the cap."""

    code = "too_large"


class BadAnswer(OutboundError):
    """What came back is no HTTP, is encoded, broke off, or is not the JSON that was asked for."""

    code = "bad_answer"


class BrokenOff(BadAnswer):
    """The connection broke in the middle of the answer."""


class HttpError(OutboundError):
    """The answer has a status other than 2xx. `body` is its JSON value, else its text."""

    code = "http_error"
    RETRYABLE: ClassVar = frozenset({429, 502, 503, 504})

    def __init__(
        self, message: str, *, status: int, body: Any, raw: str | None = None, retry_after_s: float | None = None
    ) -> None:
        super().__init__(message, raw=raw, retryable=status in self.RETRYABLE, retry_after_s=retry_after_s)
        self.status = status
        self.body = body

    def _more(self) -> dict[str, Any]:
        return {"status": self.status}


class RequestFault(OutboundError):
    """The call cannot be made from what was given; `field` names the part."""

    code = "request_fault"

    def __init__(self, message: str, *, field: str) -> None:
        super().__init__(message)
        self.field = field

    def _more(self) -> dict[str, Any]:
        return {"field": self.field}


class Canceled(OutboundError):
    """The run was canceled while this call was waiting."""

    code = "canceled"

    def __init__(self) -> None:
        super().__init__("The call was canceled.")


class ProviderFailure(OutboundError):
    """The provider reported an error inside an answer with status 200, or in the middle of a stream."""

    code = "provider_failure"


class StreamEnded(OutboundError):
    """The stream of an answer stopped before it was complete."""

    code = "stream_ended"


class OutputSchemaViolation(OutboundError):
    """The model's answer does not meet the agent's output schema.

    `violations` are `{path, keyword, message}`; `generation` is what the model gave.
    """

    code = "output_schema_violation"

    def __init__(
        self, message: str, *, violations: Sequence[Mapping[str, str]], generation: Any, raw: str | None = None
    ) -> None:
        super().__init__(message, raw=raw)
        self.violations = tuple(dict(violation) for violation in violations)
        self.generation = generation

    def _more(self) -> dict[str, Any]:
        return {"violations": [dict(violation) for violation in self.violations]}


def kept(data: bytes | str, secrets: Sequence[str] = ()) -> str:
    """What came back, as text that every database stores: 4,000 characters, without the secrets that were sent."""
    if isinstance(data, bytes):
        text = data[: 4 * MOST_KEPT].decode("utf-8", "replace")
    else:
        text = data[: 2 * MOST_KEPT].encode("utf-8", "replace").decode("utf-8")
    for secret in secrets:
        text = text.replace(secret, "•••")
    return text.replace("\x00", "\ufffd")[:MOST_KEPT]
