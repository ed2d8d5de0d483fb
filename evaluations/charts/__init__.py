"""PURE: rows and documents of runs → figures, as templates/components/figure.html takes them."""
