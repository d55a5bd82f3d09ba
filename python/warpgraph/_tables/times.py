"""Columns that tell when an edge was, in place of weights, as in temporal networks of SNAP.

Such a column has no label, or one that may mean anything, and is told by its values: seconds or
milliseconds of Unix, or integers, that ascend from row to row while the tails do not, as they do
in files of this package. A file may also say so in a comment above.
"""

from __future__ import annotations

import logging
import re
from collections.abc import Iterable
from typing import Any

import numpy as np

from warpgraph._arguments import validate
from warpgraph._files.text import Array

logger = logging.getLogger("warpgraph")

#: Seconds of Unix at the beginning of 1980 and of 2100.
_FIRST, _LAST = 315_532_800, 4_102_444_800
_PER_SECOND = (1, 1000)
_IN_COMMENTS = re.compile(r"\btemporal\b|\btime ?stamps?\b|\bunix ?(?:time|ts)\b", re.IGNORECASE)
#: A few rows ascend by chance, and one or two values may be anything.
_ROWS_THAT_TELL = 100
_ROWS_OF_UNIX_TIMES = 3


def weights_unless_times(
    weight: Array | None,
    tail: Array,
    what: str,
    cure: str,
    comments: Iterable[str] = (),
    *,
    has_label: bool,
) -> Array | None:
    """Return weights, or None if they are times, so that all edges weigh 1; with a warning.

    `what` is the column, and `cure` says how callers choose it in spite of that. Where a column has
    a label that does not speak of times, it is none of times.
    """
    if weight is None or not len(weight):
        return weight
    are_unix_times = _are_unix_times(weight)
    ascend = len(weight) > 1 and _ascend(weight) and not _ascend(tail)
    is_like_times = are_unix_times or (ascend and weight.dtype.kind in "iu")
    if is_like_times and not has_label and any(map(_IN_COMMENTS.search, comments)):
        logger.info("%s has times, as a comment says: all edges weigh 1", what)
        return None
    if are_unix_times:
        if ascend and not has_label:
            validate.warn(
                f"{what} has times of Unix that ascend, and no weights: all edges weigh 1; {cure}"
            )
            return None
        validate.warn(
            f"{what} is read as weights, but all are like times of Unix, as {weight[0]}; {cure}"
        )
    elif ascend and _are_like_times(weight):
        validate.warn(
            f"{what} is read as weights, but ascends from {weight[0]} to {weight[-1]}, as times "
            f"do; {cure}"
        )
    return weight


def may_be_label(label: Any) -> bool:
    """Return whether a label speaks of times, or says nothing: numbers, or no label."""
    return not isinstance(label, str) or not label or "time" in label.lower()


def _are_unix_times(weight: Array) -> bool:
    if len(weight) < _ROWS_OF_UNIX_TIMES:
        return False
    low, high = weight.min(), weight.max()
    return any(bool(_FIRST * unit <= low and high < _LAST * unit) for unit in _PER_SECOND)


def _are_like_times(weight: Array) -> bool:
    """Return whether ascending numbers are many integers, most of which differ."""
    if len(weight) < _ROWS_THAT_TELL or weight.dtype.kind not in "iu":
        return False
    return bool(2 * np.count_nonzero(weight[1:] != weight[:-1]) >= len(weight))


def _ascend(values: Array) -> bool:
    return bool((values[1:] >= values[:-1]).all())
