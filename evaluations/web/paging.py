"""One page of a list, by an offset in the address: which rows, and the links around them."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from django.http import QueryDict

from foundation.figures import count_text

_MOST = 1_000_000


@dataclass(frozen=True, slots=True)
class PageLinks:
    """What components/pagination.html needs: two addresses, empty at the ends, and which rows are shown."""

    before: str
    after: str
    words: str
    total: int


class Paging:
    """The page that an address asks for; an offset that is no number is the first page."""

    def __init__(self, parameters: QueryDict, length: int) -> None:
        raw = parameters.get("offset", "")
        usable = raw.isascii() and raw.isdigit() and len(raw) < 10
        self.offset = min(int(raw), _MOST) if usable else 0
        self.length = length
        self._parameters = parameters

    def counted(self, shown: int, count: Callable[[], int], noun: str = "") -> PageLinks:
        """The links when `shown` rows are on the page; `count` is asked only when they do not tell the total."""
        total = self.offset + shown if 0 < shown < self.length else count()
        first = min(self.offset + 1, total)
        many = f"{count_text(first)} to {count_text(self.offset + shown)} of {count_text(total)}"
        words = f"{many} {noun}".strip() if shown and total > shown else f"{count_text(total)} {noun}".strip()
        return PageLinks(
            before=self._address(max(0, self.offset - self.length)) if self.offset else "",
            after=self._address(self.offset + self.length) if self.offset + shown < total and shown else "",
            words=words if noun or total > shown else "",
            total=total,
        )

    def _address(self, offset: int) -> str:
        query = self._parameters.copy()
        query.pop("offset", None)
        if offset:
            query["offset"] = str(offset)
        return f"?{query.urlencode()}"


def page_from(rows: Any, paging: Paging) -> list[Any]:
    """The rows of a queryset that the page shows."""
    return list(rows[paging.offset : paging.offset + paging.length])
