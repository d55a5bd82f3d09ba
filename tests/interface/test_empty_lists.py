"""Lists without a vertex, as a filter with a misspelt word leaves them.

Either the result is empty, too, so that everybody sees it, or the call is refused. It is never a
table of inf or 0 that looks like an answer.
"""

import inspect

import numpy as np
import pytest

import calls
import graphs
import warpgraph as wg
from calls import triangle
from checks import raises_sentence

GRAPH = wg.Graph(triangle(), coordinates=np.ones((3, 2)))

#: Calls that would find nothing, by the argument.
REFUSED = {
    "nearest_facilities, facilities": lambda g: wg.nearest_facilities(g, []),
    "many_to_many, sources": lambda g: wg.many_to_many(g, [], min_only=True),
    "betweenness_centrality, sources": lambda g: wg.betweenness_centrality(g, sources=[]),
    "betweenness_centrality, targets": lambda g: wg.betweenness_centrality(g, targets=[]),
    "edge_betweenness_centrality, sources": lambda g: wg.edge_betweenness_centrality(g, sources=[]),
    "edge_betweenness_centrality, targets": lambda g: wg.edge_betweenness_centrality(g, targets=[]),
    "steiner_tree, terminals": lambda g: wg.steiner_tree(g, []),
    "shortest_path, landmarks": lambda g: wg.shortest_path(g, 0, 1, method="alt", landmarks=[]),
}
#: Calls whose result has a row or a column for each vertex of the list: none.
EMPTY = {
    "many_to_many, sources": lambda g: wg.many_to_many(g, []),
    "many_to_many, targets": lambda g: wg.many_to_many(g, [0], []),
    "sssp, targets": lambda g: wg.sssp(g, 0, targets=[]),
    "bfs, source": lambda g: wg.bfs(g, []),
    "bfs, targets": lambda g: wg.bfs(g, 0, targets=[]),
    "within, sources": lambda g: wg.within(g, [], 3),
    "accessibility, sources": lambda g: wg.accessibility(g, [], 3),
    "shortest_paths, sources": lambda g: wg.shortest_paths(g, [], [])[0],
    "shortest_paths, targets": lambda g: wg.shortest_paths(g, [], [])[0],
    "bottleneck_paths, sources": lambda g: wg.bottleneck_paths(g, [], []),
    "bottleneck_paths, targets": lambda g: wg.bottleneck_paths(g, [], []),
}


def takes_vertices():
    """Yield each argument that has several vertices, as its function's annotation says."""
    for call in calls.CALLS:
        for parameter in inspect.signature(call.function).parameters.values():
            if "types.Vertices" in str(parameter.annotation):
                yield f"{call.name}, {parameter.name}"


def test_each_list_of_vertices_is_here():
    assert {*takes_vertices()} == {*REFUSED, *EMPTY}


@pytest.mark.parametrize("name", REFUSED)
def test_an_answer_from_no_vertex_is_refused(name):
    with raises_sentence(ValueError, name.split(", ")[1], "at least one vertex"):
        REFUSED[name](GRAPH)


@pytest.mark.parametrize("name", EMPTY)
def test_a_result_for_no_vertex_is_empty(name):
    assert np.prod(EMPTY[name](GRAPH).shape) == 0


@pytest.mark.parametrize(
    "name", [n for n in REFUSED if n.split(", ")[1] not in ("terminals", "landmarks")]
)
def test_a_graph_without_vertices_has_no_others(name):
    found = REFUSED[name](graphs.csr(0, []))
    for array in found if isinstance(found, tuple) else (found,):
        assert array.size == 0
