"""A message shown once, on the page that comes next, saying what was done and offering the way on."""

import json

from django.contrib import messages
from django.http import HttpRequest


def toast(
    request: HttpRequest, text: str, *, address: str = "", words: str = "Open", level: int = messages.SUCCESS
) -> None:
    """Show `text` on the next page; with `address`, a link named `words` stands beside it."""
    link = json.dumps({"address": address, "words": words}) if address else ""
    messages.add_message(request, level, text, extra_tags=link)
