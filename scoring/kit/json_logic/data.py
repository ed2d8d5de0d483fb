"""What a rule can see of an observation."""

from typing import Any

from scoring.kit.observation import Observation
from scoring.kit.paths import ABSENT


def variables_of(observation: Observation) -> dict[str, Any]:
    """What the variables of an expression can read; a member that was not recorded is not there."""
    item = {"metadata": dict(observation.metadata), "key": observation.channels.get("case_id", ABSENT)}
    members = {
        "input": observation.channels.get("input", ABSENT),
        "output": observation.output,
        "object": observation.object,
        "expected": observation.expected,
        "item": {name: value for name, value in item.items() if value is not ABSENT},
    }
    return {name: value for name, value in members.items() if value is not ABSENT}
