"""What the workers do with their blocks of a graph, and what they exchange."""
