"""The overview, the scorer reference and the API's documents, as a person uses them."""

import re
from collections.abc import Callable

import pytest
from playwright.sync_api import Page, expect

from accounts.actors import COMMAND_LINE
from scoring.models import Evaluation
from scoring.services.demo import demo_load
from scoring.services.evaluations import evaluations_create
from scoring.services.profiles import profile_create
from tests.browser.conftest import Complaints, PageFor
from tests.scoring.cases import contains, in_range, profile_body

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]
Check = Callable[[Page], None]
HOSTILE = "<script>alert(1)</script><b>\u202eRTL \U0001f600 " + "long" * 40


def fits(page: Page) -> bool:
    """Whether nothing makes the page itself scroll sideways."""
    width: bool = page.evaluate("document.documentElement.scrollWidth <= document.documentElement.clientWidth")
    return width


def test_from_an_empty_instance_to_the_demo_and_back(editor_page: Page, assert_accessible: Check) -> None:
    page = editor_page
    page.goto("/")
    expect(page.get_by_text("Nothing has been evaluated yet")).to_be_visible()
    assert_accessible(page)
    page.get_by_role("button", name="Load the demo").click()
    expect(page.locator("#toasts")).to_contain_text("Made 60 evaluations of the demo.")
    expect(page.get_by_role("heading", name="Failing most")).to_be_visible()
    assert_accessible(page)
    page.get_by_role("region", name="Table of the newest evaluations").get_by_role("link").first.click()
    expect(page).to_have_url(re.compile(r"/history/eval_demo\d+$"))
    page.go_back()
    page.get_by_role("button", name="Remove the demo").click()
    dialog = page.get_by_role("dialog", name="Remove the demo?")
    expect(dialog).to_contain_text("Nothing of yours is touched.")
    dialog.get_by_role("button", name="Cancel").click()
    expect(dialog).to_be_hidden()
    assert Evaluation.objects.count() == 60
    page.get_by_role("button", name="Remove the demo").click()
    dialog.get_by_role("button", name="Remove the demo").click()
    expect(page.locator("#toasts")).to_contain_text("Removed 60 evaluations")
    expect(page.get_by_text("Nothing has been evaluated yet")).to_be_visible()
    assert Evaluation.objects.count() == 0


def test_the_demo_goes_without_javascript_too(page_for: PageFor, editor: object) -> None:
    page = page_for(editor, java_script_enabled=False)  # type: ignore[arg-type]
    page.goto("/")
    page.get_by_role("button", name="Load the demo").click()
    expect(page.get_by_role("heading", name="Failing most")).to_be_visible()
    page.get_by_role("button", name="Remove the demo now").click()
    expect(page.get_by_text("Nothing has been evaluated yet")).to_be_visible()


@pytest.mark.parametrize("width", [1440, 390])
def test_hard_cases_hold(width: int, viewer_page: Page, assert_accessible: Check) -> None:
    page = viewer_page
    page.set_viewport_size({"width": width, "height": 900})
    scorers = [contains(f"s{number}", "x", name=f"{number} {HOSTILE}"[:256]) for number in range(63)]
    profile = profile_create(actor=COMMAND_LINE, body=profile_body(*scorers, in_range(), name=HOSTILE[:200])).row
    bodies = [{"profileId": profile.pk, "output": "y" * 100_000, "agent": HOSTILE[:120]} for _ in range(12)]
    answers = list(evaluations_create(actor=COMMAND_LINE, bodies=bodies))
    assert all(isinstance(answer, Evaluation) for answer in answers), answers
    page.goto("/")
    expect(page.get_by_text("no verdicts")).to_be_visible()
    assert fits(page)
    assert_accessible(page)


@pytest.mark.parametrize(
    "address", ["/", "/scorers", "/scorers/RegexMatch", "/scorers/OccurrenceRatio", "/api/docs", "/help"]
)
def test_pages_are_accessible_and_fit_a_phone(address: str, viewer_page: Page, assert_accessible: Check) -> None:
    demo_load(actor=COMMAND_LINE)
    viewer_page.goto(address)
    assert_accessible(viewer_page)
    viewer_page.set_viewport_size({"width": 390, "height": 844})
    assert fits(viewer_page)


def test_a_scorer_is_found_and_read(viewer_page: Page) -> None:
    page = viewer_page
    page.goto("/scorers")
    page.get_by_label("Search", exact=True).fill("denominatorPath")
    page.get_by_label("Search", exact=True).press("Enter")
    expect(page).to_have_url(re.compile(r"\?q=denominatorPath$"))
    page.get_by_role("link", name="OccurrenceRatio").click()
    expect(page.get_by_role("heading", level=1)).to_have_text("OccurrenceRatio")
    expect(page.get_by_text("as declared").first).to_be_visible()


def test_the_documents_are_read_by_a_stranger(watched_page: Page, assert_accessible: Check) -> None:
    page = watched_page
    page.goto("/api/docs")
    expect(page.get_by_role("navigation", name="Main")).to_have_count(0)
    schema = page.locator("#schema-EvaluateBody")
    expect(schema).not_to_have_attribute("open", "")
    page.get_by_role("link", name="EvaluateBody").first.click()
    expect(schema).to_have_attribute("open", "")
    expect(page).to_have_url(re.compile("#schema-EvaluateBody$"))
    assert_accessible(page)


def test_nothing_is_fetched_from_elsewhere(viewer_page: Page, server: str) -> None:
    demo_load(actor=COMMAND_LINE)
    asked: list[str] = []
    viewer_page.on("request", lambda request: asked.append(request.url))
    for address in ("/", "/scorers/RegexMatch", "/api/docs", "/help"):
        viewer_page.goto(address)
    assert asked
    assert [url for url in asked if not url.startswith((server, "data:"))] == []


def test_the_admin_site_runs_under_the_content_security_policy(owner_page: Page, complaints: Complaints) -> None:
    # The admin site names no icon, so the browser asks for the usual one.
    complaints.expected.append(re.compile(r"status of 404"))
    demo_load(actor=COMMAND_LINE)
    for address in ("/admin/", "/admin/scoring/profile/", "/admin/scoring/evaluation/"):
        owner_page.goto(address)
        expect(owner_page.locator("#site-name")).to_be_visible()
    owner_page.goto("/admin/scoring/profile/code-quality/delete/")
    owner_page.get_by_role("button", name="Yes, I’m sure").click()
    expect(owner_page.get_by_text("Built-in profiles cannot be changed or deleted.")).to_be_visible()
