"""docs/openapi.json, from the views."""

import json
from pathlib import Path
from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand
from drf_spectacular.generators import SchemaGenerator


class Command(BaseCommand):
    """Writes the snapshot of the OpenAPI document anew; what differs in it is a decision."""

    help = "Write docs/openapi.json from the views."

    def handle(self, *_args: Any, **_options: Any) -> None:
        path = Path(settings.BASE_DIR) / "docs" / "openapi.json"
        path.write_text(snapshot(), encoding="utf-8")
        self.stdout.write(f"Wrote {path.relative_to(settings.BASE_DIR)}.")


def snapshot() -> str:
    """The document as it is committed: indented, members in order of name, so that a difference is one of content."""
    document = SchemaGenerator().get_schema(public=True)  # type: ignore[no-untyped-call]
    return json.dumps(document, ensure_ascii=False, indent=1, sort_keys=True) + "\n"
