"""What the tests of the regular expression engine share."""

from __future__ import annotations

import json
import shutil
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from scoring.javascript import evaluation
from scoring.javascript.pool import Pool, Settings
from tests.requirements import need

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

HERE = Path(__file__).resolve().parent
PROJECT = HERE.parents[2]
CORPUS = PROJECT / "tests" / "facts" / "regex-corpus.json"


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Take warnings for errors in this folder, whoever runs it."""
    for item in items:
        if HERE in item.path.parents:
            item.add_marker(pytest.mark.filterwarnings("error"))


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """Give a test that asks for `case` every case of the corpus, by its id."""
    if "case" in metafunc.fixturenames:
        cases = json.loads(CORPUS.read_text("utf-8"))["cases"]
        metafunc.parametrize("case", cases, ids=[f"case{case['id']}" for case in cases])


@pytest.fixture(scope="session")
def corpus() -> list[dict[str, Any]]:
    """Every case of the corpus."""
    cases: list[dict[str, Any]] = json.loads(CORPUS.read_text("utf-8"))["cases"]
    return cases


@pytest.fixture(scope="session")
def project() -> Path:
    """The directory to run a fresh interpreter in, so that it finds the project."""
    return PROJECT


@pytest.fixture(scope="session")
def node() -> str:
    """The path of Node; the test is skipped where there is none, unless it is required."""
    need("node")
    return str(shutil.which("node"))


@pytest.fixture
def make_pool() -> Iterator[Callable[..., Pool]]:
    """Make pools that are closed after the test; ready says to wait for all workers."""
    pools: list[Pool] = []

    def make(*, ready: bool = True, **settings: Any) -> Pool:
        pool = Pool(Settings(**settings))
        pools.append(pool)
        if ready:
            wait_until_ready(pool)
        return pool

    yield make
    for pool in pools:
        pool.close()


def wait_until_ready(pool: Pool) -> None:
    pool._give_back(pool._take(again=False), usable=True)
    wait_until(lambda: pool.status().starting == 0)


@pytest.fixture(scope="session")
def eventually() -> Callable[[Callable[[], bool]], None]:
    """Wait until something is so, for 10 s unless told otherwise."""
    return wait_until


def wait_until(so: Callable[[], bool], seconds: float = 10.0) -> None:
    deadline = time.monotonic() + seconds
    while not so():
        assert time.monotonic() < deadline, "it did not come to pass"
        time.sleep(0.005)


@pytest.fixture
def own_pool() -> Iterator[Pool]:
    """The pool behind search and check, with all its workers ready; a new one for this test."""
    evaluation._process.close()
    pool = evaluation._current_pool()
    wait_until_ready(pool)
    yield pool
    evaluation._process.close()


@pytest.fixture(scope="session", autouse=True)
def nothing_left_behind() -> Iterator[None]:
    """End the shared pool after the last test of this folder."""
    yield
    evaluation._process.close()
