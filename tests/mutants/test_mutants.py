"""Every mistake in the list can still be made, and the runner tells a survivor from a kill; `make mutants` runs all."""

from dataclasses import replace

import pytest

from tests.mutants.mutations import MUTATIONS, Mutation
from tests.mutants.running import BROKEN, KILLED, ROOT, SURVIVED, copied, verdicts


def test_every_mutation_still_applies() -> None:
    assert len({mutation.name for mutation in MUTATIONS}) == len(MUTATIONS)
    for mutation in MUTATIONS:
        text = (ROOT / mutation.module).read_text()
        assert [text.count(old) for old, _ in mutation.edits] == [1] * len(mutation.edits), mutation.name
        assert mutation.tests, mutation.name


@pytest.mark.slow
def test_a_survivor_and_a_broken_mutation_are_told() -> None:
    first = MUTATIONS[0]
    harmless = Mutation("harmless", first.module, ((first.edits[0][0], f"({first.edits[0][0]})"),), first.tests)
    gone = replace(first, name="gone", edits=(("no such text anywhere", ""),))
    nonsense = replace(first, name="nonsense", edits=((first.edits[0][0], ")"),))
    unknown = replace(first, name="unknown", tests=("tests/nowhere.py::test_nothing",))
    before = (ROOT / first.module).read_bytes()
    with copied() as copy:
        fates = [verdict.fate for verdict in verdicts([harmless, gone, nonsense, unknown, first], copy)]
        assert (copy / first.module).read_bytes() == before
    assert fates == [SURVIVED, BROKEN, BROKEN, BROKEN, KILLED]
    assert (ROOT / first.module).read_bytes() == before
