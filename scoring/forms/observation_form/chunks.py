"""PURE: chunks of documents: which are relevant, which were retrieved, and which number cites which."""

from collections.abc import Mapping, Sequence
from typing import Any

from scoring.forms.observation_form.cells import Cell, Unshowable
from scoring.forms.observation_form.entries import MORE, FieldEntry, Part, RestEntry, RowFault, RowsEntry
from scoring.kit.paths import ABSENT

_FURTHER = Cell(MORE, "Further members", "object", rows=1, quiet=True)


def _graded(values: Mapping[str, Any]) -> Any:
    return values.get("id", ""), values.get("grade", ABSENT)


def _from_graded(item: Any, _names: Sequence[str]) -> Mapping[str, Any]:
    chunk, grade = item
    if not isinstance(chunk, str):
        raise Unshowable
    return {"id": chunk, "grade": grade}


def _grades(items: list[Any], flag: bool) -> Any:  # noqa: FBT001 - the box as it was ticked
    """Ids alone, or id to grade as soon as one is graded: then one left blank is 1, as in a list of ids."""
    if all(grade is ABSENT for _, grade in items):
        return [chunk for chunk, _ in items] if items or flag else ABSENT
    grades: dict[str, Any] = {}
    for place, (chunk, grade) in enumerate(items):
        if chunk in grades:
            raise RowFault(place, "id", "This chunk has a grade already.")
        grades[chunk] = 1 if grade is ABSENT else grade
    return grades


def _from_grades(value: Any) -> tuple[list[Any], bool]:
    if isinstance(value, list):
        return [(chunk, ABSENT) for chunk in value], not value
    if not isinstance(value, dict):
        raise Unshowable
    return list(value.items()), False


EXPECTED_CHUNKS = Part(
    "expected-chunks",
    "Relevant chunks",
    "Which chunks answer the question, and how well: 0 not at all, 1 relevant, more is better.",
    ("expected.chunks",),
    (
        RowsEntry(
            ("expected", "chunks"),
            "Relevant chunks",
            "chunk",
            (Cell("id", "Chunk id", "code"), Cell("grade", "Grade", "number")),
            help="Without any grade, each counts 1.",
            flag_words="No chunk is relevant",
            to_item=_graded,
            from_item=_from_graded,
            to_value=_grades,
            to_items=_from_grades,
        ),
    ),
)
RETRIEVED = Part(
    "retrieved",
    "Retrieved chunks",
    "What the search gave back, the best first.",
    ("retrieval",),
    (
        FieldEntry(("retrieval", "query"), Cell("query", "Query", "text", "What was searched for.")),
        RowsEntry(
            ("retrieval", "chunks"),
            "Retrieved chunks, in order of rank",
            "chunk",
            (Cell("id", "Chunk id", "code"), Cell("score", "Score", "number"), _FURTHER),
            flag_words="The search found nothing",
        ),
        RestEntry(("retrieval",), Cell(MORE, "Further members of retrieval", "object", quiet=True)),
    ),
)
CITATIONS = Part(
    "citations",
    "Citations",
    "Which chunk each number in the answer stands for: [1] in the text cites the chunk of row 1.",
    ("citations",),
    (
        RowsEntry(
            ("citations", "ledger"),
            "Ledger",
            "citation",
            (Cell("n", "Number", "number"), Cell("chunk_id", "Chunk id", "code"), _FURTHER),
            flag_words="The answer could cite nothing",
        ),
        RestEntry(("citations",), Cell(MORE, "Further members of citations", "object", quiet=True)),
    ),
)
