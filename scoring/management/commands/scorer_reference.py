"""docs/scorers.md, from the scorers' declarations."""

from pathlib import Path
from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand

from scoring.reference import markdown


class Command(BaseCommand):
    """Writes the reference of the scorers anew."""

    help = "Write docs/scorers.md from the scorers' declarations."

    def handle(self, *_args: Any, **_options: Any) -> None:
        path = Path(settings.BASE_DIR) / "docs" / "scorers.md"
        path.write_text(markdown(), encoding="utf-8")
        self.stdout.write(f"Wrote {path.relative_to(settings.BASE_DIR)}.")
