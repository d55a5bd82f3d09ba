"""NetworkX's functions for shortest paths."""
