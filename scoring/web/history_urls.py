"""The addresses of the history's pages."""

from django.urls import URLPattern, path

from scoring.web import evaluation, exports, history

urlpatterns: list[URLPattern] = [
    path("history", history.history, name="history"),
    path("history/charts", history.charts, name="history-charts"),
    path("history/export.<str:kind>", exports.history_export, name="history-export"),
    path("history/<str:evaluation_id>", evaluation.evaluation, name="evaluation"),
    path("history/<str:evaluation_id>/text/<str:part>", evaluation.text, name="evaluation-text"),
    path("history/<str:evaluation_id>/rescore", evaluation.rescore, name="evaluation-rescore"),
]
