"""Runs that ask an agent and a tool, with stubs on loopback: the tutorial's figures, and what goes wrong."""

import json
import socket
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from django.test import Client

from accounts.actors import Role
from accounts.models import Project
from evaluations.engine.working import work_on_run
from evaluations.models import Agent, AgentVersion, Eval, Result, Run
from tests.evaluations.cases import agent_of, call, dataset_of, eval_of, provider_of, tool_of
from tests.evaluations.conftest import MemberClient
from tests.evaluations.outbound.stubs import DONE, EVENTS, Received, Stub, answer, event, serving

pytestmark = pytest.mark.django_db
SCHEMA = {
    "type": "object",
    "required": ["category", "refund_amount"],
    "properties": {
        "category": {"type": "string", "enum": ["refund", "question"]},
        "refund_amount": {"type": "number"},
    },
}
CASES = [
    ("Order 1042 cost $40 and arrived broken. Please refund the $40.", "refund", 40),
    ("I paid $25 for order 1182 and it was late. Refund me $60 for the trouble.", "refund", 25),
    ("Do you ship to Canada?", "question", 0),
    ("How long does delivery take?", "question", 0),
]
ITEMS = [
    {"key": f"k{n}", "input": text, "metadata": {"kind": kind, "expected_category": kind, "order_total": total}}
    for n, (text, kind, total) in enumerate(CASES)
]
SCORERS = [
    {
        "type": "output_schema",
        "schema": {"type": "object", "properties": {"refund_amount": {"type": "number", "minimum": 0}}},
    },
    {
        "type": "json_logic",
        "expression": {"==": [{"var": "object.category"}, {"var": "item.metadata.expected_category"}]},
    },
]
Reply = Callable[[dict[str, Any]], str]


def misread(body: dict[str, Any]) -> str:
    """Takes one question for a refund and grants what is asked; with the new instruction it does neither."""
    question = body["messages"][-1]["content"]
    careful = "never more" in body["messages"][0]["content"]
    if "$60" in question:
        return json.dumps({"category": "refund", "refund_amount": 25 if careful else 60})
    if "$40" in question:
        return json.dumps({"category": "refund", "refund_amount": 40})
    wrong = "Canada" in question and not careful
    return json.dumps({"category": "refund" if wrong else "question", "refund_amount": 0})


def model(reply: Reply) -> Callable[[socket.socket, Received], None]:
    def handler(connection: socket.socket, received: Received) -> None:
        body = received.json()
        text = reply(body)
        usage = {"prompt_tokens": 12, "completion_tokens": 5}
        pieces = [text[: len(text) // 2], text[len(text) // 2 :]]
        connection.sendall(EVENTS)
        for piece in pieces:
            connection.sendall(event({"model": "m", "choices": [{"index": 0, "delta": {"content": piece}}]}))
        connection.sendall(event({"model": "m", "choices": [{"index": 0, "delta": {}, "finish_reason": "stop"}]}))
        connection.sendall(event({"model": "m", "choices": [], "usage": usage}))
        connection.sendall(DONE)

    return handler


def refund_policy(connection: socket.socket, received: Received) -> None:
    said, item = received.json()["object"], received.json()["item"]
    if said["category"] != "refund":
        verdict = {"score": 1, "passed": True, "reasoning": "Not a refund."}
    else:
        paid, asked = item["metadata"]["order_total"], said["refund_amount"]
        verdict = {"score": int(asked <= paid), "passed": asked <= paid,
                   "reasoning": f"Refund {asked} against {paid} paid."}  # fmt: skip
    connection.sendall(answer(200, json.dumps(verdict), [("Content-Type", "application/json")]))


@pytest.fixture(autouse=True)
def _loopback(settings: Any) -> None:
    settings.PLUMBLINE_EGRESS_ALLOW = ["127.0.0.1"]


@pytest.fixture
def client(client_of: MemberClient) -> Client:
    return client_of(Role.EDITOR)


@pytest.fixture
def scorer_service() -> Iterator[Stub]:
    with serving(refund_policy) as stub:
        yield stub


def set_up(project: Project, stub: Stub, *scorers: dict[str, Any], schema: Any = SCHEMA, **columns: Any) -> Eval:
    agent = agent_of(
        project, provider_of(project, base_url=stub.url("").rstrip("/")), instructions="Classify.", output_schema=schema
    )
    return eval_of(project, dataset_of(project, *ITEMS), *(scorers or SCORERS), agent=agent, **columns)


def run(client: Client, row: Eval, **body: Any) -> dict[str, Any]:
    started = call(client, "POST", f"/evals/{row.public_id}/runs", body)
    assert started.status_code == 201, started.content
    work_on_run(Run.objects.get(public_id=started.json()["id"]).pk)
    document: dict[str, Any] = call(client, "GET", f"/evals/{row.public_id}/runs/{started.json()['id']}").json()
    return document


def test_the_tutorials_two_runs_give_the_contracts_figures(
    project: Project, client: Client, scorer_service: Stub
) -> None:
    tool = tool_of(project, scorer_service.url("/score"), "refund-policy")
    asked = {"type": "tool", "name": "refund-policy", "tool_id": tool.public_id}
    with serving(model(misread)) as stub:
        row = set_up(project, stub, *SCORERS, asked, pass_threshold=0.75, group_by="kind")
        first = run(client, row)
        AgentVersion.objects.create(
            agent=Agent.objects.get(), number=2, ai_provider=AgentVersion.objects.get().ai_provider,
            instructions="Classify, never more than paid.", output_schema=SCHEMA,
        )  # fmt: skip
        Agent.objects.update(version=2)
        row.refresh_from_db()
        second = run(client, row, baseline_run_id=first["id"])
    figures = first["aggregate_scores"]
    assert {key: entry["pass_rate"] for key, entry in figures["scorers"].items()} == {
        "output_schema": 1, "json_logic": 0.75, "refund-policy": 0.75,
    }  # fmt: skip
    assert (first["passed"], first["completed_count"], first["errored_count"]) == (False, 4, 0)
    assert figures["pass_rate"] == 0.5
    interval = figures["pass_rate_interval"]
    assert (interval["low"], interval["high"]) == (pytest.approx(0.150039, abs=1e-6), pytest.approx(0.849961, abs=1e-6))
    groups = figures["grouping"]["groups"]
    assert {kind: (part["scored_item_count"], part["pass_rate"]) for kind, part in groups.items()} == {
        "question": (2, 0.5), "refund": (2, 0.5),
    }  # fmt: skip
    assert (second["passed"], second["agent_version"], second["aggregate_scores"]["pass_rate"]) == (True, 2, 1)
    compared = second["aggregate_scores"]["baseline"]
    assert compared["run_id"] == first["id"]
    assert (compared["pass_rate_delta"], compared["flipped"], compared["p_value"]) == (
        0.5, {"improved": 2, "regressed": 0}, 0.5,
    )  # fmt: skip
    assert compared["verdict"] == "too_few_items"
    assert compared["scorers"]["refund-policy"]["pass_rate_delta"] == 0.25
    assert {kind: (part["flipped"]["improved"], part["p_value"]) for kind, part in
            compared["grouping"]["groups"].items()} == {"question": (1, 1), "refund": (1, 1)}  # fmt: skip


def test_a_result_tells_what_the_agent_said_and_how_long_it_took(project: Project, client: Client) -> None:
    with serving(model(misread)) as stub:
        document = run(client, set_up(project, stub))
        sent = stub.requests[0].json()
    path = f"/evals/{document['eval_id']}/runs/{document['id']}/results"
    first = call(client, "GET", path).json()["data"][0]
    assert first["object"] == {"category": "refund", "refund_amount": 40}
    assert first["output"] == '{"category": "refund", "refund_amount": 40}'
    assert len(first["observation"]["stream"]["events"]) == 2
    assert (first["usage"]["input_tokens"], first["usage"]["output_tokens"]) == (12, 5)
    assert first["timing"]["total_ms"] > 0
    assert sent["messages"][0] == {"role": "system", "content": "Classify."}
    assert sent["response_format"]["json_schema"]["strict"] is True


def test_an_answer_against_the_agents_own_schema_is_an_error_with_the_raw_answer(
    project: Project, client: Client
) -> None:
    with serving(model(lambda _: '{"category": "other", "refund_amount": 1}')) as stub:
        document = run(client, set_up(project, stub))
    assert (document["status"], document["errored_count"], document["aggregate_scores"]["pass_rate"]) == (
        "completed", 4, None,
    )  # fmt: skip
    result = Result.objects.first()
    assert result is not None
    assert result.error["code"] == "output_schema_violation"
    assert '"other"' in result.error["raw"]
    assert result.passed is None


@pytest.mark.parametrize(
    ("said", "words"),
    [({"score": 1.7}, "1.7"), ({"score": "1"}, '"1"'), ({"score": 1, "passed": "false"}, "passed"), ([1], "[1]"),
     ({"score": True}, "true"), ({"score": 0.5}, "pass_threshold")],
)  # fmt: skip
def test_a_tool_that_answers_badly_is_an_error_that_names_it(
    project: Project, client: Client, said: Any, words: str
) -> None:
    def bad(connection: socket.socket, received: Received) -> None:
        connection.sendall(answer(200, json.dumps(said)))

    with serving(model(misread)) as stub, serving(bad) as scorer:
        tool = tool_of(project, scorer.url("/score"))
        asked = {"type": "tool", "name": "policy", "tool_id": tool.public_id}
        document = run(client, set_up(project, stub, SCORERS[0], asked))
    assert (document["errored_count"], document["aggregate_scores"]["scorers"]["policy"]["errored_count"]) == (4, 4)
    result = Result.objects.first()
    assert result is not None
    assert result.error["code"] == "tool_failed"
    assert "policy" in result.error["message"]
    assert words in result.error["message"]
    assert result.scores[0]["status"] == "scored"


def test_a_tools_threshold_decides_where_it_gives_no_verdict(project: Project, client: Client) -> None:
    scores = iter([0.69, 0.70, 0.71, 0.25])

    def graded(connection: socket.socket, received: Received) -> None:
        connection.sendall(answer(200, json.dumps({"score": next(scores)})))

    with serving(graded) as scorer:
        tool = tool_of(project, scorer.url("/"))
        asked = {"type": "tool", "name": "judge", "tool_id": tool.public_id, "pass_threshold": 0.7}
        row = eval_of(project, dataset_of(project, *ITEMS), asked)
        outputs = [{"item_key": f"k{n}", "output": "x"} for n in range(4)]
        run(client, row, outputs=outputs)
    found = dict(Result.objects.values_list("score", "passed"))
    assert found == {0.69: False, 0.70: True, 0.71: True, 0.25: False}


def test_a_blocked_address_says_what_would_open_it(project: Project, client: Client, settings: Any) -> None:
    settings.PLUMBLINE_EGRESS_ALLOW = []
    with serving(model(misread)) as stub:
        document = run(client, set_up(project, stub))
        assert stub.connections == 0
    assert document["errored_count"] == 4
    result = Result.objects.first()
    assert result is not None
    assert result.error["code"] == "egress_blocked"
    assert "PLUMBLINE_EGRESS_ALLOW" in result.error["message"]


def test_errored_results_are_asked_again_and_only_these(project: Project, client: Client) -> None:
    down = True

    def flaky(connection: socket.socket, received: Received) -> None:
        if down and "Canada" in received.json()["messages"][-1]["content"]:
            connection.sendall(answer(400, '{"error": {"message": "no such country"}}'))
        else:
            model(misread)(connection, received)

    with serving(flaky) as stub:
        row = set_up(project, stub)
        document = run(client, row)
        assert document["errored_count"] == 1
        bad = Result.objects.get(status="errored")
        assert bad.error["code"] == "http_error"
        down, asked = False, stub.connections
        call(client, "POST", f"/evals/{row.public_id}/runs/{document['id']}/retry-errored")
        work_on_run(Run.objects.get().pk)
        assert stub.connections == asked + 1
    assert Result.objects.filter(status="scored").count() == 4


def test_a_provider_that_is_gone_fails_the_run_with_the_reason(project: Project, client: Client) -> None:
    with serving(model(misread)) as stub:
        row = set_up(project, stub)
        started = call(client, "POST", f"/evals/{row.public_id}/runs", {}).json()
        Run.objects.update(specification={**Run.objects.get().specification,
                                          "agent": {**Run.objects.get().specification["agent"],
                                                    "ai_provider_id": "aip_gone"}})  # fmt: skip
        work_on_run(Run.objects.get().pk)
    document = call(client, "GET", f"/evals/{row.public_id}/runs/{started['id']}").json()
    assert (document["status"], document["error"]["code"], document["passed"]) == ("failed", "cannot_start", None)
