"""PURE: how sure a figure is: intervals, paired tests, corrections, planning. docs/statistics.md tells of each.

Everything here is a function of numbers and knows neither runs nor items. Figures are never rounded.
A figure that has no value (no case, no spread, more draws than there are) is None, never 0 or NaN.
"""
