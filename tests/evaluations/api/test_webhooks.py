"""Webhooks over HTTP: made with a secret that is shown once, changed, tried out, deleted."""

from collections.abc import Iterator
from typing import Any

import pytest
from django.test import Client

from accounts.actors import COMMAND_LINE, Role
from accounts.models import AuditEntry, Project
from evaluations.encryption import decrypt
from evaluations.engine.delivering import deliver_due
from evaluations.models import Webhook, WebhookDelivery
from evaluations.services.secrets import secrets_rotate
from evaluations.services.webhooks import MOST_OF_A_PROJECT
from foundation import times
from tests.evaluations.cases import call, code_of, paths_of, webhook_of
from tests.evaluations.conftest import MemberClient
from tests.evaluations.outbound.stubs import Stub, saying, serving

pytestmark = pytest.mark.django_db
TOKEN_URL = "https://hooks.example.com/services/T0/B0/sesame"


@pytest.fixture
def owning(client_of: MemberClient) -> Client:
    return client_of(Role.OWNER)


@pytest.fixture
def path(project: Project) -> str:
    return f"/projects/{project.public_id}/webhooks"


@pytest.fixture
def receiver(settings: Any) -> Iterator[Stub]:
    settings.PLUMBLINE_EGRESS_ALLOW = ["127.0.0.1"]
    with serving(saying(200)) as stub:
        yield stub


def audited() -> str:
    return str([(row.object_name, row.changes) for row in AuditEntry.objects.all()])


def test_the_secret_is_shown_once(owning: Client, path: str, project: Project) -> None:
    made = call(owning, "POST", path, {"url": TOKEN_URL, "events": ["eval_run.failed", "eval_run.failed"]})
    assert made.status_code == 201
    document = made.json()
    secret = document["secret"]
    assert secret.startswith("whsec_")
    assert len(secret) > 40
    assert (document["id"][:5], document["url"], document["events"], document["active"]) == (
        "hook_", TOKEN_URL, ["eval_run.failed"], True,
    )  # fmt: skip
    assert document["project_id"] == project.public_id
    assert call(owning, "GET", f"{path}/{document['id']}").json() == {**document, "secret": None}
    assert call(owning, "GET", path).json()["data"] == [{**document, "secret": None}]
    row = Webhook.objects.get()
    assert secret not in row.secret_encrypted
    assert decrypt(row.secret_encrypted) == secret
    assert secret not in audited()
    assert "sesame" not in audited()
    assert AuditEntry.objects.get().object_name == "https://hooks.example.com/…"


@pytest.mark.parametrize(
    ("body", "path_of_fault"),
    [({}, "url"), ({"url": ""}, "url"), ({"url": "ftp://x.example"}, "url"), ({"url": "http://127.1/"}, "url"),
     ({"url": "https://a:b@x.example/"}, "url"), ({"url": "https://x.example/" + "a" * 2000}, "url"),
     ({"url": "https://x.example/", "events": []}, "events"), ({"url": 3}, "url"),
     ({"url": "https://x.example/", "events": ["ping"]}, "events.0"),
     ({"url": "https://x.example/", "active": "yes"}, "active"), ({"url": "https://x.example/", "a": 1}, "a"),
     ({"url": "https://x.example/", "secret": "mine"}, "secret")],
)  # fmt: skip
def test_a_bad_body_is_refused_by_path(owning: Client, path: str, body: Any, path_of_fault: str) -> None:
    refused = call(owning, "POST", path, body)
    assert (refused.status_code, paths_of(refused)) == (400, [path_of_fault])
    hook = webhook_of(Project.objects.get(), "https://x.example/")
    if body:
        refused = call(owning, "PUT", f"{path}/{hook.public_id}", body)
        assert (refused.status_code, paths_of(refused)) == (400, [path_of_fault])
    assert Webhook.objects.count() == 1


def test_only_what_is_sent_changes_and_the_secret_by_rotation_alone(
    owning: Client, path: str, project: Project
) -> None:
    hook = webhook_of(project, TOKEN_URL, "eval_run.failed")
    one = f"{path}/{hook.public_id}"
    changed = call(owning, "PATCH", one, {"events": ["eval_run.canceled", "eval_run.completed"]}).json()
    assert (changed["url"], changed["secret"]) == (TOKEN_URL, None)
    assert changed["events"] == ["eval_run.completed", "eval_run.canceled"]
    assert call(owning, "PUT", one, {"url": "https://x.example/other"}).json()["events"] == changed["events"]
    rotated = call(owning, "PUT", one, {"rotate_secret": True}).json()
    hook.refresh_from_db()
    assert decrypt(hook.secret_encrypted) == rotated["secret"] != "whsec_of_a_test"
    assert call(owning, "PUT", one, {"rotate_secret": False}).json()["secret"] is None
    assert rotated["secret"] not in audited()
    assert "sesame" not in audited()
    # What changes nothing is told to nobody.
    count = AuditEntry.objects.count()
    call(owning, "PUT", one, {"url": "https://x.example/other", "active": True})
    assert (count, AuditEntry.objects.count()) == (3, 3)


def test_others_see_the_server_and_not_the_address(
    client_of: MemberClient, owning: Client, path: str, project: Project
) -> None:
    hook = webhook_of(project, TOKEN_URL)
    for role in (Role.VIEWER, Role.EDITOR):
        listed, one = call(client_of(role), "GET", path), call(client_of(role), "GET", f"{path}/{hook.public_id}")
        assert listed.json()["data"][0]["url"] == one.json()["url"] == "https://hooks.example.com/…"
        assert b"sesame" not in listed.content + one.content
    assert call(owning, "GET", f"{path}/{hook.public_id}").json()["url"] == TOKEN_URL


def test_a_webhook_is_found_in_its_project_alone(owning: Client, path: str, other_project: Project) -> None:
    theirs = webhook_of(other_project, TOKEN_URL)
    for method, end in (("GET", ""), ("PUT", ""), ("DELETE", ""), ("GET", "/deliveries"), ("POST", "/test")):
        found = call(owning, method, f"{path}/{theirs.public_id}{end}", {"active": False} if method == "PUT" else None)
        assert code_of(found) == (404, "RESOURCE_NOT_FOUND")
    theirs.refresh_from_db()
    assert theirs.active


def test_a_ping_is_sent_at_once_and_answered(owning: Client, path: str, project: Project, receiver: Stub) -> None:
    hook = webhook_of(project, receiver.url("/sesame"))
    said = call(owning, "POST", f"{path}/{hook.public_id}/test").json()
    assert (said["state"], said["status"], said["error"], said["attempts"]) == ("delivered", 200, None, 1)
    assert (said["event"], said["eval_run_id"]) == ("ping", None)
    assert receiver.last.json() == said["payload"]
    assert said["payload"] == {
        "id": said["id"], "event": "ping", "created_at": said["created_at"], "project_id": project.public_id,
    }  # fmt: skip
    assert receiver.last.headers["plumbline-event"] == "ping"
    assert call(owning, "GET", f"{path}/{hook.public_id}/deliveries").json()["data"] == [said]


def test_a_ping_that_fails_says_why_and_is_not_sent_again(
    owning: Client, path: str, project: Project, settings: Any
) -> None:
    blocked = webhook_of(project, "http://127.0.0.1:9/sesame")
    said = call(owning, "POST", f"{path}/{blocked.public_id}/test").json()
    assert (said["state"], said["status"], said["next_attempt_at"]) == ("failed", None, None)
    assert said["error"].startswith("127.0.0.1:9 may not be called")
    settings.PLUMBLINE_EGRESS_ALLOW = ["127.0.0.1"]
    with serving(saying(503)) as stub:
        hook = webhook_of(project, stub.url("/sesame"))
        said = call(owning, "POST", f"{path}/{hook.public_id}/test").json()
        deliver_due()
        assert len(stub.requests) == 1
    assert (said["state"], said["status"]) == ("failed", 503)
    assert said["error"] == f"127.0.0.1:{stub.port} answered with status 503 (Service Unavailable)."
    assert "sesame" not in str(said) + audited()
    unreadable = webhook_of(project, stub.url(), secret_encrypted="gAAAA")
    assert code_of(call(owning, "POST", f"{path}/{unreadable.public_id}/test")) == (409, "SECRET_UNREADABLE")


def test_deleting_takes_the_deliveries_along(owning: Client, path: str, project: Project) -> None:
    hook = webhook_of(project, TOKEN_URL)
    WebhookDelivery.objects.create(webhook=hook, event="ping", subject="x", payload={})
    assert call(owning, "DELETE", f"{path}/{hook.public_id}").status_code == 204
    assert not WebhookDelivery.objects.exists()
    assert code_of(call(owning, "GET", f"{path}/{hook.public_id}")) == (404, "RESOURCE_NOT_FOUND")
    assert "sesame" not in audited()


def test_a_project_has_so_many_and_no_more(owning: Client, path: str, project: Project) -> None:
    for _ in range(MOST_OF_A_PROJECT - 1):
        webhook_of(project, TOKEN_URL)
    assert call(owning, "POST", path, {"url": TOKEN_URL}).status_code == 201
    assert paths_of(call(owning, "POST", path, {"url": TOKEN_URL})) == ["url"]
    assert Webhook.objects.count() == MOST_OF_A_PROJECT


@pytest.mark.parametrize("count", [1, 12])
def test_lists_take_the_same_queries_whatever_their_length(
    count: int, owning: Client, path: str, project: Project, django_assert_num_queries: Any
) -> None:
    hook = [webhook_of(project, TOKEN_URL) for _ in range(count)][-1]
    for number in range(count):
        WebhookDelivery.objects.create(webhook=hook, event="ping", subject=str(number), payload={"n": number})
    with django_assert_num_queries(6):
        assert len(call(owning, "GET", path).json()["data"]) == count
    with django_assert_num_queries(5):
        data = call(owning, "GET", f"{path}/{hook.public_id}/deliveries").json()["data"]
    assert [row["payload"]["n"] for row in data] == list(range(count))[::-1]


def test_pages_and_parameters(owning: Client, path: str, project: Project) -> None:
    hooks = [webhook_of(project, TOKEN_URL) for _ in range(3)]
    page = call(owning, "GET", f"{path}?limit=1&offset=1").json()
    assert ([row["id"] for row in page["data"]], page["total"]) == ([hooks[1].public_id], 3)
    for end in ("?colour=red", f"/{hooks[0].public_id}?colour=red", f"/{hooks[0].public_id}/deliveries?state=failed"):
        assert code_of(call(owning, "GET", f"{path}{end}")) == (400, "VALIDATION_FAILED")


def test_changing_the_installation_s_keys_takes_the_secrets_along(project: Project, settings: Any) -> None:
    hook = webhook_of(project, TOKEN_URL)
    settings.PLUMBLINE_SECRETS_KEYS = ["a newer one", *settings.PLUMBLINE_SECRETS_KEYS]
    assert secrets_rotate(actor=COMMAND_LINE) == (1, 0)
    settings.PLUMBLINE_SECRETS_KEYS = ["a newer one"]
    hook.refresh_from_db()
    assert decrypt(hook.secret_encrypted) == "whsec_of_a_test"


def test_what_waits_goes_to_the_new_address(owning: Client, path: str, project: Project, receiver: Stub) -> None:
    hook = webhook_of(project, "http://127.0.0.1:1/")
    WebhookDelivery.objects.create(
        webhook=hook, event="eval_run.failed", subject="x", payload={"n": 1}, next_at=times.now()
    )
    call(owning, "PUT", f"{path}/{hook.public_id}", {"url": receiver.url("/new")})
    deliver_due()
    assert (receiver.last.target, receiver.last.json()) == ("/new", {"n": 1})
