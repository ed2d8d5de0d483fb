"""Every write of scoring: profiles and their versions, evaluations."""
