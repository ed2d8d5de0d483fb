"""What one scoring may take, counted in steps: the same answer on a slow machine as on a fast one."""

from typing import Any

from scoring.kit.outcome import ErrorCode, Unmeasurable

MOST_LEVELS = 128


class Budget:
    """So many steps; whoever spends more gets the error `limit`."""

    __slots__ = ("left", "message")

    def __init__(self, steps: int, message: str) -> None:
        self.left = steps
        self.message = message

    def spend(self, steps: int = 1) -> None:
        """Take `steps` off; raises Unmeasurable (limit) when there are not as many."""
        self.left -= steps
        if self.left < 0:
            raise Unmeasurable(ErrorCode.LIMIT, self.message)

    def spend_on(self, value: Any, levels: int = MOST_LEVELS) -> None:
        """Take a step off for each value in `value`; raises too when it is nested beyond `levels`."""
        level = [value]
        for _ in range(levels + 1):
            self.spend(len(level))
            level = [
                child
                for item in level
                if isinstance(item, dict | list)
                for child in (item.values() if isinstance(item, dict) else item)
            ]
            if not level:
                return
        raise Unmeasurable(ErrorCode.LIMIT, f"A value is nested more than {levels} levels deep.")
