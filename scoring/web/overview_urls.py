"""The addresses of the overview, the scorer reference and the API's documents."""

from django.urls import path

from scoring.web import api_docs, overview, scorers

urlpatterns = [
    path("", overview.overview, name="overview"),
    path("demo/load", overview.demo_load, name="demo-load"),
    path("demo/remove", overview.demo_remove, name="demo-remove"),
    path("scorers", scorers.scorer_list, name="scorer-list"),
    path("scorers/<str:scorer_type>", scorers.scorer, name="scorer"),
    path("api/docs", api_docs.api_docs, name="api-docs"),
    path("help", api_docs.help_page, name="help"),
]
