"""Estimators that make graphs, or find the clusters of graphs."""
