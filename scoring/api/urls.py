"""The addresses under /api/scoring/."""

from django.urls import path

from scoring.api import evaluations, lint, profiles, scorers

urlpatterns = [
    path("profiles", profiles.Profiles.as_view(), name="api-profiles"),
    path("profiles/<str:profile_id>", profiles.ProfileDetail.as_view(), name="api-profile"),
    path("profiles/<str:profile_id>/versions", profiles.Versions.as_view(), name="api-profile-versions"),
    path("evaluate", evaluations.Evaluate.as_view(), name="api-evaluate"),
    path("evaluate/batch", evaluations.Batch.as_view(), name="api-evaluate-batch"),
    path("preview", evaluations.PreviewView.as_view(), name="api-preview"),
    path("lint", lint.Lint.as_view(), name="api-lint"),
    path("history", evaluations.History.as_view(), name="api-history"),
    path("history/<str:evaluation_id>", evaluations.EvaluationDetail.as_view(), name="api-evaluation"),
    path("scorers", scorers.Scorers.as_view(), name="api-scorers"),
]
