"""The API against its own OpenAPI document: made-up requests, valid and not, and what comes back."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import pytest
import schemathesis
from django.core.handlers.wsgi import WSGIHandler
from django.core.signals import request_finished, request_started
from django.db import close_old_connections
from django.test import Client
from hypothesis import HealthCheck, Phase, given, settings
from schemathesis import GenerationMode
from schemathesis.checks import not_a_server_error
from schemathesis.specs.openapi.checks import (
    content_type_conformance,
    response_headers_conformance,
    response_schema_conformance,
    status_code_conformance,
)

from accounts.models import User
from scoring.api import examples
from tests.people import ApiKeyFor, bearer
from tests.scoring.cases import contains, evaluated, in_range, made

pytestmark = pytest.mark.django_db
CHECKS = [
    not_a_server_error,
    status_code_conformance,
    content_type_conformance,
    response_headers_conformance,
    response_schema_conformance,
]
EXAMPLES = {GenerationMode.POSITIVE: 12, GenerationMode.NEGATIVE: 8}


@contextmanager
def _connection_kept() -> Iterator[None]:
    """A request ends without closing the connection, which holds the transaction of the test."""
    signals = (request_started, request_finished)
    for signal in signals:
        signal.disconnect(close_old_connections)
    try:
        yield
    finally:
        for signal in signals:
            signal.connect(close_old_connections)


@pytest.fixture
def document(db: None) -> Any:
    """Our document, with the product itself behind it."""
    with _connection_kept():
        return schemathesis.openapi.from_wsgi("/api/schema", WSGIHandler())


def _operations(document: Any) -> dict[str, Any]:
    operations = [result.ok() for result in document.get_all_operations()]
    return {operation.label: operation for operation in operations if "/api/scoring/" in operation.label}


def _known(case: Any, ids: dict[str, str], number: int) -> Any:
    """The case, every second time about something that exists."""
    if number % 2:
        case.path_parameters = {name: ids.get(name, value) for name, value in (case.path_parameters or {}).items()}
        if isinstance(case.body, dict) and "profileId" in case.body:
            case.body["profileId"] = ids["profile_id"]
        if isinstance(case.body, dict) and "profile" in case.body:
            # Its schema says any object, of which hardly one is a profile.
            answer = {"output": "x"} if case.path.endswith("/preview") else {}
            case.body = {"profile": examples.PROFILE_BODY, **answer}
    return case


def _every_case(operation: Any, mode: GenerationMode, judge: Callable[[Any], None]) -> None:
    # Deterministic: the same requests each time.
    @settings(
        max_examples=EXAMPLES[mode],
        derandomize=True,
        deadline=None,
        database=None,
        phases=[Phase.explicit, Phase.generate],
        suppress_health_check=list(HealthCheck),
    )
    @given(case=operation.as_strategy(generation_mode=mode))
    def run(case: Any) -> None:
        judge(case)

    run()


@pytest.mark.parametrize("mode", EXAMPLES, ids=lambda mode: str(mode.value))
def test_what_comes_back_is_what_the_document_says(
    mode: GenerationMode, *, document: Any, api: Client, owner: User, api_key_for: ApiKeyFor, subtests: pytest.Subtests
) -> None:
    headers = bearer(api_key_for(owner))
    operations = _operations(document)
    assert len(operations) >= 12
    for label, operation in operations.items():
        with subtests.test(label):
            seen: list[int] = []
            profile = made(api, contains(), in_range(weight=0))
            ids = {"profile_id": profile["id"], "evaluation_id": evaluated(api, profile["id"])["id"]}

            def judge(case: Any) -> None:
                with _connection_kept():
                    response = _known(case, ids, len(seen)).call(headers=headers)  # noqa: B023 - run within the loop
                seen.append(response.status_code)  # noqa: B023
                case.validate_response(response, checks=CHECKS)

            _every_case(operation, mode, judge)
            if mode is GenerationMode.POSITIVE:
                assert min(seen) < 300, seen
