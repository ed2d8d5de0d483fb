"""docs/operating.md says of every variable, job and command what the code does."""

import ast
import re

from config.celery import pinned_settings
from config.launch.__main__ import _COMMANDS
from config.operations.jobs import JOBS
from tests.config.running import ROOT

TEXT = (ROOT / "docs" / "operating.md").read_text()
READERS = {"text", "integer", "boolean", "words", "choice"}


def section(title: str) -> str:
    return TEXT.split(f"\n## {title}\n")[1].split("\n## ")[0]


def rows(title: str) -> dict[str, list[str]]:
    """The rows of the table in a section, by their first cell."""
    found = {}
    for line in section(title).splitlines():
        cells = [cell.strip() for cell in line.strip("|").split("|")]
        if line.startswith("|") and not set(line) <= set("|-"):
            found[cells[0].strip("`")] = [cell.strip("`") for cell in cells[1:]]
    return found


def reads() -> dict[str, str | None]:
    """Each variable that the code reads, with its default as one would write it; None when it must be set."""
    found: dict[str, str | None] = {}
    for package in ("config", "accounts", "scoring", "foundation"):
        for path in (ROOT / package).rglob("*.py"):
            for node in ast.walk(ast.parse(path.read_text())):
                if not (isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute)):
                    continue
                owner = node.func.value
                if node.func.attr not in READERS or not (isinstance(owner, ast.Name) and owner.id == "env"):
                    continue
                name = ast.literal_eval(node.args[0])
                default = node.args[1] if len(node.args) > 1 else None
                keyword = next((word.value for word in node.keywords if word.arg == "default"), default)
                found[name] = written(keyword, node.func.attr)
    return found


def written(default: ast.expr | None, reader: str) -> str | None:
    if default is None:
        return "" if reader == "words" else None
    if isinstance(default, ast.Constant):
        return str(default.value).lower() if isinstance(default.value, bool) else str(default.value)
    return ast.unparse(default)


def test_every_variable_that_is_read_stands_in_the_table_with_its_default() -> None:
    code = {name: default for name, default in reads().items() if name != "PLUMBLINE_TEST_DATABASE"}
    table = {name: cells[0] for name, cells in rows("Variables").items() if name != "variable"}
    assert len(code) >= 18
    assert set(table) == set(code)
    shown = {"empty": "", "none": None, "var": "str(BASE_DIR / 'var')"}
    assert {name: shown.get(default, default) for name, default in table.items()} == code


def test_every_job_stands_in_the_table_with_its_interval() -> None:
    units = {"s": 1, "min": 60, "h": 3600}
    table = {name: cells[0].split() for name, cells in rows("Periodic jobs").items() if name != "job"}
    seconds = {name: int(number) * units[unit] for name, (number, unit) in table.items()}
    assert seconds == {job.name: job.every.total_seconds() for job in JOBS}


def test_every_process_stands_in_the_table() -> None:
    table = rows("What each process is")
    assert set(table) - {"process"} == set(_COMMANDS) - {"status", "backup"}
    for name, cells in table.items():
        if name != "process":
            assert cells[0] == f"python -m config.launch {name}"


def test_the_beat_rings_as_often_as_it_says() -> None:
    entry = pinned_settings("")["beat_schedule"]["due-jobs"]
    assert entry["schedule"] == 10
    assert "every ten seconds" in section("What each process is")


def test_the_settings_it_names_exist() -> None:
    for module in re.findall(r"`(config\.settings\.\w+)`", TEXT):
        assert (ROOT / f"{module.replace('.', '/')}.py").exists()
