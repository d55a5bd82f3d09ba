"""Neighbours of points: metrics, and searches of queries and within a radius."""
