"""PURE: the observation, the outcome, the scorer declaration and its registry; text and path helpers."""
