"""Every write about people, as `entity_action(*, keyword_only, typed)`; each leaves an audit entry."""

from accounts.services.audit import audit_record
from accounts.services.housekeeping import housekeeping
from accounts.services.keys import key_create, key_revoke, key_touch
from accounts.services.people import (
    first_owner_create,
    local_owner_ensure,
    user_activate,
    user_create,
    user_deactivate,
    user_password_change,
    user_password_reset,
    user_rename,
    user_role_change,
)
from accounts.services.sessions import credentials_check, session_end, session_start, token_create, token_revoke

__all__ = [
    "audit_record",
    "credentials_check",
    "first_owner_create",
    "housekeeping",
    "key_create",
    "key_revoke",
    "key_touch",
    "local_owner_ensure",
    "session_end",
    "session_start",
    "token_create",
    "token_revoke",
    "user_activate",
    "user_create",
    "user_deactivate",
    "user_password_change",
    "user_password_reset",
    "user_rename",
    "user_role_change",
]
