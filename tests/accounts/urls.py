"""The pages and the API of the accounts app alone, with pages to be kept from and a probe of who acts."""

from django.contrib import admin
from django.contrib.auth.decorators import login_not_required
from django.http import HttpRequest, HttpResponse, JsonResponse
from django.urls import include, path
from drf_spectacular.utils import extend_schema
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from accounts.actors import Role
from accounts.permissions import actor_of, require


def overview(request: HttpRequest) -> HttpResponse:
    return HttpResponse("overview")


@login_not_required
def open_page(request: HttpRequest) -> HttpResponse:
    actor = actor_of(request)
    return JsonResponse({"name": actor.name if actor else None, "address": actor.address if actor else None})


def plain_api(request: HttpRequest) -> HttpResponse:
    return JsonResponse({})


class Probe(APIView):
    """Answers to whoever has the role in the address."""

    @extend_schema(exclude=True)
    def get(self, request: Request, role: str) -> Response:
        actor = require(actor_of(request._request), Role(role))
        return Response({"name": actor.name, "role": actor.role, "via": actor.via})

    post = get


def role_page(request: HttpRequest, role: str) -> HttpResponse:
    require(actor_of(request), Role(role))
    return HttpResponse("in")


urlpatterns = [
    path("", overview, name="overview"),
    path("open", open_page),
    path("needs/<str:role>", role_page),
    path("api/plain", plain_api),
    path("api/needs/<str:role>", Probe.as_view()),
    path("api/v1/", include("accounts.api.urls")),
    path("admin/", admin.site.urls),
    path("", include("accounts.web.urls")),
]
handler400 = "foundation.http.pages.bad_request"
handler403 = "foundation.http.pages.permission_denied"
handler404 = "foundation.http.pages.page_not_found"
