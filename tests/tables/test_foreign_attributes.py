"""Attributes and ids of GML, GraphML and JSON that are not what they stand for."""

import json

import pytest

import warpgraph as wg
from checks import raises_sentence

pytest.importorskip("networkx")


def gml(attribute):
    nodes = "node [ id 1\n]\nnode [ id 2\n]\n"
    return f"graph [\n {attribute}\n {nodes} edge [ source 1 target 2 km 3\n]\n]\n"


@pytest.mark.parametrize("end", ["", "]"])
@pytest.mark.parametrize(
    ("attribute", "shown", "expected"),
    [
        ("edge_default 5", "5", "the attributes of edges by default"),
        ("edge_default 1 edge_default 2", "[1, 2]", "the attributes of edges by default"),
        ('edge_default "a"', "'a'", "the attributes of edges by default"),
        ("weight_attribute [ a 1\n]", "{'a': 1}", "the name of the attribute with the weights"),
        ("weight_attribute 1 weight_attribute 2", "[1, 2]", "the name of the attribute"),
        ("weight_attribute 5", "5", "the name of the attribute with the weights"),
    ],
)
def test_attributes_of_a_graph_that_have_a_meaning(attribute, shown, expected, end, tmp_path):
    path = tmp_path / "a.gml"
    path.write_text(gml(attribute) if not end else gml(f"other [ b 1\n]\n{attribute}"))
    name = attribute.split()[0]
    with raises_sentence(
        ValueError, path, f"{name!r} of the graph is {shown}; expected {expected}"
    ):
        wg.Graph.read(path)


def test_defaults_and_the_name_of_the_weights_in_gml(tmp_path):
    path = tmp_path / "a.gml"
    path.write_text(gml("edge_default [ weight 7\n]"))
    assert wg.Graph.read(path).data.tolist() == [7, 7]
    path.write_text(gml('weight_attribute "km"'))
    assert wg.Graph.read(path).data.tolist() == [3, 3]


@pytest.mark.parametrize("name", ["edge_default", "weight_attribute"])
@pytest.mark.parametrize("kind", ["string", "int", "double"])
def test_data_of_a_graph_in_graphml_with_a_name_that_has_a_meaning(name, kind, tmp_path):
    path = tmp_path / "a.graphml"
    key = f'<key id="d" for="graph" attr.name="{name}" attr.type="{kind}"/>'
    edges = '<node id="1"/><node id="2"/><edge source="1" target="2"/>'
    path.write_text(
        f'<graphml xmlns="http://graphml.graphdrawing.org/xmlns">{key}'
        f'<graph edgedefault="undirected"><data key="d">5</data>{edges}</graph></graphml>'
    )
    if (name, kind) == ("weight_attribute", "string"):  # no edge has it
        assert wg.Graph.read(path).data.tolist() == [1, 1]
        return
    with raises_sentence(ValueError, path, f"{name!r} of the graph is ", "5", "; expected "):
        wg.Graph.read(path)


@pytest.mark.parametrize("number", [2**63, 2**70, -(2**63) - 1])
def test_ids_in_json_beyond_int64(number, tmp_path):
    path = tmp_path / "a.json"
    nodes, links = [{"id": 1}, {"id": number}], [{"source": 1, "target": number}]
    path.write_text(json.dumps({"nodes": nodes, "links": links}))
    advice = f"the node {number} is no 64-bit integer; id_dtype=str reads all as strings"
    with raises_sentence(ValueError, path, advice):
        wg.Graph.read(path)
    assert wg.Graph.read(path, id_dtype=str).names.tolist() == ["1", str(number)]


def test_ids_in_json_at_the_ends_of_int64(tmp_path):
    path = tmp_path / "a.json"
    ends = [2**63 - 1, -(2**63)]
    nodes, links = [{"id": end} for end in ends], [{"source": ends[0], "target": ends[1]}]
    path.write_text(json.dumps({"nodes": nodes, "links": links}))
    assert wg.Graph.read(path).names.tolist() == ends
