"""The command line about profiles, evaluations and documents made from the code."""
