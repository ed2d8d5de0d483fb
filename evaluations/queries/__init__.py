"""Reads: what pages and the API show, each without one query a row."""
