"""Small tables in HTML, by which notebooks show a graph or a forest."""

from __future__ import annotations

from html import escape
from typing import TYPE_CHECKING, Any

import numpy.typing as npt

from warpgraph._arguments import validate

if TYPE_CHECKING:
    from warpgraph._graph.protocol import Graph

_SHOWN = 5  #: names


def of_graph(graph: Graph) -> str:
    """Return a table of sizes, weights, names and coordinates; `__repr__` is the same in short."""
    return table(
        "warpgraph.Graph",
        {
            "vertices": f"{graph.n_vertices:,}",
            "edges": f"{graph.n_edges:,}",
            "weights": str(graph.dtype),
            **of_vertices(graph.names, graph.coordinates),
            "bytes": f"{graph.nbytes:,}",
        },
    )


def of_vertices(
    names: npt.NDArray[Any] | None, coordinates: npt.NDArray[Any] | None
) -> dict[str, str]:
    """Return the rows for names and coordinates, those that there are."""
    rows = {}
    if names is not None:
        listed = [validate.shown(name) for name in names[:_SHOWN]]
        rows["names"] = ", ".join(listed + ["..."] * (len(names) > _SHOWN))
    if coordinates is not None and len(coordinates):
        low, high = coordinates.min(axis=0), coordinates.max(axis=0)
        spans = (f"{a:g} to {b:g}" for a, b in zip(low, high, strict=True))
        rows["coordinates"] = ", ".join(spans)
    return rows


def table(title: str, rows: dict[str, str]) -> str:
    """Return a table that has a name and a value in each row."""
    cells = "".join(
        f'<tr><th style="text-align: left">{escape(name)}</th>'
        f'<td style="text-align: left">{escape(value)}</td></tr>'
        for name, value in rows.items()
    )
    return f"<table><caption>{escape(title)}</caption><tbody>{cells}</tbody></table>"
