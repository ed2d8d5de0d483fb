"""The API's page: made from the document, whole, for everybody."""

import re
import shlex
from typing import Any

import pytest
from django.test import Client
from drf_spectacular.generators import SchemaGenerator

from accounts.models import User
from foundation.errors import problem_classes
from foundation.http.api_reference import read_document
from tests.people import ClientFor

pytestmark = pytest.mark.django_db
DOCS = "/api/docs"


@pytest.mark.parametrize("mode", ["local", "server"])
def test_it_is_for_everybody_in_both_modes(mode: str, settings: Any, client: Client) -> None:
    settings.PLUMBLINE_MODE = mode
    answer = client.get(DOCS, headers={"host": "localhost"})
    assert answer.status_code == 200
    assert answer["Content-Type"].startswith("text/html")
    assert ("local mode" in answer.text) is (mode == "local")
    # The commands carry a key where one is needed, and nowhere else.
    assert ("$PLUMBLINE_KEY" in answer.text) is (mode == "server")
    assert "sk_" in answer.text or mode == "local"


def test_it_holds_every_operation_schema_and_code(client: Client) -> None:
    page = client.get(DOCS).text
    document = SchemaGenerator().get_schema(public=True)
    for path, methods in document["paths"].items():
        assert path in page
        for operation in methods.values():
            assert f'id="{operation["operationId"]}"' in page
    for name in document["components"]["schemas"]:
        assert f'id="schema-{name}"' in page
    for kind in problem_classes():
        assert f"<code>{kind.code}</code>" in page


def test_every_link_within_the_page_leads_somewhere(client: Client) -> None:
    page = client.get(DOCS).text
    targets = set(re.findall(r'href="#([^"]+)"', page))
    assert len(targets) > 40
    assert targets <= set(re.findall(r'\sid="([^"]+)"', page))


def test_it_works_without_inline_script_or_style(client: Client) -> None:
    answer = client.get(DOCS)
    assert not re.search(r"\sstyle=|<style|\son[a-z]+=", answer.text)
    assert "http://testserver/api/scoring/evaluate" in answer.text


def test_a_person_who_is_signed_in_sees_the_rail(viewer: User, client_for: ClientFor) -> None:
    assert 'aria-label="Main"' in client_for(viewer).get(DOCS).text
    assert 'aria-label="Main"' not in Client().get(DOCS).text


def test_the_commands_are_shell_words_whatever_they_carry() -> None:
    document = SchemaGenerator().get_schema(public=True)
    reference = read_document(document, base="http://127.0.0.1:3001", with_key=True)
    commands = {operation.id: operation.curl for _, operations in reference.groups for operation in operations}
    command, _, body = commands["create-profile"].partition("<<'JSON'\n")
    assert shlex.split(command.replace("\\\n", "")) == [
        *("curl", "-X", "POST", "http://127.0.0.1:3001/api/scoring/profiles"),
        *("-H", "Authorization: Bearer $PLUMBLINE_KEY", "-H", "Content-Type: application/json", "--data-binary", "@-"),
    ]
    assert body.endswith("\nJSON")
    assert "I'm sorry" in body
    assert "Authorization" not in commands["login-user"]


@pytest.mark.parametrize(("address", "allowed"), [(DOCS, "GET"), ("/help", "GET"), ("/scorers", "GET")])
def test_pages_take_no_posts(address: str, allowed: str, viewer: User, client_for: ClientFor) -> None:
    answer = client_for(viewer).post(address)
    assert answer.status_code == 405
    assert allowed in answer["Allow"]


def test_help_is_for_the_signed_in(client: Client, viewer: User, client_for: ClientFor) -> None:
    assert client.get("/help").status_code == 302
    assert "Report-only" in client_for(viewer).get("/help").text
