"""Applies mutations to a copy of the project and says whether the tests notice."""

import os
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from tests.mutants.mutations import Mutation

ROOT = Path(__file__).resolve().parents[2]
KILLED, SURVIVED, BROKEN = "killed", "SURVIVED", "BROKEN"
_LEFT_BEHIND = shutil.ignore_patterns(
    ".git", ".venv", "var", "__pycache__", ".*_cache", ".hypothesis", "test-results", "*.sqlite3*"
)
_PASSED, _FAILED = 0, 1
_TEST_FAILED = re.compile(r"^FAILED ", re.MULTILINE)
_SECONDS = 300


@dataclass(frozen=True, slots=True)
class Verdict:
    """What became of a mutation: killed (a test failed), survived, or broken (it does not apply, or nothing ran)."""

    name: str
    fate: str
    why: str = ""


@contextmanager
def copied() -> Iterator[Path]:
    """A copy of the project, gone afterwards; the project itself is never written to."""
    with tempfile.TemporaryDirectory(prefix="mutants-") as folder:
        copy = Path(folder) / "project"
        shutil.copytree(ROOT, copy, ignore=_LEFT_BEHIND)
        yield copy


def verdicts(mutations: Iterable[Mutation], copy: Path) -> Iterator[Verdict]:
    """One for each mutation, in order; the copy is as it was after each."""
    for mutation in mutations:
        module = copy / mutation.module
        original = module.read_text()
        try:
            yield _verdict(mutation, copy, original)
        finally:
            module.write_text(original)


def unmutated_tests_fail(mutations: Iterable[Mutation], copy: Path) -> str | None:
    """What the tests of the mutations say of the project as it is; None when they all pass, as they must."""
    tests = list(dict.fromkeys(test for mutation in mutations for test in mutation.tests))
    code, output = _pytest(copy, tests)
    return None if code == _PASSED else output


def _verdict(mutation: Mutation, copy: Path, original: str) -> Verdict:
    mutated = original
    for old, new in mutation.edits:
        if mutated.count(old) != 1:
            return Verdict(mutation.name, BROKEN, f"{mutation.module} holds {old!r} {mutated.count(old)} times")
        mutated = mutated.replace(old, new)
    (copy / mutation.module).write_text(mutated)
    code, output = _pytest(copy, mutation.tests)
    if code == _PASSED:
        return Verdict(mutation.name, SURVIVED)
    # Code 1 is also what a Python that could not even start ends with.
    if code == _FAILED and _TEST_FAILED.search(output):
        return Verdict(mutation.name, KILLED)
    return Verdict(mutation.name, BROKEN, output)


def _pytest(copy: Path, tests: Iterable[str]) -> tuple[int, str]:
    """The exit code of pytest over these tests in the copy, and the end of what it printed."""
    # No byte code: a module mutated twice within a second would be taken for the one before.
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"} | {
        "PYTHONDONTWRITEBYTECODE": "1"
    }
    command = [sys.executable, "-m", "pytest", "-x", "-q", "-p", "no:cacheprovider", "--no-header", *tests]
    ended = subprocess.run(
        command, cwd=copy, env=environment, capture_output=True, text=True, timeout=_SECONDS, check=False
    )
    return ended.returncode, (ended.stdout + ended.stderr)[-1_500:]
