"""Tasks of workers on their blocks of a graph, and the messages between them."""
