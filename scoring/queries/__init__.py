"""Every read of scoring: profiles and their versions, evaluations, figures over them."""
