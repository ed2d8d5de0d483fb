"""A first run in a real browser: from an empty project to the reason of a failure, live and without a script."""

import json
import re
from collections.abc import Callable

import pytest
from playwright.sync_api import Page, expect

from accounts.models import Project, User
from evaluations.engine.working import work_on_run
from evaluations.models import Eval, Run
from tests.browser.conftest import PageFor
from tests.evaluations.cases import PASSES, dataset_of
from tests.evaluations.web.runs_cases import HOSTILE, answers, eval_of_forty, finished, forty, started

pytestmark = pytest.mark.browser
Accessible = Callable[[Page], None]


def lines(outputs: list[dict[str, object]]) -> str:
    return "\n".join(json.dumps(output) for output in outputs)


def test_from_an_empty_project_to_the_cause_of_a_failure(editor_page: Page, assert_accessible: Accessible) -> None:
    page = editor_page
    page.goto("/projects")
    assert_accessible(page)
    page.get_by_role("link", name="New project").click()
    page.get_by_label("Name").fill("Refunds")
    page.get_by_role("button", name="Create the project").click()
    expect(page.get_by_role("heading", name="Refunds", level=1)).to_be_visible()
    assert_accessible(page)
    forty(Project.objects.get())

    page.get_by_role("link", name="New eval").first.click()
    assert_accessible(page)
    page.get_by_label("Name").fill("triage")
    page.get_by_label("Dataset").select_option(label="cases")
    page.get_by_role("textbox", name="Scorers").fill('[{"type": "contians"}]')
    page.get_by_label("Kinds by").fill("kind")
    page.get_by_role("button", name="Create the eval").click()
    expect(page.get_by_text("scorers.0.type")).to_be_visible()
    assert_accessible(page)
    page.get_by_role("textbox", name="Scorers").fill(json.dumps([PASSES]))
    page.get_by_role("button", name="Create the eval").click()
    expect(page.get_by_text("./plumbline start-eval-run")).to_be_visible()

    page.get_by_role("link", name="Start a run").first.click()
    assert_accessible(page)
    said = {1: "no", 3: None}
    page.get_by_label("Recorded outputs").fill(lines(answers(lambda number: said.get(number, "yes"))))
    page.get_by_label("Name").fill("prompt v1")
    page.get_by_role("button", name="Start the run").click()
    expect(page.get_by_text("0 of 40 done · waiting for a worker")).to_be_visible()
    assert_accessible(page)
    work_on_run(Run.objects.get().pk)
    expect(page.get_by_text("38 of 39 · 1 errored").first).to_be_visible(timeout=10_000)
    expect(page.locator("#by-kind .main-svg").first).to_be_visible(timeout=15_000)
    assert_accessible(page)

    page.keyboard.press("f")
    expect(page).to_have_url(re.compile(r"\?passed=false#results$"))
    expect(page.locator("[data-row][data-failed]")).to_have_count(1)
    page.get_by_role("link", name="k1", exact=True).click()
    expect(page.get_by_text('"yes" was not found in the output.')).to_be_visible()
    assert_accessible(page)
    page.goto(page.url.split("?")[0])
    page.keyboard.press("]")
    expect(page.locator(".lede").get_by_text("k2", exact=True)).to_be_visible()
    page.keyboard.press("[")
    expect(page.locator(".lede").get_by_text("k1", exact=True)).to_be_visible()


def test_the_rail_leads_through_the_project(owner_page: Page, assert_accessible: Accessible) -> None:
    row = eval_of_forty(Project.objects.create(name=HOSTILE), name=HOSTILE)
    row.baseline_run = finished(row, name=HOSTILE)
    row.save()
    finished(row, lambda number: HOSTILE if number % 2 else "yes", name=HOSTILE)
    page = owner_page
    page.goto(f"/evals/{row.public_id}")
    expect(page.locator("#trend .main-svg").first).to_be_visible(timeout=15_000)
    assert_accessible(page)
    page.locator(".rail").get_by_role("link", name="Datasets").click()
    expect(page).to_have_url(re.compile(r"/projects/proj_\w+/datasets$"))
    page.locator(".rail").get_by_role("link", name="Evals and runs").click()
    expect(page.get_by_text("worse")).to_be_visible()
    page.set_viewport_size({"width": 390, "height": 800})
    assert_accessible(page)
    assert page.evaluate("document.documentElement.scrollWidth") <= 390


def test_without_a_script(page_for: PageFor, owner: User) -> None:
    row: Eval = eval_of_forty(Project.objects.create(name="Refunds"))
    run = started(row)
    page = page_for(owner, java_script_enabled=False)
    page.goto(f"/evals/{row.public_id}/runs/{run.public_id}")
    work_on_run(run.pk)
    page.get_by_role("link", name="Look again").click()
    expect(page.get_by_text("40 of 40").first).to_be_visible()
    page.get_by_label("Kind", exact=True).select_option("refund")
    page.get_by_role("button", name="Filter", exact=True).click()
    expect(page).to_have_url(re.compile(r"\?group=refund#results$"))
    expect(page.get_by_text("20 results")).to_be_visible()
    page.get_by_role("button", name="Set as baseline").click()
    expect(page.get_by_text("New runs are compared with this one.")).to_be_visible()


def test_a_phone_shows_a_run(page_for: PageFor, owner: User, assert_accessible: Accessible) -> None:
    project = Project.objects.create(name="Refunds")
    row = eval_of_forty(project)
    dataset_of(project, name="unused")
    run = finished(row, lambda number: "a very long answer " * 30 if number % 2 else None)
    page = page_for(owner, viewport={"width": 390, "height": 844})
    for rest in ("", f"/results/{run.results.get(item_key='k1').public_id}"):
        page.goto(f"/evals/{row.public_id}/runs/{run.public_id}{rest}")
        assert_accessible(page)
        assert page.evaluate("document.documentElement.scrollWidth") <= 390
