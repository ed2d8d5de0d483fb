"""The components as HTML: hostile text stays text, and each part says in words what it draws."""

import re
from html.parser import HTMLParser
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from django.template import engines
from django.test import Client, RequestFactory
from django.test.signals import template_rendered

from foundation import errors
from foundation.http.pages import problem_page, server_error
from tests.design.urls import HOSTILE, gallery_context

ROOT = Path(__file__).resolve().parents[2]
TEMPLATES = ROOT / "templates"
COMPONENTS = TEMPLATES / "components"
STYLES = "".join(sheet.read_text() for sheet in (ROOT / "static" / "css").glob("*.css"))
SCRIPTS = "".join(script.read_text() for script in (ROOT / "static" / "js").glob("*.js"))
pytestmark = pytest.mark.usefixtures("without_database")


def shown(source: str, **context: Any) -> str:
    html = engines["django"].from_string("{% load plumbline %}" + source).render(context)
    return re.sub(r"\s+", " ", html).strip()


def words(html: str) -> str:
    return re.sub(r"\s+", " ", re.sub(r"<[^>]+>", "", html)).replace("\u00a0", " ").strip()


class Attributes(HTMLParser):
    """Collects every tag with its attributes."""

    def __init__(self) -> None:
        super().__init__()
        self.tags: list[tuple[str, dict[str, str | None]]] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, dict(attrs)))


def tags_of(html: str) -> list[tuple[str, dict[str, str | None]]]:
    parser = Attributes()
    parser.feed(html)
    return parser.tags


@pytest.fixture
def gallery(client: Client) -> str:
    return client.get("/profiles/x?toasts").content.decode()


def test_hostile_text_stays_text(gallery: str) -> None:
    assert "&lt;script&gt;alert(1)&lt;/script&gt;" in gallery
    for tag, attributes in tags_of(gallery):
        assert not {name for name in attributes if name.startswith("on") or name == "style"}, (tag, attributes)
        assert (tag, attributes.get("src")) != ("img", "x")
        assert tag != "script" or attributes.get("src") or attributes.get("type") == "application/json"


def test_the_theme_is_set_by_a_script_that_blocks_the_style_sheets(gallery: str) -> None:
    head = [(tag, attributes) for tag, attributes in tags_of(gallery) if tag in {"script", "link"}]
    sources = [attributes.get("src") or attributes.get("href") or "" for _, attributes in head]
    theme = next(place for place, source in enumerate(sources) if "js/theme" in source)
    assert set(head[theme][1]) == {"src"}
    assert theme < next(place for place, source in enumerate(sources) if source.endswith(".css"))


def test_ids_are_unique(gallery: str) -> None:
    ids = [attributes["id"] for _, attributes in tags_of(gallery) if "id" in attributes]
    assert sorted(ids) == sorted(set(ids))


@pytest.mark.parametrize(
    "template", sorted(TEMPLATES.rglob("*.html")), ids=lambda path: str(path.relative_to(TEMPLATES))
)
def test_every_class_has_a_style_or_a_script(template: Path) -> None:
    plain = re.sub(r"{{.*?}}", "", re.sub(r"{%.*?%}", " ", template.read_text()))
    used = {name for _, attributes in tags_of(plain) for name in (attributes.get("class") or "").split()}
    # A name cut off by a value ("badge-") stands for several; these two are for tests.
    checked = {name for name in used if not name.endswith("-")} - {"account-menu", "column"}
    assert {name for name in checked if f".{name}" not in STYLES and name not in SCRIPTS} == set()


def test_every_component_is_in_the_gallery(client: Client) -> None:
    seen: set[str] = set()

    def note(template: Any, **_rest: Any) -> None:
        seen.add(template.name or "")

    template_rendered.connect(note)
    try:
        for address in ("/profiles/x?toasts", "/folded", "/done"):
            client.get(address)
    finally:
        template_rendered.disconnect(note)
    assert {f"components/{path.name}" for path in COMPONENTS.glob("*.html")} - seen == set()


def test_every_component_is_small() -> None:
    assert [path.name for path in COMPONENTS.glob("*.html") if len(path.read_text().splitlines()) > 120] == []


@pytest.mark.parametrize(
    ("source", "text"),
    [
        ("{% rate .82 41 50 9 .69 .9 %}", "82.0 % 95 % interval: 69.0 % to 90.0 % 41 of 50 · 9 errored"),
        ("{% rate None 0 50 50 %}", "– 0 of 50 · 50 errored"),
        ("{% delta 4.0 'better' .012 %}", "+4.0 pts · better (p .012)"),
        ("{% delta 2.0 'none' .61 %}", "no clear difference · +2.0 pts (p .61)"),
        ("{% delta None 'few' %}", "too few items"),
        ("{% score_bar .49996 .5 %}", "0.49996"),
        ("{% score_bar None .5 'errored' %}", "errored"),
        ("{% verdict True %}", "passed"),
        ("{% verdict False %}", "failed"),
        ("{% verdict None 'errored' %}", "errored"),
        ("{% verdict True 'error' %}", "errored"),
        ("{% verdict None %}", "not gated"),
        ("{% progress 410 1000 57 '47 s left' %}", "410 of 1,000 done · 57 errored · 47 s left"),
        ("{% contribution .4 1.0 .4 .5 %}", "adds 0.200 of 0.400"),
        ("{% contribution 0 1.0 .4 .5 %}", "report only"),
        ("{% contribution .4 1.0 .4 None %}", "could not be measured"),
        ("{% contribution .4 1.0 .4 .2 'minimum' decides=True %}", "the lowest decides"),
        ("{% ago None %}", "–"),
        ("{{ items|sentence_list }}", "a, b and c"),
    ],
)
def test_parts_say_in_words_what_they_draw(source: str, text: str) -> None:
    assert words(shown(source, items=["a", "b", "c"])) == text


def test_the_contributions_are_drawn_on_one_scale_and_sum_to_the_composite() -> None:
    weights, scores = [0.4, 0.3, 0.3], [1.0, 0.85, 0.5]
    fills = []
    for weight, score in zip(weights, scores, strict=True):
        html = shown("{% contribution weight 1.0 0.4 score %}", weight=weight, score=score)
        fills.append(float(re.findall(r'class="fill" width="([\d.]+)%"', html)[0]))
    composite = sum(weight * score for weight, score in zip(weights, scores, strict=True))
    assert sum(fills) == pytest.approx(100 * composite / 0.4, abs=0.05)


def test_bars_stay_on_their_track_and_the_tick_stands_at_the_threshold() -> None:
    assert 'class="fill" width="100.00%"' in shown("{% score_bar 7.0 %}")
    assert 'x1="50.00%"' in shown("{% score_bar .2 .5 %}")
    assert 'class="tick"' not in shown("{% score_bar .2 %}")
    assert 'class="hatched"' in shown("{% score_bar None .5 'error' %}")


@pytest.mark.parametrize(
    ("source", "label"),
    [
        ("{% number_scale 10 40 1200 %}", "10, outside the range 40 to 1,200"),
        ("{% number_scale 5 None 5 %}", "5, inside the range up to 5"),
        ("{% number_scale 7 5 None unit='words' %}", "7 words, inside the range from 5"),
    ],
)
def test_a_scale_says_what_it_shows(source: str, label: str) -> None:
    assert f'aria-label="{label}"' in shown(source)


def test_marked_spans_are_marked_and_the_rest_is_counted() -> None:
    html = shown("{% marked_text text spans 5 %}", text="x" * 60 + "<b>HIT" + "y" * 60, spans=[[60, 66]])
    assert "<mark>&lt;b&gt;HIT</mark>" in html
    assert "… 55 characters …" in html


def test_a_difference_is_underlined_and_struck() -> None:
    html = shown("{% word_diff a b %}", a="on Monday <i>", b="on Tuesday <i>")
    assert "<del>Monday</del><ins>Tuesday</ins>" in html
    assert "&lt;i&gt;" in html


def test_a_long_text_is_folded_with_a_link_that_works_without_scripts() -> None:
    html = shown("{% folded text '/whole' 10 %}", text="a" * 10 + "b" * 1500)
    assert 'href="/whole" hx-get="/whole"' in html
    assert "1,500 more characters" in html
    assert "b" not in words(html).replace("The", "").split("…")[0]
    assert "Show all" not in shown("{% folded text '/whole' 10 %}", text="a" * 10)


def test_a_sort_link_turns_and_keeps_the_filters() -> None:
    request = RequestFactory().get("/profiles?q=a&cursor=x&sort=name")
    html = shown(
        "{% sort_header 'Name' 'name' 'name' %}{% sort_header 'Score' 'score' 'name' number=True %}", request=request
    )
    assert 'aria-sort="ascending"' in html
    assert 'href="?q=a&amp;sort=-name"' in html
    assert 'href="?q=a&amp;sort=score"' in html
    assert "cursor" not in html


def rail(path: str, role: str | None) -> list[tuple[str | None, str | None]]:
    actor = SimpleNamespace(name="Ada", role=role) if role else None
    html = shown("{% rail_links %}", request=RequestFactory().get(path), actor=actor)
    return [(attributes["href"], attributes.get("aria-current")) for tag, attributes in tags_of(html) if tag == "a"]


def test_the_rail_marks_the_section_and_shows_owners_pages_to_owners() -> None:
    assert rail("/profiles/x/edit", "viewer") == [("/", None), ("/profiles", "true"), ("/history", None)]
    assert rail("/", "viewer")[0] == ("/", "page")
    assert ("/people", None) in rail("/", "owner")
    assert rail("/profilesandmore", "viewer")[1] == ("/profiles", None)


def test_the_frame_of_somebody_who_is_not_signed_in(client: Client) -> None:
    html = client.get("/sign-in").content.decode()
    assert "frame-alone" in html
    assert 'aria-label="Main"' not in html
    assert 'id="search"' not in html


def test_local_mode_says_so_and_offers_no_sign_out(client: Client) -> None:
    local, server = client.get("/?local").content.decode(), client.get("/").content.decode()
    assert "Everyone on this machine acts as the owner." in local
    assert 'action="/sign-out"' not in local
    assert 'action="/sign-out"' in server


def test_messages_are_toasts_with_their_link(gallery: str) -> None:
    toasts = gallery[gallery.index('id="toasts"') : gallery.index("<main")]
    assert '<a href="/profiles">Open</a>' in toasts
    assert 'role="alert" data-toast="error"' in toasts
    assert HOSTILE not in toasts
    assert toasts.count('class="toast"') == 3


@pytest.mark.parametrize("level", ["not json", "[1]", '{"address": "/x"}', ""])
def test_a_message_with_other_tags_has_no_link(level: str) -> None:
    assert shown("{{ message|toast_link }}", message=SimpleNamespace(extra_tags=level)) == "None"


def test_an_error_page_says_what_happened_and_what_to_do(client: Client) -> None:
    response = client.get("/refused")
    html = response.content.decode()
    assert response.status_code == 404
    assert "That evaluation is gone. &lt;script&gt;" in html
    assert errors.NotFound.default_hint in html
    assert 'id="main"' in html


def test_an_error_fragment_is_a_notice_alone(client: Client) -> None:
    html = client.get("/refused", headers={"hx-request": "true"}).content.decode()
    assert "<html" not in html
    assert 'class="notice notice-bad" role="alert"' in html


def test_every_field_that_is_wrong_is_named_on_the_page() -> None:
    request = RequestFactory().get("/x")
    problem = errors.ValidationFailed([errors.FieldError("scorers.2.pattern", "bad_pattern", HOSTILE)])
    html = problem_page(request, problem).content.decode()  # type: ignore[attr-defined]
    assert "<code>scorers.2.pattern</code>" in html
    assert HOSTILE not in html


def test_the_page_of_a_fault_needs_nothing_and_names_it() -> None:
    html = server_error(RequestFactory().get("/x")).content.decode()  # type: ignore[attr-defined]
    assert re.search(r"<code>fault_[A-Za-z0-9]+</code>", html)


def test_the_gallery_holds_with_errors_alone_and_with_the_longest_headings(client: Client) -> None:
    assert words(client.get("/?errors").content.decode()).count("errored errored") >= 5
    assert gallery_context()["long_name"].strip() in client.get("/?long").content.decode().replace("&#x27;", "'")
