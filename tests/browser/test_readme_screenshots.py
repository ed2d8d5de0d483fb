"""The README's two pictures: taken here when PLUMBLINE_WRITE_SCREENSHOTS=1, else only looked for."""

import os
from pathlib import Path

import pytest
from django.conf import settings
from playwright.sync_api import Page, expect

from accounts.actors import COMMAND_LINE
from scoring.models import Evaluation
from scoring.queries.demo import DEMO_PROFILE_ID
from scoring.services.demo import demo_load

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]
IMAGES = Path(settings.BASE_DIR) / "docs" / "images"
WRITE = os.environ.get("PLUMBLINE_WRITE_SCREENSHOTS") == "1"
MOST_BYTES = 300_000


@pytest.fixture
def picture_page(editor_page: Page) -> Page:
    demo_load(actor=COMMAND_LINE)
    editor_page.emulate_media(color_scheme="light")
    editor_page.set_viewport_size({"width": 1440, "height": 1000})
    return editor_page


def picture(page: Page, name: str) -> None:
    path = IMAGES / f"{name}-light.png"
    if WRITE:
        page.screenshot(path=path, animations="disabled")
    data = path.read_bytes()
    assert data.startswith(b"\x89PNG")
    assert 20_000 < len(data) <= MOST_BYTES


def test_the_editor(picture_page: Page) -> None:
    page = picture_page
    page.goto(f"/profiles/{DEMO_PROFILE_ID}")
    page.get_by_label("Keywords").first.fill("fixed\nadded")
    expect(page.get_by_role("heading", name="Proof")).to_be_visible()
    # The proof has the last evaluations of the profile, scored with what is typed in.
    expect(page.get_by_text("→").first).to_be_visible()
    page.evaluate("document.activeElement.blur()")
    page.wait_for_timeout(300)
    picture(page, "editor")


def test_an_evaluation(picture_page: Page) -> None:
    page = picture_page
    failed = Evaluation.objects.filter(profile_id=DEMO_PROFILE_ID, passed=False, worst_scorer="No apologies")
    row = failed.first() or Evaluation.objects.filter(profile_id=DEMO_PROFILE_ID, passed=False).first()
    assert row is not None
    page.goto(f"/history/{row.public_id}")
    expect(page.get_by_role("heading", name="Breakdown")).to_be_visible()
    # The evidence of three kinds: missing keywords, marked places, a number against its range.
    for name in ("No apologies", "Quick enough"):
        page.locator(".breakdown-row summary", has_text=name).click()
    expect(page.locator("mark").first).to_be_visible()
    page.wait_for_load_state("networkidle")
    picture(page, "evaluation")
