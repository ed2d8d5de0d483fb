"""Waiting for a run."""

from typing import Any

import pytest

from commandline.failures import Failure
from tests.commandline.fakes import Desk, Screen, refusing

WAIT = ("wait-eval-run", "--eval-id", "eval_1", "--eval-run-id", "evrun_1")


def run_of(status: str, done: int = 0, errored: int = 0, **members: Any) -> dict[str, Any]:
    counts = {"result_count": 8, "completed_count": done, "errored_count": errored}
    return {"id": "evrun_1", "status": status, "error": None, **counts, **members}


def test_it_asks_until_the_run_has_ended_and_prints_it() -> None:
    screen = Desk().run(*WAIT, answers=[run_of("queued"), run_of("running", 4), run_of("completed", 8)])
    assert (screen.status, screen.stderr) == (0, "")
    assert '"status": "completed"' in screen.text
    assert [wanted.url for wanted in screen.wanted] == ["http://localhost:3001/api/v1/evals/eval_1/runs/evrun_1"] * 3
    assert screen.slept == sorted(screen.slept)


def test_pauses_grow_to_two_seconds() -> None:
    screen = Desk().run(*WAIT, answers=[*(run_of("running") for _ in range(12)), run_of("completed")])
    assert (screen.slept[0], screen.slept[-1]) == (0.25, 2)


def test_its_end_can_be_picked_and_named_by_position() -> None:
    assert (
        Desk().run("wait-eval-run", "e", "r", "--pick", "status", answers=[run_of("completed")]).text == "completed\n"
    )


@pytest.mark.parametrize("status", ["failed", "canceled"])
def test_a_run_that_did_not_complete_is_printed_and_fails(status: str) -> None:
    screen = Desk().run(*WAIT, answers=[run_of(status, error={"message": "Why."})])
    assert (screen.status, screen.error["code"]) == (1, "RUN_NOT_COMPLETED")
    assert screen.error["message"] == f"The run is {status}. Why."
    assert f'"status": "{status}"' in screen.text


def test_it_gives_up_after_the_time_that_it_was_given() -> None:
    screen = Desk().run(*WAIT, "--timeout", "3", answers=[run_of("running")])
    assert (screen.status, screen.stdout, screen.error["code"]) == (1, b"", "TIMED_OUT")
    assert screen.error["message"] == "The run had not ended after 3 s."
    assert 1 < sum(screen.slept) <= 3


@pytest.mark.parametrize("seconds", ["0", "-1", "x", "nan", "inf"])
def test_a_time_that_is_none_is_refused(seconds: str) -> None:
    screen = Desk().run(*WAIT, f"--timeout={seconds}", answers=[run_of("completed")])
    assert (screen.status, screen.wanted) == (2, [])


def unwell(*faults: Any) -> Screen:
    return Desk().run(*WAIT, answers=[run_of("running"), *faults, run_of("completed")])


def test_a_server_that_is_away_for_a_moment_is_asked_again() -> None:
    away = Failure("UNREACHABLE", "Away.")
    assert unwell(away, refusing(503, "UNAVAILABLE"), away, run_of("running"), *[away] * 5).status == 0


def test_a_server_that_stays_away_is_an_error() -> None:
    screen = unwell(*[Failure("UNREACHABLE", "Away.")] * 6)
    assert (screen.status, screen.error["code"]) == (1, "UNREACHABLE")


def test_a_refusal_that_will_not_pass_is_an_error_at_once() -> None:
    screen = unwell(refusing(404, "RESOURCE_NOT_FOUND"))
    assert (screen.status, screen.error["code"], len(screen.wanted)) == (1, "RESOURCE_NOT_FOUND", 2)


def test_a_terminal_shows_how_far_it_is() -> None:
    answers = [run_of("queued"), run_of("running", 4, 1), run_of("completed", 8, 1)]
    lines = Desk(tty=True).run(*WAIT, answers=answers).stderr.split("\r")
    assert lines[1].startswith("[........................] queued: 0 of 8\x1b")
    assert lines[2].startswith("[############............] running: 4 of 8, 1 errored\x1b")
    assert lines[3].startswith("[########################] completed: 8 of 8, 1 errored\x1b")
    assert lines[3].endswith("\n")
