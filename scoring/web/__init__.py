"""The pages of profiles, evaluations and scorers."""
