"""One evaluation: its verdict, breakdown and evidence, its neighbours, and scoring it again."""

import html
import json
import re
import shlex
from datetime import timedelta
from typing import Any

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from accounts.actors import COMMAND_LINE
from accounts.models import User
from scoring.evaluate_bodies import EvaluateBody
from scoring.models import Evaluation, ProfileVersion
from scoring.queries.profiles import forget_loaded
from scoring.services.evaluations import evaluation_create
from scoring.services.profiles import profile_create, profile_delete, profile_update
from tests.people import ClientFor
from tests.scoring.cases import contains, in_range, profile_body

pytestmark = pytest.mark.django_db
HOSTILE = "<script>alert(1)</script><img src=x onerror=alert(1)>\"'"
GOOD = "Verified by tests. " + "word " * 50


def evaluated(profile_id: str = "code-quality", **body: Any) -> Evaluation:
    return evaluation_create(actor=COMMAND_LINE, body=EvaluateBody(profileId=profile_id, **({"output": GOOD} | body)))


def profile_of(*scorers: dict[str, Any], **head: Any) -> str:
    return str(profile_create(actor=COMMAND_LINE, body=profile_body(*scorers, **head)).row.pk)


def page(client: Client, row: Evaluation, query: str = "", status: int = 200) -> str:
    answer = client.get(f"/history/{row.public_id}{query}")
    assert answer.status_code == status
    return answer.text


def words(text: str, after: str, before: str) -> str:
    """What can be read between two marks of the page."""
    between = re.sub("</?bdi>", "", text.partition(after)[2].partition(before)[0])
    return html.unescape(" ".join(re.sub("<[^>]+>", " ", between).split()))


def heading(text: str) -> str:
    return words(text, "<h1>", "</h1>")


def lede(text: str) -> str:
    return words(text, 'class="lede-block">', "</div>")


# -- the verdict


def test_the_verdict_comes_first(api: Client) -> None:
    text = page(api, evaluated(output=GOOD + "TODO"))
    assert heading(text) == "0.700 passed"
    assert lede(text) == "Code Quality, version 1 passes from 0.5. 2 of 3 scorers passed."
    assert 'href="/profiles/code-quality/versions/1"' in text


def test_a_score_just_below_the_threshold_is_not_rounded_onto_it(api: Client) -> None:
    row = evaluated()
    Evaluation.objects.filter(pk=row.pk).update(score=0.49996, passed=False)
    assert heading(page(api, row)) == "0.49996 failed"


def test_what_could_not_measure_is_named(api: Client) -> None:
    profile = profile_of(in_range(name="Tokens"), contains(value="tests"))
    text = page(api, evaluated(profile))
    assert heading(text) == "errored"
    assert lede(text).endswith("1 of 2 scorers passed. Tokens could not measure.")
    assert "No composite" in text
    assert "missing_input" in text


def test_without_a_threshold_nothing_passes_or_fails(api: Client) -> None:
    text = page(api, evaluated(profile_of(passThreshold=None)))
    assert heading(text) == "0.000 not gated"
    assert "reports without a threshold" in lede(text)


# -- the breakdown and its evidence


def test_the_row_that_cost_most_stands_open(api: Client) -> None:
    text = page(api, evaluated(output=GOOD + "TODO"))
    opened = re.findall(r'<details class="breakdown-row" id="scorer-([\w-]+)" data-address open>', text)
    assert opened == ["avoids-todo"]
    assert "adds 0.000 of 0.300" in text
    assert "adds 0.350 of 0.350" in text


def test_found_and_missing_keywords_are_listed_and_marked(api: Client) -> None:
    profile = profile_of({"id": "k", "type": "KeywordContains", "keywords": ["Order", "amount"], "matchMode": "all"})
    text = page(api, evaluated(profile, output="🎉 order 17"))
    assert "🎉 <mark>order</mark> 17" in text
    assert "<dt>Found</dt><dd><code>Order</code></dd>" in text
    assert "<dt>Missing</dt><dd><code>amount</code></dd>" in text


def test_the_place_is_marked_in_the_text_it_was_found_in(api: Client) -> None:
    profile = profile_of(contains(value="parser", target="combined"))
    text = page(api, evaluated(profile, action="Fix the parser", output="done"))
    assert "Fix the <mark>parser</mark>\ndone" in text
    assert "Found in the action and output" in text


def test_a_number_is_drawn_against_its_range(api: Client) -> None:
    profile = profile_of(in_range(path="metadata.price", max=20, falloff=10))
    text = page(api, evaluated(profile, metadata={"price": 24}))
    assert 'aria-label="24, outside the range 0 to 20"' in text
    assert "<code>metadata.price</code>" in text


def test_counts_show_what_cannot_be_seen(api: Client) -> None:
    profile = profile_of({"id": "r", "type": "OccurrenceRatio", "needles": ["\n", "just"], "denominator": 4})
    text = page(api, evaluated(profile, output="just\nso"))
    assert r'<code class="preserve-spaces">\n</code></th><td class="number">1</td>' in text
    assert '<th scope="row">Divided by</th><td class="number">4</td>' in text


def test_both_sides_of_a_comparison(api: Client) -> None:
    profile = profile_of({"id": "e", "type": "ExactMatch", "normalizer": "outer-punct-safe/1"})
    text = page(api, evaluated(profile, output="“Maybe!”", expected={"answer": ["yes", "no"]}))
    assert "Any of these was expected" in text
    assert re.search(r">maybe<", text)


def test_sixty_four_scorers_have_a_row_each(api: Client) -> None:
    profile = profile_of(*(contains(f"s{number}", weight=number % 3) for number in range(64)))
    text = page(api, evaluated(profile))
    assert text.count('class="breakdown-row"') == 64


# -- what was scored


def test_long_texts_are_folded_and_fetched_whole(api: Client) -> None:
    row = evaluated(output="tests " * 15_000 + "THE END", action="short")
    text = page(api, row)
    assert "THE END" not in text
    whole = f"/history/{row.public_id}/text/output"
    assert f'hx-get="{whole}"' in text
    fragment = api.get(whole, headers={"HX-Request": "true"}).text
    assert "THE END" in fragment
    assert "<html" not in fragment
    assert "THE END" in api.get(whole).text
    assert "<html" in api.get(whole).text


def test_only_texts_that_exist_can_be_fetched(api: Client) -> None:
    row = evaluated(object={"a": [1]}, expected="yes")
    assert '"a": [' in html.unescape(api.get(f"/history/{row.public_id}/text/object").text)
    for part in ("observation", "metadata", "breakdown", "public_id"):
        assert api.get(f"/history/{row.public_id}/text/{part}").status_code == 404


def test_metadata_is_shown_apart_from_what_the_server_counted(api: Client) -> None:
    text = page(api, evaluated(metadata={"model": "m-1", "nested": {"a": [1, None]}}))
    given, counted = text.split("Counts the server added")
    assert "m-1" in given
    assert "&quot;a&quot;: [" in given
    assert "outputWordCount" not in given.split("Metadata</h2>")[1]
    assert "outputWordCount" in counted


def test_an_answer_without_text_says_so(api: Client) -> None:
    row = Evaluation.objects.get(pk=evaluated(object={"a": 1}, output="").pk)
    assert "The text is empty." in page(api, row)
    body = EvaluateBody(profileId=profile_of(in_range(path="n")), object={"n": 3})
    text = page(api, evaluation_create(actor=COMMAND_LINE, body=body))
    assert "No text was given." in text
    assert "Object</h3>" in text


def test_hostile_text_stays_text(api: Client) -> None:
    profile = profile_of(
        {"id": "k", "name": HOSTILE, "type": "KeywordContains", "keywords": [HOSTILE, "b"], "matchMode": "all"},
        name=HOSTILE,
    )
    row = evaluated(
        profile,
        output=HOSTILE,
        action=HOSTILE,
        agent=HOSTILE,
        taskId=HOSTILE,
        metadata={HOSTILE: {HOSTILE: HOSTILE}},
        expected=HOSTILE,
    )
    text = page(api, row, f"?agent={HOSTILE}")
    assert "<script>alert" not in text
    assert "<img src=x" not in text
    assert text.count("&lt;script&gt;alert(1)") > 8


def test_an_evaluation_of_a_deleted_profile_is_still_readable(api: Client) -> None:
    profile = profile_of()
    row = evaluated(profile)
    profile_delete(actor=COMMAND_LINE, profile_id=profile)
    text = page(api, row)
    assert "(deleted)" in lede(text)


def test_there_is_none_with_this_id(api: Client) -> None:
    answer = api.get("/history/eval_nothing")
    assert answer.status_code == 404
    assert "There is no evaluation with this id." in answer.text
    assert "GET /api" not in answer.text


# -- around it


def test_newer_and_older_stay_within_the_filter(api: Client) -> None:
    rows = [evaluated(agent=agent) for agent in ("a", "b", "a", "b", "a")]
    text = page(api, rows[2])
    assert f'rel="prev" href="/history/{rows[3].public_id}"' in text
    assert f'rel="next" href="/history/{rows[1].public_id}"' in text
    text = page(api, rows[2], "?agent=a")
    assert f'rel="prev" href="/history/{rows[4].public_id}?agent=a"' in text
    assert f'rel="next" href="/history/{rows[0].public_id}?agent=a"' in text
    assert 'href="/history?agent=a">History' in text
    assert 'rel="prev"' not in page(api, rows[4])
    assert 'rel="next"' not in page(api, rows[0])


def test_neighbours_of_the_same_moment_are_not_skipped(api: Client) -> None:
    rows = [evaluated() for _ in range(3)]
    Evaluation.objects.update(created_at=rows[0].created_at)
    text = page(api, rows[1])
    assert f'rel="prev" href="/history/{rows[2].public_id}"' in text
    assert f'rel="next" href="/history/{rows[0].public_id}"' in text


def test_a_stray_parameter_does_not_hide_the_evaluation(api: Client) -> None:
    page(api, evaluated(), "?utm=1&minScore=9")


def test_the_command_evaluates_the_same_answer(api: Client) -> None:
    row = evaluated(action="it's", agent="a", metadata={"model": "m"}, expected="yes", output='it\'s "quoted" $HOME\n')
    text = page(api, row)
    command = html.unescape(text.split('id="curl"')[1].split(">", 1)[1].split("</pre>")[0])
    words = shlex.split(command.replace("\\\n", ""))
    assert words[:4] == ["curl", "-X", "POST", "http://testserver/api/scoring/evaluate"]
    assert "Authorization: Bearer $PLUMBLINE_KEY" in words
    body = words[words.index("--data-raw") + 1]
    answer = api.post("/api/scoring/evaluate", body, content_type="application/json")
    assert answer.status_code == 201
    again = Evaluation.objects.get(public_id=answer.json()["id"])
    for name in ("profile_id", "action", "output", "agent", "metadata", "inputs", "score", "breakdown"):
        assert getattr(again, name) == getattr(row, name), name


def test_a_command_that_no_shell_takes_is_not_offered(api: Client) -> None:
    text = page(api, evaluated(output="tests " * 10_000))
    assert 'id="curl"' not in text
    assert "too long for a command line" in text


# -- scoring it again


def rescore(client: Client, row: Evaluation, **fields: str) -> Any:
    return client.post(f"/history/{row.public_id}/rescore", fields)


def test_scoring_again_stores_a_new_one_and_opens_it(api: Client) -> None:
    row = evaluated(agent="a", metadata={"model": "m"}, output=GOOD + "TODO")
    answer = rescore(api, row, profileId="task-efficiency", version="")
    new = Evaluation.objects.exclude(pk=row.pk).get()
    assert answer.status_code == 302
    assert answer["Location"] == f"/history/{new.public_id}"
    assert (new.profile_id, new.agent, new.metadata, new.rescored_from_id) == (
        "task-efficiency",
        "a",
        row.metadata,
        row.pk,
    )
    text = api.get(answer["Location"]).text
    assert "Scored again with Task Efficiency: 0.700 → 1.000." in text
    assert f'href="/history/{row.public_id}"' in text.split("Scored again</h2>")[1]
    unchanged = page(api, row)
    assert heading(unchanged) == "0.700 passed"
    assert f'href="/history/{new.public_id}"' in unchanged.split("Scored again</h2>")[1]


def test_an_older_version_can_be_chosen(api: Client) -> None:
    profile = profile_of(contains(value="tests"))
    profile_update(actor=COMMAND_LINE, profile_id=profile, body={"scorers": [contains(value="nowhere")]})
    row = evaluated(profile)
    assert row.score == 0
    rescore(api, row, profileId=profile, version="1")
    assert Evaluation.objects.exclude(pk=row.pk).get().score == 1


@pytest.mark.parametrize(
    ("fields", "field", "words"),
    [
        ({"profileId": ""}, "profile", "Choose a profile."),
        ({"profileId": "nowhere"}, "profile", "There is no profile with this id."),
        ({"profileId": "code-quality", "version": "2"}, "version", "There is no version 2 of this profile."),
        ({"profileId": "code-quality", "version": "two"}, "version", "Must be a whole number from 1"),
        ({"profileId": "code-quality", "version": "0"}, "version", "Must be a whole number from 1"),
    ],
)
def test_what_cannot_be_chosen_is_told_at_its_field(
    api: Client, fields: dict[str, str], field: str, words: str
) -> None:
    row = evaluated()
    answer = rescore(api, row, **fields)
    assert answer.status_code == 422
    assert words in answer.text.split(f'id="rescore-{field}-error"')[1][:400]
    assert Evaluation.objects.count() == 1


def test_a_profile_that_is_never_run_is_refused_in_words(api: Client) -> None:
    profile = profile_of()
    version = ProfileVersion.objects.get(profile_id=profile)
    ProfileVersion.objects.filter(pk=version.pk).update(
        document={**version.document, "scorers": [{"id": "c", "type": "CustomExpression", "expression": "1"}]}
    )
    forget_loaded()
    answer = rescore(api, evaluated(), profileId=profile)
    assert answer.status_code == 422
    assert "CustomExpression" in answer.text
    assert Evaluation.objects.count() == 1


def test_viewers_neither_see_the_form_nor_may_send_it(viewer: User, reviewer: User, client_for: ClientFor) -> None:
    row = evaluated()
    form = f'action="/history/{row.public_id}/rescore"'
    assert form not in page(client_for(viewer), row)
    assert form in page(client_for(reviewer), row)
    assert rescore(client_for(viewer), row, profileId="code-quality").status_code == 403
    assert rescore(Client(), row, profileId="code-quality").status_code == 302
    assert Evaluation.objects.count() == 1
    assert rescore(client_for(reviewer), row, profileId="code-quality").status_code == 302
    assert Evaluation.objects.count() == 2


def test_a_form_from_elsewhere_is_refused(owner: User, client_for: ClientFor) -> None:
    row = evaluated()
    assert rescore(client_for(owner, enforce_csrf_checks=True), row, profileId="code-quality").status_code == 403


def test_few_queries_whatever_stands_around_it(api: Client) -> None:
    row = evaluated(agent="a")
    for number in range(8):
        other = evaluated(agent="a")
        Evaluation.objects.filter(pk=other.pk).update(
            rescored_from=row, created_at=row.created_at + timedelta(seconds=number)
        )
    with CaptureQueriesContext(connection) as captured:
        page(api, row, "?agent=a")
    # Session and user, the evaluation, its profile's version, two neighbours, its new scores, the profiles to choose.
    assert len(captured) == 8


def test_the_json_link_is_the_api(api: Client) -> None:
    row = evaluated()
    address = f"/api/scoring/history/{row.public_id}"
    assert f'href="{address}"' in page(api, row)
    assert json.loads(api.get(address).content)["id"] == row.public_id
