"""PURE: the form of an observation document: its parts as controls, and the document that they mean."""
