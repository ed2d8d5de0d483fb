"""An observation in a real browser: sent by an agent's harness, opened by a reviewer, read channel by channel."""

import json
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Page, expect

from accounts.models import User
from tests.browser.conftest import PageFor
from tests.people import ApiKeyFor, bearer

pytestmark = pytest.mark.browser
ROOT = Path(__file__).parent.parent.parent
HELP_DESK = json.loads((ROOT / "docs" / "examples" / "helpdesk.json").read_text())
DOCUMENT = json.loads((ROOT / "tests" / "facts" / "observation.json").read_text())
SECTIONS = ("input", "answer", "tool-calls", "retrieval", "citations", "stream", "state", "usage", "subject")


@pytest.fixture
def post(owner_page: Page, owner: User, api_key_for: ApiKeyFor, server: str) -> Any:
    """Posts to the API as an agent's harness does; gives the answer's JSON."""
    headers = {**bearer(api_key_for(owner)), "Content-Type": "application/json"}

    def send(path: str, body: Any) -> Any:
        answer = owner_page.request.post(f"{server}/api/scoring/{path}", data=json.dumps(body), headers=headers)
        assert answer.status == 201, answer.text()
        return answer.json()

    return send


def attempt(name: str) -> dict[str, Any]:
    return dict(next(item["body"] for item in HELP_DESK["attempts"] if item["id"] == name))


def test_what_an_agent_did_to_the_help_desk_can_be_read(owner_page: Page, post: Any, assert_accessible: Any) -> None:
    profile = post("profiles", HELP_DESK["profile"])
    stored = post("evaluate", {**attempt("G11"), "profileId": profile["id"]})
    owner_page.goto(f"/history/{stored['id']}")
    state = owner_page.get_by_role("region", name="State before and after")
    row = state.locator("tr", has_text="tickets/t4").filter(has_text="owner")
    expect(row).to_contain_text('"bob"')
    expect(row).to_contain_text('"ann"')
    expect(row).to_contain_text("not asked for")
    expect(owner_page.get_by_role("region", name="Criteria")).to_contain_text("tickets/t4.owner changed")
    expect(owner_page.get_by_role("region", name="Tool calls in order").locator("tbody tr")).to_have_count(4)
    owner_page.get_by_role("navigation", name="What was recorded").get_by_role("link", name="State").click()
    expect(owner_page.get_by_role("heading", name="State", exact=True)).to_be_in_viewport()
    assert owner_page.url.endswith("#state")
    assert_accessible(owner_page)


@pytest.mark.parametrize("width", [1440, 390])
def test_every_channel_fits_and_is_accessible(
    owner: User, page_for: PageFor, post: Any, assert_accessible: Any, width: int
) -> None:
    scorers = [{"id": kind, "type": kind} for kind in ("NDCG", "CitationF1", "StateChange", "ToolCallF1", "TTFT")]
    profile = post("profiles", {"name": "All", "scorers": [*scorers, {"id": "alike", "type": "RougeL"}]})
    stored = post("evaluate", {"profileId": profile["id"], "observation": DOCUMENT})
    page = page_for(owner, viewport={"width": width, "height": 900})
    page.goto(f"/history/{stored['id']}")
    for section in SECTIONS:
        expect(page.locator(f"h2#{section}")).to_be_visible()
    page.evaluate("document.querySelectorAll('details').forEach((part) => { part.open = true; })")
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    assert_accessible(page)


def test_a_citation_leads_to_its_chunk(owner_page: Page, post: Any) -> None:
    profile = post("profiles", {"name": "Cited", "scorers": [{"id": "c", "type": "CitationF1"}]})
    stored = post("evaluate", {"profileId": profile["id"], "observation": DOCUMENT})
    owner_page.goto(f"/history/{stored['id']}")
    owner_page.get_by_role("link", name="4", exact=True).click()
    expect(owner_page.locator("#cite-4")).to_be_in_viewport()


def test_a_long_list_is_read_page_by_page_without_scripts(owner: User, page_for: PageFor, post: Any) -> None:
    profile = post("profiles", {"name": "Calls", "scorers": [{"id": "n", "type": "ToolCallCount"}]})
    calls = [
        {"name": f"tool{number}", "arguments": {"text": "word " * 200 + f"END{number}"}} for number in range(1, 121)
    ]
    stored = post("evaluate", {"profileId": profile["id"], "observation": {"tool_calls": calls}})
    page = page_for(owner, java_script_enabled=False)
    page.goto(f"/history/{stored['id']}")
    page.get_by_role("link", name="70 more").click()
    expect(page.locator("#call-51")).to_be_visible()
    page.locator("tr", has=page.locator("#call-51")).get_by_role("link", name="Show all").click()
    expect(page.get_by_text("END51")).to_be_visible()


def test_show_all_opens_a_long_value_in_its_place(owner_page: Page, post: Any) -> None:
    profile = post("profiles", {"name": "Calls", "scorers": [{"id": "n", "type": "ToolCallCount"}]})
    calls = [{"name": "tool", "arguments": {"text": "<b>" + "word " * 200 + "THE END"}}]
    stored = post("evaluate", {"profileId": profile["id"], "observation": {"tool_calls": calls}})
    owner_page.goto(f"/history/{stored['id']}")
    owner_page.get_by_role("link", name="Show all").click()
    expect(owner_page.locator("td").get_by_text("THE END")).to_be_visible()
