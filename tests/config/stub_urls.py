import os
import sys

from django.http import HttpRequest, HttpResponse
from django.urls import path

from config.operations.health import health

if os.environ.get("PLUMBLINE_TEST_FAULT") == "web" and sys.argv[0] == "gunicorn":
    raise ImportError("as a release with a mistake in it")


def hello(_request: HttpRequest) -> HttpResponse:
    return HttpResponse("hello")


urlpatterns = [path("healthz", health), path("", hello)]
