"""The command line about people."""
