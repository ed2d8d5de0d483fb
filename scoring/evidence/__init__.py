"""PURE: what scorers keep as evidence, cut into parts that a template draws each."""
