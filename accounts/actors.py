"""Who acts: the one answer that pages, the API and tasks get from every way of signing in."""

from dataclasses import dataclass
from enum import StrEnum
from typing import Literal


class Role(StrEnum):
    """What a person may do. Ordered: each role may do all that the one before it may.

    Comparisons follow the order of definition, not the alphabet: `role >= Role.EDITOR`.
    """

    VIEWER = "viewer"
    REVIEWER = "reviewer"
    EDITOR = "editor"
    OWNER = "owner"

    @property
    def rank(self) -> int:
        """0 for a viewer to 3 for an owner."""
        return list(Role).index(self)

    def __lt__(self, other: str) -> bool:
        return self.rank < Role(other).rank

    def __le__(self, other: str) -> bool:
        return self.rank <= Role(other).rank

    def __gt__(self, other: str) -> bool:
        return self.rank > Role(other).rank

    def __ge__(self, other: str) -> bool:
        return self.rank >= Role(other).rank

    @classmethod
    def choices(cls) -> list[tuple[str, str]]:
        """Value and label of each, for forms and fields."""
        return [(role.value, role.value.capitalize()) for role in cls]

    @classmethod
    def up_to(cls, highest: "Role") -> list["Role"]:
        """The roles that a person with `highest` may hand out."""
        return [role for role in cls if role <= highest]


# How the actor proved who they are. "command" is the command line of the server itself.
Via = Literal["session", "key", "token", "local", "command"]


@dataclass(frozen=True, slots=True)
class Actor:
    """One person (or the command line) for the length of one request.

    `user_id` is the database key, None for the command line. `role` is the role in force in the
    installation: an API key's own when it is lower than its person's. `address` is the network address the request
    came from, empty when there is none.
    """

    user_id: int | None
    public_id: str
    name: str
    role: Role
    via: Via
    address: str = ""
    owns_installation: bool = False
    """Whether the person is an owner of the installation, and so of every project, whatever the key's role."""
    project_id: int | None = None
    """The database key of the one project that an API key is for; None when it is for everything."""

    def may(self, least_role: Role) -> bool:
        """Whether the role in force is `least_role` or higher. Use `permissions.require` to refuse."""
        return self.project_id is None and self.role >= least_role


COMMAND_LINE = Actor(
    user_id=None, public_id="", name="command line", role=Role.OWNER, via="command", owns_installation=True
)
