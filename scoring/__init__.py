"""What a scorer is, which exist, the profiles people made of them, and what those said of outputs."""
