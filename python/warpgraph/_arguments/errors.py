"""Exceptions that functions of the package raise, and refusals of values of another kind."""

from __future__ import annotations

import os
from typing import Any, TypeVar

import numpy as np
import numpy.typing as npt

from warpgraph._arguments import validate
from warpgraph._core import DeviceError, NegativeCycleError

__all__ = ["ConvergenceError", "DeviceError", "NegativeCycleError", "of_kind", "path_of"]

T = TypeVar("T")

DeviceError.__doc__ = """A named device is not here, has failed, or cannot run the function.

Examples
--------
>>> import warpgraph as wg
>>> try:
...     wg.sssp(wg.generators.grid(2, 2), 0, device="cuda:99")
... except wg.DeviceError:
...     print("there are not as many GPUs")
there are not as many GPUs
"""

NegativeCycleError.__doc__ = """A cycle of negative weight makes shortest paths endless.

Attributes
----------
vertex : int
    The number of a vertex of the cycle. The message has its name, if vertices have names.

Examples
--------
>>> import numpy as np
>>> import warpgraph as wg
>>> try:
...     wg.sssp(np.array([[0, 2], [-3, 0]]), 0, method="bellman_ford")
... except wg.NegativeCycleError as error:
...     print(error.vertex in (0, 1))
True
"""


class ConvergenceError(RuntimeError):
    """A method has not converged within its limit of iterations.

    Attributes
    ----------
    scores : ndarray of float64, shape (n_vertices,)
        The result of the last iteration; `out`, or a view of it, if that was given.
    iterations : int
        Number of iterations.

    Examples
    --------
    >>> import warpgraph as wg
    >>> try:
    ...     scores = wg.pagerank(wg.generators.rmat(8), max_iter=2)
    ... except wg.ConvergenceError as error:
    ...     print(error.iterations, error.scores.shape)
    2 (256,)
    """

    scores: npt.NDArray[np.float64] | None
    iterations: int

    def __init__(
        self, message: str, scores: npt.NDArray[np.float64] | None = None, iterations: int = 0
    ) -> None:
        super().__init__(message)
        self.scores, self.iterations = scores, iterations


def of_kind(value: Any, kind: type[T], argument: str, source: str) -> T:
    """Return `value` if it is of a class of this package; `source` says what makes one."""
    if not isinstance(value, kind):
        raise TypeError(
            f"{argument} must be a {kind.__name__}, as {source}, got {validate.type_name(value)}"
        )
    return value


def path_of(value: Any, argument: str = "path") -> str:
    """Return the path of a file as text. `open` would take an integer for a file that is open."""
    try:
        return os.fsdecode(value)
    except TypeError:
        got = validate.type_name(value)
        if hasattr(value, "columns") or hasattr(value, "column_names"):
            got += "; Graph.from_dataframe takes a table in memory"
        raise TypeError(f"{argument} must be the path of a file, got {got}") from None
