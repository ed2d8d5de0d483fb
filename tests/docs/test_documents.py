"""The documents say what is so: generated ones are current, lists are whole, links lead somewhere, code runs."""

import re
from io import StringIO
from pathlib import Path
from typing import Any

import pytest
from django.conf import settings
from django.core.management import call_command
from django.urls import get_resolver
from drf_spectacular.generators import SchemaGenerator

from foundation.http.api_reference import errors_by_status
from scoring import reference
from scoring.kit.registry import registry
from scoring.lint import CODES
from scoring.profile_documents import read_profile

ROOT = Path(settings.BASE_DIR)
PAGES = sorted([ROOT / "README.md", *(ROOT / "docs").rglob("*.md")])
FENCE = re.compile(r"^```(\w*)\n(.*?)^```", re.MULTILINE | re.DOTALL)


def read(name: str) -> str:
    return (ROOT / name).read_text(encoding="utf-8")


def blocks(name: str, language: str) -> list[str]:
    return [body for kind, body in FENCE.findall(read(name)) if kind == language]


def test_the_scorer_reference_is_current() -> None:
    same = read("docs/scorers.md") == reference.markdown()
    assert same, "docs/scorers.md is not what the declarations say. Run: python manage.py scorer_reference"


def test_the_command_writes_the_scorer_reference(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "docs").mkdir()
    monkeypatch.setattr(settings, "BASE_DIR", tmp_path)
    call_command("scorer_reference", stdout=StringIO())
    assert (tmp_path / "docs" / "scorers.md").read_text(encoding="utf-8") == reference.markdown()


def test_the_list_of_error_codes_is_whole() -> None:
    # A kind of error exists once its module is imported, and the addresses import them all.
    assert get_resolver().url_patterns
    listed = re.findall(r"^\| `([A-Z_]+)` \| (\d{3}) \| (.*) \|$", read("docs/api.md"), re.MULTILINE)
    assert listed == [(kind.code, str(kind.status), kind.message) for kind in errors_by_status()]


def test_the_list_of_operations_is_whole_and_names_the_roles() -> None:
    document = SchemaGenerator().get_schema(public=True)
    listed = {
        (method, path, operation, role)
        for method, path, operation, role in re.findall(
            r"^\| ([A-Z]+) `(\S+)` \| ([\w-]+) \| (\S+) \|$", read("docs/api.md"), re.MULTILINE
        )
    }
    declared = {
        (method.upper(), path, operation["operationId"], role(operation))
        for path, methods in document["paths"].items()
        for method, operation in methods.items()
    }
    assert listed == declared


def role(operation: dict[str, Any]) -> str:
    found = re.search(r"Needs the role (\w+)\.", operation["description"])
    return found.group(1) if found else "–"


def test_the_recipe_for_a_scorer_works() -> None:
    [source] = blocks("docs/adding-a-scorer.md", "python")
    with registry.forgetting_additions():
        before = set(registry)
        exec(compile(source, "docs/adding-a-scorer.md", "exec"), {"__name__": "scoring.scorers.recipe"})  # noqa: S102
        [declared] = set(registry) - before
        assert reference.family(declared) == "recipe"
        runs = [reference.run_example(declared, example) for example in declared.examples]
        assert len(runs) >= 3
        for run in runs:
            assert run.agrees, (run.example.title, run.outcome)
        assert f"## {declared.type_name()}" in reference.markdown()


def test_the_example_profile_is_one() -> None:
    import json

    body = json.loads(read("docs/examples/task-summary-quality.json"))
    assert [scorer.id for scorer in read_profile(body).scorers] == ["has-action-items", "length-check", "no-apologies"]


@pytest.mark.parametrize("text_file", PAGES, ids=lambda path: str(path.relative_to(ROOT)))
def test_links_lead_somewhere(text_file: Path) -> None:
    for target in re.findall(r"\]\(([^)\s]+)\)", FENCE.sub("", text_file.read_text(encoding="utf-8"))):
        if target.startswith(("http://", "https://")) or "`" in target:
            continue
        name, _, anchor = target.partition("#")
        there = (text_file.parent / name).resolve() if name else text_file
        assert there.exists(), target
        if anchor:
            headings = re.findall(r"^#+ (.+)$", there.read_text(encoding="utf-8"), re.MULTILINE)
            assert anchor in {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in headings}, (
                target
            )


@pytest.mark.parametrize("text_file", PAGES, ids=lambda path: str(path.relative_to(ROOT)))
def test_paths_that_documents_name_exist(text_file: Path) -> None:
    text = text_file.read_text(encoding="utf-8")
    for path in re.findall(
        r"`((?:scoring|accounts|config|foundation|docs|tests|templates|static|bench|deploy)/[\w./-]+)`", text
    ):
        # Where an operator puts what is not in the repository.
        assert (ROOT / path).exists() or path.startswith("deploy/secrets"), path


def test_every_decision_is_listed() -> None:
    files = {path.name for path in (ROOT / "docs" / "decisions").glob("[0-9]*.md")}
    assert files == set(re.findall(r"\]\((\d{4}-[\w-]+\.md)\)", read("docs/decisions/README.md")))
    for name in files:
        text = read(f"docs/decisions/{name}")
        assert text.startswith(f"# {name[:4]}: "), name


def test_the_map_names_every_room() -> None:
    text = read("docs/ARCHITECTURE.md")
    for folder in (
        "config",
        "scoring",
        "accounts",
        "foundation",
        "templates",
        "static",
        "tests",
        "docs",
        "deploy",
        "bench",
    ):
        assert f"{folder}/" in text
    rooms = [path.name for path in (ROOT / "scoring").iterdir() if path.is_dir() and not path.name.startswith("_")]
    for room in rooms:
        assert room == "migrations" or f"{room}/" in text, room


def test_the_list_of_lint_codes_is_whole() -> None:
    listed = re.findall(r"^\| `([a-z_]+)` \| (.*) \|$", read("docs/lint.md"), re.MULTILINE)
    assert listed == list(CODES.items())
