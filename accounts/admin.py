"""What Django's admin site shows about people: everything to read, nothing to change.

Changes go through the pages, which keep the last owner and the audit log.
"""

from typing import TYPE_CHECKING, Any

from django.contrib import admin
from django.http import HttpRequest

from accounts.models import ApiKey, AuditEntry, User

if TYPE_CHECKING:
    Base = admin.ModelAdmin[Any]
else:
    # Subscripting exists in the stubs only.
    Base = admin.ModelAdmin


class ReadOnlyAdmin(Base):
    """Lists and shows."""

    def has_add_permission(self, request: HttpRequest) -> bool:
        """No."""
        return False

    def has_change_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        """No."""
        return False

    def has_delete_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        """No."""
        return False


@admin.register(User)
class UserAdmin(ReadOnlyAdmin):
    """People, without their password hashes."""

    list_display = ("username", "name", "role", "is_active", "last_login")
    list_filter = ("role", "is_active")
    fields = ("public_id", "username", "name", "role", "is_active", "created_at", "updated_at", "last_login")


@admin.register(ApiKey)
class ApiKeyAdmin(ReadOnlyAdmin):
    """API keys, without their digests."""

    list_display = ("name", "shown_prefix", "user", "role", "created_at", "expires_at", "last_used_at", "revoked_at")
    list_select_related = ("user",)
    fields = ("public_id", *list_display)


@admin.register(AuditEntry)
class AuditEntryAdmin(ReadOnlyAdmin):
    """The audit log."""

    list_display = ("created_at", "actor_name", "via", "address", "action", "object_kind", "object_id", "object_name")
    show_full_result_count = False
