"""HTTP tools: what a definition may say, and a call of one."""

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from decimal import Decimal
from functools import partial
from typing import Any, ClassVar
from urllib.parse import quote

from evaluations.outbound.connections import Limits
from evaluations.outbound.door import Answer, Door, Request, check_values
from evaluations.outbound.errors import RequestFault
from evaluations.outbound.headers import header_fault
from evaluations.outbound.locations import url_fault
from evaluations.outbound.retries import RetryPolicy, attempted
from evaluations.outbound.statuses import body_value, http_error
from foundation import exact_json
from foundation.errors import FieldError, ValidationFailed

LONGEST_TIMEOUT_S = 300.0
# A shorter value is cut out of nothing: it would take ordinary words with it.
SHORTEST_REDACTED = 6
_METHODS = ("GET", "POST", "PUT", "PATCH", "DELETE")
_WITH_BODY = frozenset({"POST", "PUT", "PATCH"})
_PARAMETER = re.compile(r"\{([A-Za-z_][A-Za-z0-9_.-]{0,63})\}")
_SECRET = re.compile(r"\{\{\s*secret:([A-Za-z0-9_.-]{1,64})\s*\}\}")
_AUTHORITY = re.compile(r"[A-Za-z]+://[^/?#]*")
_DOTS = re.compile(r"(?:^|/)\.{1,2}(?=$|[/?#])")


@dataclass(frozen=True, slots=True)
class ToolDefinition:
    """How a tool is called.

    `url` may hold `{param}` in its path and query, header values `{{secret:NAME}}`; `timeout_s` counts
    everything. What is in `preset_parameters` is sent unless the input says otherwise.
    """

    url: str
    method: str = "POST"
    headers: Mapping[str, str] = field(default_factory=dict)
    timeout_s: float = 30.0
    preset_parameters: Mapping[str, Any] = field(default_factory=dict)

    MEMBERS: ClassVar = ("url", "method", "headers", "timeout_s")

    @classmethod
    def of(cls, execute: Any, preset_parameters: Any = None) -> "ToolDefinition":
        """The definition that a tool's `execute` document writes; raises ValidationFailed, each fault at its path."""
        if not isinstance(execute, dict):
            raise ValidationFailed.one("execute", "type", "Must be an object with a url.")
        presets = {} if preset_parameters is None else preset_parameters
        given = {name: value for name, value in execute.items() if value is not None}
        faults = [
            FieldError(f"execute.{name}", "unknown_field", "There is no such field.")
            for name in execute
            if name not in cls.MEMBERS
        ]
        faults += _url_faults(given.get("url", ""))
        method = given.get("method", "POST")
        if not isinstance(method, str) or method.upper() not in _METHODS:
            faults.append(FieldError("execute.method", "choice", f"Must be one of {', '.join(_METHODS)}."))
        headers = given.get("headers", {})
        faults += header_faults(headers, "execute.headers")
        timeout_s = given.get("timeout_s", cls(url="").timeout_s)
        faults += timeout_faults(timeout_s, "execute.timeout_s", LONGEST_TIMEOUT_S)
        if not isinstance(presets, dict):
            faults.append(FieldError("preset_parameters", "type", "Must be an object."))
        if faults:
            raise ValidationFailed(faults)
        return cls(given["url"], method.upper(), dict(headers), float(timeout_s), dict(presets))

    @property
    def secret_names(self) -> frozenset[str]:
        """The secrets that its headers name."""
        return frozenset(name for value in self.headers.values() for name in _SECRET.findall(value))


@dataclass(frozen=True, slots=True)
class ToolAnswer:
    """What a tool answered with status 2xx: any JSON value, or text when it was not JSON; null when empty."""

    status: int
    body: Any
    attempts: int
    total_ms: float


def call_tool(
    door: Door,
    definition: ToolDefinition,
    input: Mapping[str, Any],  # noqa: A002 - the field's own word, as the API has it
    *,
    secrets: Mapping[str, str] | None = None,
    retries: RetryPolicy | None = None,
    idempotency_key: str | None = None,
) -> ToolAnswer:
    """The answer of a tool to `{...preset_parameters, ...input}`.

    POST, PUT and PATCH send it as JSON; GET and DELETE send what the URL names. Values of secrets
    are cut out of the answer, should the tool repeat them. Raises OutboundError: RequestFault when
    a parameter or a secret is missing, HttpError for other statuses than 2xx.
    """
    sent = {**definition.preset_parameters, **input}
    known = secrets or {}
    used = tuple(known[name] for name in definition.secret_names if len(known.get(name, "")) >= SHORTEST_REDACTED)
    headers = _headers(definition, known, idempotency_key)
    body = _json_body(sent) if definition.method in _WITH_BODY else None
    limits = Limits(read_s=definition.timeout_s, total_s=definition.timeout_s)
    request = Request(
        filled_url(definition.url, sent), definition.method, tuple(headers.items()), body, limits, secrets=used
    )
    answer, attempts = attempted(partial(_fetched, door, request), retries or RetryPolicy(), door.clock)
    check_values(answer.body, answer.display)
    text = answer.text()
    for secret in used:
        text = text.replace(secret, "•••")
    value = body_value(text) if text.strip() else None
    return ToolAnswer(answer.status, value, attempts, answer.timing["total_ms"])


def _fetched(door: Door, request: Request) -> Answer:
    answer = door.fetch(request)
    if not 200 <= answer.status < 300:
        raise http_error(answer, door.clock, request.secrets)
    return answer


def filled_url(template: str, values: Mapping[str, Any]) -> str:
    """`template` with each `{param}` replaced by its value, escaped.

    Raises RequestFault when one is missing, is a list, an object or null, or would step out of its
    place in the path.
    """

    def replaced(found: re.Match[str]) -> str:
        name = found[1]
        if name not in values:
            raise RequestFault(f"The tool's URL needs {name}, which the input does not have.", field=name)
        value = values[name]
        if not isinstance(value, str | int | float | Decimal):
            raise RequestFault(f"The tool's URL needs text or a number for {name}.", field=name)
        if isinstance(value, bool):
            return "true" if value else "false"
        return quote(str(value).encode("utf-8", "replace"), safe="")

    url = _PARAMETER.sub(replaced, template)
    if _DOTS.search(url) and not _DOTS.search(template):
        raise RequestFault("A value may not be . or .. in the path of the tool's URL.", field="url")
    return url


def _headers(definition: ToolDefinition, secrets: Mapping[str, str], idempotency_key: str | None) -> dict[str, str]:
    def secret(found: re.Match[str]) -> str:
        name = found[1]
        if name not in secrets:
            raise RequestFault(f"There is no secret {name} in this project.", field=f"secret:{name}")
        return secrets[name]

    theirs = {name: _SECRET.sub(secret, value) for name, value in definition.headers.items()}
    ours = {"Accept": "application/json, text/plain;q=0.9, */*;q=0.5"}
    if definition.method in _WITH_BODY:
        ours["Content-Type"] = "application/json"
    if idempotency_key is not None:
        ours["Idempotency-Key"] = idempotency_key
    replaced = {name.lower() for name in theirs}
    return {**{name: value for name, value in ours.items() if name.lower() not in replaced}, **theirs}


def _json_body(value: Any) -> bytes:
    try:
        return exact_json.dumps(value).encode("utf-8")
    except (TypeError, ValueError, RecursionError) as error:
        raise RequestFault("The input cannot be written as JSON.", field="input") from error


def _url_faults(url: Any) -> list[FieldError]:
    if not isinstance(url, str) or not url:
        return [FieldError("execute.url", "required", "Give the address that is called.")]
    authority = _AUTHORITY.match(url)
    if authority and ("{" in authority[0] or "}" in authority[0]):
        return [FieldError("execute.url", "url", "Parameters may stand in the path and the query, not in the host.")]
    fault = url_fault(_PARAMETER.sub("0", url))
    return [FieldError("execute.url", "url", fault)] if fault else []


def header_faults(headers: Any, path: str) -> list[FieldError]:
    """What is wrong with a caller's headers, each at its path."""
    if not isinstance(headers, dict):
        return [FieldError(path, "type", "Must be an object of names and values.")]
    faults = ((name, header_fault(name, value)) for name, value in headers.items())
    return [FieldError(f"{path}.{name[:64]}", "header", fault) for name, fault in faults if fault]


def timeout_faults(seconds: Any, path: str, longest: float) -> list[FieldError]:
    """What is wrong with a number of seconds from 1 to `longest`."""
    is_number = isinstance(seconds, int | float) and not isinstance(seconds, bool)
    if is_number and 1 <= seconds <= longest:
        return []
    return [FieldError(path, "range", f"Must be a number of seconds from 1 to {longest:g}.")]
