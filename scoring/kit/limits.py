"""Measurements with a limit: a value that scores 1 up to a maximum and falls to 0 beyond it."""

from scoring.kit.numbers import plain


def limited(value: float, maximum: float | None, zero_at: float | None) -> float | None:
    """The score of a lower-is-better `value`; None without a maximum, for then it is only measured.

    1 at or under `maximum`, a straight line down to 0 at `zero_at`; without that, 0 just above.
    """
    if maximum is None:
        return None
    if value <= maximum:
        return 1.0
    if zero_at is None or value >= zero_at:
        return 0.0
    return (zero_at - value) / (zero_at - maximum)


def limit_words(value: float, maximum: float | None, zero_at: float | None, unit: str = "") -> str:
    """The end of the sentence: `, within the limit of 20 ms`, `, over the limit of 20 ms (0 from 30 ms)`."""
    if maximum is None:
        return ""
    if value <= maximum:
        return f", within the limit of {plain(maximum)}{unit}"
    side = "just over" if plain(value) == plain(maximum) else "over"
    falls = "" if zero_at is None else f" (0 from {plain(zero_at)}{unit})"
    return f", {side} the limit of {plain(maximum)}{unit}{falls}"
