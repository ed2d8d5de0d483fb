"""The design in a real browser: legible to axe, clean under the policy, usable by keyboard and without scripts."""

from collections.abc import Callable, Iterator
from typing import Any

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Browser, Page, expect

from tests.design.conftest import WATCH

pytestmark = pytest.mark.browser
AXE = {"runOnly": {"type": "tag", "values": ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"]}}
# Notes the theme when the first style sheet is met, which is before anything can be painted.
FIRST_THEME = """
new MutationObserver(() => {
  if ("first" in window || !document.querySelector("link[rel=stylesheet]")) return;
  window.first = document.documentElement.dataset.theme ?? null;
}).observe(document, {childList: true, subtree: true});
"""
Open = Callable[..., Page]


@pytest.fixture
def open_page(browser: Browser, gallery_address: str) -> Iterator[Open]:
    """Opens a page of the gallery, and asserts at the end that it met no violation and no fault.

    `complaints` lets the console complain (of an answer of 404, say), never the content security
    policy. Plotly takes a second of work, so only pages with `charts` load it.
    """
    pages: list[tuple[Page, list[str], list[str]]] = []

    def opened(
        path: str = "/profiles/x",
        *,
        width: int = 1440,
        theme: str = "light",
        complaints: bool = False,
        charts: bool = False,
        **context: Any,
    ) -> Page:
        new = browser.new_context(
            base_url=gallery_address,
            viewport={"width": width, "height": 900},
            color_scheme=theme,  # type: ignore[arg-type]
            reduced_motion="reduce",
            **context,
        )
        new.set_default_timeout(10_000)
        page = new.new_page()
        heard: list[str] = []
        violations: list[str] = []
        page.expose_function("violated", lambda what, seen=violations: seen.append(what))
        page.add_init_script(WATCH)
        if not complaints:
            page.on("console", lambda message: heard.append(message.text) if message.type == "error" else None)
        page.on("pageerror", lambda error: heard.append(str(error)))
        if not charts:
            page.route("**/plotly.min.js", lambda route: route.fulfill(body="", content_type="text/javascript"))
        page.goto(path)
        pages.append((page, heard, violations))
        return page

    yield opened
    for page, heard, violations in pages:
        page.context.close()
        assert violations == []
        assert heard == []


def drawn(page: Page) -> None:
    page.wait_for_function("document.querySelectorAll('.chart-plot .main-svg').length >= 4")


@pytest.mark.parametrize(("width", "theme"), [(1440, "light"), (1440, "dark"), (390, "light")])
def test_axe_finds_nothing(open_page: Open, theme: str, width: int) -> None:
    page = open_page("/profiles/x?toasts", theme=theme, width=width, charts=True)
    drawn(page)
    for details in page.locator("details.disclosure, details.breakdown-row").all():
        details.evaluate("element => { element.open = true; }")
    found = Axe().run(page, options=AXE)
    assert found.violations_count == 0, found.generate_report()


@pytest.mark.parametrize("path", ["/sign-in", "/refused", "/?local"])
def test_axe_finds_nothing_on_the_bare_frames(open_page: Open, path: str) -> None:
    page = open_page(path, complaints=True)
    if path == "/sign-in":  # the frame alone has no heading of its own
        page.locator("h1").evaluate("element => { element.textContent = 'Sign in'; }")
    found = Axe().run(page, options=AXE)
    assert found.violations_count == 0, found.generate_report()


@pytest.mark.parametrize("path", ["/profiles/x?toasts", "/profiles/x?long", "/profiles/x?errors"])
def test_nothing_sticks_out_sideways(open_page: Open, path: str) -> None:
    page = open_page(path)
    for width in (1440, 1279, 1024, 899, 768, 390, 320):
        page.set_viewport_size({"width": width, "height": 900})
        assert page.evaluate("document.documentElement.scrollWidth") <= width, width


def test_hostile_text_never_runs(open_page: Open) -> None:
    page = open_page("/profiles/x?toasts", charts=True)
    asked: list[str] = []
    page.on("dialog", lambda dialog: (asked.append(dialog.message), dialog.dismiss()))
    drawn(page)
    page.locator("#by-kind .nsewdrag").hover()
    assert asked == []
    assert page.locator("img[src=x]").count() == 0
    labels = page.locator("#by-kind .ytick text")
    assert {"<script>alert(1)</scrip…", "<b>bold</b> &amp; co"} <= set(labels.all_text_contents())
    assert labels.locator("tspan").count() == 0


def test_rows_are_walked_and_opened_by_keyboard(open_page: Open) -> None:
    page = open_page()
    page.keyboard.press("j")
    page.keyboard.press("j")
    expect(page.locator("tr[data-row] a.row-link").nth(1)).to_be_focused()
    page.keyboard.press("k")
    expect(page.locator("tr[data-row] a.row-link").nth(0)).to_be_focused()
    page.keyboard.press("Enter")
    page.wait_for_url("**?open=1")


@pytest.mark.parametrize(("key", "address"), [("[", "**?cursor=a"), ("]", "**?cursor=b"), ("f", "**?failures=1")])
def test_keys_follow_the_links_of_the_page(open_page: Open, key: str, address: str) -> None:
    page = open_page()
    page.keyboard.press(key)
    page.wait_for_url(address)


def test_search_takes_the_focus_and_keeps_letters_to_itself(open_page: Open) -> None:
    page = open_page()
    page.keyboard.press("/")
    expect(page.locator("#search")).to_be_focused()
    page.keyboard.type("jkf?[]/")
    expect(page.locator("#search")).to_have_value("jkf?[]/")
    page.keyboard.press("Enter")
    page.wait_for_url("**/history?q=jkf%3F%5B%5D%2F")


def test_the_question_mark_opens_the_list_of_keys_and_escape_closes_it(open_page: Open) -> None:
    page = open_page()
    dialog = page.locator("#keyboard-help")
    page.keyboard.press("?")
    expect(dialog).to_be_visible()
    page.keyboard.press("j")
    assert page.locator("tr[data-row]:focus-within").count() == 0
    page.keyboard.press("Escape")
    expect(dialog).to_be_hidden()
    page.locator(".keyboard-button").click()
    expect(dialog).to_be_visible()
    dialog.get_by_role("button", name="Close").click()
    expect(dialog).to_be_hidden()


def test_the_skip_link_comes_first_and_leads_to_the_content(open_page: Open) -> None:
    page = open_page()
    page.keyboard.press("Tab")
    expect(page.locator(".skip-link")).to_be_focused()
    page.keyboard.press("Enter")
    expect(page.locator("#main")).to_be_focused()


def test_a_menu_closes_by_escape_and_gives_the_focus_back(open_page: Open) -> None:
    page = open_page()
    menu = page.locator(".account-menu")
    menu.locator("summary").click()
    expect(menu.get_by_role("button", name="Sign out")).to_be_visible()
    page.keyboard.press("Tab")
    page.keyboard.press("Escape")
    expect(menu.get_by_role("button", name="Sign out")).to_be_hidden()
    expect(menu.locator("summary")).to_be_focused()
    menu.locator("summary").click()
    page.locator("h1").click()
    expect(menu).not_to_have_attribute("open", "")


def test_a_chosen_theme_is_kept_and_set_before_the_first_paint(open_page: Open) -> None:
    page = open_page(theme="light")
    dark = "rgb(20, 22, 26)"
    assert page.evaluate("getComputedStyle(document.body).backgroundColor") != dark
    page.locator("[data-theme-switch]").click()
    assert page.evaluate("getComputedStyle(document.body).backgroundColor") == dark
    page.add_init_script(FIRST_THEME)
    page.reload()
    assert page.evaluate("window.first") == "dark"
    assert page.evaluate("getComputedStyle(document.body).backgroundColor") == dark
    page.locator("[data-theme-switch]").click()
    assert page.evaluate(
        "[document.documentElement.dataset.theme ?? null, localStorage.getItem('plumbline-theme')]"
    ) == [None, None]


def test_charts_take_the_colours_of_the_theme_and_change_with_it(open_page: Open) -> None:
    page = open_page(theme="light", charts=True)
    drawn(page)
    fill = "getComputedStyle(document.querySelector('#by-kind .bars path')).fill"
    assert page.evaluate(fill) == "rgb(31, 95, 168)"
    page.locator("[data-theme-switch]").click()
    page.wait_for_function(f"{fill} === 'rgb(125, 179, 240)'")
    assert page.locator(".modebar-btn").count() == 0


def test_a_chart_is_saved_as_an_image(open_page: Open) -> None:
    page = open_page(charts=True)
    drawn(page)
    with page.expect_download() as download:
        page.locator("#over-time [data-chart-save]").click()
    assert download.value.suggested_filename == "over-time.png"
    path = download.value.path()
    assert path.read_bytes()[:8] == b"\x89PNG\r\n\x1a\n"
    assert path.stat().st_size > 5000


def test_a_folded_text_is_fetched_in_place(open_page: Open) -> None:
    page = open_page()
    assert "THE END" not in page.content()
    page.get_by_role("link", name="Show all").click()
    expect(page.get_by_text("THE END")).to_be_attached()
    assert page.url.endswith("/profiles/x")


def test_what_stands_opened_is_in_the_address(open_page: Open) -> None:
    page = open_page()
    row = page.locator("#scorer-balanced-length")
    row.locator("summary").click()
    page.wait_for_url("**#scorer-balanced-length")
    page.reload()
    expect(row).to_have_attribute("open", "")


def test_a_refusal_becomes_a_toast_and_leaves_the_page(open_page: Open) -> None:
    page = open_page(complaints=True)
    page.get_by_role("link", name="Refused").click()
    toast = page.locator(".toast[data-toast=error]")
    expect(toast).to_contain_text("That evaluation is gone. <script>alert(1)</script>")
    assert page.locator("#swapped").inner_html() == ""
    toast.get_by_role("button", name="Dismiss").click()
    expect(toast).to_have_count(0)


def test_a_refused_form_is_shown_again(open_page: Open) -> None:
    page = open_page(complaints=True)
    page.get_by_role("link", name="Unprocessable").click()
    expect(page.locator("#swapped")).to_have_text("The form again")
    assert page.locator(".toast").count() == 0


def test_a_fragment_may_bring_a_message(open_page: Open) -> None:
    page = open_page("/profiles/x?toasts")
    page.get_by_role("link", name="Done").click()
    expect(page.locator("#toasts")).to_contain_text("Done by htmx.")
    assert page.locator(".toast").count() == 4


def test_a_server_that_does_not_answer_is_told(open_page: Open) -> None:
    page = open_page(complaints=True)
    page.route("**/done", lambda route: route.abort())
    page.get_by_role("link", name="Done").click()
    expect(page.locator(".toast[data-toast=error]")).to_contain_text("The server did not answer.")


def test_a_message_leaves_by_itself_unless_it_matters(open_page: Open) -> None:
    page = open_page("/sign-in")
    page.clock.install()
    page.goto("/profiles/x?toasts")
    expect(page.locator(".toast")).to_have_count(3)
    page.clock.run_for(7000)
    expect(page.locator(".toast")).to_have_count(2)
    expect(page.locator(".toast", has_text="Copied.")).to_have_count(0)


def test_leaving_with_unsaved_changes_asks(open_page: Open) -> None:
    page = open_page()
    asked: list[str] = []
    page.on("dialog", lambda dialog: (asked.append(dialog.type), dialog.dismiss()))
    page.locator("#name").fill("Another name")
    page.locator(".rail").get_by_role("link", name="History").click()
    page.wait_for_timeout(300)
    assert asked == ["beforeunload"]
    assert page.url.endswith("/profiles/x")


def test_leaving_without_changes_or_by_saving_does_not_ask(open_page: Open) -> None:
    page = open_page()
    asked: list[str] = []
    page.on("dialog", lambda dialog: (asked.append(dialog.type), dialog.accept()))
    page.locator("#name").fill("Another name")
    page.locator("form[data-unsaved]").evaluate("form => { form.noValidate = true; }")
    page.get_by_role("button", name="Save").click()
    page.wait_for_load_state()
    page.locator(".rail").get_by_role("link", name="History").click()
    page.wait_for_url("**/history")
    assert asked == []


def test_a_dialog_asks_before_a_form_is_sent(open_page: Open) -> None:
    page = open_page()
    page.get_by_role("button", name="Delete", exact=True).click()
    dialog = page.locator("#delete")
    expect(dialog).to_be_visible()
    dialog.get_by_role("button", name="Cancel").click()
    expect(dialog).to_be_hidden()
    page.get_by_role("button", name="Delete", exact=True).click()
    dialog.get_by_role("button", name="Delete profile").click()
    page.wait_for_url("**/delete")


def test_the_first_column_stays_when_a_table_is_scrolled(open_page: Open) -> None:
    page = open_page(width=390)
    wrapper = page.locator(".table-scroll", has=page.locator(".heat"))
    cell = wrapper.locator("tbody th").first
    before = cell.bounding_box()
    wrapper.evaluate("element => { element.scrollLeft = 300; }")
    after = cell.bounding_box()
    assert before is not None
    assert after is not None
    assert after["x"] == pytest.approx(before["x"], abs=1)
    assert after["width"] < 0.5 * 390


def test_without_scripts_everything_is_there(open_page: Open) -> None:
    page = open_page("/profiles/x?toasts", width=390, java_script_enabled=False)
    expect(page.locator("[data-theme-switch]")).to_be_hidden()
    expect(page.locator(".toast").first).to_be_visible()
    page.locator(".narrow-bar summary").click()
    page.locator(".narrow-bar").get_by_role("link", name="History").click()
    page.wait_for_url("**/history")
    page.locator("#search").fill("refund")
    page.locator("#search").press("Enter")
    page.wait_for_url("**/history?q=refund")
    page.locator("#over-time summary").click()
    expect(page.locator("#over-time table")).to_be_visible()
    page.get_by_role("link", name="Show all").click()
    expect(page.get_by_text("THE END")).to_be_visible()


def test_print_leaves_the_rail_and_the_buttons_out(open_page: Open) -> None:
    page = open_page(theme="dark")
    page.emulate_media(media="print", color_scheme="dark")
    for part in (".rail", ".top-line", ".save-bar", ".pagination"):
        expect(page.locator(part).first).to_be_hidden()
    assert page.evaluate("getComputedStyle(document.body).backgroundColor") == "rgb(255, 255, 255)"
    assert page.evaluate("getComputedStyle(document.body).color") == "rgb(29, 31, 35)"
