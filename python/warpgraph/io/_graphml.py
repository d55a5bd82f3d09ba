"""GraphML, by NetworkX: nodes with ids, edges with an attribute that has their weights."""

from __future__ import annotations

import itertools
import re
import sys
from collections.abc import Sequence
from typing import IO, Any
from xml.etree.ElementTree import ParseError

from warpgraph._arguments import nx_graphs, validate
from warpgraph._arguments.names import id_array
from warpgraph._files.text import LONGEST_LINE, Array, check_vertices, type_exceeded, wrong_line
from warpgraph._graph import coordinates
from warpgraph._graph.graph import Graph
from warpgraph._tables import parsers
from warpgraph.io._choices import Choices

#: The characters of XML 1.0 are all others.
_NOT_IN_XML = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")

#: Bytes that are parsed at a time, in milliseconds.
_PIECE_BYTES = 1 << 16
#: Bytes after a < or a > up to the next one. yEd keeps pictures between tags, in letters.
_LONGEST = {"tag": LONGEST_LINE, "text": 1 << 22}
#: Bytes that may be before the first tag: a mark of UTF-8 or UTF-16, whose blanks have NULs.
_BLANKS = re.compile(rb"(?:\xef\xbb\xbf|\xff\xfe|\xfe\xff)?[ \t\r\n\0]*")
_MARK = re.compile(rb"[<>]")
#: A root without the namespace that NetworkX looks for, after declarations and comments.
_BARE_ROOT = re.compile(
    rb"([^<]*(?:<!--(?:(?!-->).)*-->[^<]*|<[?!](?!--)[^<]*)*)<graphml>", re.DOTALL
)
#: The attribute of a graph that names the attribute of its edges which has the weights, where that
#: is not "weight", so that `read` returns what was written.
_WEIGHT_NAME = "weight_attribute"
#: The formats of nodes and edges with attributes, of which one has the weights.
OF_NODES = ("graphml", "gml", "gexf", "json")
_BOOLEANS = {"true": True, "1": True, "false": False, "0": False}
_ROOT = b'<graphml xmlns="http://graphml.graphdrawing.org/xmlns">'


class Pieces:
    """A file as the parser reads it.

    The parser is one call of C, in which Python handles signals only while it is in `read`. With
    each piece it scans again what is not complete, which takes quadratic time.
    """

    def __init__(self, path: str, file: IO[bytes]) -> None:
        self._path, self._file = path, file
        self._has_begun = False
        # What comes after the last < or >, which was on this line, and what was read of it.
        self._kind, self._line, self._n_bytes, self._n_lines = "text", 1, 0, 0

    def read(self, _size: int) -> bytes:
        """Return the next piece; the parser takes any size."""
        try:
            piece = self._file.read(_PIECE_BYTES)
        except OSError as problem:
            if problem.errno is not None:
                raise
            # bz2 raises an OSError without a number.
            raise ValueError(f"{self._path}: the compressed data is damaged ({problem})") from None
        if piece and not self._has_begun:
            piece = self._first(piece)
        self._check(piece)
        return piece

    def _first(self, piece: bytes) -> bytes:
        """Return the first piece with the namespace of GraphML, or refuse another kind of file."""
        blanks = _BLANKS.match(piece)
        start = blanks.end() if blanks else 0
        if start == len(piece):
            return piece
        if piece[start : start + 1] != b"<":
            line = self._line + self._n_lines + piece.count(b"\n", 0, start)
            got = piece[start : start + 200].decode(errors="replace")
            raise wrong_line(self._path, line, "XML, which begins with <", got)
        self._has_begun = True
        bare = _BARE_ROOT.match(piece)
        return piece if bare is None else bare[1] + _ROOT + piece[bare.end() :]

    def _check(self, piece: bytes) -> None:
        """Refuse a tag or a text that is too long."""
        mark = _MARK.search(piece)
        self._n_bytes += mark.start() if mark else len(piece)
        if self._n_bytes > _LONGEST[self._kind]:
            raise ValueError(
                f"{self._path}, line {self._line}: the {self._kind} is longer than "
                f"{_LONGEST[self._kind]} bytes"
            )
        last = max(piece.rfind(b"<"), piece.rfind(b">"))
        if last >= 0:
            self._kind = "tag" if piece[last : last + 1] == b"<" else "text"
            self._line += self._n_lines + piece.count(b"\n", 0, last)
            self._n_bytes, self._n_lines = len(piece) - last - 1, 0
        self._n_lines += piece.count(b"\n", max(last, 0))


def import_networkx(format_name: str) -> Any:
    """Return NetworkX, which reads a format."""
    try:
        import networkx
    except ImportError:
        raise ImportError(
            f"{format_name} needs NetworkX, which is not installed: pip install 'warpgraph[io]'"
        ) from None
    return networkx


def check_weight(weight: str | None, path: str, format_name: str) -> None:
    """Refuse what is no name of an attribute, and one for a file without attributes."""
    if nx_graphs.attribute(weight) != nx_graphs.DEFAULT_WEIGHT and format_name not in OF_NODES:
        raise ValueError(
            f"weight={validate.shown(weight)} chooses an attribute of {', '.join(OF_NODES)}, but "
            f"{path!r} is read as {format_name!r}; of a table, columns= chooses the weight"
        )


def read(
    path: str,
    file: IO[bytes],
    choices: Choices,
) -> tuple[Graph, Array]:
    """Return the graph and the ids of its nodes, in the order of the file."""
    nx = import_networkx("GraphML")
    try:
        reader = _reader(nx)
        found = next(iter(reader(path=Pieces(path, file))), None)
    except (ParseError, nx.NetworkXError, LookupError) as problem:
        raise ValueError(f"{path} is not GraphML: {problem}") from None
    if found is None:
        raise ValueError(f"{path} is not GraphML: expected a <graph> within {_ROOT.decode()}")
    _refuse_mixed(path, reader, found.is_directed())
    _set_defaults(path, found)
    _refuse_two_keys(path, reader, _weight_of(path, found, choices.weight, warns=False))
    return graph_of(path, found, choices, list(found))


def graph_of(
    path: str, found: Any, choices: Choices, names: list[Any], *, are_typed: bool = False
) -> tuple[Graph, Array]:
    """Return what NetworkX has read as a graph, and the names of its nodes.

    Names are integers if all are, or if the caller asks for them; those that are typed are so only
    where the file has numbers.
    """
    # The shortest node of a file has more than nine bytes.
    check_vertices(path, len(found), 9 * len(found), choices.max_vertices)
    _set_defaults(path, found)
    graph = Graph(found, weight=_weight_of(path, found, choices.weight))._unnamed()
    graph.coordinates = _coordinates_of(path, found)
    return graph, ids_of(path, names, choices.id_kind, are_typed=are_typed)


def ids_of(path: str, names: list[Any], id_kind: str | None, *, are_typed: bool = False) -> Array:
    """Return names as an array; id_kind: "i" for integers, "U" for strings."""
    if are_typed and id_kind is None:
        return _typed(path, names)
    words = list(map(str, names))
    if len(set(words)) < len(words):
        raise ValueError(f"{path}: two nodes have the same name, as strings")
    if id_kind == "U":
        return id_array(words)
    refused = next((word for word in words if not parsers.is_integer(word)), None)
    if refused is None:
        return id_array(list(map(int, words)))
    if id_kind == "i":
        raise ValueError(f"{path}: the node {validate.shown(refused)} is no 64-bit integer")
    return id_array(words)


def _typed(path: str, names: list[Any]) -> Array:
    """Return names that are all integers or all strings in their file."""
    first_of_kind = list({type(name): name for name in names[::-1]}.items())
    if not {kind for kind, _ in first_of_kind} <= {int, str} or len(first_of_kind) > 1:
        shown = " and ".join(validate.shown(name) for _, name in first_of_kind[::-1][:2])
        raise ValueError(
            f"{path}: expected nodes that are all called by integers or all by strings, got "
            f"{shown}; id_dtype=str reads all as strings"
        )
    large = next((name for name in names if not parsers.is_integer(str(name))), None)
    if isinstance(large, int):
        raise ValueError(
            f"{path}: the node {large} is no 64-bit integer; id_dtype=str reads all as strings"
        )
    return id_array(names)


def _coordinates_of(path: str, found: Any) -> Any:
    """Return the attributes x, y, z or x0, x1, .. of nodes, as `Graph.to_networkx` names them.

    All nodes must have them, as finite numbers or text that is such.
    """
    nodes = [attributes for _, attributes in found.nodes(data=True)]
    n_placed = {axis: sum(_has_place(a, axis) for a in nodes) for axis in nodes[0]} if nodes else {}
    for axes in ("xyz", [f"x{axis}" for axis in range(len(n_placed))]):
        known = list(itertools.takewhile(lambda a: n_placed.get(a) == len(nodes), axes))
        if known and (known != ["x"] or not any("y" in a for a in nodes)):
            positions = coordinates.of_attributes(known, lambda name: [a[name] for a in nodes])
            return coordinates.given(positions, len(nodes))
    if any("x" in attributes and "y" in attributes for attributes in nodes):
        lacking = sum(not (_has_place(a, "x") and _has_place(a, "y")) for a in nodes)
        validate.warn(
            f"{path}: x and y of the nodes are not read as coordinates, since {lacking} of "
            f"{len(nodes)} have no finite numbers there"
        )
    return None


def _has_place(attributes: dict[str, Any], axis: str) -> bool:
    """Return whether an attribute of a node is a finite number, or text that is one."""
    value: Any = attributes.get(axis)
    value = nx_graphs.number_of(value) if isinstance(value, str) else value
    return nx_graphs.is_number(value) and bool(abs(value) <= sys.float_info.max)


def _reader(nx: Any) -> Any:
    """Return a reader of NetworkX that takes numbers as weights in text are taken.

    Its own takes all that Python's int() and float() do: 1_0 is 10 and 1e400 is inf.
    """
    reader = nx.readwrite.graphml.GraphMLReader()
    ours = {int: _integer, float: _float, bool: _boolean}
    reader.python_type = {name: ours.get(kind, kind) for name, kind in reader.python_type.items()}
    return reader


def _integer(value: Any) -> Any:
    """Return the integer that a text is, or the text, about which the rule for weights decides."""
    number = nx_graphs.number_of(value) if isinstance(value, str) else None
    return number if isinstance(number, int) else value


def _float(value: Any) -> Any:
    """Return the float64 that a text is, or the text if it is no number or beyond float64."""
    number = nx_graphs.number_of(value) if isinstance(value, str) else None
    if number is None or type_exceeded(value) == "float64":
        return value
    return float(value)


def _boolean(value: Any) -> Any:
    """Return the bool that a text is, or the text."""
    return _BOOLEANS.get(value.strip().lower(), value) if isinstance(value, str) else value


def _refuse_mixed(path: str, reader: Any, is_directed: bool) -> None:
    """Refuse an edge that says the opposite of the graph as 0 or 1.

    NetworkX refuses those that say it as true or false, and ignores these.
    """
    for edge in reader.xml.iter(f"{{{reader.NS_GRAPHML}}}edge"):
        word = edge.get("directed")
        if word is not None and _boolean(word) is not is_directed and _boolean(word) != word:
            ends = ", ".join(validate.shown(edge.get(end)) for end in ("source", "target"))
            default = "directed" if is_directed else "undirected"
            raise ValueError(
                f"{path}: the edge ({ends}) has directed={validate.shown(word)}, but all edges are "
                f"{default} by edgedefault; a graph with edges of both kinds is not read"
            )


def _refuse_two_keys(path: str, reader: Any, weight: str | None) -> None:
    """Refuse two keys whose values for edges have the name of the weight, and two values."""
    if weight is None:
        return
    keys = reader.xml.findall(f"{{{reader.NS_GRAPHML}}}key")
    ids = [
        key.get("id")
        for key in keys
        if key.get("attr.name") == weight and key.get("for") in (None, "all", "edge")
    ]
    if len(ids) > 1:
        listed = " and ".join(map(validate.shown, ids))
        raise ValueError(
            f"{path}: the keys {listed} of edges are both called {validate.shown(weight)}; "
            "expected one with the weights"
        )
    for edge in reader.xml.iter(f"{{{reader.NS_GRAPHML}}}edge") if ids else ():
        if sum(data.get("key") == ids[0] for data in edge) > 1:
            ends = ", ".join(validate.shown(edge.get(end)) for end in ("source", "target"))
            raise ValueError(
                f"{path}: the edge ({ends}) has two values of {validate.shown(weight)}"
            )


def _set_defaults(path: str, found: Any) -> None:
    """Set the defaults that the file has for attributes of edges.

    NetworkX leaves them to the attributes of the graph.
    """
    defaults = _of_graph(path, found, "edge_default", dict, "the attributes of edges by default")
    if defaults:
        for _, _, attributes in found.edges(data=True):
            attributes.update({**defaults, **attributes})


def _of_graph(path: str, found: Any, name: str, kind: type, meaning: str) -> Any:
    """Return an attribute of the graph that has a meaning here, or None if there is none."""
    value = found.graph.get(name)
    if value is None or isinstance(value, kind):
        return value
    shown = validate.shown(value)
    raise ValueError(f"{path}: the attribute {name!r} of the graph is {shown}; expected {meaning}")


def _weight_of(path: str, found: Any, weight: str | None, *, warns: bool = True) -> str | None:
    """Return the attribute that has the weights, or None, with a warning if others may."""
    edges = [attributes for _, _, attributes in found.edges(data=True)]
    if weight != nx_graphs.DEFAULT_WEIGHT or any(weight in attributes for attributes in edges):
        return weight
    named: str | None = _of_graph(
        path, found, _WEIGHT_NAME, str, "the name of the attribute with the weights"
    )
    if any(named in attributes for attributes in edges):
        return named
    if warns:
        nx_graphs.warn_of_others(nx_graphs.numeric_attributes(edges), f"{path}: ")
    return None


def _check_names(names: Sequence[Any]) -> None:
    """Refuse names that XML cannot hold, and warn of those that are read as integers."""
    words = [name for name in names if isinstance(name, str)]
    refused = next(filter(_NOT_IN_XML.search, words), None)
    if refused is not None:
        raise ValueError(
            f"the vertex id {validate.shown(refused)} cannot be written to GraphML: it has a "
            "character that XML does not allow"
        )
    if words and all(map(parsers.is_integer, words)):
        validate.warn(
            f"all vertex ids are strings such as {validate.shown(words[0])}, which are read from "
            "GraphML as integers, unless id_dtype is str"
        )


def write(file: IO[bytes], graph: Graph, ids: Array | None) -> None:
    """Write an undirected graph if every edge is stored both ways, else a directed one."""
    nx = import_networkx("GraphML")
    _check_names(() if ids is None else ids.tolist())
    named = graph if ids is None else Graph(graph, names=ids.tolist())
    made = named.to_networkx(directed=not graph._is_mirrored())
    if named.weight_name != nx_graphs.DEFAULT_WEIGHT:
        made.graph[_WEIGHT_NAME] = named.weight_name
    nx.write_graphml_xml(made, file)
