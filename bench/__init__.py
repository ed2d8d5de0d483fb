"""What the product costs, in figures: `python -m bench` runs all, `python -m bench NAME` one.

They print and assert nothing: times belong to a machine, so read the ratios.
"""
