"""The two spellings of a type: PascalCase in profiles, snake_case in evals."""

import re

_WORD_STARTS = re.compile(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])")


def snake_case(type_name: str) -> str:
    """The evals' spelling: RegexMatch → regex_match, TTFT → ttft, ToolCallF1 → tool_call_f1."""
    return _WORD_STARTS.sub("_", type_name).lower()
