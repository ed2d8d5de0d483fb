"""docs/statistics.md tells of every figure."""

import importlib
import inspect
import pkgutil
import re
from pathlib import Path

import pytest

from evaluations import statistics
from evaluations.comparison import changes

PAGE = (Path(statistics.__file__).parents[2] / "docs" / "statistics.md").read_text(encoding="utf-8")
NAMES = [found.name for found in pkgutil.iter_modules(statistics.__path__)]
MODULES = [importlib.import_module(f"{statistics.__name__}.{name}") for name in NAMES]


def public(module: object) -> set[str]:
    return {
        name
        for name, member in inspect.getmembers(module, inspect.isfunction)
        if not name.startswith("_") and member.__module__ == module.__name__  # type: ignore[attr-defined]
    }


@pytest.mark.parametrize("module", MODULES, ids=NAMES)
def test_every_public_function_is_told_of(module: object) -> None:
    assert {name for name in public(module) if f"`{name}`" not in PAGE} == set()


def test_functions_were_found_and_the_tables_name_no_others() -> None:
    known = {name for module in MODULES for name in public(module)} | {"wilson"}
    assert len(known) > 30
    told = {
        name
        for cell in re.findall(r"^\| ((?:`\w+`(?:, )?)+) \|", PAGE, re.MULTILINE)
        for name in re.findall(r"`(\w+)`", cell)
    }
    verdicts = {changes.BETTER, changes.WORSE, changes.NO_CLEAR_DIFFERENCE, changes.TOO_FEW_ITEMS, changes.NOT_DECIDED}
    assert told == known | verdicts
