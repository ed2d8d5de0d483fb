"""PURE: two runs over the same items → what changed, in which direction, and whether that is noise."""

from evaluations.comparison.document import compare
from evaluations.comparison.pairing import ComparedRun

__all__ = ["ComparedRun", "compare"]
