"""`python -m tests.mutants [WORD …]`: break each scorer on purpose, and see a test notice.

With words, only the mutations whose name or module holds one of them. Ends with 1 when one
survives, or no longer applies.
"""

import sys

from tests.mutants.mutations import MUTATIONS
from tests.mutants.running import KILLED, copied, unmutated_tests_fail, verdicts


def main(words: list[str]) -> int:
    """The exit code."""
    chosen = [
        mutation
        for mutation in MUTATIONS
        if not words or any(word in f"{mutation.name} {mutation.module}" for word in words)
    ]
    with copied() as copy:
        fault = unmutated_tests_fail(chosen, copy)
        if fault:
            print(f"The tests fail without any mutation:\n{fault}")  # noqa: T201 - a command speaks by printing
            return 1
        alive = 0
        for verdict in verdicts(chosen, copy):
            alive += verdict.fate != KILLED
            print(f"{verdict.fate:9} {verdict.name}{': ' + verdict.why if verdict.why else ''}", flush=True)  # noqa: T201
    print(f"{len(chosen) - alive} of {len(chosen)} mutants killed.")  # noqa: T201
    return int(alive > 0)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
