"""The engine in processes that fork, in pool children, and at the end of a process.

Each story runs in an interpreter of its own, warnings taken for errors, since what it does to the
process (forks, exits) is what is tested.
"""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import textwrap
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from tests.requirements import REDIS, need

if TYPE_CHECKING:
    from collections.abc import Callable

    AllGone = Callable[[str], None]
    Eventually = Callable[..., None]

PREAMBLE = """
import os, pathlib, signal, sys, threading, time
from scoring.javascript import check, configure, evaluation, pool_status, search

def workers():
    return [worker.pid for worker in list(evaluation._process.pool._processes)]

def ready():
    assert search("b", "", "ab").start == 1
    while pool_status().starting:
        time.sleep(.005)

def open_files():
    return len(os.listdir("/proc/self/fd"))

def child_processes():
    return pathlib.Path(f"/proc/self/task/{os.getpid()}/children").read_text().split()
"""


def command(code: str) -> list[str]:
    return [sys.executable, "-W", "error", "-c", PREAMBLE + textwrap.dedent(code)]


def tell(project: Path, code: str, *, seconds: float = 30) -> str:
    """Run a story and return what it printed; it must end well and leave no process."""
    ran = subprocess.run(command(code), cwd=project, capture_output=True, text=True, timeout=seconds, check=False)
    assert (ran.returncode, ran.stderr) == (0, "")
    return ran.stdout


def is_gone(pid: int) -> bool:
    """Tell whether a process ended; where nobody reaps orphans, as a zombie."""
    try:
        fields = Path(f"/proc/{pid}/stat").read_text()
    except (FileNotFoundError, ProcessLookupError):
        return True
    return fields.rsplit(")", 1)[1].split()[0] in "ZX"


def pids_in(printed: str) -> list[int]:
    return [int(word) for word in printed.split() if word.isdigit()]


@pytest.fixture
def all_gone(eventually: Eventually) -> Callable[[str], None]:
    def check(printed: str) -> None:
        pids = pids_in(printed)
        assert len(pids) >= 4
        eventually(lambda: all(is_gone(pid) for pid in pids))

    return check


def test_importing_starts_nothing(project: Path) -> None:
    code = "assert not child_processes(); assert threading.active_count() == 1\n"
    code += "assert 'corvus_regex_ecma262' not in sys.modules; assert 'django' not in sys.modules"
    assert tell(project, code) == ""


def test_a_process_that_ends_leaves_no_worker(project: Path, all_gone: AllGone) -> None:
    all_gone(tell(project, "ready(); print(*workers())"))


@pytest.mark.parametrize("seconds", [0, 0.01, 0.05, 0.1])
def test_a_process_that_ends_while_workers_start(project: Path, seconds: float) -> None:
    code = f"""
    import contextlib
    from scoring.javascript import EngineFailed

    def work():
        with contextlib.suppress(EngineFailed):
            search("b", "", "ab")

    threading.Thread(target=work, daemon=True).start()
    time.sleep({seconds})
    """
    assert tell(project, code) == ""


@pytest.mark.parametrize("engine", ["corvus", "node"])
def test_a_process_that_is_killed_leaves_no_worker(
    project: Path, engine: str, all_gone: AllGone, request: pytest.FixtureRequest
) -> None:
    if engine == "node":
        request.getfixturevalue("node")
    code = f"configure(engine={engine!r}); ready(); print(*workers(), flush=True); time.sleep(60)"
    with subprocess.Popen(command(code), cwd=project, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        printed = process.stdout.readline()
        process.kill()
        all_gone(printed)


def test_a_forked_child_has_workers_of_its_own(project: Path, all_gone: AllGone) -> None:
    printed = tell(
        project,
        """
        ready()
        print(*workers(), flush=True)
        parents, files = workers(), open_files()
        for round in range(3):
            child = os.fork()
            if child == 0:
                assert open_files() == files - 12, "the child holds pipes of its parent"
                assert pool_status().workers == 0
                assert search("c", "", "abc").start == 2
                assert not set(workers()) & set(parents)
                print(*workers(), flush=True)
                sys.exit(0)
            assert search("b", "", "ab").start == 1
            assert os.waitpid(child, 0)[1] == 0
        assert workers() == parents
        assert search("b", "", "ab").start == 1
        assert sorted(child_processes()) == sorted(map(str, parents))
        """,
    )
    all_gone(printed)


def test_a_child_that_outlives_its_parent_does_not_keep_its_workers(project: Path, all_gone: AllGone) -> None:
    code = """
    ready()
    print(*workers(), flush=True)
    child = os.fork()
    if child == 0:
        time.sleep(60)
    print(f"child={child}", flush=True)
    os.kill(os.getpid(), signal.SIGKILL)
    """
    with subprocess.Popen(command(code), cwd=project, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        printed = process.stdout.readline()
        child = int(process.stdout.readline().removeprefix("child="))
        try:
            all_gone(printed)
            assert not is_gone(child)
        finally:
            os.kill(child, signal.SIGKILL)


def test_forks_while_other_threads_search(project: Path) -> None:
    tell(
        project,
        """
        import contextlib, warnings
        warnings.simplefilter("ignore", DeprecationWarning)  # forking among threads is the point
        ended = threading.Event()

        def work():
            while not ended.is_set():
                assert search("b", "", "ab").start == 1

        threads = [threading.Thread(target=work) for _ in range(3)]
        for thread in threads:
            thread.start()
        ready()
        try:
            for _ in range(5):
                child = os.fork()
                if child == 0:
                    signal.alarm(20)
                    os._exit(search("c", "", "abc").start != 2)
                with contextlib.suppress(ProcessLookupError):
                    os.kill(workers()[0], signal.SIGKILL)
                assert os.waitpid(child, 0)[1] == 0
        finally:
            ended.set()
        for thread in threads:
            thread.join()
        """,
    )


@pytest.mark.parametrize("package", ["multiprocessing", "billiard"])
def test_a_daemonic_pool_child(project: Path, package: str, all_gone: AllGone) -> None:
    """These may not have children of multiprocessing's making, and leave by another exit."""
    printed = tell(
        project,
        f"""
        from {package} import Process, get_context, current_process, util

        def work():
            assert current_process().daemon
            ready()
            assert search("b", "", "ab").start == 1
            print(*workers(), flush=True)
            for pid in workers():
                os.kill(pid, signal.SIGSTOP)  # it cannot see its input end: it must be ended

        ready()
        context = get_context("fork")
        child = context.Process(target=work, daemon=True)
        child.start()
        child.join()
        assert child.exitcode == 0, child.exitcode
        assert search("b", "", "ab").start == 1
        """,
    )
    all_gone(printed)


def test_the_children_of_a_multiprocessing_pool(project: Path) -> None:
    tell(
        project,
        """
        import multiprocessing
        ready()
        with multiprocessing.get_context("fork").Pool(2) as pool:
            found = pool.starmap(search, [("b", "", "a" * n + "b") for n in range(40)])
            assert [match.start for match in found] == list(range(40))
            try:
                pool.apply(check, ("(", ""))
            except Exception as error:
                assert type(error).__name__ == "InvalidPattern"
            pool.close()
            pool.join()
        """,
    )


def test_the_interpreter_may_be_ending(project: Path) -> None:
    """After the workers were ended, an exit handler still gets an answer or a clear refusal."""
    code = """
    import atexit
    from scoring.javascript import EngineFailed

    def last():
        try:
            search("a", "", "a")
        except EngineFailed as error:
            print("refused", flush=True)
        else:
            print("answered", flush=True)

    atexit.unregister(evaluation._process.close)
    atexit.register(last)
    atexit.register(evaluation._process.close)
    ready()
    """
    assert tell(project, code).strip() in {"refused", "answered"}


CELERY_STORY = """
import os
from celery import Celery
from scoring.javascript import PatternLimit, evaluation, pool_status, search

app = Celery(broker=os.environ["BROKER"], backend=os.environ["BROKER"])
app.conf.update(worker_hijack_root_logger=False, result_expires=60, task_default_queue=os.environ["QUEUE"])

# Made in the parent before it forks, as a check at the start of the program would.
search("a", "", "a")

@app.task(name="find")
def find(pattern, flags, text):
    try:
        found = search(pattern, flags, text)
    except PatternLimit as error:
        return [os.getpid(), error.kind, []]
    workers = [worker.pid for worker in evaluation._process.pool._processes]
    return [os.getpid(), found and found.start, workers]
"""


@pytest.mark.redis
def test_a_celery_prefork_child(project: Path, tmp_path: Path, eventually: Eventually) -> None:
    need("redis")
    (tmp_path / "celery_story.py").write_text(CELERY_STORY)
    queue = f"regex-test-{os.getpid()}"
    environment = os.environ | {
        "BROKER": REDIS,
        "QUEUE": queue,
        "PYTHONPATH": os.pathsep.join((str(project), str(tmp_path))),
    }
    environment.pop("DJANGO_SETTINGS_MODULE", None)  # this story has no Django in it
    arguments = f"-m celery -A celery_story worker --pool prefork --concurrency 2 -Q {queue}"
    command = [sys.executable, *arguments.split(), "--without-gossip", "--without-mingle"]
    log = (tmp_path / "log").open("w+")
    with log, subprocess.Popen(command, cwd=tmp_path, env=environment, stdout=log, stderr=log) as worker:
        try:
            seen = ask_celery(queue)
        finally:
            worker.terminate()
            worker.wait(30)
        log.seek(0)
        assert "Traceback" not in log.read()
    assert len(seen) > 4
    assert worker.pid not in seen
    eventually(lambda: all(is_gone(pid) for pid in seen))


def ask_celery(queue: str) -> set[int]:
    """Ask as an application does; return the processes that answered and their workers."""
    from celery import Celery

    with Celery(broker=REDIS, backend=REDIS, set_as_current=False) as app:

        def find(*arguments: str) -> tuple[int, object, list[int]]:
            answer = app.send_task("find", arguments, queue=queue).get(timeout=30)
            return answer[0], answer[1], answer[2]

        seen: set[int] = set()
        for count in range(12):
            process, start, workers = find("b", "", "a" * count + "b")
            assert start == count
            seen |= {process, *workers}
        assert find(r"\p{RGI_Emoji}" * 2, "v", "")[1] == "time"
        assert find("b", "", "ab")[1] == 1
        return seen
