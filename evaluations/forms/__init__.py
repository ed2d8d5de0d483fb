"""The forms of the pages about projects and what they hold."""
