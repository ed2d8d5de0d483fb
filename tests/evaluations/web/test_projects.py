"""The projects and a project's first page: what is shown to whom, what the figures are, how many queries."""

import html
import re
from typing import Any

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from accounts.actors import Role
from accounts.models import AuditEntry, Membership, Project, User
from evaluations.models import Run
from tests.evaluations.cases import eval_of
from tests.evaluations.conftest import MemberClient
from tests.evaluations.web.runs_cases import HOSTILE, eval_of_forty, finished, started
from tests.people import ClientFor

pytestmark = pytest.mark.django_db


def page(client: Client, address: str, status: int = 200) -> str:
    answer = client.get(address)
    assert answer.status_code == status, answer.content
    return answer.text


def words(text: str) -> str:
    """What is to be read on a page, white space as single spaces."""
    return re.sub(r"\s+", " ", html.unescape(re.sub(r"<[^>]+>", " ", text.partition("<main")[2])))


def test_a_member_sees_their_projects_and_no_other(
    project: Project, other_project: Project, client_of: MemberClient
) -> None:
    text = page(client_of(Role.VIEWER), "/projects")
    assert "Refunds" in text
    assert other_project.name not in html.unescape(text)
    assert "New project" not in text


def test_somebody_in_no_project_is_told_what_to_do(viewer: User, client_for: ClientFor) -> None:
    assert "Ask an owner of one to add you" in page(client_for(viewer), "/projects")


def test_an_editor_makes_a_project_and_owns_it(editor: User, client_for: ClientFor) -> None:
    client = client_for(editor)
    assert "./plumbline create-project" in page(client, "/projects")
    answer = client.post("/projects/new", {"name": "  Refunds ", "description": "one\r\ntwo"})
    made = Project.objects.get()
    assert (answer.status_code, answer["Location"]) == (302, f"/projects/{made.public_id}")
    assert (made.name, made.description) == ("Refunds", "one\ntwo")
    assert Membership.objects.get(project=made, user=editor).role == Role.OWNER
    assert AuditEntry.objects.filter(action="project.created", object_id=made.public_id).exists()


@pytest.mark.parametrize("name", ["", "   ", "x" * 257, "a\0b"])
def test_a_bad_name_stands_at_its_field_and_nothing_typed_is_lost(
    name: str, editor: User, client_for: ClientFor
) -> None:
    answer = client_for(editor).post("/projects/new", {"name": name, "description": "kept as typed"})
    assert answer.status_code == 422
    assert 'id="id_name_error"' in answer.text
    assert "kept as typed" in answer.text
    assert not Project.objects.exists()


def test_a_viewer_makes_no_project(viewer: User, client_for: ClientFor) -> None:
    client = client_for(viewer)
    assert client.get("/projects/new").status_code == 403
    assert client.post("/projects/new", {"name": "x"}).status_code == 403
    assert not Project.objects.exists()


def test_the_first_page_says_how_each_eval_did(project: Project, client_of: MemberClient) -> None:
    row = eval_of_forty(project)
    first = finished(row)
    row.baseline_run = first
    row.save()
    finished(row, lambda number: None if number == 1 else "no" if number % 2 else "yes")
    text = page(client_of(Role.VIEWER), f"/projects/{project.public_id}")
    assert '<polyline points="0.0,0.0 96.0,11.7"' in text
    read = words(text)
    assert "51.3 % " in read
    assert "20 of 39 · 1 errored" in read
    assert "−48.7 pts · worse (p < .001)" in read
    assert "2.5 % 1 of 40" in read


def test_a_run_that_is_going_on_is_shown_with_how_far_it_is(project: Project, client_of: MemberClient) -> None:
    row = eval_of_forty(project)
    run = started(row, name="nightly")
    run.results.filter(position__lt=4).update(state="done", status="scored", passed=True)
    read = words(page(client_of(Role.VIEWER), f"/projects/{project.public_id}"))
    assert "Running now" in read
    assert "4 of 40 done" in read
    assert "Its first run is not finished yet." in read


def test_an_empty_project_says_what_to_do(project: Project, client_of: MemberClient) -> None:
    address = f"/projects/{project.public_id}"
    text = page(client_of(Role.EDITOR), address)
    assert f"./plumbline create-dataset --project-id {project.public_id}" in text
    assert f"{address}/evals/new" in text
    assert "An editor of the project can make one" in page(client_of(Role.VIEWER), address)


def test_a_project_of_others_is_not_there(project: Project, stranger: Client) -> None:
    for address in (f"/projects/{project.public_id}", "/projects/proj_0000000000000000", "/projects/nonsense"):
        assert page(stranger, address, 404)


def test_names_are_text(project: Project, client_of: MemberClient) -> None:
    Project.objects.filter(pk=project.pk).update(name=HOSTILE, description=HOSTILE)
    row = eval_of_forty(project, name=HOSTILE)
    finished(row, name=HOSTILE)
    started(row, name=HOSTILE)
    client = client_of(Role.EDITOR)
    for address in ("/projects", f"/projects/{project.public_id}"):
        text = page(client, address)
        assert "alert(1)" in text
        assert "<script>alert" not in text
        assert "<img src=x" not in text


def test_the_number_of_queries_does_not_grow(project: Project, client_of: MemberClient) -> None:
    client = client_of(Role.VIEWER)

    def count() -> int:
        with CaptureQueriesContext(connection) as queries:
            page(client, f"/projects/{project.public_id}")
        return len(queries)

    row = eval_of_forty(project)
    finished(row)
    started(row)
    before = count()
    for number in range(3):
        other: Any = eval_of(project, row.dataset, name=f"other {number}")
        finished(other)
        started(other)
    assert Run.objects.count() == 8
    assert count() == before <= 14


def test_more_evals_than_a_page_holds(project: Project, client_of: MemberClient) -> None:
    dataset = eval_of_forty(project, name="eval 0").dataset
    for number in range(1, 27):
        eval_of(project, dataset, name=f"eval {number}")
    client = client_of(Role.VIEWER)
    first, second = (page(client, f"/projects/{project.public_id}{query}") for query in ("", "?offset=25"))
    assert first.count("data-row") == 25
    assert second.count("data-row") == 2
    assert 'href="?offset=25"' in first
    assert "There is nothing on this page" in page(client, f"/projects/{project.public_id}?offset=900")


def test_the_rail_names_the_project_where_a_page_is_about_one(project: Project, client_of: MemberClient) -> None:
    client = client_of(Role.VIEWER)
    row = eval_of_forty(project)
    for address in (f"/projects/{project.public_id}", f"/evals/{row.public_id}"):
        text = page(client, address)
        assert 'class="rail-project" title="Refunds"' in text
        assert re.search(r'aria-current="(page|true)"><svg[^>]*>.{0,60}#icon-evals', text, re.DOTALL)
    assert 'class="rail-project"' not in page(client, "/projects")
