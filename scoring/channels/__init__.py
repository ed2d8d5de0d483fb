"""PURE: the channels of an observation made ready to be read, each in its own view."""
