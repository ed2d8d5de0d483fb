"""Who may what. Pages, the API and tasks all ask here."""

from django.http import HttpRequest

from accounts.actors import Actor, Role
from foundation.errors import Forbidden, Unauthorized


def actor_of(request: HttpRequest) -> Actor | None:
    """Who sent this request, or None. Takes a DRF request too."""
    actor: Actor | None = getattr(request, "actor", None)
    return actor


def require(actor: Actor | None, least_role: Role) -> Actor:
    """The actor, who has `least_role` or a higher one.

    Raises Unauthorized when there is nobody, Forbidden (naming both roles) when the role is lower.
    """
    if actor is None:
        raise Unauthorized
    if actor.may(least_role):
        return actor
    holder = "This API key has" if actor.via == "key" else "You have"
    raise Forbidden(
        f"This needs the role {least_role}. {holder} the role {actor.role}.",
        hint="Ask an owner for a higher role." if actor.via != "key" else "Use a key with a higher role.",
        meta={"neededRole": least_role.value, "role": actor.role.value},
    )
