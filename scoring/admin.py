"""What Django's admin site shows of scoring, to owners: everything to read, and custom profiles to delete.

Deleting goes through the same service as everywhere else, so that the built-in profiles' one guard
holds here too. Changes go through the pages, which make versions.
"""

from typing import TYPE_CHECKING, Any

from django.contrib import admin, messages
from django.core.paginator import Paginator
from django.db import transaction
from django.db.models import QuerySet
from django.http import HttpRequest
from django.http.response import HttpResponseBase
from django.shortcuts import redirect

from accounts.admin import ReadOnlyAdmin
from accounts.permissions import actor_of
from foundation import exact_json
from foundation.errors import Problem
from scoring.models import Evaluation, Profile
from scoring.queries.history import COUNT_CAP
from scoring.services.profiles import profile_delete

if TYPE_CHECKING:
    Pages = Paginator[Evaluation]
else:
    # Subscripting exists in the stubs only.
    Pages = Paginator


@admin.register(Profile)
class ProfileAdmin(ReadOnlyAdmin):
    """Profiles that are not deleted. Custom ones can be; evaluations made with them stay."""

    list_display = ("name", "id", "built_in", "version", "updated_at")
    fields = ("id", "name", "built_in", "version", "created_at", "updated_at", "document")
    readonly_fields = ("document",)
    search_fields = ("name_key",)
    ordering = ("-built_in", "name_key", "id")

    def has_delete_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        """Owners, as the admin site as a whole; what is built in is the service's to refuse."""
        return self.has_view_permission(request, obj)

    def get_queryset(self, request: HttpRequest) -> QuerySet[Profile]:
        """Those that the pages show."""
        rows: QuerySet[Profile] = super().get_queryset(request)
        return rows.filter(deleted_at=None)

    @admin.display(description="newest version")
    def document(self, profile: Profile) -> str:
        """Its content as JSON."""
        version = profile.versions.filter(number=profile.version).first()
        return exact_json.dumps(version.document if version else None, indent=2)

    def get_deleted_objects(
        self, objs: Any, request: HttpRequest
    ) -> tuple[list[Any], dict[str, int], set[str], list[str]]:
        """What the question before a deletion lists: the profiles alone, for that is all that goes."""
        return [str(profile) for profile in objs], {"profiles": len(objs)}, set(), []

    def delete_model(self, request: HttpRequest, obj: Profile) -> None:
        """Delete one, by the service."""
        profile_delete(actor=actor_of(request), profile_id=obj.pk)

    def delete_queryset(self, request: HttpRequest, queryset: QuerySet[Profile]) -> None:
        """Delete all that were chosen, or none of them when one may not be."""
        with transaction.atomic():
            for profile in queryset:
                self.delete_model(request, profile)

    def change_view(
        self, request: HttpRequest, object_id: str, form_url: str = "", extra_context: dict[str, Any] | None = None
    ) -> Any:
        """The profile; a built-in one without the button."""
        built_in = Profile.objects.filter(pk=object_id, built_in=True).exists()
        return super().change_view(request, object_id, form_url, {**(extra_context or {}), "show_delete": not built_in})

    def delete_view(self, request: HttpRequest, object_id: str, extra_context: dict[str, Any] | None = None) -> Any:
        """The question and the deletion, or the list with the refusal."""
        return self._or_refusal(
            request, lambda: super(ProfileAdmin, self).delete_view(request, object_id, extra_context)
        )

    def changelist_view(self, request: HttpRequest, extra_context: dict[str, Any] | None = None) -> Any:
        """The list and its actions, or the list with the refusal."""
        return self._or_refusal(request, lambda: super(ProfileAdmin, self).changelist_view(request, extra_context))

    def _or_refusal(self, request: HttpRequest, view: Any) -> HttpResponseBase:
        try:
            answer: HttpResponseBase = view()
        except Problem as problem:
            self.message_user(request, f"{problem.message} {problem.hint}", messages.ERROR)
            return redirect("admin:scoring_profile_changelist")
        return answer


class CappedPaginator(Pages):
    """Counts no further than the history page does, so that a million rows cost what ten thousand do."""

    @property
    def count(self) -> int:
        """How many there are, at most COUNT_CAP."""
        rows: Any = self.object_list
        return int(rows.order_by()[:COUNT_CAP].count())


@admin.register(Evaluation)
class EvaluationAdmin(ReadOnlyAdmin):
    """Evaluations, newest first."""

    list_display = ("public_id", "created_at", "profile_name", "profile_version", "agent", "status", "score", "passed")
    fields = (
        *list_display,
        "composite_method",
        "pass_threshold",
        "task_id",
        "action",
        "output",
        "breakdown",
        "metadata",
        "inputs",
        "created_by_name",
    )
    ordering = ("-created_at", "-id")
    sortable_by = ()
    search_fields = ("=public_id",)
    search_help_text = "The whole id of an evaluation. The history page searches texts."
    list_per_page = 50
    show_full_result_count = False
    paginator = CappedPaginator

    def get_queryset(self, request: HttpRequest) -> QuerySet[Evaluation]:
        """All of them; the list without the long columns that it does not show."""
        rows: QuerySet[Evaluation] = super().get_queryset(request)
        listed = (
            request.resolver_match is not None and request.resolver_match.url_name == "scoring_evaluation_changelist"
        )
        return rows.defer("breakdown", "action", "output", "metadata", "inputs", "search_text") if listed else rows
