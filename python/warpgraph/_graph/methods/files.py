"""Graphs from files and to files: methods of wg.Graph.

The formats make graphs, so `warpgraph.io` imports this package and not the reverse: the package
gives its functions to this module.
"""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any

from warpgraph._arguments import validate
from warpgraph._graph.methods.vertices import like
from warpgraph._tables import mirrors

if TYPE_CHECKING:
    from typing_extensions import Unpack

    from warpgraph._arguments import types
    from warpgraph._graph.protocol import AnyGraph, Graph


def module_of_formats() -> Any:
    """Return `warpgraph.io`; the package puts a function here that imports it when it is needed."""
    raise RuntimeError("import warpgraph first")


def read(
    cls: type[Graph],
    path: str | os.PathLike[str],
    *,
    directed: bool = True,
    **options: Unpack[types.ReadOptions],
) -> Graph:
    """Read a graph from a file, with the names of its vertices.

    Parameters
    ----------
    path : str or path-like
        The file, perhaps compressed; its ending names the format. "-" is stdin.
    directed : bool
        False: edges have no direction. What the file has one way only is stored both ways: as few
        arcs are added as make the arcs (u, v) and (v, u) of each weight equally many. True: edges
        lead as the file says, which in some files is both ways; see `warpgraph.io.read`.
    **options
        As for `warpgraph.io.read`: ``format``, ``dtype``, ``columns``, ``header``, ``id_dtype``,
        ``decimal``, ``comment``, ``max_vertices``, ``file_ids``, ``coordinates``, ``weight``,
        ``direction`` and ``progress``.

    Returns
    -------
    Graph
        Its vertices have the names that the file has, integers or strings, unless the file numbers
        them from 1, as some formats do: vertex 0 is the first. ``file_ids=True`` makes these
        numbers names, too.

    Raises
    ------
    ValueError
        The file is truncated or malformed: the error names file, line and what was expected there.

    Examples
    --------
    >>> wg.Graph.from_edges(["Bern", "Basel"], ["Thun", "Bern"], [27.0, 95.0]).write("rails.csv")
    >>> rails = wg.Graph.read("rails.csv")
    >>> wg.sssp(rails, "Basel", targets=["Thun"]).tolist()
    [122.0]
    """
    directed = validate.flag(directed, "directed")
    graph, _ = module_of_formats().read(path, **options)
    if not directed and graph.is_directed():
        row, col, data = graph.to_edges()
        both = mirrors.arrays_of(row, col, data, graph.n_vertices, directed=False)
        graph = like(cls._of_own(*both), graph)
    return graph if type(graph) is cls else cls(graph)


def write(
    graph: AnyGraph, path: str | os.PathLike[str], **options: Unpack[types.WriteOptions]
) -> None:
    """Write the graph to a file, wholly or not at all.

    Parameters
    ----------
    path : str or path-like
        The file, whose ending names the format and perhaps a compression. "-" is stdout.
    **options
        As for `warpgraph.io.write`: ``format``, ``ids`` and ``coordinates``.

    Raises
    ------
    ValueError
        The format cannot hold this graph.

    Examples
    --------
    >>> wg.generators.grid(2, 2, weights=(1, 9)).write("grid.gr.gz")
    >>> wg.Graph.read("grid.gr.gz").n_edges
    8
    """
    module_of_formats().write(path, graph, **options)
