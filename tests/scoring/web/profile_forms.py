"""What the tests of the profiles' pages share: stored profiles, and the form that a browser would send back."""

import re
from html.parser import HTMLParser
from typing import Any

from django.test import Client

from accounts.actors import COMMAND_LINE
from scoring.evaluate_bodies import EvaluateBody
from scoring.models import ProfileVersion
from scoring.queries.profiles import ProfileAt, forget_loaded, profile_at
from scoring.services.evaluations import evaluation_create
from scoring.services.profiles import profile_create

FRAGMENT = {"HX-Request": "true"}
REGEX = {"id": "todo", "name": "No TODO", "type": "RegexMatch", "pattern": "TODO", "invert": True}
KEYWORDS = {"id": "words", "type": "KeywordContains", "keywords": ["fixed", "added"], "weight": 0.5}
LEGACY = {"id": "old", "type": "CustomExpression", "expression": "output.length"}
HOSTILE = "<script>alert(1)</script><img src=x onerror=alert(1)>\"'"


def made(name: str = "Support", *scorers: dict[str, Any], **head: Any) -> ProfileAt:
    """A stored profile."""
    return profile_create(
        actor=COMMAND_LINE, body={"name": name, "scorers": list(scorers or (REGEX, KEYWORDS)), **head}
    )


def holding(name: str, *scorers: dict[str, Any]) -> ProfileAt:
    """A profile as an earlier version of the product may have stored it."""
    at = made(name)
    ProfileVersion.objects.filter(profile=at.row).update(document={**at.version.document, "scorers": list(scorers)})
    forget_loaded()
    return profile_at(at.row.pk)


def evaluated(profile_id: str, *outputs: str) -> None:
    """Stored evaluations, the last the newest."""
    for output in outputs:
        body = EvaluateBody(profile_id=profile_id, output=output)
        evaluation_create(actor=COMMAND_LINE, body=body)


class _Controls(HTMLParser):
    """The successful controls of the form with an id, as a browser collects them."""

    def __init__(self, form_id: str) -> None:
        super().__init__()
        self.form_id, self.inside = form_id, False
        self.values: dict[str, str] = {}
        self._textarea = self._select = ""

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        given = dict(attrs)
        if tag == "form":
            self.inside = given.get("id") == self.form_id
        name = given.get("name") or ""
        if not self.inside or "disabled" in given:
            return
        if tag == "input" and name:
            self._take_input(name, given)
        elif tag == "textarea":
            self._textarea, self.values[name] = name, ""
        elif tag == "select":
            self._select = name
        elif tag == "option" and ("selected" in given or self._select not in self.values):
            self.values[self._select] = given.get("value") or ""

    def _take_input(self, name: str, given: dict[str, str | None]) -> None:
        if given.get("type") not in {"checkbox", "radio"} or "checked" in given:
            self.values[name] = given.get("value") or ""

    def handle_endtag(self, tag: str) -> None:
        if tag == "textarea":
            self._textarea = ""
        elif tag == "form":
            self.inside = False

    def handle_data(self, data: str) -> None:
        if self._textarea:
            # A browser drops the line feed right after the tag, and ends lines with two characters.
            self.values[self._textarea] += data if self.values[self._textarea] else data.removeprefix("\n")


def controls(html: str, form_id: str = "profile-form") -> dict[str, str]:
    """What a browser would send of a form that nobody touched."""
    parser = _Controls(form_id)
    parser.feed(html)
    assert parser.values, f"there is no form {form_id}"
    return {name: value.replace("\n", "\r\n") for name, value in parser.values.items()}


def form_of(client: Client, address: str) -> dict[str, str]:
    """The untouched form at an address."""
    answer = client.get(address)
    assert answer.status_code == 200
    return controls(answer.text)


def words(html: str) -> str:
    """The text of a page on one line."""
    return " ".join(re.sub(r"<[^>]+>", " ", html).split())
