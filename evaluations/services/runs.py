"""Runs: started with everything they depend on frozen, canceled, tried again, deleted."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from django.db import transaction
from django.db.models import Exists, OuterRef

from accounts.actors import Actor
from accounts.services.audit import audit_record
from evaluations import jobs
from evaluations.eval_scorers import ToolScorer
from evaluations.events import run_ended
from evaluations.models import OPEN_RUN, Agent, AgentVersion, DatasetItem, Eval, Result, Run, Tool
from evaluations.permissions import Act, permit
from evaluations.queries.evals import scorers_of
from evaluations.recorded_outputs import ItemAt, read_outputs
from evaluations.specification import frozen_specification, group_of
from foundation import times
from foundation.batches import batches
from foundation.errors import FieldError, Problem, ValidationFailed
from scoring.queries.profiles import profile_at

_BATCH = 500
MOST_WAITED_FOR = 25


class RunIsFinal(Problem):
    """The run has ended, or has not, and so cannot do this."""

    status = 400
    code = "RUN_STATE"
    default_message = "The run is in a state in which this cannot be done."
    default_hint = "Look at the run's status first."


@dataclass(frozen=True, slots=True)
class RunOrder:
    """What a start asks for. `agent_version` is a number, None for the newest."""

    name: str = ""
    trials: int = 1
    agent_version: int | None = None
    baseline_run_id: str | None = None
    metadata: Mapping[str, Any] = field(default_factory=dict)
    outputs: Sequence[Any] | None = None
    rescore_of: str | None = None
    wait: bool = False


def run_start(*, actor: Actor | None, row: Eval, order: RunOrder) -> Run:
    """The new run, queued, with one result row for each item and trial; a worker is woken on commit.

    Raises ValidationFailed, before any row exists, for an empty dataset, an unknown or unfinished
    baseline, an agent or version that is not there, scorers whose tools are gone, outputs that do
    not fit the dataset, and `wait` for more than 25 items.
    """
    actor = permit(actor, row.project, Act.RUN)
    earlier = _rescored(row, order)
    version = None if earlier or order.outputs is not None else _agent_version(row, order)
    baseline = _baseline(row, order)
    trials = earlier.trials if earlier else order.trials
    with transaction.atomic():
        specification = _specification(row, version)
        count = earlier.item_count if earlier else row.dataset.items.count()
        if count == 0:
            raise ValidationFailed.one("dataset_id", "empty", "The dataset has no items.")
        if order.wait and count * trials > MOST_WAITED_FOR:
            message = f"At most {MOST_WAITED_FOR} items can be waited for; this run has {count * trials}."
            raise ValidationFailed.one("wait", "too_many", message)
        run = Run.objects.create(
            eval=row,
            name=order.name,
            source=Run.Source.RESCORE if earlier else Run.Source.AGENT if version else Run.Source.RECORDED,
            rescore_of=earlier,
            baseline_run=baseline,
            agent_version=version or (earlier.agent_version if earlier else None),
            trials=trials,
            metadata=dict(order.metadata),
            specification=specification,
            item_count=count,
            created_by_id=actor.user_id,
            created_by_name=actor.name[:256],
        )
        rows = _rescored_rows(run, earlier) if earlier else _item_rows(run, row, order)
        for batch in batches(rows, _BATCH):
            Result.objects.bulk_create(batch)
        _record(actor, "eval_run.started", run, source=run.source, items=count)
        jobs.wake_on_commit(run.pk)
    return run


def _rescored(row: Eval, order: RunOrder) -> Run | None:
    if order.rescore_of is None:
        return None
    if order.outputs is not None or order.agent_version is not None:
        raise ValidationFailed.one("rescore_of", "one_of", "A re-score takes neither outputs nor an agent_version.")
    earlier = Run.objects.filter(eval=row, public_id=order.rescore_of).first()
    if earlier is None:
        raise ValidationFailed.one("rescore_of", "unknown", "This eval has no run with this identifier.")
    if earlier.status != Run.Status.COMPLETED:
        raise ValidationFailed.one("rescore_of", "not_finished", "Only a completed run can be scored again.")
    return earlier


def _baseline(row: Eval, order: RunOrder) -> Run | None:
    if order.baseline_run_id is None:
        return row.baseline_run
    baseline = Run.objects.filter(eval=row, public_id=order.baseline_run_id).first()
    if baseline is None:
        raise ValidationFailed.one("baseline_run_id", "unknown", "This eval has no run with this identifier.")
    if baseline.status != Run.Status.COMPLETED:
        raise ValidationFailed.one("baseline_run_id", "not_finished", "The baseline run is not completed.")
    return baseline


def _agent_version(row: Eval, order: RunOrder) -> AgentVersion:
    if row.agent is None:
        message = "This eval has no agent, so a run must bring outputs, or name a run in rescore_of."
        raise ValidationFailed.one("outputs", "missing", message)
    agent: Agent = row.agent
    number = order.agent_version or agent.version
    version = agent.versions.select_related("ai_provider").filter(number=number).first()
    if version is None:
        raise ValidationFailed.one("agent_version", "unknown", f"The agent has no version {number}.")
    return version


def _specification(row: Eval, version: AgentVersion | None) -> dict[str, Any]:
    scorers = scorers_of(row)
    asked = {keyed.scorer.tool_id: index for index, keyed in enumerate(scorers) if isinstance(keyed.scorer, ToolScorer)}
    tools = {tool.public_id: tool for tool in Tool.objects.filter(project=row.project, public_id__in=asked)}
    gone = [index for tool_id, index in asked.items() if tool_id not in tools]
    if gone:
        message = "The tool that this scorer asks is gone."
        raise ValidationFailed(FieldError(f"scorers.{index}.tool_id", "unknown", message) for index in gone)
    profile = None
    if row.profile_id is not None:
        at = profile_at(row.profile_id)
        profile = {"id": row.profile_id, "version": at.version.number, "document": at.version.document}
    return frozen_specification(
        scorers=scorers,
        profile=profile,
        agent=_frozen_agent(version) if version else None,
        tools={name: _frozen_tool(tool) for name, tool in tools.items()},
        pass_threshold=row.pass_threshold,
        group_by=row.group_by,
        min_coverage=row.min_coverage,
    )


def _frozen_agent(version: AgentVersion) -> dict[str, Any]:
    provider = version.ai_provider
    return {
        "id": version.agent.public_id,
        "name": version.agent.name,
        "version": version.number,
        "label": version.label,
        "ai_provider_id": provider.public_id,
        "provider": provider.provider,
        "base_url": provider.base_url,
        "config": provider.config,
        "model": version.model or provider.default_model,
        "instructions": version.instructions,
        "temperature": version.temperature,
        "max_tokens": version.max_tokens,
        "output_schema": version.output_schema,
    }


def _frozen_tool(tool: Tool) -> dict[str, Any]:
    return {
        "id": tool.public_id,
        "name": tool.name,
        "execute": tool.execute,
        "preset_parameters": tool.preset_parameters,
    }


def _item_rows(run: Run, row: Eval, order: RunOrder) -> Iterator[Result]:
    items = row.dataset.items.order_by("position", "id")
    answers = None
    if order.outputs is not None:
        known = items.values_list("public_id", "key", "expected")
        answers = read_outputs(order.outputs, (ItemAt(*item) for item in known.iterator()), run.trials)
    for position, item in enumerate(items.iterator(chunk_size=_BATCH)):
        for trial in range(run.trials):
            recorded = None if answers is None else answers.get((item.public_id, trial), _NO_ANSWER)
            yield _result(run, item, position, trial, recorded)


_NO_ANSWER = {"error": {"code": "missing_output", "message": "No output was sent for this item."}}


def _result(run: Run, item: DatasetItem, position: int, trial: int, recorded: Mapping[str, Any] | None) -> Result:
    return Result(
        run=run,
        item=item,
        item_public_id=item.public_id,
        item_key=item.key,
        position=position,
        trial=trial,
        content_hash=item.content_hash,
        frozen={
            "input": item.input,
            "expected_output": item.expected_output,
            "expected": item.expected,
            "metadata": item.metadata,
            "scorers": item.scorers,
        },
        group=group_of(item.metadata, run.specification["group_by"]),
        recorded=recorded,
    )


def _rescored_rows(run: Run, earlier: Run) -> Iterator[Result]:
    for old in earlier.results.order_by("position", "trial").iterator(chunk_size=_BATCH):
        recorded = {"observation": old.observation} if old.observation is not None else {"error": old.error}
        yield Result(
            run=run,
            item_id=old.item_id,
            item_public_id=old.item_public_id,
            item_key=old.item_key,
            position=old.position,
            trial=old.trial,
            content_hash=old.content_hash,
            frozen=old.frozen,
            group=group_of(old.frozen["metadata"], run.specification["group_by"]),
            recorded=recorded,
        )


def run_cancel(*, actor: Actor | None, run: Run) -> Run:
    """The run, canceled: what is done stays, what is not will not be. Raises RunIsFinal for one that has ended."""
    actor = permit(actor, run.eval.project, Act.RUN)
    with transaction.atomic():
        changed = Run.objects.filter(pk=run.pk, status__in=OPEN_RUN).update(
            status=Run.Status.CANCELED, finished_at=times.now(), updated_at=times.now()
        )
        if not changed:
            raise RunIsFinal("The run has ended already.")
        Result.objects.filter(run=run).exclude(state=Result.State.DONE).update(
            state=Result.State.CANCELED, owner="", lease_until=None
        )
        _record(actor, "eval_run.canceled", run)
        run_ended(run.pk)
    run.refresh_from_db()
    return run


def run_retry_errored(*, actor: Actor | None, run: Run) -> Run:
    """The run, open again, with its errored results waiting for another try; the others stay as they are.

    An answer that was stored is scored again and not asked for again. Raises RunIsFinal when the
    run is not completed, or has nothing errored.
    """
    actor = permit(actor, run.eval.project, Act.RUN)
    with transaction.atomic():
        errored = Result.objects.filter(run=run, status=Result.Status.ERRORED)
        reopened = Run.objects.filter(pk=run.pk, status=Run.Status.COMPLETED).filter(
            Exists(Result.objects.filter(run=OuterRef("pk"), status=Result.Status.ERRORED))
        )
        fresh = {"status": Run.Status.QUEUED, "finished_at": None, "aggregates": None, "passed": None}
        if not reopened.update(**fresh, pass_rate=None, updated_at=times.now()):
            raise RunIsFinal("The run is not completed, or none of its results is errored.")
        again: dict[str, Any] = {"status": "", "error": None, "scores": [], "outcomes": [], "attempts": 0, "owner": ""}
        again |= {
            "lease_until": None,
            "next_at": None,
            "failed_scorers": "",
            "errored_scorers": "",
            "finished_at": None,
        }
        kept = errored.filter(observation__isnull=False)
        count = kept.update(state=Result.State.GENERATED, **again)
        count += errored.filter(observation__isnull=True).update(state=Result.State.PENDING, **again)
        _record(actor, "eval_run.retried", run, results=count)
        jobs.wake_on_commit(run.pk)
    run.refresh_from_db()
    return run


def run_delete(*, actor: Actor | None, run: Run) -> None:
    """The run and its results are gone."""
    actor = permit(actor, run.eval.project, Act.DELETE)
    with transaction.atomic():
        _record(actor, "eval_run.deleted", run)
        Run.objects.filter(pk=run.pk).delete()


def _record(actor: Actor, action: str, run: Run, **changes: Any) -> None:
    audit_record(
        actor=actor,
        action=action,
        kind="eval_run",
        object_id=run.public_id,
        object_name=run.name or run.eval.name,
        changes=changes,
    )
