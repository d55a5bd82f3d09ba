"""Tables of edges: in text, and in the frames of other libraries."""
