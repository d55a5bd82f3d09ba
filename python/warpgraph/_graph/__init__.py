"""wg.Graph, and what calls keep on it and derive from it."""
