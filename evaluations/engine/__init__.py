"""The engine: one loop over rows, however many workers run it and however they are woken."""
