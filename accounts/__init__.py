"""People: who may act, how they prove it, and what they did."""
