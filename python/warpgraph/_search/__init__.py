"""Searches without distances: components, orders of visits, and values that satisfy a predicate."""
