"""The JSON documents of the addresses about people."""

from typing import Literal

from pydantic import Field

from accounts.services.keys import NAME_LENGTH
from foundation.http.bodies import Moment, StrictBody

RoleName = Literal["viewer", "reviewer", "editor", "owner"]
RequestVia = Literal["session", "key", "token", "local"]


class LoginBody(StrictBody):
    """What a login needs."""

    username: str = Field(min_length=1, max_length=150)
    password: str = Field(min_length=1, max_length=512)


class PersonAnswer(StrictBody):
    """Who acts. `role` is the role in force; `via` is session, key, token or local."""

    id: str
    username: str
    name: str
    role: RoleName
    via: RequestVia
    created_at: Moment
    updated_at: Moment


class LoginAnswer(StrictBody):
    """The person, and a token that works for seven days as `Authorization: Bearer <token>`."""

    id: str
    username: str
    role: RoleName
    token: str
    created_at: Moment
    updated_at: Moment


class KeyBody(StrictBody):
    """A new API key. `role` left out: editor, or your own when lower. `expires_at` left out: never.

    With `project_id` the key opens that project and nothing else; `role` is then bound by yours there.
    """

    name: str = Field(min_length=1, max_length=NAME_LENGTH)
    project_id: str | None = None
    role: RoleName | None = None
    expires_at: Moment | None = None


class KeyAnswer(StrictBody):
    """An API key without its secret. `role` is the role in force, never above its person's."""

    id: str
    name: str
    project_id: str | None
    role: RoleName
    prefix: str
    created_at: Moment
    expires_at: Moment | None
    last_used_at: Moment | None


class NewKeyAnswer(KeyAnswer):
    """An API key with its secret, which is shown this once."""

    secret: str


class KeyList(StrictBody):
    """A part of the caller's API keys, newest first."""

    data: list[KeyAnswer]
    total: int
    limit: int
    offset: int
