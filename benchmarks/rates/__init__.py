"""Measurements from which the coefficients of plans are found."""
