"""GraphML, by NetworkX: nodes with ids, edges with an attribute ``weight``."""

from __future__ import annotations

import logging
import re
from collections.abc import Sequence
from typing import IO, Any
from xml.etree.ElementTree import ParseError

from warpgraph import _validate
from warpgraph._graph import Graph
from warpgraph._names import id_array
from warpgraph.io import _csv
from warpgraph.io._text import Array, check_vertices

logger = logging.getLogger("warpgraph")

#: The characters of XML 1.0 are all others.
_NOT_IN_XML = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


def _networkx() -> Any:
    try:
        import networkx
    except ImportError:
        raise ImportError(
            "GraphML needs NetworkX, which is not installed: pip install 'warpgraph[io]'"
        ) from None
    return networkx


def read(path: str, file: IO[bytes], max_vertices: int | None) -> tuple[Graph, Array]:
    """Return the graph and the ids of its nodes, in the order of the file."""
    nx = _networkx()
    try:
        found = nx.read_graphml(file)
    except (ParseError, nx.NetworkXError, LookupError) as problem:
        raise ValueError(f"{path} is not GraphML: {problem}") from None
    # The shortest node of a file has more than nine bytes.
    check_vertices(path, len(found), 9 * len(found), max_vertices)
    _set_default(found)
    has_weights = any(True for _ in nx.get_edge_attributes(found, "weight"))
    if not has_weights:
        _warn_of_others(path, found)
    graph = Graph(found, weight="weight" if has_weights else None).unnamed()
    words = list(map(str, found))
    integers = all(map(_csv.is_integer, words))
    return graph, id_array(list(map(int, words)) if integers else words)


def _set_default(found: Any) -> None:
    """Set the default weight of the file, which NetworkX leaves to the attributes of the graph."""
    default = found.graph.get("edge_default", {}).get("weight")
    if default is not None:
        for _, _, attributes in found.edges(data=True):
            attributes.setdefault("weight", default)


def _warn_of_others(path: str, found: Any) -> None:
    """Warn of numbers that may be meant as weights."""
    rows = (attributes.items() for _, _, attributes in found.edges(data=True))
    others = sorted({name for row in rows for name, value in row if type(value) in (int, float)})
    if others:
        _validate.warn(
            f"{path}: the edges have no attribute 'weight' and all weigh 1, but they have "
            f"{', '.join(map(_validate.shown, others))}: for one of these, pass what "
            "networkx.read_graphml() returns and weight= to wg.Graph"
        )


def _check_names(names: Sequence[Any]) -> None:
    """Refuse names that XML cannot hold, and warn of those that are read as integers."""
    words = [name for name in names if isinstance(name, str)]
    odd = next(filter(_NOT_IN_XML.search, words), None)
    if odd is not None:
        raise ValueError(
            f"the vertex id {_validate.shown(odd)} cannot be written to GraphML: it has a "
            "character that XML does not allow"
        )
    if words and all(map(_csv.is_integer, words)):
        logger.warning(
            "all vertex ids are strings such as %s, which are read from GraphML as integers",
            _validate.shown(words[0]),
        )


def write(file: IO[bytes], graph: Graph, ids: Array | None) -> None:
    """Write an undirected graph if every edge is stored both ways, else a directed one."""
    nx = _networkx()
    _check_names(() if ids is None else ids.tolist())
    named = graph if ids is None else Graph(graph, names=ids.tolist())
    nx.write_graphml_xml(named.to_networkx(directed=not graph.is_mirrored()), file)
