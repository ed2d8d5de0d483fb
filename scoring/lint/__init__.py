"""PURE: lint before spend: what in a profile says nothing, whatever the agent does.

Some of it follows from the settings alone; the rest is what samples show.
"""

from scoring.lint.findings import CODES, Finding
from scoring.lint.report import Checked, Report, lint

__all__ = ["CODES", "Checked", "Finding", "Report", "lint"]
