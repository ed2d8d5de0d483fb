"""Mistakes that a scorer could hold, each with the tests that must notice it.

A mutation replaces exact text of one module. When that text is rewritten, rewrite the mutation with
it: the run fails on one that no longer applies.
"""

from dataclasses import dataclass

_FACT = "tests/scoring/scorers/test_facts.py::test_a_fact"
_HERE = "tests/scoring/scorers"


@dataclass(frozen=True, slots=True)
class Mutation:
    """A mistake: `module` with each (old, new) text replaced, and the tests of which one must fail."""

    name: str
    module: str
    edits: tuple[tuple[str, str], ...]
    tests: tuple[str, ...]


def _one(name: str, module: str, old: str, new: str, *tests: str) -> Mutation:
    return Mutation(name, f"scoring/{module}.py", ((old, new),), tests)


def _facts(*ids: str) -> tuple[str, ...]:
    return tuple(f"{_FACT}[{id_}]" for id_ in ids)


TEXT = (
    _one(
        "lower-casing dropped",
        "kit/normalizers",
        "_composed(_composed(text).casefold())",
        "_composed(text)",
        *_facts("T01", "T03"),
    ),
    _one(
        "composition dropped",
        "kit/normalizers",
        'unicodedata.normalize("NFC", _with_sorted_marks(text))',
        "text",
        *_facts("T12"),
    ),
    _one("a sign is punctuation", "kit/normalizers", '_OUTER_SAFE = "', '_OUTER_SAFE = "-', *_facts("T06")),
    _one(
        "a point before a digit is punctuation",
        "kit/normalizers",
        'text[start] in ".,"',
        'text[start] in ""',
        "tests/scoring/test_text_scorers.py::test_exact_answers",
    ),
    _one("an answer of nothing is an answer", "scorers/text", "if not all(wanted):", "if not wanted:", *_facts("T05")),
    _one(
        "only the first answer counts", "scorers/text", "if given in wanted:", "if given == wanted[0]:", *_facts("T14")
    ),
    _one(
        "an output that was not recorded is empty",
        "kit/observation",
        'raise Unmeasurable(ErrorCode.MISSING_INPUT, "No output text was recorded.")',
        'return ""',
        *_facts("T16"),
    ),
    _one(
        "denominator without minimum",
        "scorers/numbers",
        "if divisor < self.minimum_denominator:",
        "if divisor <= 0:",
        "tests/scoring/test_numbers.py::test_occurrences_against_a_divisor",
    ),
    _one(
        "likeness minds case",
        "scorers/similarity",
        "text.lower().split()",
        "text.split()",
        f"{_HERE}/test_similarity.py::test_likeness",
    ),
    _one(
        "words counted as a set",
        "scorers/similarity",
        "left[word] -= 1",
        "pass",
        f"{_HERE}/test_similarity.py::test_likeness",
    ),
    _one(
        "words in any order",
        "kit/subsequences",
        "(row + matched) | (row - matched)",
        "row - matched",
        f"{_HERE}/test_similarity.py::test_the_longest_common_subsequence",
    ),
    _one(
        "the first of the answers counts",
        "scorers/similarity",
        "max(range(len(answers))",
        "min(range(1)",
        f"{_HERE}/test_similarity.py::test_the_best_of_the_answers_counts",
    ),
)

TIMING = (
    _one("TTFT reads the last token", "scorers/timing", 'times[0], "First', 'times[-1], "First', *_facts("M01")),
    _one("TTLT reads the first token", "scorers/timing", 'times[-1], "Last', 'times[0], "Last', *_facts("M02")),
    _one("the start is ignored", "scorers/timing", "moment - start", "moment", *_facts("M13")),
    _one(
        "time is cut to whole milliseconds",
        "scorers/timing",
        "moment - start",
        "float(int(moment - start))",
        *_facts("M13"),
    ),
    _one(
        "gaps divided by tokens",
        "scorers/timing",
        "(times[-1] - times[0]) / len(gaps)",
        "(times[-1] - times[0]) / len(times)",
        *_facts("M03", "M07"),
    ),
    _one(
        "the median for the mean",
        "scorers/timing",
        'if self.statistic == "mean":',
        "if not self.statistic:",
        f"{_HERE}/test_timing.py::test_the_statistic_of_the_gaps",
    ),
    _one("time may run backwards", "scorers/timing", "if event.at < earlier:", "if event.at < 0:", *_facts("M11")),
    _one(
        "equal times are refused",
        "scorers/timing",
        "if event.at < earlier:",
        "if index and event.at <= earlier:",
        *_facts("M14"),
    ),
    _one(
        "an empty stream took no time",
        "scorers/timing",
        'raise Unmeasurable(ErrorCode.MISSING_INPUT, f"The stream holds',
        "return [_Event(0.0, 'text', 0)]  # (f\"",
        *_facts("M05"),
    ),
    _one(
        "time per event, not per token",
        "scorers/timing",
        "/ (tokens - 1)",
        "/ (len(events) - 1)",
        f"{_HERE}/test_timing.py::test_time_per_token_counts_tokens_and_not_events",
    ),
    _one(
        ">= for > at the limit",
        "kit/limits",
        "    if value <= maximum:\n        return 1.0",
        "    if value < maximum:\n        return 1.0",
        f"{_HERE}/test_timing.py::test_a_line_from_the_limit_down_to_zero",
        f"{_HERE}/test_timing.py::test_without_a_zero_the_score_falls_at_once",
    ),
    _one(
        "the line runs the other way",
        "kit/limits",
        "(zero_at - value) / (zero_at - maximum)",
        "(value - maximum) / (zero_at - maximum)",
        f"{_HERE}/test_timing.py::test_a_line_from_the_limit_down_to_zero",
    ),
    _one(
        "money read as a number",
        "scorers/usage",
        "isinstance(raw, str) and _AMOUNT.fullmatch(raw)",
        "_AMOUNT.match(str(raw))",
        f"{_HERE}/test_usage.py::test_money_is_decimal_text",
    ),
    _one(
        "a count not recorded is zero",
        "scorers/usage",
        "    if name not in usage:",
        "    if name not in usage and name != name:",
        f"{_HERE}/test_usage.py::test_tokens",
    ),
)

TOOLS = (
    _one(
        "denied calls are counted",
        "kit/tool_calls",
        "if call.verdict == ALLOW]",
        "if call.verdict]",
        *_facts("O05", "O08", "D10"),
    ),
    _one(
        "no call at all is a success",
        "scorers/tools",
        'raise Unmeasurable(ErrorCode.UNDEFINED, "No tool call',
        'return Reading(1.0, "No tool call',
        *_facts("O02"),
    ),
    _one(
        "called is enough",
        "scorers/tools",
        "worked = [call for call in sent if not call.failed]",
        "worked = sent",
        *_facts("O07"),
    ),
    _one(
        "greedy matching",
        "scorers/tools",
        "    return maximum_matching(choices, len(actual))",
        "    taken: list[int] = []\n"
        "    for options in choices:\n"
        "        taken.append(next((index for index in options if index not in taken), -1))\n"
        "    return taken",
        *_facts("J16"),
    ),
    _one(
        "one attempt at a longer path",
        "kit/matching",
        "                queue.append(partner)",
        "                pass",
        f"{_HERE}/test_tools.py::test_the_matching_is_a_maximum",
        f"{_HERE}/test_tools.py::test_the_matching_goes_back_along_a_long_path",
    ),
    _one("true is 1", "kit/json_values", 'return ("constant", value)', 'return ("number", value)', *_facts("J14")),
    _one(
        "numbers compared as doubles",
        "kit/json_values",
        '    if isinstance(value, int):\n        return ("number", value)',
        '    if isinstance(value, int):\n        return ("number", float(value))',
        f"{_HERE}/test_tools.py::test_arguments_are_json",
    ),
    _one(
        "lists compared in any order",
        "kit/json_values",
        'return ("list", tuple(',
        'return ("list", frozenset(',
        f"{_HERE}/test_state.py::test_what_a_change_is",
    ),
    _one(
        "order is not looked at",
        "scorers/tools",
        "index, wanted in enumerate(expected) if not any(self.fits(call, wanted) for call in remaining)",
        "index, wanted in enumerate(expected) if not any(self.fits(call, wanted) for call in actual)",
        *_facts("J07"),
    ),
    _one(
        "a call too many is overlooked",
        "scorers/tools",
        "len(actual) == len(expected) and all(self.fits(*pair) for pair in zip(actual, expected, strict=True))",
        "all(self.fits(*pair) for pair in zip(actual, expected, strict=False))",
        *_facts("J12"),
    ),
    _one(
        "superset for subset",
        "kit/call_arguments",
        "expected.members <= self.members if mode",
        "self.members <= expected.members if mode",
        f"{_HERE}/test_tools.py::test_how_arguments_compare",
    ),
    _one(
        "F1 over the longer side",
        "scorers/tools",
        "value = 2 * found / total if total else 1.0",
        "value = found / max(len(actual), len(expected)) if total else 1.0",
        f"{_HERE}/test_tools.py::test_f1_is_over_multisets",
    ),
    _one(
        "nothing wanted and nothing done is 0",
        "scorers/tools",
        "if total else 1.0",
        "if total else 0.0",
        *_facts("J19"),
    ),
    _one(
        "a missing expectation is an empty one",
        "kit/tool_calls",
        "    if expected is ABSENT:\n        raise",
        "    if expected is ABSENT:\n        return []\n        raise",
        *_facts("J13"),
    ),
    _one(
        "the scope is ignored",
        "scorers/tools",
        'if self.scope == "dispatched" else actual',
        "if self.scope else actual",
        *_facts("D13"),
    ),
)

RETRIEVAL = (
    _one(
        "duplicates kept",
        "kit/relevance",
        "tuple(dict.fromkeys(map(str, ids)))",
        "tuple(map(str, ids))",
        *_facts("K06", "K08"),
    ),
    Mutation(
        "cut before deduplication",
        "scoring/kit/relevance.py",
        (
            ("tuple(dict.fromkeys(map(str, ids)))", "tuple(map(str, ids))"),
            ("for chunk in self.ids[:k]]", "for chunk in dict.fromkeys(self.ids[:k])]"),
        ),
        (f"{_HERE}/test_retrieval.py::test_repeats_are_removed_before_the_cut",),
    ),
    _one(
        "a grade of 0 is relevant",
        "kit/relevance",
        "(grade := _grade(chunk, raw)) > 0}",
        "(grade := _grade(chunk, raw)) >= 0}",
        *_facts("K15"),
    ),
    _one(
        ">= for > at the highest grade",
        "kit/relevance",
        "grade > HIGHEST_GRADE",
        "grade >= HIGHEST_GRADE",
        f"{_HERE}/test_retrieval.py::test_the_smallest_and_the_largest_grade",
    ),
    _one("grades without a bound", "kit/relevance", "HIGHEST_GRADE = 30", "HIGHEST_GRADE = 2_000", *_facts("K19")),
    _one(
        "linear gain",
        "scorers/retrieval",
        "return 2**grade - 1 if grade >= 1 else",
        "return grade if grade >= 1 else",
        *_facts("K06", "K09"),
    ),
    _one(
        "the smallest gains vanish",
        "scorers/retrieval",
        "math.expm1(grade * math.log(2))",
        "2**grade - 1",
        f"{_HERE}/test_retrieval.py::test_the_smallest_and_the_largest_grade",
    ),
    _one("discount off by one", "scorers/retrieval", "math.log2(rank + 1)", "math.log2(rank + 2)", *_facts("K04")),
    _one(
        "ideal of what was retrieved",
        "scorers/retrieval",
        "sorted(ranking.relevant.values(), reverse=True)[: self.k]",
        "sorted(filter(None, ranking.grades_within(self.k)), reverse=True) or [1.0]",
        *_facts("K17"),
    ),
    _one(
        "precision over what came back",
        "scorers/retrieval",
        "Reading(found / self.k,",
        "Reading(found / max(1, len(ranking.ids[: self.k])),",
        *_facts("K24"),
    ),
    _one(
        "recall over k",
        "scorers/retrieval",
        "            found / total,",
        "            found / self.k,",
        *_facts("K22"),
    ),
    _one(
        "average over what was found",
        "scorers/retrieval",
        "math.fsum(precisions) / len(ranking.relevant)",
        "math.fsum(precisions) / max(1, len(precisions))",
        f"{_HERE}/test_retrieval.py::test_against_the_formulas_done_another_way",
    ),
    _one(
        "ranks from 0",
        "kit/relevance",
        "enumerate(self.ids, start=1) if chunk",
        "enumerate(self.ids, start=0) if chunk",
        *_facts("K03", "K26"),
    ),
    _one(
        "nothing recorded is nothing found",
        "kit/relevance",
        '    channel = observation.channel("retrieval")',
        '    channel = observation.channels.get("retrieval", {"chunks": []})',
        *_facts("K13"),
    ),
)

CITATIONS = (
    _one("a Markdown link is a citation", "kit/citation_markers", "(?!\\()", "", *_facts("C09")),
    _one("zero is a citation", "kit/citation_markers", "([1-9][0-9]{0,8}(?:", "([0-9]{1,9}(?:", *_facts("C08")),
    _one(
        "an invented number is no citation",
        "scorers/citations",
        "        total = len(self.good) + len(self.wrong) + len(self.unknown)\n",
        "        total = len(self.good) + len(self.wrong)\n",
        *_facts("C11"),
    ),
    _one(
        "a number counts each time",
        "scorers/citations",
        "sorted({number for number, _, _ in citations_in(text)})",
        "sorted([number for number, _, _ in citations_in(text)])",
        f"{_HERE}/test_citations.py::test_what_is_a_marker",
    ),
    _one(
        "recall counts numbers",
        "scorers/citations",
        "return len(self.chunks) / self.relevant",
        "return len(self.good) / self.relevant",
        f"{_HERE}/test_citations.py::test_the_three_measures",
    ),
    _one(
        "no citation is perfect precision",
        "scorers/citations",
        "return len(self.good) / total if total else None",
        "return len(self.good) / total if total else 1.0",
        *_facts("C03"),
    ),
    _one(
        "a number twice in the ledger",
        "scorers/citations",
        "        if number in ledger:",
        "        if number in ledger and ledger[number] == number:",
        f"{_HERE}/test_citations.py::test_a_malformed_ledger",
    ),
)

STATE = (
    _one("bookkeeping counted", "scorers/state", '_BOOKKEEPING = ("updated_at",)', "_BOOKKEEPING = ()", *_facts("G17")),
    _one(
        "the observation's own list is not read",
        "kit/state_delta",
        "for field in {*old, *new} - ignored:",
        "for field in {*old, *new}:",
        *_facts("G02"),
    ),
    Mutation(
        "null = absent",
        "scoring/kit/state_delta.py",
        (
            ("old.get(field, ABSENT), new.get(field, ABSENT)", "old.get(field), new.get(field)"),
            ("if before is ABSENT or after is ABSENT or not json_equal", "if not json_equal"),
        ),
        _facts("G27"),
    ),
    _one(
        "absent = null where something is required",
        "kit/state_task",
        "return left is right or (left is not ABSENT and right is not ABSENT and json_equal(left, right))",
        "return json_equal(None if left is ABSENT else left, None if right is ABSENT else right)",
        f"{_HERE}/test_state.py::test_a_removed_field_and_one_set_to_null_are_two_things",
    ),
    _one(
        "other changes are overlooked",
        "scorers/state",
        '"only_requested_changes": _unasked(task, delta, before, after)',
        '"only_requested_changes": []',
        *_facts("G05", "G11"),
    ),
    _one(
        "what is missing is overlooked",
        "scorers/state",
        '"required_changes": _missing(demands, delta)',
        '"required_changes": []',
        *_facts("G04", "G10"),
    ),
    _one(
        "a changed key will do, whatever its value",
        "scorers/state",
        "elif not same_end(change.after, wanted):",
        "elif change.after is None:",
        *_facts("G08"),
    ),
    _one(
        "what a new row holds is not graded",
        "kit/state_delta",
        'yield from _fields(entity, row, {}, new_rows[row], ignored, kind="created_field")',
        "yield from ()",
        f"{_HERE}/test_state.py::test_what_a_new_row_holds_is_graded",
    ),
    _one(
        "leave to fill is leave to make",
        "kit/state_allowed",
        "            return self.created\n",
        "            return self.created or ANY in self.fields\n",
        f"{_HERE}/test_state.py::test_what_a_new_row_holds_is_graded",
    ),
    _one(
        "where is not looked at",
        "kit/state_allowed",
        "if all(held.get(name) == number for name, number in where.items())]",
        "]",
        f"{_HERE}/test_state.py::test_what_a_new_row_holds_is_graded",
    ),
    _one(
        "a read is what was asked",
        "scorers/state",
        "seen.update(_ids(call.result))",
        "seen.update([*_ids(call.result), *_ids(call.arguments)])",
        f"{_HERE}/test_state.py::test_a_read_is_what_came_back",
    ),
    _one(
        "a failed read is a read",
        "scorers/state",
        "        if call.failed:\n            continue\n        if _is_read",
        "        if _is_read",
        f"{_HERE}/test_state.py::test_a_read_is_what_came_back",
    ),
    _one(
        "reading is not asked for",
        "scorers/state",
        "    if task.read_before_write:\n",
        "    if task.read_before_write is None:\n",
        *_facts("G06"),
    ),
    _one(
        "a task nobody can pass is run",
        "scorers/state",
        "        refuse_unsatisfiable(task, demands, _readable_before(recorded), ignored or ())\n",
        "",
        *_facts("G20", "G21"),
    ),
    _one(
        "what already holds is a change",
        "kit/state_task",
        "if known and same_end(",
        "if not known and same_end(",
        *_facts("G21"),
    ),
    _one(
        "a task to refuse has no ground truth",
        "kit/state_task",
        'not raw.keys() & {"required", "allowed"}',
        'not raw.get("required")',
        *_facts("G22", "G23"),
    ),
    _one(
        "one call too many",
        "scorers/state",
        "over = len(sent) > task.max_calls",
        "over = len(sent) > task.max_calls + 1",
        f"{_HERE}/test_state.py::test_the_other_criteria_over_the_calls",
    ),
)

VERDICTS = (
    _one(
        "> for >= at the profile's threshold",
        "evaluator",
        "score >= profile.pass_threshold",
        "score > profile.pass_threshold",
        f"{_HERE}/test_field_cases.py::test_f6_a_weighted_mean_and_its_verdict",
        f"{_HERE}/test_field_cases.py::test_f7_a_threshold_of_zero_and_none",
    ),
    _one(
        "> for >= at the scorer's threshold",
        "kit/scorer",
        "value >= self.pass_threshold",
        "value > self.pass_threshold",
        f"{_HERE}/test_facts.py::test_an_attempt_of_the_help_desk",
    ),
    _one(
        "a negated score stays",
        "kit/scorer",
        "1 - reading.score if self.negate",
        "reading.score if self.negate",
        "tests/scoring/test_registry_contract.py::test_a_score_turned_round",
    ),
    _one(
        "an error counts as nothing",
        "evaluator",
        'if any(outcome.status == "error" for _, outcome in counting):',
        'if all(outcome.status == "error" for _, outcome in counting):',
        f"{_HERE}/test_field_cases.py::test_f2_a_scorer_that_errs_takes_no_other_with_it",
    ),
    _one(
        "a score beyond 1 is let through",
        "kit/scorer",
        "or not 0 <= reading.score <= 1",
        "or not 0 <= reading.score",
        "tests/scoring/test_registry_contract.py::test_a_score_that_is_none_is_an_error_that_names_it",
    ),
)

LINT = (
    _one(
        "a score at the threshold can fail",
        "lint/settings",
        "elif scores.low >= scorer.pass_threshold:",
        "elif scores.low > scorer.pass_threshold:",
        "tests/scoring/test_lint.py::test_the_settings_of_one_scorer",
    ),
    _one(
        "a highest score at the threshold never passes",
        "lint/settings",
        "elif scores.high < scorer.pass_threshold:",
        "elif scores.high <= scorer.pass_threshold:",
        "tests/scoring/test_lint.py::test_the_settings_of_one_scorer",
    ),
    _one(
        "lint forgets negation",
        "lint/settings",
        "return scores.turned() if scorer.negate else scores",
        "return scores",
        "tests/scoring/test_lint.py::test_the_settings_of_one_scorer",
    ),
    _one(
        "twins by name",
        "lint/settings",
        '_BESIDE = frozenset({"id", "name",',
        '_BESIDE = frozenset({"id",',
        "tests/scoring/test_lint.py::test_the_same_settings_twice",
    ),
    _one(
        "what is required is free to fail",
        "lint/verdict",
        "rest.passing(other.pass_threshold) if other.required else rest",
        "rest",
        "tests/scoring/test_lint.py::test_a_weight_that_decides_nothing",
    ),
    _one(
        "the least composite is what all pass",
        "lint/verdict",
        "elif low >= threshold + _NEAR or all(scores.low",
        "elif high >= threshold + _NEAR or all(scores.low",
        "tests/scoring/test_lint.py::test_a_threshold_out_of_reach",
    ),
    _one(
        "a geometric mean is a sum",
        "lint/verdict",
        'turn = _logarithm if method == "geometricMean" else float',
        "turn = float",
        "tests/scoring/test_lint.py::test_a_weight_that_decides_nothing",
    ),
    _one(
        "one sample proves a verdict",
        "lint/samples",
        "FEWEST = 2",
        "FEWEST = 1",
        "tests/scoring/test_lint.py::test_verdicts_that_never_differ",
    ),
    _one(
        "one error is always an error",
        "lint/samples",
        'if outcomes and all(outcome.status == "error"',
        'if outcomes and any(outcome.status == "error"',
        "tests/scoring/test_lint.py::test_a_scorer_that_always_errs_is_told_with_its_most_frequent_error",
    ),
    _one(
        "constant scorers agree",
        "lint/samples",
        "if None in scores or len(set(scores)) < FEWEST:",
        "if None in scores:",
        "tests/scoring/test_lint.py::test_two_scorers_that_agree",
    ),
    _one(
        "ground truth decides and still counts",
        "lint/samples",
        'if outcome.status == "scored" and place not in decided',
        'if outcome.status == "scored"',
        "tests/scoring/test_lint.py::test_verdicts_that_the_ground_truth_decided_say_nothing_of_the_scorer",
    ),
    _one(
        "an agent that did not finish is a sample",
        "lint/report",
        "            unfinished += 1\n            continue",
        "            unfinished += 1",
        "tests/scoring/test_lint.py::test_an_agent_that_did_not_finish_is_skipped_and_keeps_its_place",
    ),
    _one(
        "there is always time",
        "lint/report",
        "if clock() > end:",
        "if clock() > end + 1e9:",
        "tests/scoring/test_lint.py::test_samples_that_there_is_no_time_for_are_skipped",
    ),
    _one(
        "the share of exceptions is the rate",
        "lint/findings",
        "return 1.0 if interval is None else interval[1]",
        "return 1.0 if interval is None else interval[0]",
        "tests/scoring/test_lint.py::test_a_scorer_that_passes_everything_is_told_with_its_evidence",
    ),
    _one(
        "an expression that reads everything is a constant",
        "scorers/logic",
        "self.looked = self.looked or data is self.data",
        "self.looked = self.looked",
        "tests/scoring/scorers/test_possible_scores.py::test_the_scores_that_settings_leave",
    ),
    _one(
        "every schema demands nothing",
        "scorers/structure",
        "schema.keys() <= _NO_DEMANDS",
        "True",
        "tests/scoring/scorers/test_possible_scores.py::test_a_schema_that_everything_meets",
    ),
    _one(
        "any list of calls is covered by none",
        "scorers/tools",
        "if self.order in _EXTRA_ALLOWED and expected == []:",
        "if expected == []:",
        "tests/scoring/scorers/test_possible_scores.py::test_ground_truth_that_everything_meets",
    ),
)

MUTATIONS = (*TEXT, *TIMING, *TOOLS, *RETRIEVAL, *CITATIONS, *STATE, *VERDICTS, *LINT)
