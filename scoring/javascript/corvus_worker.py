"""A worker of the corvus engine: reads requests on stdin, answers on stdout, until stdin ends.

Run as a script in an isolated interpreter, so it imports nothing of the project; the frames are
described in protocol.py. Argument: the directory that holds the corvus package.
"""

import array
import os
import re
import resource
import signal
import struct
import sys
import time
from collections import OrderedDict
from contextlib import suppress
from types import ModuleType
from typing import Any

MEMORY_BYTES = 1 << 30
# Past this much resident memory the worker ends after its answer and is replaced.
LEAVING_BYTES = 256 << 20
CACHED_PATTERNS = 256
# The kernel ends the worker after this long in one evaluation, even inside native code: the
# supervisor kills it much sooner, unless the supervisor is gone.
ORPHAN_SECONDS = 2.0
LARGEST_MESSAGE = 2_000

REQUEST_HEADER = struct.Struct("<BBHHHI")
ANSWER_HEADER = struct.Struct("<BBI")
NO_POSITION = 0xFFFF_FFFF


def limit_process() -> None:
    """Bound what this process can take, and make it the kernel's first victim, not the server."""
    # Control-C in a terminal reaches the whole group; the supervisor decides when workers end.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    signal.signal(signal.SIGALRM, signal.SIG_DFL)
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    with suppress(OSError, ValueError):
        resource.setrlimit(resource.RLIMIT_AS, (MEMORY_BYTES, MEMORY_BYTES))
    with suppress(OSError), open("/proc/self/oom_score_adj", "w") as score:  # noqa: PTH123
        score.write("1000")


def resident_bytes() -> int:
    """Return the resident memory of this process in bytes, 0 where the system does not tell."""
    try:
        with open("/proc/self/statm") as fields:  # noqa: PTH123 - pathlib is slow to import
            return int(fields.read().split()[1]) * resource.getpagesize()
    except (OSError, ValueError, IndexError):
        return 0


def code_units(encoded: bytes) -> "array.array[int]":
    """Return UTF-16LE bytes as the engine's array of code units."""
    units = array.array("H", encoded)
    if sys.byteorder == "big":
        units.byteswap()
    return units


def escape_lone_surrogates(pattern: str, flags: str) -> str:
    r"""Return the pattern with each lone surrogate written as an escape: the engine takes UTF-8.

    With u or v as \u{d800}, which never pairs up with an escape beside it as \ud800 would.
    """
    by_code_point = "u" in flags or "v" in flags

    def escaped(found: re.Match[str]) -> str:
        backslashes, code = found.group(1), format(ord(found.group(2)), "x")
        if len(backslashes) % 2 == 0:
            return backslashes + (f"\\u{{{code}}}" if by_code_point else f"\\u{code}")
        # An escaped lone surrogate is that surrogate by Annex B, and an error with u or v,
        # as the escaped U+FFFD is.
        return backslashes + ("\ufffd" if by_code_point else f"u{code}")

    return re.sub("(\\\\*)([\ud800-\udfff])", escaped, pattern)


def spans(match: Any, groups: int) -> list[int]:
    """Return the start and the end of the whole match and of each group."""
    numbers: list[int] = []
    for number in range(groups + 1):
        start, end = match.span(number)
        numbers += (NO_POSITION, NO_POSITION) if start < 0 else (start, end)
    return numbers


def packed(numbers: list[int]) -> bytes:
    """Return positions as the payload holds them."""
    return struct.pack(f"<{len(numbers)}I", *numbers)


def after(text: "array.array[int]", place: int, *, by_code_point: bool) -> int:
    """Return the place of the next character: a surrogate pair is one with u or v."""
    pair = (
        by_code_point
        and place + 1 < len(text)
        and 0xD800 <= text[place] <= 0xDBFF
        and 0xDC00 <= text[place + 1] <= 0xDFFF
    )
    return place + (2 if pair else 1)


class Evaluator:
    """The engine with its compiled patterns, the most recently used 256 of them kept."""

    def __init__(self, engine: ModuleType) -> None:
        self.engine = engine
        self.compiled: OrderedDict[tuple[bytes, str], Any] = OrderedDict()
        self.leaving = False

    def warm_up(self) -> None:
        """Build the engine's tables of case folding and properties, which cost 40 ms once."""
        self.engine.compile("a", "i").search(code_units(b"A\0"))
        self.engine.compile(r"[\p{L}--[a-z]]", "v").search(code_units(b"A\0"))

    def evaluate(
        self, operation: bytes, limit_seconds: float, pattern: bytes, flags: str, text: bytes, *, most: int = 0
    ) -> tuple[bytes, bytes]:
        """Return (status, payload) of one request; never raises."""
        try:
            expression = self.expression(pattern, flags)
            if operation == b"C":
                return b"N", b""
            if operation == b"A":
                return self.every_match(expression, flags, code_units(text), limit_seconds, most)
            match = expression.search(code_units(text), timeout=limit_seconds)
        except self.engine.MatchLimitError as error:
            return (b"X" if "memory" in str(error) else b"T"), b""
        except self.engine.error as error:
            return self.refusal(error, pattern)
        except MemoryError:
            self.leaving = True
            return b"X", b""
        except Exception as error:  # noqa: BLE001 - whatever it is, the supervisor must hear of it
            return b"F", f"{type(error).__name__}: {error}".encode("utf-8", "replace")
        return (b"N", b"") if match is None else (b"M", packed(spans(match, expression.groups)))

    def every_match(
        self, expression: Any, flags: str, text: "array.array[int]", limit_seconds: float, most: int
    ) -> tuple[bytes, bytes]:
        """Return (status, payload) of every match, as JavaScript's matchAll finds them."""
        # Between matches the processor's time counts: a busy machine is not the pattern's fault.
        deadline = time.process_time() + limit_seconds
        by_code_point = "u" in flags or "v" in flags
        numbers: list[int] = []
        place = count = 0
        while count < most and place <= len(text):
            left = deadline - time.process_time()
            if left <= 0:
                return b"T", b""
            match = expression.search(text, place, timeout=left)
            if match is None:
                break
            count += 1
            numbers += spans(match, expression.groups)
            start, place = match.span()
            if place == start:
                place = after(text, place, by_code_point=by_code_point)
        return (b"M", struct.pack("<I", expression.groups + 1) + packed(numbers)) if count else (b"N", b"")

    def expression(self, pattern: bytes, flags: str) -> Any:
        """Return the compiled pattern, from the cache where it is there."""
        key = (pattern, flags)
        expression = self.compiled.get(key)
        if expression is not None:
            self.compiled.move_to_end(key)
            return expression
        source = escape_lone_surrogates(pattern.decode("utf-16-le", "surrogatepass"), flags)
        expression = self.engine.compile(source, flags, timeout=0)
        self.compiled[key] = expression
        if len(self.compiled) > CACHED_PATTERNS:
            self.compiled.popitem(last=False)
        self.leaving = resident_bytes() > LEAVING_BYTES
        return expression

    @staticmethod
    def refusal(error: Any, pattern: bytes) -> tuple[bytes, bytes]:
        """Return (status, payload) for a pattern that did not compile."""
        if error.kind == "too_large":
            return b"L", b""
        # The message ends by quoting the pattern, which the reader has before them.
        reason = re.sub(r"^ecmaregex: ", "", str(error))
        reason = re.sub(r" at offset (\d+) in \".*\"$", r" (at character \1)", reason, flags=re.DOTALL)
        if re.search("[\ud800-\udfff]", pattern.decode("utf-16-le", "surrogatepass")):
            reason = re.sub(r" \(at character \d+\)$", "", reason)  # counted in escapes
        return b"I", reason.encode("utf-8", "replace")[:LARGEST_MESSAGE]


def serve(evaluator: Evaluator) -> None:
    """Answer requests until stdin ends or the worker has grown too large."""
    requests, answers = sys.stdin.buffer, sys.stdout.buffer

    def answer(status: bytes, payload: bytes) -> None:
        answers.write(ANSWER_HEADER.pack(ord(status), evaluator.leaving, len(payload)) + payload)
        answers.flush()

    answer(b"R", b"")
    while not evaluator.leaving:
        header = requests.read(REQUEST_HEADER.size)
        if len(header) < REQUEST_HEADER.size:
            return
        operation, flags, limit, most, pattern, text = REQUEST_HEADER.unpack(header)
        body = requests.read(pattern * 2 + flags + text * 2)
        signal.setitimer(signal.ITIMER_REAL, ORPHAN_SECONDS)
        result = evaluator.evaluate(
            bytes([operation]),
            limit / 1000,
            body[: pattern * 2],
            body[pattern * 2 : pattern * 2 + flags].decode("ascii"),
            body[pattern * 2 + flags :],
            most=most,
        )
        signal.setitimer(signal.ITIMER_REAL, 0)
        answer(*result)


def main() -> None:
    """Start the engine, say whether that worked, and serve."""
    limit_process()
    sys.path.append(sys.argv[1])
    try:
        import corvus_regex_ecma262 as engine  # noqa: PLC0415 - needs the path above

        evaluator = Evaluator(engine)
        evaluator.warm_up()
    except Exception as error:  # noqa: BLE001 - the supervisor reports it
        message = f"{type(error).__name__}: {error}".encode("utf-8", "replace")[:LARGEST_MESSAGE]
        os.write(1, ANSWER_HEADER.pack(ord("F"), 1, len(message)) + message)
        return
    with suppress(BrokenPipeError):
        serve(evaluator)
    # Nothing is left to flush, and a broken pipe must not be reported by the interpreter's exit.
    os._exit(0)


if __name__ == "__main__":
    main()
