"""PURE: the answers of the demo's two agents. One of them gets worse after the first week."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

AGENTS = ("demo-atlas", "demo-birch")
DAYS = 14
WORSE_FROM_DAY = 7

PROFILE: Mapping[str, Any] = {
    "name": "Demo: task summaries",
    "description": "Says what was changed, was quick, does not apologize, keeps filler out. Made by the demo.",
    "compositeMethod": "weightedAvg",
    "passThreshold": 0.7,
    "scorers": [
        {
            "id": "says-what-changed",
            "name": "Says what changed",
            "type": "KeywordContains",
            "weight": 0.35,
            "keywords": ["fixed", "added", "removed", "replaced"],
        },
        {
            "id": "no-apologies",
            "name": "No apologies",
            "type": "RegexMatch",
            "weight": 0.25,
            "pattern": r"\b(?:sorry|apologi[sz]e|unfortunately)\b",
            "flags": "i",
            "invert": True,
            "required": True,
        },
        {
            "id": "quick-enough",
            "name": "Quick enough",
            "type": "NumericRange",
            "weight": 0.2,
            "valuePath": "metadata.durationSeconds",
            "max": 90,
            "falloff": 90,
            "passThreshold": 0.8,
        },
        {
            "id": "little-filler",
            "name": "Little filler",
            "type": "OccurrenceRatio",
            "weight": 0.2,
            "needles": ["just", "really", "very", "basically", "simply"],
            "wholeWord": True,
            "denominatorPath": "metadata.outputWordCount",
            "denominatorScale": 20,
            "invert": True,
            "passThreshold": 0.7,
        },
    ],
}

# (what was wrong, the file, what its test shows)
_TASKS = (
    ("the rounding of totals", "billing/totals.py", "three currencies"),
    ("the retry after a lost connection", "sync/client.py", "a server that hangs up"),
    ("the sort order of names with accents", "people/list.py", "names in six scripts"),
    ("the export of empty tables", "reports/export.py", "a table without rows"),
    ("the date filter at midnight", "history/filters.py", "both ends of a day"),
    ("the size limit of uploads", "files/upload.py", "one byte more than allowed"),
    ("the cache of expired sessions", "accounts/session.py", "a clock set forward"),
    ("the escaping of file names", "files/names.py", "quotes and line feeds"),
    ("the count of unread messages", "inbox/count.py", "two readers at once"),
    ("the layout of long labels", "charts/labels.py", "a label of 200 characters"),
)
# These runs did not record how long they took, which is an error of that scorer and no zero.
_UNTIMED = frozenset({5, 24, 25, 41, 55})
_GOOD = (
    (
        "Fixed {wrong} in [{file}](/{file}). The cause was a comparison that ran before the values were converted; "
        "it runs after that now.\nAdded a test with {shown}; it failed before the change and passes now. "
        "All other tests and the lint pass as well, so the change is verified as far as they reach."
    ),
    (
        "Replaced the hand-written loop behind {wrong} with the library's own function. See [{file}](/{file}).\n"
        "Tested with {shown} and with the data of the report that led here. Nothing else calls that loop, so it is "
        "removed. The validation that stood around it stays, because other callers depend on it."
    ),
    (
        "Fixed {wrong}: the default was read once at start, and is read for each request now.\n"
        "Updated [{file}](/{file}) and its documentation. Verification: a new test with {shown}, the old tests, and a "
        "run by hand against a copy of the data. There is nothing to migrate."
    ),
)
_WORSE = (
    (
        "Sorry for the delay. I basically looked at {wrong} and it should really be fine now. "
        "TODO: find out why it happened."
    ),
    (
        "Unfortunately {wrong} is very hard to reproduce. I just changed a few lines in {file} and simply hope that it "
        "helps. I apologize for not having run anything."
    ),
    "I looked into {wrong}. It is really just a very small thing, basically. Somebody should check {shown} as well.",
)


@dataclass(frozen=True, slots=True)
class DemoAnswer:
    """One answer; `age` is in days before now."""

    profile_id: str
    body: Mapping[str, Any]
    age: float


def answers(count: int, demo_profile_id: str) -> Iterator[DemoAnswer]:
    """`count` answers, oldest first, of both agents in turn, for the demo's profile and the built-in ones."""
    profiles = (demo_profile_id, "code-quality", demo_profile_id, "task-efficiency", "convention-compliance")
    for number in range(count):
        agent, task = number % len(AGENTS), number // len(AGENTS)
        day = DAYS * number / count
        wrong, file, shown = _TASKS[task % len(_TASKS)]
        # A few of anybody's answers are poor; three quarters of the second agent's are, in the second week.
        poor = task % 9 == 4 or (agent == 1 and day >= WORSE_FROM_DAY and task % 4 != 0)
        template = (_WORSE if poor else _GOOD)[(number * 7 // 2) % 3]
        seconds = (70 + 37 * task % 90 if poor else 25 + 31 * task % 60) + 3 * agent
        body = {
            "output": template.format(wrong=wrong, file=file, shown=shown),
            "action": f"Fix {wrong}",
            "agent": AGENTS[agent],
            "task_id": f"demo-task-{task + 1}",
            "metadata": {} if number in _UNTIMED else {"durationSeconds": seconds, "model": f"demo-model-{agent + 1}"},
        }
        yield DemoAnswer(profiles[task % len(profiles)], body, DAYS - day - 0.1)
