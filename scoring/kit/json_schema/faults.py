"""What is wrong with a schema, and where."""

from scoring.kit.json_shown import clean
from scoring.kit.text import shortened

Steps = tuple[str | int, ...]


class SchemaFault(Exception):
    """A schema cannot be used: `steps` lead to the place, the text says what is wrong there."""

    def __init__(self, steps: Steps, message: str) -> None:
        super().__init__(message)
        self.steps = steps
        self.message = message

    @property
    def path(self) -> str:
        """The place, with dots between the steps."""
        return ".".join(clean(shortened(str(step), 40)) for step in self.steps)
