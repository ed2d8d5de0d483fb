"""Projects, their members, and the keys that open one project alone."""

from typing import Any

import pytest
from django.test import Client

from accounts.actors import Role
from accounts.models import AuditEntry, Membership, Project, User
from tests.evaluations.cases import agent_of, call, code_of, dataset_of, eval_of, member, paths_of
from tests.evaluations.conftest import MemberClient
from tests.people import ApiKeyFor, ClientFor, bearer, person

pytestmark = pytest.mark.django_db


@pytest.fixture
def editing(editor: User, client_for: ClientFor) -> Client:
    return client_for(editor)


def test_who_makes_a_project_owns_it(editing: Client, editor: User) -> None:
    made = call(editing, "POST", "/projects", {"name": "  Refund Scoring "})
    assert made.status_code == 201
    document = made.json()
    assert document["name"] == "Refund Scoring"
    assert document["id"].startswith("proj_")
    assert call(editing, "GET", f"/projects/{document['id']}").json() == document
    listed = call(editing, "GET", f"/projects/{document['id']}/members").json()
    assert [(row["username"], row["role"]) for row in listed["data"]] == [("edgar", "owner")]
    assert AuditEntry.objects.get(action="project.created").object_id == document["id"]


def test_a_viewer_of_the_installation_makes_none(client_for: ClientFor, viewer: User) -> None:
    assert code_of(call(client_for(viewer), "POST", "/projects", {"name": "x"})) == (403, "FORBIDDEN")
    assert not Project.objects.exists()


@pytest.mark.parametrize(
    ("body", "path"),
    [({}, "name"), ({"name": " "}, "name"), ({"name": "n" * 257}, "name"), ({"name": "n", "x": 1}, "x"),
     ({"name": "\x00"}, "name"), ({"name": 3}, "name"), ([], "")],
)  # fmt: skip
def test_a_bad_body_is_refused_by_path(editing: Client, body: Any, path: str) -> None:
    refused = call(editing, "POST", "/projects", body)
    assert refused.status_code == 400
    assert paths_of(refused) == [path]


def test_only_what_is_sent_changes(project: Project, client_of: MemberClient) -> None:
    Project.objects.filter(pk=project.pk).update(description="kept")
    for method, name in (("PUT", "One"), ("PATCH", "Two")):
        answer = call(client_of(Role.OWNER), method, f"/projects/{project.public_id}", {"name": name})
        assert (answer.json()["name"], answer.json()["description"]) == (name, "kept")


def test_lists_hold_what_the_asker_may_see(
    project: Project, other_project: Project, client_of: MemberClient, client_for: ClientFor, owner: User
) -> None:
    mine = call(client_of(Role.VIEWER), "GET", "/projects").json()
    assert ([row["id"] for row in mine["data"]], mine["total"]) == ([project.public_id], 1)
    everything = call(client_for(owner), "GET", "/projects?limit=1").json()
    assert (len(everything["data"]), everything["total"]) == (1, 2)
    assert code_of(call(client_of(Role.VIEWER), "GET", "/projects?colour=red")) == (400, "VALIDATION_FAILED")


def test_a_project_with_things_is_deleted_by_force_alone(project: Project, client_of: MemberClient) -> None:
    eval_of(project, dataset_of(project, {}), agent=agent_of(project))
    owning = client_of(Role.OWNER)
    refused = call(owning, "DELETE", f"/projects/{project.public_id}")
    assert code_of(refused) == (409, "HAS_DEPENDENTS")
    assert refused.json()["error"]["meta"]["holds"] == {"providers": 1, "agents": 1, "datasets": 1, "evals": 1}
    assert call(owning, "DELETE", f"/projects/{project.public_id}?force=true").status_code == 204
    assert not Project.objects.filter(pk=project.pk).exists()
    assert code_of(call(owning, "GET", f"/projects/{project.public_id}")) == (404, "RESOURCE_NOT_FOUND")


def test_members_come_change_and_go(project: Project, client_of: MemberClient, reviewer: User) -> None:
    owning, path = client_of(Role.OWNER), f"/projects/{project.public_id}/members"
    added = call(owning, "PUT", path, {"username": "RITA", "role": "reviewer"})
    assert added.json()["user_id"] == reviewer.public_id
    call(owning, "PUT", path, {"username": "rita", "role": "editor"})
    assert Membership.objects.get(project=project, user=reviewer).role == Role.EDITOR
    assert call(owning, "DELETE", f"{path}/{reviewer.public_id}").status_code == 204
    assert call(owning, "DELETE", f"{path}/{reviewer.public_id}").status_code == 404
    assert paths_of(call(owning, "PUT", path, {"username": "nobody", "role": "viewer"})) == ["username"]


def test_a_project_keeps_an_owner(project: Project, members: dict[Role, User], client_of: MemberClient) -> None:
    owning, path = client_of(Role.OWNER), f"/projects/{project.public_id}/members"
    last = members[Role.OWNER]
    assert paths_of(call(owning, "PUT", path, {"username": last.username, "role": "editor"})) == ["role"]
    assert call(owning, "DELETE", f"{path}/{last.public_id}").status_code == 400
    member(project, person("second", Role.VIEWER), Role.OWNER)
    assert call(owning, "DELETE", f"{path}/{last.public_id}").status_code == 204


def test_strangers_learn_nothing(project: Project, stranger: Client) -> None:
    unknown = call(stranger, "GET", "/projects/proj_0000000000000000")
    hidden = call(stranger, "GET", f"/projects/{project.public_id}")
    assert unknown.json() == hidden.json()
    assert hidden.status_code == 404


def test_a_projects_key_opens_that_project_alone(
    project: Project, other_project: Project, members: dict[Role, User], client_for: ClientFor
) -> None:
    signed_in = client_for(members[Role.EDITOR])
    made = call(signed_in, "POST", "/api-keys", {"name": "ci", "project_id": project.public_id, "role": "editor"})
    assert (made.status_code, made.json()["project_id"]) == (201, project.public_id)
    key = bearer(made.json()["secret"])
    anyone = client_for(None)
    assert call(anyone, "GET", f"/projects/{project.public_id}", **key).status_code == 200
    assert [row["id"] for row in call(anyone, "GET", "/projects", **key).json()["data"]] == [project.public_id]
    member(other_project, members[Role.EDITOR], Role.OWNER)
    assert call(anyone, "GET", f"/projects/{other_project.public_id}", **key).status_code == 404
    assert call(anyone, "POST", "/projects", {"name": "x"}, **key).status_code == 403
    assert anyone.get("/api/scoring/profiles", headers=key).status_code == 403


def test_a_key_is_no_stronger_than_its_person(
    project: Project, members: dict[Role, User], client_for: ClientFor
) -> None:
    signed_in = client_for(members[Role.REVIEWER])
    body = {"name": "ci", "project_id": project.public_id, "role": "editor"}
    assert paths_of(call(signed_in, "POST", "/api-keys", body)) == ["role"]
    unknown = {"name": "ci", "project_id": "proj_0000000000000000"}
    assert paths_of(call(signed_in, "POST", "/api-keys", unknown)) == ["project_id"]


def test_a_weak_key_of_an_owner_is_weak_in_projects_too(
    project: Project, owner: User, api_key_for: ApiKeyFor, client_for: ClientFor
) -> None:
    key = bearer(api_key_for(owner, Role.VIEWER))
    path = f"/projects/{project.public_id}"
    assert call(client_for(None), "GET", path, **key).status_code == 200
    assert code_of(call(client_for(None), "PUT", path, {"name": "x"}, **key)) == (403, "FORBIDDEN")


def test_a_demoted_member_has_a_demoted_key(project: Project, members: dict[Role, User], client_for: ClientFor) -> None:
    body = {"name": "ci", "project_id": project.public_id, "role": "owner"}
    key = bearer(call(client_for(members[Role.OWNER]), "POST", "/api-keys", body).json()["secret"])
    Membership.objects.filter(user=members[Role.OWNER]).update(role=Role.VIEWER)
    path = f"/projects/{project.public_id}"
    assert call(client_for(None), "PUT", path, {"name": "x"}, **key).status_code == 403


@pytest.mark.parametrize("count", [1, 5])
def test_the_lists_take_the_same_queries_whatever_their_length(
    count: int, project: Project, client_of: MemberClient, members: dict[Role, User],
    django_assert_num_queries: Any,
) -> None:  # fmt: skip
    for number in range(count):
        member(project, person(f"more-{number}", Role.VIEWER), Role.VIEWER)
        member(Project.objects.create(name=f"p{number}"), members[Role.VIEWER], Role.VIEWER)
    client = client_of(Role.VIEWER)
    with django_assert_num_queries(3):
        call(client, "GET", "/projects")
    with django_assert_num_queries(5):
        call(client, "GET", f"/projects/{project.public_id}/members")
