"""PURE: one module per family of scorers. What is declared here exists; nothing else needs an edit."""
