"""Datasets: made, renamed, deleted."""

from collections.abc import Mapping
from typing import Any

from django.db import IntegrityError, transaction

from accounts.actors import Actor
from accounts.models import Project
from accounts.services.audit import audit_record
from evaluations.models import Dataset
from evaluations.permissions import Act, permit
from evaluations.queries.datasets import evals_of, item_count
from evaluations.services.projects import HasDependents
from foundation import times
from foundation.errors import NameConflict, NotFound


def dataset_create(*, actor: Actor | None, project: Project, name: str, description: str = "") -> Dataset:
    """A new dataset without items. Raises NameConflict when the project has one of this name."""
    actor = permit(actor, project, Act.WRITE)
    dataset = Dataset(project=project, name=name, description=description)
    with transaction.atomic():
        _save(dataset)
        dataset_record(actor, "dataset.created", dataset)
    return dataset


def dataset_update(*, actor: Actor | None, dataset: Dataset, changes: Mapping[str, Any]) -> Dataset:
    """The dataset with `changes` (name, description). Raises NameConflict."""
    actor = permit(actor, dataset.project, Act.WRITE)
    told = {name: [getattr(dataset, name), value] for name, value in changes.items() if getattr(dataset, name) != value}
    if told:
        for name, (_, value) in told.items():
            setattr(dataset, name, value)
        with transaction.atomic():
            hold_dataset(dataset)
            _save(dataset)
            dataset_record(actor, "dataset.updated", dataset, **told)
    return dataset


def dataset_delete(*, actor: Actor | None, dataset: Dataset, force: bool = False) -> None:
    """The dataset and its items are gone, and with `force` the evals that use it, with their runs.

    Without, HasDependents is raised when there are such evals.
    """
    actor = permit(actor, dataset.project, Act.DELETE)
    with transaction.atomic():
        hold_dataset(dataset)
        evals = evals_of(dataset)
        used_by = evals.count()
        if used_by and not force:
            words = "An eval uses" if used_by == 1 else f"{used_by:,} evals use"
            raise HasDependents(f"{words} this dataset.", meta={"holds": {"evals": used_by}})
        items = item_count(dataset)
        evals.delete()
        dataset_record(actor, "dataset.deleted", dataset, items=items, evals=used_by)
        Dataset.objects.filter(pk=dataset.pk).delete()


def hold_dataset(dataset: Dataset) -> None:
    """Make others who write to the dataset wait until this transaction ends, and mark it as changed.

    So that no two of them give out the same position or key. Raises NotFound when it was deleted meanwhile.
    """
    dataset.updated_at = times.now()
    if not Dataset.objects.filter(pk=dataset.pk).update(updated_at=dataset.updated_at):
        raise NotFound("The dataset was deleted meanwhile.")


def dataset_record(actor: Actor, action: str, dataset: Dataset, **changes: Any) -> None:
    """Add to the audit log what was done to the dataset as a whole."""
    audit_record(
        actor=actor,
        action=action,
        kind="dataset",
        object_id=dataset.public_id,
        object_name=dataset.name,
        changes=changes,
    )


def _save(dataset: Dataset) -> None:
    try:
        with transaction.atomic():
            dataset.save()
    except IntegrityError as error:
        raise NameConflict(f'The project has a dataset with the name "{dataset.name}" already.') from error
