"""The scorer of state changes, beyond the facts: keys, what nobody can pass, what was read, what was refused."""

from typing import Any

import pytest

from foundation.errors import ValidationFailed
from scoring.kit.outcome import Outcome
from tests.scoring.cases import outcome, scorer

OPEN = {"ticket": {"1": {"status": "open", "owner": "ann", "updated_at": 1}}}
ONE = {"entity": "ticket", "id": "1"}
CHANGES, ASKED = "required_changes", "only_requested_changes"


def row(**fields: Any) -> dict[str, Any]:
    return {"ticket": {"1": {"status": "open", "owner": "ann", "updated_at": 1, **fields}}}


def state(
    before: Any,
    after: Any,
    required: Any = (),
    allowed: Any = (),
    *,
    calls: Any = None,
    settings: Any = None,
    ignore: Any = None,
    **criteria: Any,
) -> Outcome:
    recorded: dict[str, Any] = {
        "state": {"before": before, "after": after, **({} if ignore is None else {"ignore": ignore})}
    }
    if calls is not None:
        recorded["tool_calls"] = calls
    task = {"required": list(required), "allowed": list(allowed), **criteria}
    return outcome("StateChange", settings or {}, observation=recorded, expected={"state": task})


def broken(found: Outcome) -> list[str]:
    assert found.error_code is None, found.explanation
    return [name for name, criterion in found.evidence["criteria"].items() if not criterion["passed"]]


def must(field: str, value: Any) -> dict[str, Any]:
    return {**ONE, "field": field, "value": value}


def may(field: str, **more: Any) -> dict[str, Any]:
    return {**ONE, "field": field, **more}


@pytest.mark.parametrize(
    ("before", "after", "changed"),
    [
        ({"n": 5}, {"n": 5.0}, False),
        ({"n": 1}, {"n": True}, True),
        ({"n": 0}, {"n": False}, True),
        ({"n": 5}, {"n": "5"}, True),
        ({"n": None}, {}, True),
        ({}, {"n": None}, True),
        ({"n": [1, 2]}, {"n": [2, 1]}, True),
        ({"n": {"a": 1, "b": [2.0]}}, {"n": {"b": [2], "a": 1}}, False),
        ({"n": {}}, {"n": []}, True),
        ({"n": ""}, {"n": None}, True),
        ({"n": 9007199254740993}, {"n": 9007199254740992}, True),
        ({"updated_at": 1}, {"updated_at": 2}, False),
        ({"updated_at": 1}, {}, False),
    ],
)
def test_what_a_change_is(before: Any, after: Any, changed: bool) -> None:
    found = state({"x": {"1": before}}, {"x": {"1": after}})
    assert broken(found) == ([ASKED] if changed else [])
    assert found.evidence["changed"] == int(changed)


def test_what_is_ignored() -> None:
    touched = row(updated_at=2)
    assert broken(state(OPEN, touched)) == []
    assert broken(state(OPEN, touched, ignore=[])) == [ASKED]
    assert broken(state(OPEN, row(status="closed"), ignore=["status"])) == []
    assert broken(state(OPEN, touched, ignore=["status"])) == [ASKED]
    assert broken(state(OPEN, touched, ignore=["status"], settings={"ignore": ["updated_at"]})) == []
    assert broken(state(OPEN, touched, settings={"ignore": []})) == [ASKED]
    for wrong in ("updated_at", {}, [5], 0):
        assert state(OPEN, touched, ignore=wrong).error_code == "bad_input"


@pytest.mark.parametrize(
    ("required", "allowed", "ignore"),
    [
        ([must("status", "closed")], [], None),
        ([must("status", "closed")], [may("owner")], None),
        ([must("status", "closed")], [{**ONE, "created": True}, {**ONE, "deleted": True}], None),
        (
            [must("status", "closed")],
            [{"entity": "ticket", "id": "*", "field": "status", "where": {"owner": "bob"}}],
            None,
        ),
        ([must("status", "open")], [may("status")], None),
        ([must("updated_at", 5)], [may("updated_at")], None),
        ([must("status", "closed")], [may("status")], ["status"]),
        ([{**ONE, "field": "note", "absent": True}], [may("note")], None),
        ([{**ONE, "created": True}], [{**ONE, "created": True}], None),
        ([{"entity": "ticket", "id": "9", "deleted": True}], [{"entity": "ticket", "id": "9", "deleted": True}], None),
        ([must("status", "closed"), must("status", "held")], [may("status")], None),
        ([must("status", "closed"), {**ONE, "deleted": True}], [may("status"), {**ONE, "deleted": True}], None),
        (
            [{"entity": "ticket", "id": "9", "field": "status", "value": "open"}],
            [{"entity": "ticket", "id": "9", "field": "status"}],
            None,
        ),
        (
            [{"entity": "ticket", "id": "9", "created": True, "fields": {"owner": "ann"}}],
            [{"entity": "ticket", "id": "9", "created": True, "fields": {"status": "open"}}],
            None,
        ),
    ],
)
def test_what_no_attempt_could_pass(required: Any, allowed: Any, ignore: Any) -> None:
    found = state(OPEN, row(status="closed"), required, allowed, ignore=ignore)
    assert found.error_code == "bad_ground_truth"
    assert found.explanation.startswith("No attempt could pass: ticket/")


def test_what_no_attempt_could_pass_is_told_before_what_was_not_recorded() -> None:
    impossible = {"state": {"required": [must("status", "closed")], "allowed": []}}
    held = {"state": {"required": [must("status", "open")], "allowed": [may("status")]}}
    fair = {"state": {"required": [must("status", "closed")], "allowed": [may("status")]}}
    for recorded in ({}, {"state": None}, {"state": {"before": 5}}, {"state": {"before": OPEN}}):
        assert outcome("StateChange", {}, observation=recorded, expected=impossible).error_code == "bad_ground_truth"
    assert (
        outcome("StateChange", {}, observation={"state": {"before": OPEN}}, expected=held).error_code
        == "bad_ground_truth"
    )
    for recorded in (
        {},
        {"state": {}},
        {"state": {"before": OPEN}},
        {"state": {"after": OPEN}},
        {"state": {"before": 5}},
    ):
        assert outcome("StateChange", {}, observation=recorded, expected=fair).error_code == "missing_input", recorded
    for recorded in (
        {"state": None},
        {"state": []},
        {"state": {"before": OPEN, "after": None}},
        {"state": {"before": [], "after": OPEN}},
        {"state": {"before": {"ticket": []}, "after": OPEN}},
        {"state": {"before": OPEN, "after": {"ticket": {"1": None}}}},
    ):
        assert outcome("StateChange", {}, observation=recorded, expected=fair).error_code == "bad_input", recorded


@pytest.mark.parametrize(
    "task",
    [
        None,
        [],
        {},
        {"read_before_write": True},
        {"required": {}, "allowed": []},
        {"required": [], "allowed": [], "typo": 1},
        {"required": [{"entity": "t", "id": "1"}], "allowed": []},
        {"required": [{"entity": "t", "id": "1", "field": "a"}], "allowed": []},
        {"required": [{"entity": "t", "id": "1", "field": "a", "value": 1, "absent": True}], "allowed": []},
        {"required": [{"entity": "t", "id": "1", "field": "a", "value": 1, "created": True}], "allowed": []},
        {"required": [{"entity": "t", "id": "1", "created": True, "deleted": True}], "allowed": []},
        {"required": [{"entity": "t", "id": "1", "deleted": True, "fields": {"a": 1}}], "allowed": []},
        {"required": [{"entity": "t", "id": 1, "field": "a", "value": 1}], "allowed": []},
        {"required": [], "allowed": [{"entity": "t", "id": "1"}]},
        {"required": [], "allowed": [], "max_calls": -1},
        {"required": [], "allowed": [], "max_calls": 1.5},
    ],
)
def test_a_malformed_task(task: Any) -> None:
    found = outcome("StateChange", {}, observation={"state": {"before": OPEN, "after": OPEN}}, expected={"state": task})
    assert found.error_code == "bad_ground_truth"
    assert "expected.state" in found.explanation


def test_a_removed_field_and_one_set_to_null_are_two_things() -> None:
    gone = {"ticket": {"1": {"status": "open", "updated_at": 1}}}
    absent, null = [{**ONE, "field": "owner", "absent": True}], [must("owner", None)]
    assert broken(state(OPEN, gone, absent, [may("owner")])) == []
    assert broken(state(OPEN, row(owner=None), absent, [may("owner")])) == [CHANGES]
    assert broken(state(OPEN, row(owner=None), null, [may("owner")])) == []
    assert broken(state(OPEN, gone, null, [may("owner")])) == [CHANGES]


NEW = {"entity": "ticket", "id": "2", "created": True}


@pytest.mark.parametrize(
    ("made", "required", "allowed", "fails"),
    [
        ({"status": "open"}, [{**NEW, "fields": {"status": "open"}}], [NEW], []),
        ({"status": "held"}, [{**NEW, "fields": {"status": "open"}}], [NEW], [CHANGES]),
        ({}, [{**NEW, "fields": {"status": "open"}}], [NEW], [CHANGES]),
        ({"status": "open", "note": "x"}, [{**NEW, "fields": {"status": "open"}}], [NEW], []),
        ({"status": "open", "note": "x"}, [NEW], [{**NEW, "fields": {"status": "open"}}], [ASKED]),
        ({"status": "open", "updated_at": 5}, [NEW], [{**NEW, "fields": {"status": "open"}}], []),
        ({"status": "open"}, [], [], [ASKED]),
        ({"status": "open"}, [], [{"entity": "ticket", "id": "2", "field": "*"}], [ASKED]),
        ({"status": "open"}, [], [{"entity": "ticket", "id": "2", "field": "status"}], [ASKED]),
        ({"status": "open"}, [], [{**NEW, "id": "*", "where": {"status": "open"}}], []),
        ({"status": "held"}, [], [{**NEW, "id": "*", "where": {"status": "open"}}], [ASKED]),
        ({}, [], [{**NEW, "id": "*", "where": {"status": None}}], [ASKED]),
    ],
)
def test_what_a_new_row_holds_is_graded(made: Any, required: Any, allowed: Any, fails: list[str]) -> None:
    after = {"ticket": {**OPEN["ticket"], "2": made}}
    assert broken(state(OPEN, after, required, allowed)) == fails


def test_a_row_removed_and_a_row_emptied_are_two_things() -> None:
    leave = [{**ONE, "field": "*"}]
    assert broken(state(OPEN, {"ticket": {"1": {}}}, [], leave)) == []
    assert broken(state(OPEN, {"ticket": {}}, [], leave)) == [ASKED]
    assert broken(state(OPEN, {}, [], [{**ONE, "deleted": True}])) == []
    assert broken(state(OPEN, {}, [{**ONE, "deleted": True}], [{**ONE, "deleted": True}])) == []
    assert broken(state(OPEN, OPEN, [{**ONE, "deleted": True}], [{**ONE, "deleted": True}])) == [CHANGES]
    # The row an entry with `where` is tested against is the emptied one, not the one before.
    anywhere = [{"entity": "ticket", "id": "*", "field": "*", "where": {"status": "open"}}]
    assert broken(state(OPEN, {"ticket": {"1": {}}}, [], anywhere)) == [ASKED]
    assert broken(state(OPEN, row(owner="bob"), [], anywhere)) == []
    assert (
        broken(state(OPEN, {}, [], [{"entity": "ticket", "id": "*", "deleted": True, "where": {"status": "open"}}]))
        == []
    )


def test_dots_in_names_mean_nothing() -> None:
    before = {"x": {"1": {"a.b": 1}, "1.a": {"b": 1}}}
    allowed = [{"entity": "x", "id": "1", "field": "a.b"}]
    assert broken(state(before, {"x": {"1": {"a.b": 2}, "1.a": {"b": 1}}}, [], allowed)) == []
    assert broken(state(before, {"x": {"1": {"a.b": 1}, "1.a": {"b": 2}}}, [], allowed)) == [ASKED]


def call(name: str, arguments: Any = None, result: Any = None, **more: Any) -> dict[str, Any]:
    return {
        "name": name,
        "arguments": arguments if arguments is not None else {},
        "verdict": "allow",
        "result": result,
        "error": None,
        **more,
    }


@pytest.mark.parametrize(
    ("calls", "read"),
    [
        ([call("get_ticket", {"id": "1"}, {"id": "1"})], True),
        ([call("getTicket", {"id": "1"}, {"id": "1"})], True),
        ([call("tickets.get", {"id": "1"}, {"id": "1"})], True),
        ([call("mcp__desk__list-tickets", {}, [{"id": "1"}])], True),
        ([call("search", {}, {"hits": [{"ticket": {"id": "1", "x": [{"id": "2"}]}}]})], True),
        ([call("get_ticket", {"id": "1"}, {"status": "open"})], False),
        ([call("get_ticket", {"id": "1"}, "1")], False),
        ([call("get_ticket", {"id": "1"}, {"id": "2"})], False),
        ([call("get_ticket", {"id": "1"}, {"id": "1"}, error="HTTP 500")], False),
        ([call("get_ticket", {"id": "1"}, {"id": "1"}, verdict="deny")], False),
        ([call("create_note", {}, {"id": "1"})], False),
        ([call("settle_ticket", {}, {"id": "1"})], False),
        ([], False),
    ],
)
def test_a_read_is_what_came_back(calls: list[Any], read: bool) -> None:
    write = call("update_ticket", {"id": "1", "status": "closed"})
    found = state(OPEN, row(status="closed"), [], [may("status")], calls=[*calls, write], read_before_write=True)
    assert broken(found) == ([] if read else ["read_before_write"])
    reversed_ = state(OPEN, row(status="closed"), [], [may("status")], calls=[write, *calls], read_before_write=True)
    assert broken(reversed_) == ["read_before_write"]


@pytest.mark.parametrize("id_", [5, 5.0, "a"])
def test_an_id_may_be_a_number(id_: Any) -> None:
    calls = [call("list_tickets", {}, [{"id": 5}, {"id": "a"}]), call("update_ticket", {"id": id_})]
    assert broken(state(OPEN, OPEN, calls=calls, read_before_write=True)) == []


@pytest.mark.parametrize("id_", ["5", True, None, [], {}, ["a"], 6])
def test_an_id_that_was_not_read(id_: Any) -> None:
    calls = [
        call("list_tickets", {}, [{"id": 5}, {"id": "a"}, {"id": True}, {"id": None}, {"id": []}]),
        call("update_ticket", {"id": id_}),
    ]
    assert broken(state(OPEN, OPEN, calls=calls, read_before_write=True)) == ["read_before_write"]


def test_which_tools_read_can_be_said() -> None:
    calls = [call("peek", {}, {"id": "1"}), call("get_and_lock", {"id": "1"}), call("get_and_lock", {"id": "2"})]
    rule = {"read_tools": ["peek"], "write_tools": ["get_and_lock"]}
    found = state(OPEN, OPEN, calls=calls, read_before_write=rule)
    assert found.evidence["criteria"]["read_before_write"]["faults"] == [
        'get_and_lock wrote "2" without reading it first'
    ]
    assert broken(state(OPEN, OPEN, calls=calls, read_before_write=True)) == []
    failed = [
        call("update_ticket", {"id": "1"}, error="HTTP 409"),
        call("update_ticket", {"id": "1"}, verdict="deny"),
        call("update_ticket", "raw"),
        call("update_ticket"),
    ]
    assert broken(state(OPEN, OPEN, calls=failed, read_before_write=True)) == []


def test_the_other_criteria_over_the_calls() -> None:
    calls = [call("get_ticket"), call("refund", verdict="deny"), call("close_ticket")]
    assert broken(state(OPEN, OPEN, calls=calls, forbidden_tools=["refund"])) == []
    assert broken(state(OPEN, OPEN, calls=calls, forbidden_tools=["close_ticket"])) == ["forbidden_tools"]
    assert broken(state(OPEN, OPEN, calls=calls, max_calls=2)) == []
    assert broken(state(OPEN, OPEN, calls=calls, max_calls=1.0)) == ["max_calls"]
    assert broken(state(OPEN, OPEN, calls=[], max_calls=0)) == []
    assert broken(state(OPEN, OPEN, calls=calls, no_write_after_deny=True)) == ["no_write_after_deny"]
    assert broken(state(OPEN, OPEN, calls=calls[:2], no_write_after_deny=True)) == []
    assert broken(state(OPEN, OPEN, calls=[calls[1], calls[0]], no_write_after_deny=True)) == []
    lenient = {"read_tools": ["close_ticket"]}
    assert broken(state(OPEN, OPEN, calls=calls, no_write_after_deny=True, read_before_write=lenient)) == []


def test_calls_are_needed_only_where_a_criterion_reads_them() -> None:
    assert state(OPEN, OPEN).score == 1
    for criteria in (
        {"read_before_write": True},
        {"forbidden_tools": ["a"]},
        {"max_calls": 3},
        {"no_write_after_deny": True},
    ):
        assert state(OPEN, OPEN, **criteria).error_code == "missing_input"
        assert state(OPEN, OPEN, calls={}, **criteria).error_code == "bad_input"


def test_the_evidence_holds_the_changes_in_order() -> None:
    after = {"a": {"1": {"x": 1}}, "ticket": {"1": {"status": "closed", "updated_at": 1}}}
    assert state(OPEN, after).evidence["changes"] == [
        {"entity": "a", "id": "1", "kind": "created", "after": {"x": 1}},
        {"entity": "a", "id": "1", "field": "x", "kind": "created_field", "after": 1},
        {"entity": "ticket", "id": "1", "field": "owner", "kind": "field", "before": "ann"},
        {"entity": "ticket", "id": "1", "field": "status", "kind": "field", "before": "open", "after": "closed"},
    ]


def test_the_sentences() -> None:
    assert state(OPEN, row(owner="bob")).explanation == "ticket/1.owner changed but was not asked for."
    assert state(OPEN, OPEN).explanation == "Nothing changed, all as asked."
    close = [must("status", "closed")], [may("status")]
    assert state(OPEN, row(status="closed"), *close).explanation == "1 change, all as asked."
    assert state(OPEN, OPEN, *close).explanation == 'ticket/1.status was not changed to "closed".'
    assert (
        state(OPEN, row(status="held"), *close).explanation == 'ticket/1.status was changed to "held", not to "closed".'
    )
    assert state(OPEN, {}).explanation == "ticket/1 was deleted but was not asked for."
    gone = [{**ONE, "field": "owner", "absent": True}], [may("owner")]
    assert state(OPEN, row(owner=None), *gone).explanation == "ticket/1.owner was changed to null, not removed."
    assert state(OPEN, OPEN, *gone).explanation == "ticket/1.owner was not removed."
    four = {"ticket": {str(number): {} for number in range(1, 6)}}
    assert state({}, four).explanation.endswith("ticket/3 was created but was not asked for; 2 more.")
    written = state(OPEN, OPEN, calls=[call("update_ticket", {"id": "t1"})], read_before_write=True)
    assert written.explanation == 'update_ticket wrote "t1" without reading it first.'


def test_a_setting_is_bounded() -> None:
    for wrong in ([""], ["a" * 513], ["a"] * 65, "updated_at", [5]):
        with pytest.raises(ValidationFailed):
            scorer("StateChange", ignore=wrong)
