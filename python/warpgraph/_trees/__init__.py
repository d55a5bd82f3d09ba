"""Spanning forests of graphs and of points, and hierarchies of clusters from them."""
