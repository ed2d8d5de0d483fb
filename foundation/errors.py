"""Errors as the whole product answers them: a status, a code, one sentence, and what to do.

`Problem` and its subclasses are raised by services and policies, and turned into the one JSON
shape by `foundation.http.api` and into a page by `foundation.http.pages`. The codes are listed
in docs/api.md; a test compares that list with `problem_classes()`.
"""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, ClassVar


@dataclass(frozen=True, slots=True)
class FieldError:
    """One thing wrong with one field.

    `path` is dotted (`scorers.2.pattern`; empty for the document as a whole), `code` a stable
    snake_case word, `message` a sentence for the person who filled the field in.
    """

    path: str
    code: str
    message: str
    about: Mapping[str, str] = field(default_factory=dict)
    """Further members that help a client find the place, such as the scorer's id."""

    def as_dict(self) -> dict[str, str]:
        """The members, as `meta.fields` lists them."""
        return {"path": self.path, "code": self.code, "message": self.message, **self.about}


class Problem(Exception):
    """A refusal with an HTTP status, a code, a sentence and a hint. Subclass it per code."""

    status: ClassVar[int] = 400
    code: ClassVar[str] = "BAD_REQUEST"
    default_message: ClassVar[str] = "The request cannot be understood."
    default_hint: ClassVar[str] = "Check the request against /api/docs."

    def __init__(
        self,
        message: str | None = None,
        *,
        hint: str | None = None,
        meta: Mapping[str, Any] | None = None,
        headers: Mapping[str, str] | None = None,
    ) -> None:
        self.message = message or self.default_message
        self.hint = hint or self.default_hint
        self.meta = dict(meta or {})
        self.headers = dict(headers or {})
        super().__init__(self.message)

    def as_dict(self) -> dict[str, Any]:
        """The JSON body: `{"error": {code, message, hint, meta}}`."""
        return {
            "error": {
                "code": self.code,
                "message": self.message,
                "hint": self.hint,
                "meta": self.meta,
            },
        }


class BadRequest(Problem):
    """The request is not one this address understands."""


class MalformedJson(Problem):
    """The body is not JSON, or JSON that no database and no client reads the same way."""

    code = "MALFORMED_JSON"
    default_message = "The body is not valid JSON."
    default_hint = "Send one JSON document: UTF-8, no NaN or Infinity, no repeated keys, at most 64 levels deep."


class ValidationFailed(Problem):
    """Some fields are wrong; `meta.fields` lists each with its path."""

    code = "VALIDATION_FAILED"
    default_message = "Some fields are not valid."
    default_hint = "Mend the fields listed in meta.fields and send the request again."

    def __init__(self, fields: Iterable[FieldError], message: str | None = None, **rest: Any) -> None:
        self.fields = tuple(fields)
        if message is None and self.fields:
            first = self.fields[0]
            message = f"{first.path}: {first.message}" if first.path else first.message
            if len(self.fields) > 1:
                message += f" (and {len(self.fields) - 1} more)"
        meta = {**rest.pop("meta", {}), "fields": [field.as_dict() for field in self.fields]}
        super().__init__(message, meta=meta, **rest)

    def under(self, prefix: str) -> "ValidationFailed":
        """The same faults at paths under `prefix`, for a document that stood inside another."""
        return ValidationFailed(
            FieldError(f"{prefix}.{fault.path}" if fault.path else prefix, fault.code, fault.message, fault.about)
            for fault in self.fields
        )

    @classmethod
    def one(cls, path: str, code: str, message: str) -> "ValidationFailed":
        """The refusal of a single field."""
        return cls([FieldError(path, code, message)])


class Unauthorized(Problem):
    """Nobody is signed in, or the key or token is not known."""

    status = 401
    code = "UNAUTHORIZED"
    default_message = "Sign in, or send a token or API key."
    default_hint = "Send the header 'Authorization: Bearer <token or API key>'."

    def __init__(self, message: str | None = None, **rest: Any) -> None:
        rest.setdefault("headers", {"WWW-Authenticate": 'Bearer realm="plumbline"'})
        super().__init__(message, **rest)


class Forbidden(Problem):
    """The person is known and may not do this."""

    status = 403
    code = "FORBIDDEN"
    default_message = "Your role does not allow this."
    default_hint = "Ask an owner for a role that does."


class NotFound(Problem):
    """There is no such thing, or none that this person may see."""

    status = 404
    code = "RESOURCE_NOT_FOUND"
    default_message = "There is nothing at this address."
    default_hint = "Check the address and the identifier."


class MethodNotAllowed(Problem):
    """The address exists and does not take this method."""

    status = 405
    code = "METHOD_NOT_ALLOWED"
    default_message = "This address does not take that method."
    default_hint = "See the Allow header, or /api/docs."


class NotAcceptable(Problem):
    """The client accepts no form in which the answer can be given."""

    status = 406
    code = "NOT_ACCEPTABLE"
    default_message = "The answer is JSON, which the Accept header refuses."
    default_hint = "Send 'Accept: application/json', or no Accept header."


class NameConflict(Problem):
    """Something else has this name already."""

    status = 409
    code = "NAME_CONFLICT"
    default_message = "That name is taken."
    default_hint = "Choose another name."


class StaleVersion(Problem):
    """Somebody saved a newer version since this one was read."""

    status = 412
    code = "STALE_VERSION"
    default_message = "Somebody saved a newer version meanwhile."
    default_hint = "Read the current version, repeat your change on it, and send it with its number in If-Match."


class TooLarge(Problem):
    """The body is larger than this address takes."""

    status = 413
    code = "BODY_TOO_LARGE"
    default_message = "The body is larger than this address takes."
    default_hint = "Send less at once."


class UnsupportedMediaType(Problem):
    """The body is not application/json."""

    status = 415
    code = "UNSUPPORTED_MEDIA_TYPE"
    default_message = "The body must be JSON."
    default_hint = "Send the header 'Content-Type: application/json'."


class RateLimited(Problem):
    """Too many attempts; try again later."""

    status = 429
    code = "RATE_LIMITED"
    default_message = "Too many attempts."
    default_hint = "Wait as long as the Retry-After header says."


class InternalError(Problem):
    """A fault of ours; it is logged under the identifier in `meta.id`."""

    status = 500
    code = "INTERNAL_ERROR"
    default_message = "Something went wrong on our side."
    default_hint = "Try again; if it stays, give the operator the identifier in meta.id."


class Unavailable(Problem):
    """The service cannot do this now, and will be able to again."""

    status = 503
    code = "UNAVAILABLE"
    default_message = "The service is not able to answer now."
    default_hint = "Wait as long as the Retry-After header says."


def problem_classes(base: type[Problem] = Problem) -> Iterator[type[Problem]]:
    """Every kind of refusal, once per code, in order of definition."""
    for kind in base.__subclasses__():
        yield kind
        yield from problem_classes(kind)
