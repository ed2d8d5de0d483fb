"""The addresses of scoring's pages."""

from django.urls import URLPattern

urlpatterns: list[URLPattern] = []
