"""Checks and conversions of what callers pass, and devices; nothing here knows `Graph`."""
