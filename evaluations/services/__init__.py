"""Writes: each asks the policy, changes rows in one transaction and leaves an audit entry."""
