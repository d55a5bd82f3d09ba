"""Benchmarks: modules are run from the root of the repository by ``python -m``."""
