"""Where columns go: by the mapping, by their own names, else into the metadata."""

import pytest

from evaluations.importers.columns import target_fault, targets_of
from evaluations.importers.options import read_options
from foundation.errors import ValidationFailed


def where(names: list[str], **mapping: str | None) -> dict[str, str | None]:
    return {name: target and str(target) for name, target in targets_of(names, mapping).items()}


@pytest.mark.parametrize(
    ("names", "targets"),
    [
        (["input", "expected_output", "metadata", "expected", "scorers", "key"],
         ["input", "expected_output", "metadata", "expected", "scorers", "key"]),
        (["Question", "Expected Answer", "ID", "Kind"], ["input", "expected_output", "key", "metadata.Kind"]),
        (["prompt", "question"], ["metadata.prompt", "input"]),
        (["id", "key", "input"], ["metadata.id", "key", "input"]),
        (["metadata.a.b", "metadata.n:json"], ["metadata.a.b", "metadata.n:json"]),
        (["expected.answer"], ["expected.answer"]),
        (["expected_output", "expected_output:json"], ["expected_output", "expected_output:json"]),
        (["metadata.", "x:json", ""], ["metadata.metadata.", "metadata.x:json", "metadata."]),
        (["id", "dataset_id", "position", "key", "input", "content_hash", "created_at", "updated_at"],
         [None, None, None, "key", "input", None, None, None]),
        (["position", "created_at", "input"], ["metadata.position", "metadata.created_at", "input"]),
    ],
)  # fmt: skip
def test_a_column_goes_where_its_name_says(names: list[str], targets: list[str | None]) -> None:
    assert list(where(names).values()) == targets


def test_the_mapping_wins_and_nothing_is_taken_twice() -> None:
    assert where(["Frage", "input", "notes"], Frage="input", notes=None) == {
        "Frage": "input", "input": "metadata.input", "notes": None,
    }  # fmt: skip


@pytest.mark.parametrize(
    "target", ["", "inputs", "metadata.", "expected_output.x", ":json", "metadata.x:json.", "key.a"]
)
def test_a_target_that_is_no_part_of_an_item(target: str) -> None:
    if target == "metadata.x:json.":
        assert target_fault(target) is None
        return
    assert target_fault(target)
    with pytest.raises(ValidationFailed) as refused:
        read_options({"format": "csv", "mapping": {"a": target}})
    assert refused.value.fields[0].path.startswith("mapping")
