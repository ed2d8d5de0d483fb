"""Where the program runs: its environment, what it reads, and where it writes."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import BinaryIO, TextIO

from commandline.failures import misused
from commandline.runs import Clock
from commandline.transport import Send


@dataclass(frozen=True, slots=True)
class Terminal:
    """`send` is how it sends; None: over the network."""

    environment: Mapping[str, str]
    stdin: BinaryIO
    stdout: BinaryIO
    stderr: TextIO
    send: Send | None = None
    clock: Clock = field(default_factory=Clock)

    def variable(self, name: str) -> str:
        """The value of PLUMBLINE_name, else of SOAT_name, else empty."""
        return self.environment.get(f"PLUMBLINE_{name}") or self.environment.get(f"SOAT_{name}") or ""

    def source(self, name: str) -> bytes:
        """What the file of this name holds, or standard input for `-`. Raises Failure when it cannot be read."""
        if name == "-":
            return self.stdin.read()
        try:
            return Path(name).expanduser().read_bytes()
        except (OSError, ValueError, RuntimeError) as error:
            hint = "A value that begins with @ is written with two of them."
            raise misused(f"The file {name} cannot be read: {error}.", hint) from error

    def write(self, text: str) -> None:
        """One text and the end of its line, to standard output."""
        self.stdout.write(text.encode(errors="backslashreplace") + b"\n")
