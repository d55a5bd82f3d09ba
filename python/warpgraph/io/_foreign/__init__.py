"""Formats of other programs, which are read and not written."""
