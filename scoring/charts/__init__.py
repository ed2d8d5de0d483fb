"""PURE: evaluations as Plotly figures: scores over time, their distribution, each scorer's mean.

Errors are never averaged in; they are counted beside every mean. Each figure carries its numbers as
a table. Colours are named after the design's tokens, which the browser fills in for its theme.
"""
