"""The addresses under /api/v1/ about projects and what they hold."""
