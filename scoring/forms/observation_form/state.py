"""PURE: the state of a world before and after, and the task that says what must and may change in it."""

from collections.abc import Mapping, Sequence
from typing import Any

from scoring.forms.observation_form.cells import LOOSE_HELP, Cell, Option, Unshowable
from scoring.forms.observation_form.entries import MORE, FieldEntry, Part, RestEntry, RowsEntry
from scoring.kit.paths import ABSENT

_MARKS = ("absent", "created", "deleted")
_REQUIRED = (
    Option("", "field gets value", ABSENT),
    Option("absent", "field goes", "absent"),
    Option("created", "row is made", "created"),
    Option("deleted", "row is removed", "deleted"),
)
_ALLOWED = (
    Option("", "field changes", ABSENT),
    Option("created", "row is made", "created"),
    Option("deleted", "row is removed", "deleted"),
)
_READ_FIRST = (
    Option("", "not asked", ABSENT),
    Option("yes", "yes", True),  # noqa: FBT003 - the value that the document holds
    Option("no", "no", False),  # noqa: FBT003
)


def _change(values: Mapping[str, Any]) -> Any:
    """The entry of a row: what happens is a member of its own that is true."""
    change = values.get("change")
    return {name: value for name, value in values.items() if name != "change"} | ({change: True} if change else {})


def _from_change(item: Any, names: Sequence[str]) -> Mapping[str, Any]:
    marks = [name for name in _MARKS if isinstance(item, dict) and name in item]
    if not isinstance(item, dict) or len(marks) > 1 or not all(item[name] is True for name in marks):
        raise Unshowable
    values = {name: value for name, value in item.items() if name not in marks}
    if values.keys() - set(names):
        raise Unshowable
    return values | ({"change": marks[0]} if marks else {})


TASK = Part(
    "task",
    "State task",
    "What must change, and what may. Whatever else changes is a fault.",
    ("expected.state",),
    (
        RowsEntry(
            ("expected", "state", "required"),
            "Required changes",
            "required change",
            (
                Cell("entity", "Entity", "code"),
                Cell("id", "Id", "code"),
                Cell("change", "What happens", "choice", options=_REQUIRED),
                Cell("field", "Field", "code"),
                Cell("value", "Value", "loose"),
                Cell("fields", "Fields of a new row", "object"),
            ),
            help=LOOSE_HELP,
            flag_words="Nothing must change",
            compact=False,
            to_item=_change,
            from_item=_from_change,
        ),
        RowsEntry(
            ("expected", "state", "allowed"),
            "Allowed changes",
            "allowed change",
            (
                Cell("entity", "Entity", "code"),
                Cell("id", "Id, or *", "code"),
                Cell("change", "What happens", "choice", options=_ALLOWED),
                Cell("field", "Field, or *", "code"),
                Cell("fields", "Fields of a new row", "object"),
                Cell("where", "Where, with id *", "object"),
            ),
            flag_words="Nothing may change",
            compact=False,
            to_item=_change,
            from_item=_from_change,
        ),
        FieldEntry(
            ("expected", "state", "read_before_write"),
            Cell(
                "read_before_write",
                "Read before write",
                "choice",
                "A row must be read before a call writes it.",
                _READ_FIRST,
            ),
        ),
        RestEntry(
            ("expected", "state"),
            Cell(
                MORE,
                "Further criteria",
                "object",
                "A JSON object with forbidden_tools, max_calls or no_write_after_deny.",
            ),
        ),
    ),
)
STATE = Part(
    "state",
    "State before and after",
    'JSON by entity, id and field, such as {"tickets": {"t1": {"status": "open"}}}.',
    ("state",),
    (
        FieldEntry(("state", "before"), Cell("before", "Before", "json", rows=6)),
        FieldEntry(("state", "after"), Cell("after", "After", "json", rows=6)),
        FieldEntry(
            ("state", "ignore"),
            Cell(
                "ignore",
                "Ignored fields",
                "json",
                'A JSON list; without one, ["updated_at"]. An empty list ignores nothing.',
            ),
        ),
        RestEntry(("state",), Cell(MORE, "Further members of state", "object", quiet=True)),
    ),
)
