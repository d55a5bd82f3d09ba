"""wg.Graph as the modules see it that have its methods.

For type checkers alone: no module imports this one when it runs.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, Protocol, TypeVar

import numpy as np
import numpy.typing as npt

if TYPE_CHECKING:
    from typing_extensions import Self

    from warpgraph import _core
    from warpgraph._arguments import types
    from warpgraph._arguments.names import Names

Array = npt.NDArray[Any]


class _Graph(Protocol):
    """Attributes of a graph that these modules use; `warpgraph._graph.graph` has their meaning."""

    indptr: Array
    indices: Array
    data: Array
    coordinates: npt.NDArray[np.float64] | None
    weight_name: str
    _names: Names | None
    _weights: dict[np.dtype[Any], Array]

    def __init__(self, graph: Any, *, weight: str | None = ..., coordinates: Any = ...) -> None: ...

    @classmethod
    def of_own(cls, indptr: Array, indices: Array, data: Array) -> Self: ...
    @classmethod
    def _with_names(cls, arrays: tuple[Array, Array, Array], names: Any) -> Self: ...
    def _with_same_vertices(self, indptr: Array, indices: Array, data: Array) -> Self: ...
    def _of_same_structure(self, data: Array) -> Self: ...

    @property
    def n_vertices(self) -> int: ...
    @property
    def n_edges(self) -> int: ...
    @property
    def names(self) -> Array | None: ...
    @property
    def dtype(self) -> np.dtype[Any]: ...
    @property
    def nbytes(self) -> int: ...
    @property
    def handle(self) -> _core.GraphHandle: ...
    def ends(self, tail: int, head: int) -> str: ...
    def to_edges(self) -> tuple[types.Int32Array, types.Int32Array, types.Weights]: ...

    def derived(self, key: str, make: Callable[[], Any]) -> Any: ...
    def known(self, key: str) -> Any: ...
    def undirected(self, ledger: _core.Ledger = ..., *, reads_weights: bool = ...) -> Self: ...
    def is_mirrored(self) -> bool: ...
    def is_known_mirrored(self) -> bool: ...
    def has_mirrored_structure(self) -> bool: ...
    def known_form(self, form: str, *, reads_weights: bool) -> Self | None: ...
    def first_negative(self) -> tuple[int, int, int, Any] | None: ...


#: `wg.Graph`, which imports these modules, or a class derived from it.
Graph = TypeVar("Graph", bound=_Graph)
