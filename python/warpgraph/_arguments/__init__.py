"""What callers pass: checks, conversions and devices. Knows no graph of its own."""
