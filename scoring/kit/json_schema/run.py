"""One validation on its way: what it has spent, and the questions that keywords ask of texts."""

import time
from collections.abc import Callable, Mapping
from typing import Any, Final

from scoring import javascript
from scoring.javascript.bounds import PATTERN_UNITS, TEXT_UNITS
from scoring.kit.budget import Budget
from scoring.kit.outcome import ErrorCode, Unmeasurable
from scoring.kit.patterns import first_match, measured
from scoring.kit.text import utf16_length

MOST_STEPS: Final = 90_000
MOST_QUICK_STEPS: Final = 500_000
MOST_NESTED: Final = 200
PATTERN_FLAGS: Final = "u"
_PATTERN_STEPS: Final = 20
# Patterns are bounded one by one; those that take long, together too. Quick ones are not counted,
# since on a busy machine they would be late through no fault of theirs.
_SLOW_SECONDS: Final = 0.02
_MOST_SLOW_SECONDS: Final = 0.5


class Unsure(Exception):
    """A quick check cannot say; the validator can."""


class Run:
    """What a validation carries with it, in the place where validators keep their format checker.

    `budget` counts applications of keywords, `quick` what the checks that give no words look at;
    `formats` are those of the schema's draft, `checks` the quick ones by the identity of a schema.
    """

    def __init__(
        self, formats: Mapping[str, Callable[[str], bool]], checks: "Mapping[int, Check] | None" = None
    ) -> None:
        self.budget = Budget(MOST_STEPS, f"Validating this takes more than {MOST_STEPS:,} steps.")
        self.quick = Budget(MOST_QUICK_STEPS, "")
        self.formats = formats
        self.checks = checks or {}
        self.sets: dict[int, frozenset[Any]] = {}
        self._depth = 0
        self._slow_seconds = 0.0
        self._matched: dict[tuple[str, str], bool] = {}

    @property
    def format_checker(self) -> "Run":
        """Itself, so that keywords may be asked with the run in the place of a validator."""
        return self

    def passes(self, schema: Any, instance: Any) -> bool:
        """Whether the quick check of a schema says that a value is valid; False where it cannot say."""
        check = self.checks.get(id(schema))
        if check is None:
            return False
        depth = self._depth
        try:
            return check(instance, self)
        except Unsure:
            return False
        except (Unmeasurable, RecursionError):
            # Asking again of each part would only cost more.
            self.checks = {}
            return False
        finally:
            self._depth = depth

    def enter(self) -> None:
        """Go one level deeper; raises Unmeasurable (limit) beyond 200, which a `$ref` to itself reaches."""
        if self._depth >= MOST_NESTED:
            message = f"Schemas apply inside each other more than {MOST_NESTED} levels deep."
            raise Unmeasurable(ErrorCode.LIMIT, message)
        self._depth += 1

    def leave(self) -> None:
        """Come back from it."""
        self._depth -= 1

    def matches(self, pattern: str, text: str) -> bool:
        """Whether a JavaScript pattern, with the flag u, is found in a text."""
        key = (pattern, text)
        if key not in self._matched:
            self.budget.spend(_PATTERN_STEPS)
            if len(text) > TEXT_UNITS or utf16_length(text) > TEXT_UNITS:
                message = f"A text of more than {TEXT_UNITS:,} characters cannot be searched for a pattern."
                raise Unmeasurable(ErrorCode.LIMIT, message)
            started = time.monotonic()
            self._matched[key] = first_match(pattern, PATTERN_FLAGS, text) is not None
            self._count_slow(time.monotonic() - started)
        return self._matched[key]

    def has_format(self, name: str, text: str) -> bool:
        """Whether a text has a format of the draft."""
        if name != "regex":
            self.budget.spend(len(text) // 1_000)
            question = self.formats.get(name)
            return question is None or question(text)
        self.budget.spend(_PATTERN_STEPS)
        if utf16_length(text) > PATTERN_UNITS:
            raise Unmeasurable(ErrorCode.LIMIT, "A regular expression is too long to be compiled here.")
        return measured(lambda: _compiles(text))

    def _count_slow(self, seconds: float) -> None:
        self._slow_seconds += seconds if seconds > _SLOW_SECONDS else 0.0
        if self._slow_seconds > _MOST_SLOW_SECONDS:
            raise Unmeasurable(ErrorCode.LIMIT, "The patterns of the schema take too long on this answer.")


def _compiles(pattern: str) -> bool:
    try:
        javascript.check(pattern, PATTERN_FLAGS)
    except javascript.InvalidPattern:
        return False
    return True


Check = Callable[[Any, Run], bool]
"""Whether a value is valid; raises Unsure where it cannot say."""
