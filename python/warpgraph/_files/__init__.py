"""Reading and writing files: text, compressed or not, and archives of arrays."""
