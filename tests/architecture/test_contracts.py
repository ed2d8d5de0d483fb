"""The import contracts in pyproject.toml hold, and each of them fails when it is broken."""

import functools
import re
import shutil
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent.parent
PACKAGES = ("accounts", "commandline", "config", "evaluations", "foundation", "scoring")
CONTRACTS = {
    contract["id"]: contract
    for contract in tomllib.loads((ROOT / "pyproject.toml").read_text())["tool"]["importlinter"]["contracts"]
}

# One wrong line for each contract: the file it is written to, and the line.
BREACHES = [
    ("apps", "foundation/cursors.py", "import scoring.models"),
    ("apps", "accounts/models.py", "import scoring.kit"),
    ("apps", "scoring/models.py", "import config.env"),
    ("inside-scoring", "scoring/models.py", "import scoring.services"),
    ("inside-scoring", "scoring/services/__init__.py", "import scoring.web"),
    ("inside-scoring", "scoring/web/__init__.py", "import scoring.api"),
    ("inside-scoring", "scoring/kit/__init__.py", "import scoring.scorers"),
    ("inside-scoring", "scoring/utils.py", ""),
    ("inside-evaluations", "evaluations/aggregates.py", "import evaluations.queries"),
    ("inside-evaluations", "evaluations/helpers.py", ""),
    ("inside-accounts", "accounts/models.py", "import accounts.services"),
    ("inside-accounts", "accounts/helpers.py", ""),
    ("pure", "foundation/text.py", "import django.utils.text"),
    ("pure", "scoring/kit/text.py", "from django.conf import settings"),
    ("pure", "scoring/scorers/text.py", "import rest_framework"),
    ("pure", "scoring/javascript/pool.py", "import celery"),
    ("pure", "scoring/composites.py", "import foundation.http.api"),
    ("scorer-families", "scoring/scorers/text.py", "import scoring.scorers.numbers"),
    ("no-cycles", "foundation/text.py", "import foundation.strict_json"),
    ("pages-and-tables", "scoring/web/__init__.py", "from scoring.models import Profile"),
    ("evaluation-pages-and-tables", "evaluations/web/__init__.py", "from evaluations.models import Run"),
    ("network", "scoring/kit/text.py", "import requests"),
    ("network", "accounts/models.py", "import httpx"),
    ("network", "evaluations/tool_answers.py", "import httpcore2"),
    ("command-line", "commandline/client.py", "import foundation.times"),
    ("command-line", "commandline/client.py", "import django"),
    ("inside-command-line", "commandline/failures.py", "import commandline.program"),
    ("inside-command-line", "commandline/helpers.py", ""),
]


@functools.cache
def verdicts(root: Path) -> dict[str, str]:
    """KEPT or BROKEN for the name of each contract, for the packages under `root`."""
    command = [str(Path(sys.executable).parent / "lint-imports"), "--no-cache"]
    run = subprocess.run(
        command, cwd=root, env={"COLUMNS": "400"}, capture_output=True, text=True, timeout=120, check=False
    )
    found = dict(re.findall(r"^(.+?) ?(KEPT|BROKEN)\b", run.stdout, re.MULTILINE))
    assert set(found) == {contract["name"] for contract in CONTRACTS.values()}, run.stdout + run.stderr
    return found


@pytest.fixture(scope="module")
def copy(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("copy")
    shutil.copy(ROOT / "pyproject.toml", folder)
    for name in PACKAGES:
        shutil.copytree(ROOT / name, folder / name, ignore=shutil.ignore_patterns("__pycache__"))
    return folder


def test_the_contracts_hold() -> None:
    assert {name for name, verdict in verdicts(ROOT).items() if verdict != "KEPT"} == set()


def test_every_contract_is_broken_once_below() -> None:
    assert {identifier for identifier, _, _ in BREACHES} == set(CONTRACTS)


@pytest.mark.parametrize(("identifier", "file", "line"), BREACHES, ids=lambda value: value or "stray module")
def test_a_breach_is_found(copy: Path, identifier: str, file: str, line: str) -> None:
    path = copy / file
    before = path.read_text() if path.exists() else None
    try:
        path.write_text(f"{before or ''}\n{line}\n")
        verdicts.cache_clear()
        assert verdicts(copy)[CONTRACTS[identifier]["name"]] == "BROKEN"
    finally:
        path.unlink() if before is None else path.write_text(before)


def test_every_pure_module_of_the_foundation_is_under_the_contract() -> None:
    modules = {f"foundation.{path.stem}" for path in (ROOT / "foundation").glob("*.py")} - {"foundation.__init__"}
    assert modules <= set(CONTRACTS["pure"]["source_modules"])
