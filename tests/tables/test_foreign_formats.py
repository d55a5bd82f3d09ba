"""GML, GEXF, Pajek and node-link JSON beside NetworkX, which writes and reads the files."""

import gzip
import json
import sys

import networkx as nx
import pytest
from hypothesis import HealthCheck, given, settings, strategies as st

import warpgraph as wg
from checks import raises_sentence
from files import arcs_by_name as edges, damaged

KINDS = [nx.Graph, nx.DiGraph, nx.MultiGraph, nx.MultiDiGraph]


def write_json(key):
    def write(graph, path):
        path.write_text(json.dumps(nx.node_link_data(graph, edges=key)), encoding="utf-8")

    return write


#: How NetworkX writes a file, and reads it.
FORMATS = {
    "a.gml": (nx.write_gml, nx.read_gml),
    "a.gexf": (nx.write_gexf, nx.read_gexf),
    "a.net": (nx.write_pajek, nx.read_pajek),
    "a.json": (
        write_json("links"),
        lambda path: nx.node_link_graph(json.loads(path.read_text("utf-8")), edges="links"),
    ),
}
formats = pytest.mark.parametrize("name", FORMATS)


def put(folder, name, text):
    path = folder / name
    path.write_text(text, encoding="utf-8")
    return path


# XML has no control characters; Pajek quotes names with blanks, but no quotes.
LETTERS = st.characters(categories=["L", "N", "P", "S", "Zs"], exclude_characters="\"'\\&#")
WORDS = st.text(LETTERS, min_size=1, max_size=4).filter(lambda word: word == word.strip())


@st.composite
def named_graphs(draw):
    graph = draw(st.sampled_from(KINDS))()
    names = draw(
        st.one_of(
            st.lists(st.integers(-9, 2**40), min_size=1, max_size=6, unique=True),
            st.lists(WORDS.map(lambda word: f"n{word}"), min_size=1, max_size=6, unique=True),
        )
    )
    graph.add_nodes_from(names)
    ends = st.sampled_from(names)
    weights = draw(st.sampled_from([st.integers(-9, 9), st.floats(-1e9, 1e9)]))
    for u, v, w in draw(st.lists(st.tuples(ends, ends, weights), max_size=9)):
        graph.add_edge(u, v, weight=w)
    return graph


@formats
@settings(max_examples=80, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(graph=named_graphs())
def test_what_networkx_writes_is_the_same_graph(tmp_path, name, graph):
    path = tmp_path / name
    write, read = FORMATS[name]
    write(graph, path)
    found = wg.Graph.read(path)
    assert edges(found) == edges(wg.Graph(graph)) == edges(wg.Graph(read(path)))
    assert found.names.tolist() == list(graph)  # in the order of the file, integers as such
    ids = [str(name) for name in graph]
    assert wg.Graph.read(path, id_dtype=str).names.tolist() == ids
    assert found.coordinates is None


@formats
def test_names_without_edges_and_compressed_files(tmp_path, name):
    graph = nx.Graph()
    graph.add_nodes_from(["Rome", "Pisa"])
    FORMATS[name][0](graph, tmp_path / name)
    path = tmp_path / f"{name}.gz"
    path.write_bytes(gzip.compress((tmp_path / name).read_bytes()))
    found = wg.Graph.read(path)
    assert (found.names.tolist(), found.n_edges) == (["Rome", "Pisa"], 0)


@pytest.mark.parametrize("name", ["a.gml", "a.gexf", "a.json"])
def test_other_weights(tmp_path, name):
    path = tmp_path / name
    FORMATS[name][0](nx.Graph([("a", "b", {"km": 2.5})]), path)
    found = wg.Graph.read(path, weight="km")
    assert (found.data.tolist(), found.weight_name) == ([2.5, 2.5], "km")
    with pytest.warns(UserWarning, match="all weigh 1, but they have 'km'"):
        assert wg.Graph.read(path).data.tolist() == [1, 1]
    with raises_sentence(ValueError, name, "no edge has the attribute weight='miles'"):
        wg.Graph.read(path, weight="miles")


@formats
def test_positions_of_nodes(tmp_path, name):
    graph = nx.Graph([("a", "b")])
    for node, (x, y) in {"a": (1.0, 2.5), "b": (-3.0, 4.0)}.items():
        graph.nodes[node].update(x=x, y=y)
    write, read = FORMATS[name]
    write(graph, tmp_path / name)
    found = wg.Graph.read(tmp_path / name).coordinates.tolist()
    assert found == [[1.0, 2.5], [-3.0, 4.0]]
    known = read(tmp_path / name).nodes
    assert found == [[float(known[node][axis]) for axis in "xy"] for node in "ab"]


@formats
@pytest.mark.parametrize("text", ["", "zebra", "[1, 2]", "<a/>", "\0\0", "{}", "graph [", "*Arcs"])
def test_files_of_other_kinds(tmp_path, name, text):
    path = put(tmp_path, name, text)
    with raises_sentence(ValueError, str(path)):
        wg.io.read(path)


@formats
def test_what_these_formats_have_not(tmp_path, name):
    path = tmp_path / name
    FORMATS[name][0](nx.path_graph(2), path)
    for option in ({"columns": (0, 1)}, {"direction": "x"}, {"header": True}, {"comment": "#"}):
        with raises_sentence(ValueError, f"{next(iter(option))}= is for tables"):
            wg.io.read(path, **option)
    graph = wg.Graph.read(path)
    with raises_sentence(ValueError, "not written", "graphml", "graph.to_networkx()"):
        graph.write(path)


@pytest.mark.parametrize(
    ("name", "kind"), [("a.gml", "GML"), ("a.gexf", "GEXF"), ("a.json", "JSON")]
)
def test_without_networkx(tmp_path, name, kind, monkeypatch):
    FORMATS[name][0](nx.path_graph(2), tmp_path / name)
    monkeypatch.setitem(sys.modules, "networkx", None)
    with raises_sentence(ImportError, f"{kind} needs NetworkX", "pip install 'warpgraph[io]'"):
        wg.io.read(tmp_path / name)


# GML.

GML = """Creator "some program"
graph [
  directed 1
  node [ id 1 label "Köln" graphics [ x 1.0 y 2.0 ] ]
  node [ id 2 label "Bonn" graphics [ x 3.0 y 4.0 ] ]
  edge [ source 1 target 2 value 3 ]
  edge [ source 1 target 2 value 4 ]
]
"""


def test_parallel_edges_of_gml(tmp_path):
    path = put(tmp_path, "a.gml", GML)
    with pytest.raises(nx.NetworkXError):
        nx.parse_gml(GML)
    found = wg.Graph.read(path, weight="value")
    assert edges(found) == [("Köln", "Bonn", 3), ("Köln", "Bonn", 4)]
    assert found.coordinates.tolist() == [[1, 2], [3, 4]]
    path = put(tmp_path, "a.gml", GML.replace("directed 1", "directed 0 multigraph 0"))
    assert len(edges(wg.Graph.read(path, weight="value"))) == 4
    path = put(tmp_path, "a.gml", GML.replace("directed 1", "directed 1\n  multigraph 0"))
    assert len(edges(wg.Graph.read(path, weight="value"))) == 2
    path = put(tmp_path, "a.gml", GML.replace("graph [", "graph\n[", 1))
    assert len(edges(wg.Graph.read(path, weight="value"))) == 2


def test_labels_of_gml_that_are_no_names(tmp_path):
    path = put(tmp_path, "a.gml", GML.replace("Bonn", "Köln"))
    with pytest.warns(UserWarning, match="names of the nodes are their ids, since two .* 'Köln'"):
        assert wg.Graph.read(path, weight=None).names.tolist() == [1, 2]
    path = put(tmp_path, "a.gml", GML.replace('label "Bonn"', ""))
    with pytest.warns(UserWarning, match="since some have no label"):
        assert wg.Graph.read(path, weight=None).names.tolist() == [1, 2]
    path = put(tmp_path, "a.gml", GML.replace('label "Bonn"', "").replace('label "Köln"', ""))
    assert wg.Graph.read(path, weight=None).names.tolist() == [1, 2]


# GEXF.

GEXF = """<?xml version="1.0" encoding="UTF-8"?>
<gexf xmlns="{0}" xmlns:viz="{0}/viz" version="1.2"><graph defaultedgetype="{1}"><nodes>
<node id="a"><viz:position x="1" y="2" z="0"/></node>
<node id="b"><viz:position x="3" y="4" z="0"/></node>
<node id="c"><viz:position x="3" y="1" z="0"/></node>
</nodes><edges>{2}</edges></graph></gexf>
"""
SPACES = ["http://www.gexf.net/1.1draft", "http://www.gexf.net/1.2draft", "http://gexf.net/1.3"]


def gexf(folder, default, *rows, space=SPACES[1]):
    made = ""
    for k, (source, target, kind, weight) in enumerate(rows):
        told = f' type="{kind}"' if kind else ""
        made += f'<edge id="{k}" source="{source}" target="{target}"{told} weight="{weight}"/>'
    return put(folder, "a.gexf", GEXF.format(space, default, made))


@pytest.mark.parametrize("space", SPACES)
def test_edges_of_both_kinds_in_gexf(tmp_path, space):
    rows = [("a", "b", "undirected", 2), ("b", "c", "", 3), ("c", "c", "mutual", 4)]
    path = gexf(tmp_path, "directed", *rows, space=space)
    expected = [("a", "b", 2.0), ("b", "a", 2.0), ("b", "c", 3.0), ("c", "c", 4.0)]
    found = wg.Graph.read(path)
    assert edges(found) == expected
    assert found.coordinates.tolist() == [[1, 2, 0], [3, 4, 0], [3, 1, 0]]
    rows = [("a", "b", "", 2), ("b", "c", "directed", 3), ("c", "c", "", 4)]
    for default in ("undirected", "mutual", "UNDIRECTED"):
        assert edges(wg.Graph.read(gexf(tmp_path, default, *rows, space=space))) == expected


@pytest.mark.parametrize("default", ["directed", "undirected", "mutual"])
def test_edges_of_one_kind_in_gexf(tmp_path, default):
    rows = [("a", "b", "", 2), ("a", "b", "", 3)]
    path = gexf(tmp_path, default, *rows)
    expected = [("a", "b", 2.0), ("a", "b", 3.0)]
    if default != "directed":
        expected += [("b", "a", 2.0), ("b", "a", 3.0)]
    assert edges(wg.Graph.read(path)) == expected == edges(wg.Graph(nx.read_gexf(path)))


def test_unknown_words_in_gexf(tmp_path):
    with raises_sentence(ValueError, "a.gexf", "'sideways'", "directed, undirected or mutual"):
        wg.io.read(gexf(tmp_path, "directed", ("a", "b", "sideways", 1)))
    with raises_sentence(ValueError, "a.gexf", "expected <gexf xmlns=..>", SPACES[2]):
        wg.io.read(gexf(tmp_path, "directed", ("a", "b", "", 1), space="http://gexf.net/9"))
    with raises_sentence(ValueError, "a.gexf"):
        wg.io.read(gexf(tmp_path, "directed", ("a", "b", "", "heavy")))


# JSON.


def node_link(folder, **data):
    return put(folder, "a.json", json.dumps(data))


def test_node_link_data_of_d3(tmp_path):
    nodes = [{"id": "a", "group": 1}, {"id": "b"}, {"id": "alone"}]
    link = {"source": "a", "target": "b", "value": 3}
    found = wg.Graph.read(node_link(tmp_path, nodes=nodes, links=[link, link]), weight="value")
    assert edges(found) == [("a", "b", 3)] * 2 + [("b", "a", 3)] * 2
    assert found.names.tolist() == ["a", "b", "alone"]
    for directed in (False, True):
        data = {"directed": directed, "nodes": nodes, "edges": [link]}
        assert edges(wg.Graph.read(node_link(tmp_path, **data), weight=None)) == sorted(
            [("a", "b", 1), *([] if directed else [("b", "a", 1)])]
        )


def test_links_of_d3_by_position(tmp_path):
    nodes = [{"name": "Myriel"}, {"name": "Napoleon"}, {"name": "Valjean"}]
    links = [{"source": 1, "target": 0, "value": 2}, {"source": 2, "target": 0, "value": 8}]
    found = wg.Graph.read(node_link(tmp_path, nodes=nodes, links=links), weight="value")
    assert found.names.tolist() == [0, 1, 2]
    assert edges(found) == sorted([("1", "0", 2), ("0", "1", 2), ("2", "0", 8), ("0", "2", 8)])


@pytest.mark.parametrize(
    ("data", "parts"),
    [
        (
            {"nodes": [{"id": 10}, {"id": 20}], "links": [{"source": 0, "target": 1}]},
            ["leads to 0"],
        ),
        ({"nodes": [{"id": 1}], "links": [{"source": 1, "target": "1"}]}, ["leads to '1'"]),
        ({"nodes": [{"id": 1}, {"id": "b"}], "links": []}, ["1 and 'b'", "id_dtype=str"]),
        ({"nodes": [{"id": 1.5}], "links": []}, ["got 1.5"]),
        ({"nodes": [{"id": True}], "links": []}, ["got True"]),
        ({"nodes": [{"id": "a"}, {"id": "a"}], "links": []}, ["two nodes have the same id"]),
        ({"nodes": [{"id": "a"}], "links": [{"source": "a"}]}, ["no source or no target"]),
        ({"nodes": [{"id": "a"}], "links": [["a", "a"]]}, ["which is no object"]),
        ({"nodes": [{"id": "a"}], "links": {}}, ["expected a list of objects as 'links'"]),
        ({"nodes": {"a": 1}, "links": []}, ["the lists 'nodes' and 'links'"]),
        ({"nodes": [{"id": "a"}]}, ["the lists 'nodes' and 'links'"]),
        ({"nodes": [], "links": [], "edges": []}, ["the lists 'nodes' and 'links'"]),
        ({"nodes": [], "links": [], "directed": "no"}, ["directed is 'no'"]),
    ],
)
def test_node_link_data_that_is_refused(tmp_path, data, parts):
    with raises_sentence(ValueError, "a.json", *parts):
        wg.io.read(node_link(tmp_path, **data))


def test_types_of_names_in_json(tmp_path):
    data = {"nodes": [{"id": "1"}, {"id": "2"}], "links": [{"source": "1", "target": "2"}]}
    path = node_link(tmp_path, **data)
    assert (
        wg.Graph.read(path).names.tolist()
        == ["1", "2"]
        == list(nx.node_link_graph(data, edges="links"))
    )
    assert wg.Graph.read(path, id_dtype=int).names.tolist() == [1, 2]
    path = node_link(tmp_path, nodes=[{"id": 1}, {"id": "b"}], links=[])
    assert wg.Graph.read(path, id_dtype=str).names.tolist() == ["1", "b"]


# Pajek.

PAJEK = """% all sections
*Network of towns
*Vertices 4
1 "a a" 0.1 0.2 0.5 ic Red
2 b 0.3 0.4 0.5
3 c 1 1 0.5
4 "d" 0 0 0.5
*Arcs :1 "by road"
1 2 3.5 l "A 1"

*EDGES
2 3
3 3 7
*Arcslist
4 1 2
*Edgeslist
1 4
"""


def test_all_sections_of_pajek(tmp_path):
    found = wg.Graph.read(put(tmp_path, "a.net", PAJEK))
    expected = [("a a", "b", 3.5), ("b", "c", 1), ("c", "b", 1), ("c", "c", 7), ("d", "a a", 1)]
    expected += [("d", "b", 1), ("a a", "d", 1), ("d", "a a", 1)]
    assert edges(found) == sorted(expected)
    assert found.coordinates.tolist() == [
        [0.1, 0.2, 0.5],
        [0.3, 0.4, 0.5],
        [1, 1, 0.5],
        [0, 0, 0.5],
    ]
    matrix = put(tmp_path, "b.net", "*Vertices 2\n*Matrix\n0 1\n2.5 0\n")
    assert edges(wg.Graph.read(matrix)) == [("1", "2", 1), ("2", "1", 2.5)]


def test_names_of_pajek(tmp_path):
    text = "*Vertices 2\n1 n\xa00\n2 \u3000m\n*Edges\n1 2\n"
    assert wg.Graph.read(put(tmp_path, "a.net", text)).names.tolist() == ["n\xa00", "\u3000m"]
    text = "*Vertices 3 1\n*Edges\n1 2\n"
    assert wg.Graph.read(put(tmp_path, "a.net", text)).names.tolist() == [1, 2, 3]
    text = '*Vertices 2\n1 "x"\n2 "x"\n*Edges\n1 2\n'
    with pytest.warns(UserWarning, match="are their numbers, since two have the label 'x'"):
        assert wg.Graph.read(put(tmp_path, "a.net", text)).names.tolist() == [1, 2]
    text = '*Vertices 2\n1 "x"\n*Edges\n1 2\n'
    with pytest.warns(UserWarning, match="since some have no label"):
        assert wg.Graph.read(put(tmp_path, "a.net", text)).names.tolist() == [1, 2]


@pytest.mark.parametrize(
    ("text", "parts"),
    [
        ("*Vertices 2\n*Arcs\n1 3\n", ["line 3", "two vertices of 1 to 2", "'1 3'"]),
        ("*Vertices 2\n*Arcs\n0 1\n", ["line 3", "two vertices of 1 to 2"]),
        ("*Vertices 2\n*Arcs\n1\n", ["line 3", "two vertices of 1 to 2"]),
        ("*Vertices 2\n*Arcs\n1 2 x\n", ["line 3", "perhaps a weight"]),
        ("*Vertices 2\n*Arcs\n1 2 nan\n", ["NaN", "(1, 2)"]),
        ("*Vertices 2\n*Arcslist\n1 2 9\n", ["line 3", "vertices of 1 to 2"]),
        ("*Vertices 2\n1 a\n1 b\n", ["line 3", "another vertex of 1 to 2"]),
        ("*Vertices 2\n*Vertices 2\n", ["line 2", "one *Vertices"]),
        ("*Vertices many\n", ["line 1", "one *Vertices with their number"]),
        ("*Arcs\n1 2\n", ["line 1", "*Vertices and their number before"]),
        ("*Vertices 2\n*Matrix\n0 1\n", ["expected 2 rows of a matrix, got 1"]),
        ("*Vertices 2\n*Matrix\n0 1 1\n", ["line 3", "2 rows of 2 numbers"]),
        ("*Partition x\n", ["line 1", "one of *vertices"]),
        ("1 2\n", ["line 1", "a section such as *Vertices 5"]),
        ("*Vertices 4000000000\n", ["n_vertices"]),
        ("*Vertices 400000000\n", ["announces 400000000 vertices"]),
    ],
)
def test_pajek_that_is_refused(tmp_path, text, parts):
    with raises_sentence((ValueError, OverflowError), *parts):
        wg.io.read(put(tmp_path, "a.net", text))


# Damage.


@formats
def test_damaged_files_are_refused_or_read(tmp_path, name):
    FORMATS[name][0](nx.MultiDiGraph(nx.les_miserables_graph()), tmp_path / name)
    assert damaged(tmp_path / name)


LARGE = {
    "a.json": '{"nodes": [{"id": 1}, {"id": 2}], '
    '"links": [{"source": 1, "target": 2, "weight": 1e400}]}',
    "a.gml": "graph [ node [ id 1 ] node [ id 2 ] edge [ source 1 target 2 weight 1.0E400 ] ]",
    "a.net": "*Vertices 2\n*Edges\n1 2 1e400\n",
    "a.gexf": '<gexf xmlns="http://www.gexf.net/1.2draft"><graph><nodes><node id="1"/>'
    '<node id="2"/></nodes><edges><edge id="0" source="1" target="2" weight="1e400"/></edges>'
    "</graph></gexf>",
}


@formats
def test_finite_weights_beyond_floats_are_refused(tmp_path, name):
    with raises_sentence(ValueError, name, "e400" if name != "a.gml" else "E400"):
        wg.Graph.read(put(tmp_path, name, LARGE[name]))
    infinite = LARGE[name].replace("1e400", "inf" if name != "a.json" else "Infinity")
    if name != "a.gml":
        assert wg.Graph.read(put(tmp_path, name, infinite)).data.tolist() == [float("inf")] * 2


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("a.gml", "graph [ node 3 ]"),
        ("a.gml", "graph [ edge 3 ]"),
        ("a.gml", "graph 3"),
        ("a.json", '{"nodes": [null], "links": []}'),
        ("a.json", '{"nodes": [{"id": 1}], "links": [null]}'),
        ("a.json", '{"nodes": [{"id": {}}], "links": []}'),
        (
            "a.gexf",
            '<gexf xmlns="http://www.gexf.net/1.2draft"><graph><attributes><attribute id="0" '
            'title="x" type="string"/></attributes><nodes/></graph></gexf>',
        ),
        ("a.net", '*Vertices 2\n1 "q"q x" 0.0 0.0\n2 b\n'),
        ("a.net", "*Vertices 3\n*Matrix\n0 1 0\n*Edges\n1 2\n"),
    ],
)
def test_what_no_parser_looks_for_is_refused_by_name(tmp_path, name, text):
    with raises_sentence(ValueError, name):
        wg.Graph.read(put(tmp_path, name, text))


def test_keys_of_edges_of_a_graph_without_parallel_ones(tmp_path):
    graph = nx.Graph()
    graph.add_edge("a", "b", key="k", weight=2)
    write_json("links")(graph, tmp_path / "a.json")
    assert edges(wg.Graph.read(tmp_path / "a.json")) == [("a", "b", 2), ("b", "a", 2)]
