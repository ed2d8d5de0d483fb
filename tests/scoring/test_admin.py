"""Django's admin site: owners read everything there, and delete custom profiles through the service alone."""

import re

import pytest
from django.contrib.admin import site
from django.test import Client, RequestFactory
from pytest_django import DjangoAssertNumQueries

from accounts.actors import COMMAND_LINE
from accounts.models import AuditEntry, User
from scoring.admin import ProfileAdmin
from scoring.models import Evaluation, Profile
from scoring.permissions import BuiltInProfile
from scoring.services.demo import demo_load
from scoring.services.profiles import profile_create
from tests.people import ClientFor, actor_for
from tests.scoring.cases import profile_body

LIST = "/admin/scoring/profile/"
REFUSAL = "Built-in profiles cannot be changed or deleted."
pytestmark = pytest.mark.django_db


@pytest.fixture
def custom() -> Profile:
    return profile_create(actor=COMMAND_LINE, body=profile_body()).row


def alive(profile_id: str) -> bool:
    return Profile.objects.filter(pk=profile_id, deleted_at=None).exists()


@pytest.mark.parametrize("who", ["editor", "reviewer", "viewer"])
def test_only_owners_come_in(who: str, request: pytest.FixtureRequest, client_for: ClientFor, custom: Profile) -> None:
    client = client_for(request.getfixturevalue(who))
    for address in (LIST, f"{LIST}{custom.pk}/delete/", "/admin/scoring/evaluation/"):
        assert client.get(address).status_code == 302
    client.post(f"{LIST}{custom.pk}/delete/", {"post": "yes"})
    assert alive(custom.pk)


def test_owner_deletes_a_custom_profile_as_the_pages_do(api: Client, custom: Profile) -> None:
    answer = api.post(f"{LIST}{custom.pk}/delete/", {"post": "yes"})
    assert answer.status_code == 302
    assert not alive(custom.pk)
    assert Profile.objects.filter(pk=custom.pk).exists()
    assert AuditEntry.objects.filter(action="profile.deleted", object_id=custom.pk).count() == 1
    api.get(LIST)
    assert custom.pk not in api.get(LIST).text


def test_a_built_in_posted_by_hand_is_refused_with_the_reason(api: Client) -> None:
    answer = api.post(f"{LIST}code-quality/delete/", {"post": "yes"}, follow=True)
    assert REFUSAL in answer.text
    assert alive("code-quality")


def test_the_bulk_action_refuses_built_ins_and_then_deletes_nothing(api: Client, custom: Profile) -> None:
    chosen = {"action": "delete_selected", "_selected_action": [custom.pk, "code-quality"], "post": "yes"}
    answer = api.post(LIST, chosen, follow=True)
    assert REFUSAL in answer.text
    assert alive("code-quality")
    assert alive(custom.pk)


def test_all_or_none_are_deleted_whatever_their_order(owner: User, custom: Profile, rf: RequestFactory) -> None:
    request = rf.post(LIST)
    request.actor = actor_for(owner)  # type: ignore[attr-defined]
    admin = ProfileAdmin(Profile, site)
    with pytest.raises(BuiltInProfile):
        admin.delete_queryset(request, Profile.objects.order_by("built_in"))
    assert alive(custom.pk)


def test_the_bulk_action_deletes_custom_ones(api: Client, custom: Profile) -> None:
    question = api.post(LIST, {"action": "delete_selected", "_selected_action": [custom.pk]})
    assert "Are you sure" in question.text
    api.post(LIST, {"action": "delete_selected", "_selected_action": [custom.pk], "post": "yes"})
    assert not alive(custom.pk)


def test_a_profile_cannot_be_changed_or_added(api: Client, custom: Profile) -> None:
    assert api.post(f"{LIST}{custom.pk}/change/", {"name": "Other"}).status_code == 403
    assert api.get(f"{LIST}add/").status_code == 403
    custom.refresh_from_db()
    assert custom.name == "Ours"


def test_a_profile_shows_its_document_and_a_built_in_no_button(api: Client, custom: Profile) -> None:
    page = api.get(f"{LIST}{custom.pk}/change/").text
    assert "&quot;type&quot;: &quot;Contains&quot;" in page
    assert "deletelink" in page
    assert "deletelink" not in api.get(f"{LIST}code-quality/change/").text


def test_evaluations_are_read_only(api: Client) -> None:
    demo_load(actor=COMMAND_LINE)
    row = Evaluation.objects.order_by("-created_at").first()
    assert row is not None
    address = f"/admin/scoring/evaluation/{row.pk}/"
    assert row.public_id in api.get(f"{address}change/").text
    assert api.post(f"{address}change/", {"score": 1}).status_code == 403
    assert api.post(f"{address}delete/", {"post": "yes"}).status_code == 403
    assert Evaluation.objects.filter(pk=row.pk).exists()


def test_the_list_of_evaluations_counts_no_further_than_its_cap(
    api: Client, monkeypatch: pytest.MonkeyPatch, django_assert_max_num_queries: DjangoAssertNumQueries
) -> None:
    demo_load(actor=COMMAND_LINE)
    monkeypatch.setattr("scoring.admin.COUNT_CAP", 7)
    with django_assert_max_num_queries(8) as captured:
        page = api.get("/admin/scoring/evaluation/").text
    assert "7 evaluations" in page
    counts = [query["sql"] for query in captured if "COUNT(" in query["sql"] and "scoring_evaluation" in query["sql"]]
    assert counts
    assert all("LIMIT 7" in sql for sql in counts)
    assert not any('"output"' in query["sql"] for query in captured)


def test_the_admin_site_keeps_to_the_content_security_policy(api: Client, owner: User, custom: Profile) -> None:
    for address in ("/admin/", LIST, f"{LIST}{custom.pk}/change/", f"{LIST}{custom.pk}/delete/"):
        answer = api.get(address)
        assert "script-src 'self'" in answer["Content-Security-Policy"]
        assert not re.search(r"<style|\sstyle=|\son[a-z]+=|<script(?![^>]*\ssrc=)[^>]*>\s*\S", answer.text), address
