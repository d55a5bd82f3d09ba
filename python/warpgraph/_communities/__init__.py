"""Communities of graphs: dense parts, and measures of how dense they are."""
