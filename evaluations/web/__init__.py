"""The pages about projects and what they hold."""
