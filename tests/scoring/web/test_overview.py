"""The overview: what to do first, then figures from the newest evaluations, whatever their number."""

import re
from datetime import timedelta
from typing import Any

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from pytest_django import DjangoAssertNumQueries

from accounts.actors import COMMAND_LINE
from accounts.models import AuditEntry, User
from foundation import times
from scoring.evaluate_bodies import Answer, EvaluateBody
from scoring.models import Evaluation, Profile
from scoring.queries import overview
from scoring.queries.demo import DEMO_PROFILE_ID, demo_evaluation_ids
from scoring.queries.profiles import profile_at
from scoring.services.demo import demo_load, demo_remove
from scoring.services.evaluations import evaluation_create, evaluation_unsaved
from scoring.services.profiles import profile_create, profile_delete
from tests.people import ClientFor
from tests.scoring.cases import contains, in_range, profile_body

pytestmark = pytest.mark.django_db
HOSTILE = "<script>alert(1)</script>\"'\u202eRTL \U0001f600"


def made(profile_id: str, count: int = 1, age: timedelta = timedelta(), **body: Any) -> None:
    """Evaluations of this profile, one second apart, the newest this old."""
    profile = profile_at(profile_id)
    rows = []
    for number in range(count):
        row = evaluation_unsaved(actor=COMMAND_LINE, profile=profile, body=Answer(**({"output": "x"} | body)))
        row.created_at = times.now() - age - timedelta(seconds=count - number)
        rows.append(row)
    Evaluation.objects.bulk_create(rows)


# -- the first start


def test_at_first_it_says_what_to_do_and_the_command_works(client: Client, settings: Any) -> None:
    settings.PLUMBLINE_MODE = "local"
    page = client.get("/", headers={"host": "localhost"}).text
    assert "Nothing has been evaluated yet" in page
    command = (
        re.split(r'<pre class="text"[^>]*>', page)[1].split("</pre>")[0].replace("&quot;", '"').replace("&#x27;", "'")
    )
    assert command.startswith("curl -X POST http://localhost/api/scoring/evaluate")
    assert "Authorization" not in command
    body = re.search(r"-d '(.*)'", command)
    assert body is not None
    answer = client.post(
        "/api/scoring/evaluate", body.group(1), content_type="application/json", headers={"host": "localhost"}
    )
    assert answer.status_code == 201
    page = client.get("/", headers={"host": "localhost"}).text
    assert "Newest evaluations" in page
    assert "my-agent" in page


def test_in_server_mode_the_command_carries_a_key(api: Client) -> None:
    assert "Authorization: Bearer $PLUMBLINE_KEY" in api.get("/").text.replace("&quot;", '"')


def test_nobody_is_sent_to_sign_in(client: Client) -> None:
    answer = client.get("/")
    assert answer.status_code == 302
    assert answer["Location"].startswith("/sign-in")


@pytest.mark.parametrize(
    ("who", "offered"), [("viewer", False), ("reviewer", False), ("editor", True), ("owner", True)]
)
def test_the_demo_is_offered_to_those_who_may_load_it(
    who: str, offered: bool, request: pytest.FixtureRequest, client_for: ClientFor
) -> None:
    client = client_for(request.getfixturevalue(who))
    assert ("Load the demo" in client.get("/").text) is offered
    assert client.post("/demo/load").status_code == (302 if offered else 403)
    assert Evaluation.objects.exists() is offered
    assert ("Remove the demo" in client.get("/").text) is offered
    demo_load(actor=COMMAND_LINE)
    assert client.post("/demo/remove").status_code == (302 if offered else 403)
    assert Evaluation.objects.exists() is not offered


# -- the demo


def test_the_demo_shows_what_it_promises() -> None:
    assert demo_load(actor=COMMAND_LINE) == 60
    rows = Evaluation.objects.all()
    assert set(rows.values_list("agent", flat=True)) == {"demo-atlas", "demo-birch"}
    assert set(rows.values_list("profile_id", flat=True)) == {
        DEMO_PROFILE_ID,
        "code-quality",
        "task-efficiency",
        "convention-compliance",
    }
    assert rows.filter(status="errored").count() == 5
    ages = [times.now() - moment for moment in rows.values_list("created_at", flat=True)]
    assert timedelta(0) < min(ages)
    assert timedelta(days=13) < max(ages) < timedelta(days=14)
    middle = times.now() - timedelta(days=7)

    def passed(agent: str, **when: Any) -> float:
        verdicts = list(rows.filter(agent=agent, passed__isnull=False, **when).values_list("passed", flat=True))
        return sum(verdicts) / len(verdicts)

    assert passed("demo-birch", created_at__lt=middle) > 0.8
    assert passed("demo-birch", created_at__gte=middle) < 0.5
    assert passed("demo-atlas", created_at__gte=middle) > 0.8


def test_loading_twice_changes_nothing() -> None:
    demo_load(actor=COMMAND_LINE)
    assert demo_load(actor=COMMAND_LINE) == 0
    assert Evaluation.objects.count() == 60
    assert AuditEntry.objects.filter(action="demo.loaded").count() == 1


def test_removing_takes_the_demo_and_nothing_else() -> None:
    made("code-quality", agent="demo-atlas")
    mine = profile_create(actor=COMMAND_LINE, body=profile_body(name="Demo: task summaries")).row
    demo_load(actor=COMMAND_LINE)
    assert demo_remove(actor=COMMAND_LINE) == 60
    assert list(Evaluation.objects.values_list("agent", flat=True)) == ["demo-atlas"]
    assert not Profile.objects.filter(pk=DEMO_PROFILE_ID).exists()
    assert Profile.objects.filter(pk=mine.pk, deleted_at=None).exists()
    assert demo_load(actor=COMMAND_LINE) == 60


def test_removing_keeps_what_was_evaluated_with_its_profile() -> None:
    demo_load(actor=COMMAND_LINE)
    kept = evaluation_create(actor=COMMAND_LINE, body=EvaluateBody(profile_id=DEMO_PROFILE_ID, output="mine"))
    demo_remove(actor=COMMAND_LINE)
    assert list(Evaluation.objects.values_list("public_id", flat=True)) == [kept.public_id]
    assert Profile.objects.get(pk=DEMO_PROFILE_ID).deleted_at is not None
    # And the profile is back with the demo.
    assert demo_load(actor=COMMAND_LINE) == 60
    assert Profile.objects.get(pk=DEMO_PROFILE_ID).deleted_at is None
    assert profile_at(DEMO_PROFILE_ID).version.number == 1


def test_a_demo_profile_deleted_by_a_person_comes_back_with_the_demo(owner: User) -> None:
    demo_load(actor=COMMAND_LINE)
    profile_delete(actor=COMMAND_LINE, profile_id=DEMO_PROFILE_ID)
    demo_remove(actor=COMMAND_LINE)
    assert demo_load(actor=COMMAND_LINE) == 60
    assert profile_at(DEMO_PROFILE_ID).content.name == "Demo: task summaries"


def test_the_demos_ids_have_the_form_of_all_ids() -> None:
    ids = demo_evaluation_ids()
    assert len(set(ids)) == 60
    assert all(re.fullmatch(r"eval_[A-Za-z0-9]{16}", public_id) for public_id in ids)
    assert re.fullmatch(r"prof_[A-Za-z0-9]{16}", DEMO_PROFILE_ID)


# -- the figures


def test_pass_rate_mean_and_errors_keep_to_their_denominators() -> None:
    profile = profile_create(actor=COMMAND_LINE, body=profile_body(contains(), in_range("n"))).row
    made(profile.pk, 3, output="x", metadata={"n": 5})
    made(profile.pk, 2, output="y", metadata={"n": 50})
    made(profile.pk, 5, output="x")
    [recent] = overview.recent_by_profile()
    assert (recent.total, recent.scored, recent.errored) == (10, 5, 5)
    assert recent.mean == pytest.approx(0.6)
    assert (recent.passed, recent.gated, recent.pass_rate) == (3, 5, 0.6)
    assert recent.interval == pytest.approx((0.2307, 0.8824), abs=1e-4)
    assert recent.errored_share == 0.5
    assert not recent.capped


def test_the_spark_line_is_the_last_twenty_oldest_first() -> None:
    profile = profile_create(actor=COMMAND_LINE, body=profile_body(contains(value="x"))).row
    made(profile.pk, 25, age=timedelta(hours=1), output="y")
    made(profile.pk, 3, output="x")
    [recent] = overview.recent_by_profile()
    assert recent.spark == [0.0] * 17 + [1.0] * 3


def test_more_than_a_hundred_and_older_than_thirty_days_are_left_out() -> None:
    profile = profile_create(actor=COMMAND_LINE, body=profile_body()).row
    made(profile.pk, 101, output="y")
    made("code-quality", 2, age=timedelta(days=31))
    [recent] = overview.recent_by_profile()
    assert recent.profile == profile
    assert (recent.total, recent.capped) == (100, True)


def test_a_profile_without_threshold_has_no_pass_rate(api: Client) -> None:
    profile = profile_create(actor=COMMAND_LINE, body=profile_body(passThreshold=None)).row
    made(profile.pk, 2)
    [recent] = overview.recent_by_profile()
    assert (recent.gated, recent.pass_rate, recent.interval) == (0, None, None)
    assert "no verdicts" in api.get("/").text


def test_failing_most_counts_failures_and_errors_of_scorers_that_count() -> None:
    body = profile_body(
        contains("often", "z"), contains("never", "x"), in_range("errs"), contains("free", "q", weight=0)
    )
    profile = profile_create(actor=COMMAND_LINE, body=body).row
    made(profile.pk, 4, output="x")
    made(profile.pk, 2, output="x z", metadata={"n": 1})
    failing, looked_at = overview.failing_most()
    assert looked_at == 6
    told = [(item.scorer_id, item.failed, item.errored, item.measured) for item in failing]
    assert sorted(told) == [("errs", 0, 4, 2), ("often", 4, 0, 6)]
    newest_failure = Evaluation.objects.filter(status="errored").order_by("-created_at", "-id").first()
    assert newest_failure is not None
    assert {item.newest_failure for item in failing} == {newest_failure.public_id}


def test_failing_most_looks_at_the_newest_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(overview, "NEWEST_LOOKED_AT", 3)
    profile = profile_create(actor=COMMAND_LINE, body=profile_body()).row
    made(profile.pk, 5, age=timedelta(hours=1), output="y")
    made(profile.pk, 3, output="x")
    assert overview.failing_most() == ([], 3)


# -- the page


def test_hostile_text_is_text(api: Client) -> None:
    profile = profile_create(actor=COMMAND_LINE, body=profile_body(contains(name=HOSTILE), name=HOSTILE)).row
    made(profile.pk, 2, output="y", agent=HOSTILE)
    page = api.get("/").text
    assert "<script>alert" not in page
    assert page.count("&lt;script&gt;alert(1)&lt;/script&gt;") >= 4


def test_a_deleted_profile_is_not_listed_and_its_evaluations_are(api: Client) -> None:
    profile = profile_create(actor=COMMAND_LINE, body=profile_body(name="Gone")).row
    made(profile.pk)
    profile_delete(actor=COMMAND_LINE, profile_id=profile.pk)
    assert overview.recent_by_profile() == []
    page = api.get("/").text
    assert "No profile was used" in page
    assert "Gone" in page


def test_few_queries_however_many_profiles(api: Client, django_assert_max_num_queries: DjangoAssertNumQueries) -> None:
    for number in range(14):
        made(profile_create(actor=COMMAND_LINE, body=profile_body(name=f"P{number}")).row.pk, 3)
    # Session and person; newest, failing, profiles, the demo's two; and one for each of ten profiles.
    with django_assert_max_num_queries(7 + overview.MOST_PROFILES):
        page = api.get("/").text
    assert len(re.findall(r">P\d+</a>", page)) == overview.MOST_PROFILES


@pytest.mark.skipif(connection.vendor != "sqlite", reason="reads SQLite's query plans")
def test_every_read_goes_over_an_index(api: Client) -> None:
    demo_load(actor=COMMAND_LINE)
    with CaptureQueriesContext(
        connection,
    ) as captured:
        api.get("/")
    looked_at = 0
    for query in captured.captured_queries:
        if "scoring_evaluation" not in query["sql"] or not query["sql"].startswith("SELECT"):
            continue
        with connection.cursor() as cursor:
            cursor.execute("EXPLAIN QUERY PLAN " + query["sql"])
            steps = [row[3] for row in cursor.fetchall() if "scoring_evaluation" in row[3] or "U0" in row[3]]
        looked_at += 1
        # Reads stop at a number that does not grow with the history.
        assert "LIMIT" in query["sql"] or "public_id" in query["sql"], query["sql"]
        assert all("INDEX" in step for step in steps), (steps, query["sql"])
        assert not any(step.startswith("SCAN") and "evaluation_newest" not in step for step in steps), steps
    assert looked_at >= 7
