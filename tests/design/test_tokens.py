"""The style sheets: every pair of colours is legible, and no colour is named outside the tokens."""

import re
from pathlib import Path

import pytest

STATIC = Path(__file__).resolve().parents[2] / "static"
TEMPLATES = STATIC.parent / "templates"
SHEETS = sorted((STATIC / "css").glob("*.css"))
TOKENS = (STATIC / "css" / "tokens.css").read_text()
PAIR = re.compile(r"--([a-z0-9-]+): light-dark\((#[0-9a-f]{6}), (#[0-9a-f]{6})\)")
TINT = re.compile(r"--([a-z-]+-tint): color-mix\(in srgb, var\(--([a-z]+)\) (\d+)%, var\(--surface\)\)")
COLORS = {name: {"light": light, "dark": dark} for name, light, dark in PAIR.findall(TOKENS)}
TINTS = {name: (base, int(share)) for name, base, share in TINT.findall(TOKENS)}
GROUNDS = ("bg", "surface", "sunk")
MEANINGS = ("muted", "accent", "good", "bad", "warn", "err")
SERIES = [f"series-{place}" for place in range(1, 7)]


def channels(color: str) -> tuple[float, float, float]:
    return tuple(int(color[place : place + 2], 16) for place in (1, 3, 5))  # type: ignore[return-value]


def tinted(name: str, theme: str) -> str:
    base, share = TINTS[name]
    pairs = zip(channels(COLORS[base][theme]), channels(COLORS["surface"][theme]), strict=True)
    return "#" + "".join(f"{round(above * share / 100 + below * (100 - share) / 100):02x}" for above, below in pairs)


def luminance(color: str) -> float:
    linear = [
        value / 12.92 if value <= 0.04045 else ((value + 0.055) / 1.055) ** 2.4
        for value in (part / 255 for part in channels(color))
    ]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def contrast(one: str, other: str) -> float:
    light, dark = sorted((luminance(one), luminance(other)), reverse=True)
    return (light + 0.05) / (dark + 0.05)


def test_the_measure_agrees_with_the_standard() -> None:
    assert contrast("#ffffff", "#000000") == pytest.approx(21)
    assert contrast("#777777", "#ffffff") == pytest.approx(4.48, abs=0.01)


@pytest.mark.parametrize("theme", ["light", "dark"])
@pytest.mark.parametrize("ground", GROUNDS)
def test_text_and_meanings_are_legible_on_every_ground(theme: str, ground: str) -> None:
    on = COLORS[ground][theme]
    assert contrast(COLORS["text"][theme], on) >= 13
    assert {name for name in MEANINGS if contrast(COLORS[name][theme], on) < 5} == set()


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_series_are_clear_marks_everywhere_and_legible_where_charts_are_drawn(theme: str) -> None:
    assert {name for name in SERIES if contrast(COLORS[name][theme], COLORS["surface"][theme]) < 5} == set()
    assert {
        name for name in SERIES for ground in GROUNDS if contrast(COLORS[name][theme], COLORS[ground][theme]) < 3
    } == set()


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_edges_of_fields_and_the_primary_button(theme: str) -> None:
    assert min(contrast(COLORS["edge"][theme], COLORS[ground][theme]) for ground in GROUNDS) >= 3
    assert contrast(COLORS["on-accent"][theme], COLORS["accent"][theme]) >= 5


@pytest.mark.parametrize("theme", ["light", "dark"])
@pytest.mark.parametrize("name", sorted(TINTS))
def test_text_on_a_tint_and_its_own_colour_are_legible(theme: str, name: str) -> None:
    ground = tinted(name, theme)
    assert contrast(COLORS["text"][theme], ground) >= 10
    assert contrast(COLORS[TINTS[name][0]][theme], ground) >= 4.5


@pytest.mark.parametrize("theme", ["light", "dark"])
@pytest.mark.parametrize("base", ["good", "bad", "err"])
def test_text_is_legible_on_the_strongest_tint_of_the_heat_map(theme: str, base: str) -> None:
    sheet = (STATIC / "css" / "components.css").read_text()
    strongest = max(int(share) for share in re.findall(rf"var\(--{base}\) (\d+)%, var\(--surface\)", sheet))
    parts = zip(channels(COLORS[base][theme]), channels(COLORS["surface"][theme]), strict=True)
    ground = "#" + "".join(
        f"{round(above * strongest / 100 + below * (100 - strongest) / 100):02x}" for above, below in parts
    )
    assert strongest >= 20
    assert contrast(COLORS["text"][theme], ground) >= 7


def test_every_token_of_a_colour_has_both_themes() -> None:
    assert len(COLORS) == 19
    assert len(TINTS) == 5


@pytest.mark.parametrize("sheet", SHEETS, ids=lambda sheet: sheet.name)
def test_no_sheet_names_a_colour_or_loads_anything(sheet: Path) -> None:
    text = re.sub(r"/\*.*?\*/", "", sheet.read_text(), flags=re.DOTALL)
    assert not re.findall(r"@import|https?:|data:|@font-face", text)
    assert set(re.findall(r"url\(([^)]*)\)", text)) <= {'"#hatch"'}
    if sheet.name != "tokens.css":
        assert not re.findall(r"#[0-9a-fA-F]{3,8}\b(?!\")", text)


def test_every_custom_property_that_is_used_is_defined() -> None:
    text = "".join(sheet.read_text() for sheet in SHEETS)
    assert set(re.findall(r"var\((--[a-z0-9-]+)", text)) <= set(
        re.findall(r"^\s*(--[a-z0-9-]+):", text, flags=re.MULTILINE)
    ) | set(re.findall(r"(--[a-z0-9-]+):", TOKENS))


def test_every_chart_colour_named_in_a_script_is_a_token() -> None:
    script = (STATIC / "js" / "charts.js").read_text()
    named = set(re.findall(r'token\("([a-z0-9-]+)"\)', script))
    assert named
    assert named <= set(COLORS)


@pytest.mark.parametrize("script", sorted((STATIC / "js").glob("*.js")), ids=lambda script: script.name)
def test_scripts_are_short_and_build_no_markup_or_code_from_text(script: Path) -> None:
    text = script.read_text()
    assert len(text.splitlines()) < 150
    assert not re.findall(
        r"innerHTML|outerHTML|insertAdjacentHTML|document\.write|\beval\(|new Function|setAttribute\(.style|https?://",
        text,
    )


@pytest.mark.parametrize(
    "template", sorted(TEMPLATES.rglob("*.html")), ids=lambda path: str(path.relative_to(TEMPLATES))
)
def test_templates_keep_to_the_content_security_policy(template: Path) -> None:
    text = template.read_text()
    assert not re.findall(r"\sstyle=|<style|\son[a-z]+=|hx-on|javascript:|\bjs:", text)
    assert not re.findall(r"\|safe\b|autoescape off|mark_safe", text)
    assert not re.findall(r"<script(?![^>]*\ssrc=)", text)
    assert not re.findall(r"(?:src|href)=\"https?:", text)
    assert not re.findall(r"hx-trigger=\"[^\"]*\[", text)
