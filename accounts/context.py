"""What every page's frame needs to know about the person who looks at it."""

from typing import Any

from django.conf import settings
from django.http import HttpRequest

from accounts.actors import Role
from accounts.permissions import actor_of


def chrome(request: HttpRequest) -> dict[str, Any]:
    """`actor` (or None), `local_mode`, and what the actor may: `may_review`, `may_edit`, `may_own`. No query."""
    actor = actor_of(request)
    return {
        "actor": actor,
        "local_mode": settings.PLUMBLINE_MODE == "local",
        "may_review": actor is not None and actor.may(Role.REVIEWER),
        "may_edit": actor is not None and actor.may(Role.EDITOR),
        "may_own": actor is not None and actor.may(Role.OWNER),
    }
