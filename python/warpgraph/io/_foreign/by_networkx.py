"""GML, GEXF and node-link JSON, by NetworkX, whose parsers take about a kilobyte for each edge.

What NetworkX refuses or does not see is changed before: parallel edges in GML and JSON, edges of
both kinds in GEXF, and ends of links that are no nodes. Weights, names, coordinates and defaults
are those of GraphML.
"""

from __future__ import annotations

import copy
import json
import re
from collections import Counter
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from typing import IO, Any
from xml.etree import ElementTree

from warpgraph._arguments import nx_graphs, validate
from warpgraph._files.text import Array
from warpgraph._graph.graph import Graph
from warpgraph.io import _graphml
from warpgraph.io._choices import Choices

_GRAPH = re.compile(r"^([^\n\"#]*\bgraph\s*\[)", re.MULTILINE)
_MULTIGRAPH = re.compile(r"^(\s*multigraph\s+)[01]\b", re.MULTILINE)
#: Numbers in GML that may be beyond float64.
_LARGE = re.compile(r"(?<![\w.\"])[+-]?[0-9.]+[eE]\+?[0-9]{3,}(?![\w.\"])")
#: The name under which a JSON file that has no parallel edges, by its own words, keeps none of its
#: keys.
_NO_KEY = "\0"


@contextmanager
def _naming(path: str, format_name: str, nx: Any) -> Iterator[None]:
    """Say which file is none of the format."""
    try:
        yield
    except RecursionError:
        raise ValueError(f"{path} is not {format_name}: it is nested too deeply") from None
    except (TypeError, AttributeError, RuntimeError):  # NetworkX met what it does not look for
        why = "a value stands where a record is expected, or a record where a value is"
        raise ValueError(f"{path} is not {format_name}: {why}, or one is missing") from None
    except (nx.NetworkXError, ElementTree.ParseError, LookupError, ValueError) as error:
        if str(error).startswith(path):
            raise
        why = str(error).splitlines()[0] if str(error) else type(error).__name__
        raise ValueError(f"{path} is not {format_name}: {why}") from None


def _refuse_large(words: Iterable[str]) -> None:
    """Refuse numbers that NetworkX would read as infinite."""
    large = next(filter(nx_graphs.is_beyond_floats, words), None)
    if large is not None:
        raise ValueError(f"the number {large} is beyond the largest float64")


def read_gml(path: str, file: IO[bytes], choices: Choices) -> tuple[Graph, Array]:
    """Return the graph and the labels of its nodes, or their ids where labels are not distinct."""
    nx = _graphml.import_networkx("GML")
    with _naming(path, "GML", nx):
        text, n_found = _MULTIGRAPH.subn(r"\g<1>1", _text_of(file), 1)
        _refuse_large(_LARGE.findall(text))
        if not n_found:
            text = _GRAPH.sub(r"\1 multigraph 1 ", text, 1)
        found = nx.parse_gml(text.split("\n"), label=None)
    for attributes in _attributes_of_nodes(found):
        _place(attributes, attributes.get("graphics"))
    return _graphml.graph_of(path, found, choices, _names_of_gml(path, found))


def _text_of(file: IO[bytes]) -> str:
    try:
        return file.read().decode("utf-8-sig")
    except UnicodeDecodeError:
        raise ValueError("expected text in UTF-8") from None


def _attributes_of_nodes(found: Any) -> list[dict[str, Any]]:
    return [attributes for _, attributes in found.nodes(data=True)]


def _place(attributes: dict[str, Any], position: Any) -> None:
    """Give a node the coordinates that it has in pictures, if it has no others."""
    if isinstance(position, dict):
        for axis in "xyz":
            if axis in position:
                attributes.setdefault(axis, position[axis])


def _names_of_gml(path: str, found: Any) -> list[Any]:
    labels = [attributes.get("label") for attributes in _attributes_of_nodes(found)]
    if all(label is None for label in labels):
        return list(found)
    words = list(map(str, labels))
    if None not in labels and len(set(words)) == len(words):
        return labels
    why = "some have no label"
    if None not in labels:
        repeated = Counter(words).most_common(1)[0][0]
        why = f"two have the label {validate.shown(repeated)}"
    validate.warn(f"{path}: the names of the nodes are their ids, since {why}")
    return list(found)


def read_gexf(path: str, file: IO[bytes], choices: Choices) -> tuple[Graph, Array]:
    """Return the graph and the ids of its nodes."""
    nx = _graphml.import_networkx("GEXF")
    reader = nx.readwrite.gexf.GEXFReader()
    with _naming(path, "GEXF", nx):
        pieces: Any = _graphml.Pieces(path, file)
        tree = ElementTree.parse(pieces)
        namespace = re.match(r"\{(.*)\}gexf$", tree.getroot().tag)
        versions = {known["NS_GEXF"]: version for version, known in reader.versions.items()}
        if namespace is None or namespace[1] not in versions:
            raise ValueError(f"expected <gexf xmlns=..> of one of {', '.join(versions)}")
        reader.set_version(versions[namespace[1]])
        graph = tree.find(f"{{{reader.NS_GEXF}}}graph")
        if graph is None:
            raise ValueError("expected a <graph> within <gexf>")
        numbers = (part.get(name, "") for part in graph.iter() for name in ("weight", "value"))
        _refuse_large(numbers)
        _set_directions(graph, reader.NS_GEXF)
        found = reader.make_graph(graph)
    for attributes in _attributes_of_nodes(found):
        _place(attributes, (attributes.get("viz") or {}).get("position"))
    return _graphml.graph_of(path, found, choices, list(found))


def _set_directions(graph: Any, namespace: str) -> None:
    """Make the graph directed if one of its edges is; those of both ways are there twice then.

    NetworkX refuses edges of both kinds, as Gephi writes them.
    """
    default = graph.get("defaultedgetype", "undirected").lower()
    edges = graph.find(f"{{{namespace}}}edges")
    listed = [] if edges is None else edges.findall(f"{{{namespace}}}edge")
    kinds = [(edge.attrib.pop("type", None) or default).lower() for edge in listed]
    unknown = next((k for k in kinds if k not in ("directed", "undirected", "mutual")), None)
    if unknown is not None:
        raise ValueError(
            f"the type of an edge is {validate.shown(unknown)}; expected directed, undirected or "
            "mutual"
        )
    is_directed = "directed" in kinds
    graph.set("defaultedgetype", "directed" if is_directed else "undirected")
    for edge, kind in zip(listed, kinds, strict=True):
        if not is_directed:
            continue
        if kind != "directed" and edge.get("source") != edge.get("target"):
            back = copy.deepcopy(edge)
            back.set("source", edge.get("target", ""))
            back.set("target", edge.get("source", ""))
            back.attrib.pop("id", None)
            edges.append(back)


def read_json(path: str, file: IO[bytes], choices: Choices) -> tuple[Graph, Array]:
    """Return the graph of node-link data, as of NetworkX and D3, and the ids of its nodes."""
    nx = _graphml.import_networkx("node-link JSON")
    with _naming(path, "node-link JSON", nx):
        data = json.loads(_text_of(file), parse_float=_finite)
        found = _graph_of_links(nx, data)
    for attributes in _attributes_of_nodes(found):
        _place(attributes, attributes.get("pos"))
    return _graphml.graph_of(path, found, choices, list(found), are_typed=True)


def _finite(word: str) -> float:
    _refuse_large([word])
    return float(word)


def _graph_of_links(nx: Any, data: Any) -> Any:
    keys = data.keys() & {"links", "edges"} if isinstance(data, dict) else set()
    if len(keys) != 1 or not isinstance(data.get("nodes"), list):
        raise ValueError("expected an object with the lists 'nodes' and 'links', or 'edges'")
    (links,) = keys
    if not isinstance(data[links], list):
        raise ValueError(f"expected a list of objects as {links!r}")
    records = [*data["nodes"], *data[links]]
    wrong = [record for record in records if not isinstance(record, dict)]
    if wrong:
        raise ValueError(f"a node or link is {validate.shown(wrong[0])}, which is no object")
    ends = next((link for link in data[links] if not {"source", "target"} <= link.keys()), None)
    if ends is not None:
        raise ValueError(f"the link {validate.shown(ends)} has no source or no target")
    for word in ("directed", "multigraph"):
        if not isinstance(data.get(word, False), bool):
            raise ValueError(f"{word} is {validate.shown(data[word])}, expected true or false")
    # Parallel edges are kept, whatever the file says of them: then an attribute "key" is no key.
    key = "key" if data.get("multigraph") else _NO_KEY
    edges = [{k: v for k, v in link.items() if k == key or k != "key"} for link in data[links]]
    data = {**data, "multigraph": True, "graph": {}, links: edges}
    options = {"directed": False, "multigraph": True, "key": key, "edges": links}
    nodes = nx.node_link_graph({**data, links: []}, **options)
    found = nx.node_link_graph(data, **options)
    if len(nodes) < len(data["nodes"]):
        raise ValueError("two nodes have the same id")
    if len(found) > len(nodes):
        other = list(found)[len(nodes)]
        raise ValueError(f"a link leads to {validate.shown(other)}, which is the id of no node")
    return found
