"""The addresses of the pages of profiles."""

from django.urls import path

from scoring.web import lint, profile_editor, profiles, try_it, versions

urlpatterns = [
    path("profiles", profiles.profile_list, name="profile-list"),
    path("profiles/new", profile_editor.profile_new, name="profile-new"),
    path("profiles/new/lint", lint.new_profile_lint, name="profile-new-lint"),
    path("profiles/import", profiles.import_page, name="profile-import"),
    path("profiles/<str:profile_id>", profile_editor.profile, name="profile"),
    path("profiles/<str:profile_id>/versions", versions.version_list, name="profile-versions"),
    path("profiles/<str:profile_id>/versions/<int:number>", versions.version, name="profile-version"),
    path("profiles/<str:profile_id>/versions/<int:number>/restore", versions.restore, name="profile-restore"),
    path("profiles/<str:profile_id>/difference", versions.difference, name="profile-difference"),
    path("profiles/<str:profile_id>/lint", lint.profile_lint, name="profile-lint"),
    path("profiles/<str:profile_id>/try", try_it.try_it, name="profile-try"),
    path("profiles/<str:profile_id>/duplicate", profiles.duplicate, name="profile-duplicate"),
    path("profiles/<str:profile_id>/delete", profiles.delete, name="profile-delete"),
    path("profiles/<str:profile_id>/export.json", profiles.export, name="profile-export"),
]
