"""The loop: claim, answer, store, score, store, until nothing is left of a run.

The database is touched by the loop's own thread alone; the others wait for providers and tools.
"""

import secrets
import threading
import time
from collections.abc import Callable, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from datetime import timedelta

from django.conf import settings

from evaluations.engine import leases
from evaluations.engine.answering import Answered, Case, Judged, answer, score
from evaluations.engine.context import RunContext, load_context
from evaluations.engine.settling import run_fail, run_settle
from evaluations.engine.storing import fail_row, settle_row, store_answers, store_verdicts
from evaluations.models import OPEN_RUN, AiProvider, Result, Run
from foundation import times
from foundation.errors import Problem

# Without the network a row takes well under a millisecond: large batches, few statements.
_INLINE_BATCH = 100
_LINGER_SECONDS = 0.02
_LOOK_SECONDS = 1.0
_LONGEST_WAIT = timedelta(seconds=60)
_BUSY_WAIT = timedelta(seconds=1)


def work_on_run(run_id: int, *, stop: threading.Event | None = None, seconds: float | None = None) -> bool:
    """Whether this call left nothing to do that could be done now.

    Works until nothing claimable is left, the run is closed, `stop` is set, or `seconds` have
    passed; what is then half done is given back. The run is settled when its last result is done.
    """
    run = Run.objects.select_related("eval__project").filter(pk=run_id, status__in=OPEN_RUN).first()
    if run is None:
        return True
    if not leases.claimable(run_id).exists():
        return run_settle(run_id)
    Run.objects.filter(pk=run_id, status=Run.Status.QUEUED).update(
        status=Run.Status.RUNNING, started_at=times.now(), updated_at=times.now()
    )
    try:
        context = load_context(run)
    except (Problem, AiProvider.DoesNotExist) as error:
        message = error.message if isinstance(error, Problem) else "The provider that the agent uses is gone."
        run_fail(run_id, code="cannot_start", message=message)
        return True
    worker = _Worker(context, stop or threading.Event(), seconds)
    worker.work()
    return run_settle(run_id)


class _Worker:
    """One worker on one run, known to the rows by its token."""

    def __init__(self, context: RunContext, stop: threading.Event, seconds: float | None) -> None:
        self._context = context
        self._stop = stop
        self._ends = None if seconds is None else time.monotonic() + seconds
        self._owner = secrets.token_hex(12)
        self._flying: dict[Future[Answered | Judged], Result] = {}
        self._waits = context.generates or context.specification.asks_tools
        self._at_once = settings.PLUMBLINE_RUN_CONCURRENCY if self._waits else _INLINE_BATCH
        self._pool = ThreadPoolExecutor(self._at_once if self._waits else 1, thread_name_prefix="run")
        self._beat = self._looked = time.monotonic()

    def work(self) -> None:
        """Until nothing is left, or it has to end; the leases of what is unfinished are given back."""
        try:
            while self._go_on():
                self._top_up()
                if not self._flying:
                    break
                self._collect()
                self._keep_alive()
        finally:
            self._context.canceled.set()
            self._pool.shutdown(wait=True, cancel_futures=True)
            self._give_back([row.pk for row in self._flying.values()])

    def _go_on(self) -> bool:
        if self._stop.is_set() or (self._ends is not None and time.monotonic() > self._ends):
            return False
        if time.monotonic() - self._looked > _LOOK_SECONDS:
            self._looked = time.monotonic()
            return Run.objects.filter(pk=self._context.run_id, status__in=OPEN_RUN).exists()
        return True

    def _top_up(self) -> None:
        """Claim what there is room for; what needs no network is done at once."""
        while (room := self._at_once - len(self._flying)) > 0:
            claimed = leases.claim(self._context.run_id, self._owner, room)
            if not claimed:
                return
            self._take(claimed)
            if not self._go_on():
                return

    def _take(self, rows: Sequence[Result]) -> None:
        to_score: list[Result] = []
        done: list[Result] = []
        for row in rows:
            if row.state == Result.State.GENERATED:
                to_score.append(row)
            elif self._context.generates:
                self._fly(answer, row)
            elif "error" in row.recorded:
                fail_row(row, row.recorded["error"])
                done.append(row)
            else:
                row.observation = row.recorded["observation"]
                row.timing, row.usage = None, row.observation.get("usage")
                to_score.append(row)
        store_verdicts(self._owner, done)
        self._score(to_score)

    def _score(self, rows: Sequence[Result]) -> None:
        if self._context.specification.asks_tools:
            for row in rows:
                self._fly(score, row)
            return
        self._store([(row, score(self._context, _case(row))) for row in rows])

    def _fly(self, work: Callable[[RunContext, Case], Answered | Judged], row: Result) -> None:
        self._flying[self._pool.submit(work, self._context, _case(row))] = row

    def _store(self, judged: Sequence[tuple[Result, Judged]]) -> None:
        done = []
        for row, said in judged:
            if said.verdict is not None:
                settle_row(row, said.verdict)
                done.append(row)
            elif said.error is not None:
                fail_row(row, said.error)
                done.append(row)
            else:
                leases.release(self._owner, [row.pk], wait=_BUSY_WAIT)
        store_verdicts(self._owner, done)

    def _collect(self) -> None:
        """Store what has come back since the last look."""
        finished, _ = wait(self._flying, timeout=_LOOK_SECONDS, return_when=FIRST_COMPLETED)
        if finished and len(finished) < len(self._flying):
            finished, _ = wait(self._flying, timeout=_LINGER_SECONDS)
        answered: list[Result] = []
        failed: list[Result] = []
        judged: list[tuple[Result, Judged]] = []
        for future in finished:
            row, result = self._flying.pop(future), future.result()
            if isinstance(result, Judged):
                judged.append((row, result))
            elif result.wait_s is not None:
                leases.release(self._owner, [row.pk], wait=min(timedelta(seconds=result.wait_s), _LONGEST_WAIT))
            elif result.error is not None:
                fail_row(row, result.error)
                failed.append(row)
            else:
                row.observation = dict(result.document or {})
                row.timing, row.usage = result.timing, result.usage
                answered.append(row)
        self._store(judged)
        store_verdicts(self._owner, failed)
        self._score(store_answers(self._owner, answered))

    def _keep_alive(self) -> None:
        if time.monotonic() - self._beat > leases.HEARTBEAT_SECONDS:
            self._beat = time.monotonic()
            leases.extend(self._owner, [row.pk for row in self._flying.values()])

    def _give_back(self, ids: Sequence[int]) -> None:
        if ids:
            leases.release(self._owner, ids)


def _case(row: Result) -> Case:
    return Case(row.item_key or row.item_public_id, row.frozen, row.attempts, row.observation or {})
