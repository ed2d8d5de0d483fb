"""The audit log: only ever added to, and readable by owners."""

from datetime import timedelta
from typing import Any

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from accounts.actors import COMMAND_LINE, Actor, Role
from accounts.models import AuditEntry, AuditIsAppendOnly, User
from accounts.services import audit_record
from foundation.cursors import encode_cursor
from tests.people import ClientFor, actor_for


def note(number: int = 0, actor: Actor = COMMAND_LINE, **options: Any) -> AuditEntry:
    values = {"action": "profile.updated", "kind": "profile", "object_id": f"profile-{number}", **options}
    return audit_record(actor=actor, **values)


def test_an_entry_says_who_what_when_and_from_where(editor: User) -> None:
    entry = note(actor=actor_for(editor), object_name="Accuracy", changes={"threshold": [0.5, 0.6]})
    entry.refresh_from_db()
    assert (entry.actor_id, entry.actor_name, entry.via, entry.address) == (
        editor.public_id,
        "edgar",
        "session",
        "127.0.0.1",
    )
    assert (entry.action, entry.object_kind, entry.object_id, entry.object_name) == (
        "profile.updated",
        "profile",
        "profile-0",
        "Accuracy",
    )
    assert entry.changes == {"threshold": [0.5, 0.6]}
    assert timezone.now() - entry.created_at < timedelta(seconds=5)


def test_entries_are_never_changed_or_deleted(db: None) -> None:
    entry = note()
    entry.action = "nothing.happened"
    for change in (
        entry.save,
        entry.delete,
        AuditEntry.objects.all().delete,
        AuditEntry.objects.filter(pk=entry.pk).delete,
        lambda: AuditEntry.objects.update(action="x"),
        lambda: AuditEntry.objects.bulk_update([entry], ["action"]),
        lambda: AuditEntry.objects.update_or_create(pk=entry.pk, defaults={"action": "x"}),
        lambda: AuditEntry._base_manager.filter(pk=entry.pk).get().delete(),
    ):
        with pytest.raises(AuditIsAppendOnly):
            change()
    assert AuditEntry.objects.get().action == "profile.updated"


def test_long_names_are_cut_and_not_refused(db: None) -> None:
    actor = Actor(user_id=None, public_id="", name="n" * 500, role=Role.OWNER, via="command")
    entry = note(actor=actor, object_name="x" * 500)
    assert (len(entry.actor_name), len(entry.object_name)) == (150, 255)


def test_owners_read_it_newest_first_fifty_at_a_time(owner: User, client_for: ClientFor) -> None:
    same = timezone.now()
    for number in range(120):
        entry = AuditEntry(
            actor_name="command line",
            via="command",
            action="a.b",
            object_kind="k",
            object_id=f"o{number:03}",
            created_at=same,
        )
        entry.save()
    client = client_for(owner)
    client.get("/audit")
    seen: list[str] = []
    address = "/audit"
    for _ in range(10):
        with CaptureQueriesContext(connection) as queries:
            page = client.get(address)
        assert page.status_code == 200
        assert len(queries) == 3
        assert not [query for query in queries if not query["sql"].startswith("SELECT")]
        entries = page.context["entries"]
        assert len(entries) <= 50
        seen += [entry.object_id for entry in entries]
        if not page.context["older"]:
            break
        address = "/audit" + page.context["older"]
    assert seen == [f"o{number:03}" for number in reversed(range(120))]


def test_it_is_narrowed_by_actor_action_and_object(owner: User, editor: User, client_for: ClientFor) -> None:
    User.objects.filter(pk=editor.pk).update(name="Edgar Poe")
    editor.refresh_from_db()
    note(1, actor_for(editor))
    note(2, actor_for(editor), action="profile.created")
    note(3)
    client = client_for(owner)

    def found(**query: str) -> list[str]:
        page = client.get("/audit", query)
        assert page.status_code == 200
        return sorted(entry.object_id for entry in page.context["entries"])

    for who in (editor.public_id, "edgar", "EDGAR", "edgar poe"):
        assert found(actor=who) == ["profile-1", "profile-2"], who
    assert found(actor="command line") == ["profile-3"]
    assert found(actor="nobody") == []
    assert found(action="profile.updated") == ["profile-1", "profile-3"]
    assert found(object="profile-2") == ["profile-2"]
    assert found(actor="edgar", action="profile.updated") == ["profile-1"]
    page = client.get("/audit", {"actor": "edgar", "action": "profile.updated"})
    assert [chip["words"] for chip in page.context["chips"]] == ["Who: edgar", "Action: profile.updated"]
    assert page.context["chips"][0]["remove"] == "?action=profile.updated"


def test_older_pages_keep_the_filters(owner: User, client_for: ClientFor) -> None:
    for number in range(60):
        note(number)
        note(number, object_id="other", action="x.y")
    client = client_for(owner)
    first = client.get("/audit?action=x.y")
    second = client.get("/audit" + first.context["older"])
    assert {entry.action for entry in second.context["entries"]} == {"x.y"}
    assert len(second.context["entries"]) == 10
    assert second.context["newest"] == "?action=x.y"


@pytest.mark.parametrize(
    "query",
    [
        "cursor=nonsense",
        "cursor=" + "A" * 65,
        "cursor=%00",
        "actor=%00",
        "object=" + "x" * 65,
        "action=" + "x" * 65,
        "cursor=MS4tMQ",
    ],
)
def test_hostile_queries_are_refused(query: str, owner: User, client_for: ClientFor) -> None:
    assert client_for(owner).get(f"/audit?{query}").status_code == 400


@pytest.mark.parametrize("text", ["%", "_", "'", "\\", "<script>alert(1)</script>", "🦊", "é" * 60])
def test_odd_filters_find_nothing_and_are_shown_as_text(text: str, owner: User, client_for: ClientFor) -> None:
    note()
    page = client_for(owner).get("/audit", {"actor": text, "cursor": encode_cursor(timezone.now(), 5)})
    assert page.status_code == 200
    assert page.context["entries"] == []
    assert "<script>alert(1)" not in page.content.decode()


def test_hostile_entries_are_text(owner: User, client_for: ClientFor) -> None:
    bad = "<script>alert(1)</script>"
    note(object_id=bad[:64], object_name=bad, changes={bad: bad, "items": [bad, {"a": bad}], "plain": ["a", "b"]})
    text = client_for(owner).get("/audit").content.decode()
    assert "<script>alert(1)" not in text
    assert "<dt>items</dt>" in text
    assert "a → b" in text


def test_the_admin_site_shows_and_changes_nothing(owner: User, client_for: ClientFor) -> None:
    entry = note()
    client = client_for(owner)
    for model, key in (("auditentry", entry.pk), ("user", owner.pk)):
        assert client.get(f"/admin/accounts/{model}/").status_code == 200
        shown = client.get(f"/admin/accounts/{model}/{key}/change/")
        assert shown.status_code == 200
        assert owner.password not in shown.content.decode()
        assert client.get(f"/admin/accounts/{model}/add/").status_code == 403
        assert client.post(f"/admin/accounts/{model}/{key}/change/", {"action": "x"}).status_code == 403
        assert client.post(f"/admin/accounts/{model}/{key}/delete/", {"post": "yes"}).status_code == 403
    assert client.get("/admin/accounts/apikey/").status_code == 200
    assert client.get("/admin/accounts/accesstoken/").status_code == 404
