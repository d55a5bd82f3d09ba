"""Neighbourhoods of many vertices: an algorithm in each module."""
