"""Numbers as people read them never contradict what stands beside them."""

from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from foundation import figures

NOW = datetime(2026, 3, 21, 14, 0, tzinfo=UTC)
unit = st.floats(0, 1)


@pytest.mark.parametrize(
    ("score", "threshold", "text"),
    [
        (0.955, None, "0.955"),
        (0.955, 0.5, "0.955"),
        (0.49996, 0.5, "0.49996"),
        (0.4999, 0.5, "0.4999"),
        (0.5, 0.5, "0.500"),
        (0.50004, 0.5, "0.500"),
        (0.9996, None, "0.9996"),
        (0.9996, 1.0, "0.9996"),
        (1.0, 1.0, "1.000"),
        (0.0, 0.5, "0.000"),
        (0.0004, None, "0.0004"),
        (0.9999999999999999, 1.0, "0.9999999999999999"),
        (0.85, 0.850001, "0.850"),
        (None, 0.5, "–"),
    ],
)
def test_a_score_is_as_long_as_its_verdict_needs(score: float | None, threshold: float | None, text: str) -> None:
    assert figures.score_text(score, threshold) == text


@given(unit, unit)
def test_the_printed_score_and_the_threshold_agree_with_the_verdict(score: float, threshold: float) -> None:
    printed = float(figures.score_text(score, threshold))
    assert (printed >= threshold) == (score >= threshold)


@given(unit, unit)
def test_three_decimals_unless_they_would_lie(score: float, threshold: float) -> None:
    rounded = f"{score:.3f}"
    honest = (float(rounded) >= threshold) == (score >= threshold) and (
        float(rounded) not in {0.0, 1.0} or float(rounded) == score
    )
    if honest:
        assert figures.score_text(score, threshold) == rounded


@pytest.mark.parametrize(
    ("share", "text"),
    [
        (0.82, "82.0 %"),
        (1.0, "100.0 %"),
        (0.0, "0.0 %"),
        (2999 / 3000, "99.97 %"),
        (0.99999999999, "100.0 %"),
        (1 / 9000, "0.01 %"),
        (None, "–"),
    ],
)
def test_percent(share: float | None, text: str) -> None:
    assert figures.percent_text(share).replace("\u00a0", " ") == text


@pytest.mark.parametrize(
    ("value", "text"), [(4.0, "+4.0"), (-14.04, "−14.0"), (-0.04, "0.0"), (0.0, "0.0"), (None, "–")]
)
def test_signed(value: float | None, text: str) -> None:
    assert figures.signed_text(value) == text


@pytest.mark.parametrize(
    ("p", "text"),
    [(0.012, "p .012"), (0.61, "p .61"), (0.0001, "p < .001"), (0.001, "p .001"), (1.0, "p 1.00"), (None, "")],
)
def test_probability(p: float | None, text: str) -> None:
    assert figures.probability_text(p).replace("\u00a0", " ") == text


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (1242.5, "1,242.5"),
        (12, "12"),
        (-3.0, "−3"),
        (0.00012, "0.00012"),
        (1234567, "1,234,567"),
        (float("inf"), "inf"),
        (0.1 + 0.2, "0.3"),
        (None, "–"),
        (True, "1"),
    ],
)
def test_number(value: float | None, text: str) -> None:
    assert figures.number_text(value) == text


@pytest.mark.parametrize(
    ("count", "cap", "text"),
    [(12345, None, "12,345"), (10001, 10000, "10,000+"), (10000, 10000, "10,000"), (0, None, "0"), (None, None, "–")],
)
def test_count(count: int | None, cap: int | None, text: str) -> None:
    assert figures.count_text(count, cap) == text


@pytest.mark.parametrize(
    ("before", "text"),
    [
        (timedelta(seconds=5), "just now"),
        (timedelta(minutes=5, seconds=59), "5 min ago"),
        (timedelta(hours=3), "3 h ago"),
        (timedelta(days=1), "1 day ago"),
        (timedelta(days=13), "13 days ago"),
        (timedelta(days=14), "7 Mar 2026"),
        (-timedelta(minutes=5), "in 5 min"),
        (-timedelta(seconds=1), "in a moment"),
    ],
)
def test_ago(before: timedelta, text: str) -> None:
    assert figures.ago_text(NOW - before, NOW).replace("\u00a0", " ") == text


@pytest.mark.parametrize(
    ("seconds", "text"),
    [
        (0.32, "320 ms"),
        (4.2, "4.2 s"),
        (59.96, "1 min 0 s"),
        (0.9996, "1.0 s"),
        (200, "3 min 20 s"),
        (7500, "2 h 5 min"),
        (None, "–"),
    ],
)
def test_duration(seconds: float | None, text: str) -> None:
    assert figures.duration_text(seconds).replace("\u00a0", " ") == text


def test_a_moment_is_told_in_utc() -> None:
    assert figures.moment_text(NOW).replace("\u00a0", " ") == "21 Mar 2026 14:00:00 UTC"
