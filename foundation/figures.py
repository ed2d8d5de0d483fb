"""Numbers and times as people read them: exact enough never to contradict the verdict beside them."""

import math
from datetime import UTC, datetime

MINUS = "\u2212"
NO_BREAK = "\u00a0"
ABSENT = "\u2013"
_MOST_DIGITS = 17
_DIGITS_AT_THE_ENDS = 6
_MINUTE = 60
_HOUR = 60 * _MINUTE
_DAY = 24 * _HOUR
_DAYS_IN_WORDS = 14


def score_text(score: float | None, threshold: float | None = None, digits: int = 3) -> str:
    """A score in [0, 1] to three decimals: `0.955`; a dash for None.

    Rounding never moves it across `threshold`: 0.49996 against .5 gives `0.49996`, not `0.500`.
    Nor does it make a perfect or a worthless score of one that is not: 0.9996 gives `0.9996`.
    """
    if score is None:
        return ABSENT
    if threshold is not None:
        return _unambiguous(score, threshold, digits)
    for end in (0.0, 1.0):
        if score != end and float(f"{score:.{digits}f}") == end:
            return _fewest_digits(score, end, digits, _DIGITS_AT_THE_ENDS)
    return f"{score:.{digits}f}"


def _unambiguous(score: float, threshold: float, digits: int) -> str:
    for places in range(digits, _MOST_DIGITS + 1):
        text = f"{score:.{places}f}"
        ends_kept = places > _DIGITS_AT_THE_ENDS or (float(text) not in {0.0, 1.0} or float(text) == score)
        if (float(text) >= threshold) == (score >= threshold) and ends_kept:
            return text
    return repr(score)


def _fewest_digits(score: float, end: float, digits: int, most: int) -> str:
    for places in range(digits, most + 1):
        text = f"{score:.{places}f}"
        if float(text) != end:
            return text
    return f"{score:.{digits}f}"


def percent_text(share: float | None, digits: int = 1) -> str:
    """A share in [0, 1] as `82.0 %` (no-break space); a dash for None.

    `100.0 %` and `0.0 %` are printed for exactly 1 and 0 alone; 2,999 of 3,000 is `99.97 %`.
    """
    if share is None:
        return ABSENT
    for places in range(digits, _DIGITS_AT_THE_ENDS + 1):
        text = f"{100 * share:.{places}f}"
        if float(text) not in {0.0, 100.0} or share in {0.0, 1.0}:
            return f"{text}{NO_BREAK}%"
    return f"{100 * share:.{digits}f}{NO_BREAK}%"


def signed_text(value: float | None, digits: int = 1) -> str:
    """`+4.0`, `−4.0` (a real minus sign) or `0.0`; a dash for None. A change of −0.04 is `0.0`."""
    if value is None:
        return ABSENT
    text = f"{abs(value):.{digits}f}"
    if float(text) == 0:
        return text
    return f"{MINUS if value < 0 else '+'}{text}"


def probability_text(p: float | None) -> str:
    """A p value as `p .012`, `p .61` or `p < .001`; the empty string for None."""
    if p is None:
        return ""
    if p < 0.001:
        return f"p{NO_BREAK}<{NO_BREAK}.001"
    digits = 2 if p >= 0.1 else 3
    text = f"{p:.{digits}f}"
    return f"p{NO_BREAK}{text.removeprefix('0')}"


def number_text(value: float | None, digits: int = 3) -> str:
    """Any number at most `digits` decimals long, thousands grouped: `1,242.5`, `12`, `−3`."""
    if value is None:
        return ABSENT
    if isinstance(value, int) or (math.isfinite(value) and value == int(value) and abs(value) < 1e15):
        text = f"{abs(int(value)):,}"
    elif not math.isfinite(value):
        return str(value)
    elif value != 0 and not 1e-3 <= abs(value) < 1e15:
        text = f"{abs(value):.{digits}g}"
    else:
        text = f"{abs(value):,.{digits}f}".rstrip("0").rstrip(".")
    return f"{MINUS}{text}" if value < 0 else text


def count_text(count: int | None, cap: int | None = None) -> str:
    """A count with its thousands grouped: `12,345`; above `cap`, when given, `10,000+`."""
    if count is None:
        return ABSENT
    if cap is not None and count > cap:
        return f"{cap:,}+"
    return f"{count:,}"


def ago_text(moment: datetime, now: datetime) -> str:
    """How long ago an aware `moment` was: `just now`, `5 min ago`, `3 h ago`, `2 days ago`, `21 Mar 2026`.

    Moments to come read `in 5 min`, and from two weeks on either side the date in UTC.
    """
    seconds = (now - moment).total_seconds()
    span = abs(seconds)
    if span < _MINUTE:
        return "just now" if seconds >= 0 else "in a moment"
    if span < _HOUR:
        text = f"{int(span // _MINUTE)}{NO_BREAK}min"
    elif span < _DAY:
        text = f"{int(span // _HOUR)}{NO_BREAK}h"
    elif span < _DAYS_IN_WORDS * _DAY:
        days = int(span // _DAY)
        text = f"{days}{NO_BREAK}{'day' if days == 1 else 'days'}"
    else:
        return date_text(moment)
    return f"{text} ago" if seconds > 0 else f"in {text}"


def date_text(moment: datetime) -> str:
    """`21 Mar 2026`, the date in UTC."""
    there = moment.astimezone(UTC)
    return f"{there.day}{NO_BREAK}{there:%b}{NO_BREAK}{there.year}"


def moment_text(moment: datetime) -> str:
    """`21 Mar 2026 14:00:05 UTC`."""
    return f"{date_text(moment)} {moment.astimezone(UTC):%H:%M:%S} UTC"


def duration_text(seconds: float | None) -> str:
    """A length of time as `320 ms`, `4.2 s`, `3 min 20 s` or `2 h 5 min`; a dash for None."""
    if seconds is None:
        return ABSENT
    if seconds < 1 and round(seconds * 1000) < 1000:
        return f"{seconds * 1000:.0f}{NO_BREAK}ms"
    if round(seconds, 1) < _MINUTE:
        return f"{seconds:.1f}{NO_BREAK}s"
    minutes, rest = divmod(round(seconds), _MINUTE)
    if minutes < _MINUTE:
        return f"{minutes}{NO_BREAK}min {rest}{NO_BREAK}s"
    return f"{minutes // _MINUTE}{NO_BREAK}h {minutes % _MINUTE}{NO_BREAK}min"
