"""Reads of datasets: one, in lists with their number of items, and how their items are labelled."""

from dataclasses import dataclass
from typing import Any

from django.db.models import Count, Func, IntegerField, OuterRef, QuerySet, Subquery, TextField
from django.db.models.expressions import Expression, F
from django.db.models.functions import Coalesce

from accounts.actors import Actor
from evaluations.models import Dataset, DatasetItem, Eval
from evaluations.permissions import Act
from evaluations.queries.things import thing_for, visible

MOST_KINDS = 1_000


@dataclass(frozen=True, slots=True)
class Kinds:
    """How the items of a dataset divide by one metadata key.

    `counts` holds the most frequent MOST_KINDS of `kind_count` values, by value. Only texts are
    kinds: `ungrouped` items have no such key, or something else under it.
    """

    counts: dict[str, int]
    kind_count: int
    ungrouped: int
    total: int


def dataset_for(actor: Actor | None, public_id: str, act: Act = Act.READ) -> Dataset:
    """The dataset, for somebody who may `act` on it. Raises NotFound or Forbidden."""
    return thing_for(actor, Dataset.objects.all(), public_id, act)


def datasets_listed(actor: Actor | None, project_id: str | None = None) -> QuerySet[Dataset]:
    """The datasets that the actor may read, newest first, each with its project and `item_count`."""
    rows: QuerySet[Dataset] = visible(actor, Dataset.objects.all(), project_id)
    items = DatasetItem.objects.filter(dataset=OuterRef("pk")).order_by().values("dataset")
    counted = Subquery(items.annotate(number=Count("pk")).values("number"), output_field=IntegerField())
    return rows.select_related("project").annotate(item_count=Coalesce(counted, 0))


def item_count(dataset: Dataset) -> int:
    """How many items the dataset has; from the list's annotation where the row has it."""
    counted: int | None = getattr(dataset, "item_count", None)
    return DatasetItem.objects.filter(dataset=dataset).count() if counted is None else counted


def evals_of(dataset: Dataset) -> QuerySet[Eval]:
    """The evals that use the dataset, newest first."""
    return Eval.objects.filter(dataset=dataset)


class MetadataText(Func):
    """The text that stands under a key of the column `metadata`; NULL when there is none, or no text."""

    def __init__(self, key: str) -> None:
        self.key = key
        super().__init__(F("metadata"), output_field=TextField())

    def as_sqlite(self, compiler: Any, connection: Any, **_: Any) -> tuple[str, Any]:
        """By json_each, which compares names as they are, whatever characters are in them."""
        column, values = compiler.compile(self.source_expressions[0])
        sql = f"(SELECT value FROM json_each({column}) WHERE key = %s AND type = 'text' LIMIT 1)"  # noqa: S608
        return sql, [*values, self.key]

    def as_postgresql(self, compiler: Any, connection: Any, **_: Any) -> tuple[str, Any]:
        """By the operators of jsonb."""
        column, values = compiler.compile(self.source_expressions[0])
        sql = (
            f"(CASE WHEN jsonb_typeof(({column})::jsonb -> %s) = 'string'"
            f' THEN ({column})::jsonb ->> %s END COLLATE "C")'
        )
        return sql, [*values, self.key, *values, self.key]

    def get_group_by_cols(self) -> list[Any]:
        """The text itself, not the column that it is taken from."""
        return [self]


def kinds_of(dataset: Dataset, key: str) -> Kinds:
    """How the items divide by the text under `key` of their metadata; two queries."""
    text: Expression = MetadataText(key)
    grouped = DatasetItem.objects.filter(dataset=dataset).order_by().annotate(kind=text).values("kind")
    counts = dict(grouped.annotate(number=Count("pk")).values_list("kind", "number"))
    ungrouped = counts.pop(None, 0)
    frequent = sorted(counts.items(), key=lambda pair: (-pair[1], pair[0]))[:MOST_KINDS]
    return Kinds(dict(sorted(frequent)), len(counts), ungrouped, ungrouped + sum(counts.values()))
