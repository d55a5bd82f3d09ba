"""Clustering by spanning trees: `euclidean_mst`."""

from warpgraph._emst import euclidean_mst

__all__ = ["euclidean_mst"]
