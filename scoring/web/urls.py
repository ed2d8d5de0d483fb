"""The addresses of scoring's pages."""

from scoring.web import history_urls, overview_urls, profile_urls

urlpatterns = [*overview_urls.urlpatterns, *profile_urls.urlpatterns, *history_urls.urlpatterns]
