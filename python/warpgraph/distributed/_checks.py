"""Checks that tasks make of the edges that they read."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np
import numpy.typing as npt

Array = npt.NDArray[Any]


def check_types(weights: Iterable[Array]) -> None:
    """Refuse blocks whose weights have several types."""
    kinds = sorted({str(part.dtype) for part in weights})
    if len(kinds) > 1:
        raise ValueError(f"blocks have weights of {' and '.join(kinds)}; convert them to one")


def check_ends(tails: Array, heads: Array, n_vertices: int) -> None:
    """Refuse names, and numbers that no vertex has."""
    for name, ends in (("source", tails), ("target", heads)):
        if ends.dtype.kind == "O" and len(ends):
            raise TypeError(
                f"{name} holds the name {ends[0]!r}, but n_vertices was given, so vertices are "
                "numbers; leave n_vertices out"
            )
        if len(ends) and (ends.min() < 0 or ends.max() >= n_vertices):
            bad = int(ends[np.argmax((ends < 0) | (ends >= n_vertices))])
            raise ValueError(
                f"{name} holds {bad}, but with n_vertices={n_vertices} vertices are the numbers "
                f"0 .. {n_vertices - 1}; leave n_vertices out if they are names"
            )
