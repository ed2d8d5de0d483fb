"""Every address of the product."""

from django.contrib import admin
from django.urls import include, path
from drf_spectacular.views import SpectacularJSONAPIView

from config.operations.health import health
from foundation.http import pages

urlpatterns = [
    path("healthz", health, name="health"),
    path("api/scoring/", include("scoring.api.urls")),
    path("api/v1/", include("accounts.api.urls")),
    path("api/v1/", include("evaluations.api.urls")),
    path(
        "api/schema",
        SpectacularJSONAPIView.as_view(permission_classes=(), authentication_classes=()),
        name="api-schema",
    ),
    path("admin/", admin.site.urls),
    path("", include("accounts.web.urls")),
    path("", include("scoring.web.urls")),
    path("", include("evaluations.web.urls")),
]
handler400 = pages.bad_request
handler403 = pages.permission_denied
handler404 = pages.page_not_found
handler500 = pages.server_error
