"""Why a command ended without an answer, in the shape in which the API refuses."""

import json
from difflib import get_close_matches

FAILED, MISUSED = 1, 2


class Failure(Exception):
    """`status` is the exit status: 1 for what went wrong, 2 for words that cannot be understood."""

    def __init__(self, code: str, message: str, hint: str = "", *, status: int = FAILED) -> None:
        super().__init__(message)
        self.code, self.message, self.hint, self.status = code, message, hint, status

    def document(self) -> str:
        """`{"error": {"code", "message", "hint"}}` as JSON, for standard error."""
        error = {"code": self.code, "message": self.message, **({"hint": self.hint} if self.hint else {})}
        return json.dumps({"error": error}, indent=2)


class Refused(Failure):
    """The server answered with an error, whose own document is shown as it came."""

    def __init__(self, code: str, message: str, *, http_status: int, answer: str) -> None:
        super().__init__(code, message)
        self.http_status, self.answer = http_status, answer

    def document(self) -> str:
        """The server's own words."""
        return self.answer


def misused(message: str, hint: str = "") -> Failure:
    """The failure of a command that was not written rightly: exit status 2."""
    return Failure("USAGE", message, hint, status=MISUSED)


def unknown(what: str, name: str, known: list[str], *, prefix: str = "", otherwise: str = "") -> Failure:
    """A misuse that names the known word nearest to `name`; `otherwise` is the hint when none is near."""
    near = get_close_matches(name, known, n=1, cutoff=0.5)
    hint = f"Did you mean {prefix}{near[0]}?" if near else otherwise
    return misused(f"There is no {what} {prefix}{name}.", hint)
