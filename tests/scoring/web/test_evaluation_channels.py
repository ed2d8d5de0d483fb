"""What was recorded beside an answer, on its page: every channel, bounded, escaped, and whole on demand."""

import html
import json
import re
from typing import Any

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from accounts.actors import COMMAND_LINE
from scoring.evaluate_bodies import EvaluateBody
from scoring.models import Evaluation
from scoring.services.evaluations import evaluation_create
from scoring.services.profiles import profile_create
from tests.scoring.cases import facts, profile_body

pytestmark = pytest.mark.django_db
HOSTILE = "<script>alert(1)</script><img src=x onerror=alert(1)>\"'"
DOCUMENT = facts("observation")
CHANNELS = ("input", "tool-calls", "retrieval", "citations", "stream", "state", "usage")
EVERYTHING = (
    {"id": "success", "type": "ToolSuccess"},
    {"id": "f1", "type": "ToolCallF1"},
    {"id": "ndcg", "type": "NDCG"},
    {"id": "cited", "type": "CitationF1"},
    {"id": "ttft", "type": "TTFT"},
    {"id": "state", "type": "StateChange"},
    {"id": "tokens", "type": "OutputTokens"},
    {"id": "alike", "type": "TokenF1"},
)


def evaluated(*scorers: dict[str, Any], **body: Any) -> Evaluation:
    """An evaluation that was stored, read back as the page reads it."""
    profile = profile_create(actor=COMMAND_LINE, body=profile_body(*scorers)).row.pk
    return evaluation_create(actor=COMMAND_LINE, body=EvaluateBody(profileId=profile, **body))


def page(client: Client, row: Evaluation, query: str = "") -> str:
    answer = client.get(f"/history/{row.public_id}{query}")
    assert answer.status_code == 200
    return answer.text


def section(text: str, channel: str) -> str:
    """What can be read in one section of the page."""
    marked = text.split(f'aria-labelledby="{channel}"')[1].split("</section>", maxsplit=1)[0]
    return html.unescape(" ".join(re.sub("<[^>]+>", " ", marked).split()))


def test_every_channel_has_a_section_and_a_link_to_it(api: Client) -> None:
    text = page(api, evaluated(*EVERYTHING, observation=DOCUMENT))
    for channel in (*CHANNELS, "answer", "subject"):
        assert f'<h2 id="{channel}"' in text.replace('<h2 class="visually-hidden" ', "<h2 ")
        assert f'href="#{channel}"' in text
    assert "2 of 3 let through, none failed; 1 not let through." in section(text, "tool-calls")
    assert "repeat, not counted" in section(text, "retrieval")
    assert "not in the ledger" in section(text, "citations")
    assert "first token 120 ms" in section(text, "stream")
    assert '"open" "closed" asked for' in section(text, "state")
    assert "0.00123 USD" in section(text, "usage")
    assert "0af7651916cd43dd8448eb211c80319c" in section(text, "subject")


def test_a_marker_in_the_output_leads_to_its_row(api: Client) -> None:
    text = page(api, evaluated(observation=DOCUMENT))
    assert '[<a href="#cite-1">1</a>]' in text
    assert '[<a href="#cite-4">4</a>]' in text
    assert 'id="cite-1"' in text
    assert 'id="cite-4"' in text


def test_without_an_observation_the_page_is_about_texts(api: Client) -> None:
    text = page(api, evaluated(output="[1]", expected={"answer": "yes", "chunks": {"a": 1}}))
    assert 'aria-labelledby="subject"' not in text
    assert "Not recorded" not in text
    assert 'href="#answer"' not in text
    assert "yes" in section(text, "answer")
    assert '{"a": 1}' in section(text, "answer")


def test_absent_empty_and_null_read_differently(api: Client) -> None:
    document = {"tool_calls": [], "retrieval": {"chunks": []}, "stream": None, "output": {"text": ""}}
    text = page(api, evaluated(observation=document))
    assert "Recorded and empty: no tool was called." in section(text, "tool-calls")
    assert "Recorded and empty: nothing was retrieved." in section(text, "retrieval")
    assert "stream was recorded as null." in section(text, "stream")
    assert "Not recorded: input, citations, state and usage." in section(text, "subject")
    assert "The text is empty." in section(text, "answer")


@pytest.mark.parametrize(
    "document",
    [
        {
            "tool_calls": {"a": 1},
            "retrieval": [1],
            "citations": 3,
            "stream": "x",
            "state": [],
            "usage": "y",
            "input": 7,
        },
        {
            "tool_calls": [None, 3, {"name": ""}, {"name": "a", "verdict": 5}],
            "retrieval": {"chunks": [None, {"id": 5}]},
        },
        {
            "citations": {"ledger": [None, {"n": "1"}]},
            "stream": {"events": [None, {"t": "x"}, {"t": -5}], "start": "a"},
        },
        {"state": {"before": {"a": {"b": {}}}, "after": {}}, "expected": {"state": {"required": "x"}}},
        {"expected": {"chunks": {"a": "high"}}, "retrieval": {"chunks": [{"id": "a"}]}, "trace": {"trace_id": [1]}},
    ],
)
def test_what_is_malformed_is_shown_and_breaks_nothing(api: Client, document: dict[str, Any]) -> None:
    page(api, evaluated(observation=document))


def hostile(value: Any) -> Any:
    """The document with every text, and every name that is the caller's, hostile."""
    if isinstance(value, str):
        return HOSTILE
    if isinstance(value, list):
        return [hostile(item) for item in value]
    if isinstance(value, dict):
        return {name: hostile(item) for name, item in value.items()} | {HOSTILE: HOSTILE}
    return value


def test_hostile_text_stays_text_in_every_channel(api: Client) -> None:
    names = ("input", "tool_calls", "retrieval", "citations", "stream", "state", "usage", "trace", "expected")
    document = {name: hostile(DOCUMENT[name]) for name in names}
    document["state"] = {
        "before": {HOSTILE: {HOSTILE: {HOSTILE: HOSTILE}}},
        "after": {HOSTILE: {HOSTILE: {HOSTILE: 1}, HOSTILE + "2": {HOSTILE: HOSTILE}}},
    }
    document["expected"] = {
        "answer": HOSTILE,
        "chunks": {HOSTILE: 2},
        "tool_calls": [{"name": HOSTILE, "arguments": 1}],
    }
    document["tool_calls"] = [{"name": HOSTILE, "error": HOSTILE, "arguments": {HOSTILE: HOSTILE}, HOSTILE: HOSTILE}]
    document["citations"] = {"ledger": [{"n": 1, "chunk_id": HOSTILE, "uri": "javascript:alert(1)"}]}
    document["output"] = {"text": f"{HOSTILE} [1]", "object": {HOSTILE: HOSTILE}, "finish_reason": HOSTILE}
    row = evaluated(*EVERYTHING, {"id": "call", "type": "ToolCalled", "tool": HOSTILE}, observation=document)
    text = page(api, row)
    assert "<script>alert" not in text
    assert "<img src=x" not in text
    assert 'href="javascript:' not in text
    for channel in (*CHANNELS, "answer"):
        assert "<script>alert(1)" in section(text, channel), channel


def test_a_long_value_is_cut_and_fetched_from_its_place(api: Client) -> None:
    arguments = {"text": "word " * 5_000 + "THE END"}
    row = evaluated(observation={"tool_calls": [{"name": "a", "arguments": arguments}]})
    text = page(api, row)
    assert "THE END" not in text
    address = html.unescape(re.findall(r'hx-get="([^"]*at=[^"]*)"', text)[0])
    assert address == f"/history/{row.public_id}/text/observation?at=%2Ftool_calls%2F0%2Farguments"
    assert "THE END" in api.get(address, headers={"HX-Request": "true"}).text
    assert "<html" in api.get(address).text
    assert api.get(address + "%2Fnowhere").status_code == 404
    assert api.get(f"/history/{row.public_id}/text/observation?at=x").status_code == 404


def test_a_field_of_any_name_can_be_fetched_whole(api: Client) -> None:
    field = "a/b~c d?&#é"
    state = {"before": {"t": {"1": {field: "x"}}}, "after": {"t": {"1": {field: "y" * 500 + "THE END"}}}}
    row = evaluated(observation={"state": state})
    address = html.unescape(re.findall(r'hx-get="([^"]*at=[^"]*)"', page(api, row))[0])
    assert "THE END" in api.get(address).text


def test_the_whole_output_keeps_its_links(api: Client) -> None:
    document = {"output": {"text": "word " * 1_000 + "[1]"}, "citations": {"ledger": [{"n": 1, "chunk_id": "a"}]}}
    row = evaluated(observation=document)
    assert "#cite-1" not in page(api, row)
    whole = api.get(f"/history/{row.public_id}/text/output", headers={"HX-Request": "true"}).text
    assert 'href="#cite-1"' in whole or f'href="/history/{row.public_id}#cite-1"' in whole
    assert f'href="/history/{row.public_id}' in api.get(f"/history/{row.public_id}/text/output").text


def test_a_long_list_is_paged_and_keeps_the_filter(api: Client) -> None:
    row = evaluated(observation={"tool_calls": [{"name": f"call{number}x"} for number in range(1, 121)]}, agent="a")
    text = page(api, row, "?agent=a")
    assert "call50x" in section(text, "tool-calls")
    assert "call51x" not in section(text, "tool-calls")
    later = f"/history/{row.public_id}?agent=a&channel=tool-calls&from=51#tool-calls"
    assert f'href="{html.escape(later)}"' in text
    text = page(api, row, "?agent=a&channel=tool-calls&from=51")
    assert "call51x" in section(text, "tool-calls")
    assert "call50x" not in section(text, "tool-calls")
    assert "Rows 51 to 100 of 120" in section(text, "tool-calls")
    assert 'href="/history?agent=a">History' in text


@pytest.mark.parametrize("query", ["from=x", "from=-1", "from=9999999", "from=", "from=²", "from=1e3", "channel=x"])
def test_an_address_that_makes_no_sense_shows_the_page(api: Client, query: str) -> None:
    row = evaluated(observation=DOCUMENT)
    assert "get_ticket" in page(api, row, f"?channel=tool-calls&{query}")


def test_the_largest_observation_makes_a_small_page_with_few_queries(api: Client) -> None:
    many = range(10_000)
    names = [f"<chunk-{number}>" for number in many]
    document = {
        "output": {"text": "".join(f"[{number}]" for number in range(1, 15_000))},
        "expected": {
            "chunks": dict.fromkeys(names[5_000:], 1),
            "tool_calls": [{"name": f"t{number}", "arguments": {"q": "é\"'<" * 20}} for number in range(900)],
            "state": {"required": [], "allowed": []},
        },
        "tool_calls": [{"name": f"t{number}", "arguments": {"q": '"' * 20}, "result": "'" * 40} for number in many],
        "retrieval": {"chunks": [{"id": name, "score": 0.5} for name in names]},
        "citations": {"ledger": [{"n": number + 1, "chunk_id": name} for number, name in enumerate(names)]},
        "stream": {"events": [{"t": number} for number in range(60_000)]},
        "state": {
            "before": {"t": {str(number): {"v": 1} for number in many}},
            "after": {"t": {str(number): {"v": 2} for number in many}},
        },
        "input": {"messages": [{"role": "user", "content": "<&\"' " * 40} for _ in range(2_000)]},
    }
    row = evaluated(*EVERYTHING, observation=document)
    with CaptureQueriesContext(connection) as captured:
        text = page(api, row)
    assert len(text.encode()) < 300_000
    # Session and user, the evaluation, its profile's version, two neighbours, its new scores, the profiles to choose.
    assert len(captured) == 8


def test_try_it_draws_the_same_evidence(api: Client) -> None:
    profile = profile_create(actor=COMMAND_LINE, body=profile_body({"id": "a", "type": "TokenF1"})).row.pk
    observation = json.dumps({"output": {"text": "the fox"}, "expected": {"answer": "the quick fox"}})
    answer = api.post(f"/profiles/{profile}/try", {"view": "json", "observation": observation})
    assert "of the answer, and of 2 in the text" in answer.text
