"""The evidence of a breakdown's entry in parts: what is known is drawn, whatever else there is listed."""

from collections.abc import Iterator, Mapping
from typing import Any

from scoring.evidence import calls, chunks, documents, likenesses, measures, texts
from scoring.evidence.parts import Left, Part, Reader, Source, members_of
from scoring.kit.numbers import as_number

# Tried in order. Each takes the members that it draws, so one that asks for more comes before one that asks for fewer.
_READERS: tuple[Reader, ...] = (
    measures.measured,
    measures.number_range,
    calls.failures,
    calls.one_tool,
    calls.sequences,
    calls.pairs,
    chunks.ranking,
    chunks.citations,
    documents.criteria,
    documents.state_changes,
    documents.differences,
    documents.rule,
    documents.violations,
    likenesses.likeness,
    texts.keywords,
    texts.counts,
    texts.places,
    texts.comparison,
)


def evidence_parts(entry: Mapping[str, Any], given: Mapping[str, str]) -> Iterator[Part]:
    """The parts of one entry's evidence over the texts that were scored, by the name of their target."""
    evidence = entry.get("evidence")
    left: Left = dict(evidence) if isinstance(evidence, dict) else {"evidence": evidence} if evidence else {}
    value = entry.get("value")
    source = Source(given, None if value is None else as_number(value), str(entry.get("unit") or ""))
    for read in _READERS:
        part = read(left, source)
        if part is not None:
            yield part
    _drop_what_the_sentence_says(left)
    if left:
        yield Part("document", {"members": members_of(left)})


def _drop_what_the_sentence_says(left: Left) -> None:
    if isinstance(left.get("found"), bool):
        del left["found"]
    if left.get("json") is False:
        del left["json"]
    if left.keys() == {"path"} and isinstance(left["path"], str):
        del left["path"]
    if left.get("violations") == []:
        left.pop("violationCount", None)
        del left["violations"]
