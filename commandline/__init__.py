"""PURE: the command line client of a Plumbline server. Standard library alone: it runs where no server is installed."""
