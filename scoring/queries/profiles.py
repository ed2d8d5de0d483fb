"""Reads of profiles and their versions."""

from collections import OrderedDict
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from threading import Lock
from typing import Any

from django.db.models import Avg, Count, F, Q, QuerySet

from foundation import times
from foundation.errors import NotFound
from foundation.text import unstorable_reason
from scoring.differences import Difference, differences
from scoring.models import Evaluation, Profile, ProfileVersion, sort_key
from scoring.profile_documents import Profile as ProfileDocument
from scoring.profile_documents import load_profile

USED_DAYS = 30


@dataclass(frozen=True, slots=True)
class ProfileAt:
    """A profile's row together with one version's content."""

    row: Profile
    version: ProfileVersion
    content: ProfileDocument

    @property
    def is_newest(self) -> bool:
        """Whether this is the version that new evaluations use."""
        return self.version.number == self.row.version


def profile_row(profile_id: str, *, locked: bool = False) -> Profile:
    """The row of a profile that is not deleted; NotFound otherwise.

    With `locked` it is held until the transaction ends (SQLite's transactions hold everything).
    """
    rows = Profile.objects.select_for_update() if locked else Profile.objects.all()
    row = rows.filter(pk=profile_id, deleted_at=None).first() if _may_exist(profile_id) else None
    if row is None:
        raise NotFound("There is no profile with this id.", hint="GET /api/scoring/profiles lists them.")
    return row


def _may_exist(profile_id: str) -> bool:
    """Whether a database can be asked for it: an address may hold what no text column takes."""
    return len(profile_id) <= 64 and unstorable_reason(profile_id) is None


def profile_at(profile_id: str, number: int | None = None, *, deleted: bool = False) -> ProfileAt:
    """A profile with its newest version, or version `number`; NotFound when there is none.

    With `deleted` also one that has been deleted, whose evaluations can still be read.
    """
    alive = {} if deleted else {"profile__deleted_at": None}
    versions = ProfileVersion.objects.select_related("profile").filter(profile_id=profile_id, **alive)
    if not _may_exist(profile_id):
        raise NotFound("There is no profile with this id.", hint="GET /api/scoring/profiles lists them.")
    if number is None:
        version = versions.order_by("-number").first()
    else:
        version = versions.filter(number=number).first() if 0 < number < 2**31 else None
    if version is None:
        what = "profile with this id" if number is None else f"version {number} of this profile"
        raise NotFound(f"There is no {what}.", hint="GET /api/scoring/profiles lists the profiles.")
    return ProfileAt(version.profile, version, _loaded(version))


class _Loaded:
    """The profiles built from stored versions. A version never changes, so neither does its profile."""

    def __init__(self, size: int) -> None:
        self._size = size
        self._held: OrderedDict[tuple[object, ...], ProfileDocument] = OrderedDict()
        self._lock = Lock()

    def get(self, version: ProfileVersion) -> ProfileDocument:
        # The number alone could be given twice: SQLite gives that of a version rolled back to the next.
        key = (version.pk, version.profile_id, version.number, version.created_at)
        with self._lock:
            if key in self._held:
                self._held.move_to_end(key)
                return self._held[key]
        content = load_profile(version.document)
        with self._lock:
            self._held[key] = content
            while len(self._held) > self._size:
                self._held.popitem(last=False)
        return content

    def clear(self) -> None:
        with self._lock:
            self._held.clear()


_held = _Loaded(256)


def _loaded(version: ProfileVersion) -> ProfileDocument:
    return _held.get(version)


def forget_loaded() -> None:
    """For tests, whose databases give the same keys to other versions."""
    _held.clear()


def profiles_listed(search: str = "") -> list[ProfileAt]:
    """Every profile with its newest version: built-ins first, then by name in any script's case."""
    rows = Profile.objects.filter(deleted_at=None)
    if search:
        rows = rows.filter(Q(name_key__contains=sort_key(search)) | Q(pk=search))
    return [ProfileAt(row, version, _loaded(version)) for row, version in _with_newest(rows)]


def _with_newest(rows: QuerySet[Profile]) -> list[tuple[Profile, ProfileVersion]]:
    versions = ProfileVersion.objects.select_related("profile").filter(profile__in=rows, number=F("profile__version"))
    # Sorted here, by code point: a database sorts by a collation of its own.
    pairs = [(version.profile, version) for version in versions]
    return sorted(pairs, key=lambda pair: (not pair[0].built_in, pair[0].name_key, pair[0].pk))


@dataclass(frozen=True, slots=True)
class Use:
    """How a profile was used in the last 30 days: evaluations, scored ones, errored ones, their mean."""

    evaluations: int
    scored: int
    errored: int
    mean: float | None


def profile_uses(now: datetime | None = None) -> Mapping[str, Use]:
    """The use of each profile that has any, by its id."""
    since = (now or times.now()) - timedelta(days=USED_DAYS)
    rows = (
        Evaluation.objects.filter(created_at__gte=since)
        .values("profile_id")
        .annotate(
            count=Count("id"), scored=Count("score"), mean=Avg("score"), errored=Count("id", filter=Q(status="errored"))
        )
        .order_by("profile_id")
    )
    return {row["profile_id"]: Use(row["count"], row["scored"], row["errored"], row["mean"]) for row in rows}


@dataclass(frozen=True, slots=True)
class VersionListed:
    """A version and what it changed against the one before; nothing for the first."""

    version: ProfileVersion
    changes: list[Difference]


def versions_listed(profile_id: str) -> list[VersionListed]:
    """The versions of a profile, newest first."""
    profile_row(profile_id)
    versions = list(ProfileVersion.objects.filter(profile_id=profile_id).order_by("-number"))
    older: list[Mapping[str, Any] | None] = [*(version.document for version in versions[1:]), None]
    return [
        VersionListed(version, [] if before is None else differences(before, version.document))
        for version, before in zip(versions, older, strict=True)
    ]


def versions_page(profile_id: str, *, before: int | None = None, limit: int) -> list[VersionListed]:
    """At most `limit` versions of a profile, newest first, those below version `before` when it is given."""
    versions = ProfileVersion.objects.filter(profile_id=profile_id).order_by("-number")
    if before is not None:
        versions = versions.filter(number__lt=before)
    taken = list(versions[: limit + 1])
    older: list[Mapping[str, Any] | None] = [*(version.document for version in taken[1:]), None]
    listed = [
        VersionListed(version, [] if past is None else differences(past, version.document))
        for version, past in zip(taken, older, strict=True)
    ]
    return listed[:limit]
