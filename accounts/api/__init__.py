"""The addresses under /api/v1/ about people."""
