"""Errors of the core name vertices as callers do, whatever the names look like."""

import pickle

import numpy as np
import pytest

import warpgraph as wg
from warpgraph import _core

#: Names that are the numbers of other vertices, and texts that have numbers and phrases in them.
NAMES = [[1, 2, 0, 5], ["vertex 1", "entry (0, 1)", "2", "b"]]
BIG = 2**31 - 9


def sums(n=3):
    """Return the path 0 -> 1 -> ... whose sums are beyond int32."""
    ends = np.arange(n - 1)
    return wg.Graph.from_edges(ends, ends + 1, np.full(n - 1, BIG, np.int32))


def cycle():
    return wg.Graph.from_edges([0, 1], [1, 0], [2.0, -3.0], n_vertices=3)


def called(names, *vertices):
    shown = [repr(v if names is None else names[v]) for v in vertices]
    return shown[0] if len(shown) == 1 else f"({', '.join(shown)})"


def first(graph):
    return 0 if graph.names is None else graph.names[0]


def last(graph):
    return 2 if graph.names is None else graph.names[2]


def of_sum(
    names, advice="make the weights float64, or ask for a wider dtype where there is dtype="
):
    return (
        f"the distance {BIG} of vertex {called(names, 1)} and the weight {BIG} of entry "
        f"{called(names, 1, 2)} add up beyond the range of the distances' type; {advice}"
    )


def of_length(names):
    return (
        f"the distance {2 * BIG} from vertex {called(names, 0)} to vertex {called(names, 2)} does "
        "not fit the distances' type; ask for a wider dtype"
    )


def of_cycle(names, vertex=0):
    through = called(names, vertex)
    return (
        f"the graph has a negative cycle through vertex {through}: shortest paths are not defined"
    )


INT32 = {"dtype": "int32"}
#: Graphs, calls that refuse them, and what they say.
CALLS = {
    "sssp": (sums, lambda g: wg.sssp(g, first(g), **INT32), of_sum),
    "many_to_many": (sums, lambda g: wg.many_to_many(g, [first(g)], **INT32), of_sum),
    "shortest_paths": (
        sums,
        lambda g: wg.shortest_paths(g, [first(g)], [last(g)], **INT32),
        of_sum,
    ),
    "shortest_path": (sums, lambda g: wg.shortest_path(g, first(g), last(g), **INT32), of_sum),
    "shortest_path_dag": (sums, lambda g: wg.shortest_path_dag(g, first(g), **INT32), of_sum),
    "apsp": (sums, lambda g: wg.apsp(g, method="floyd_warshall", **INT32), of_length),
    "nearest_facilities": (
        sums,
        lambda g: wg.nearest_facilities(g, [first(g)], 1, to_facilities=False, **INT32),
        lambda names: of_sum(names, "ask for a wider dtype"),
    ),
    "steiner_tree": (
        lambda: sums().with_weights(np.full(2, 2**62 + 1)),
        lambda g: wg.steiner_tree(g, [first(g), last(g)]),
        lambda names: (
            f"the length of a path between vertex {called(names, 0)} and vertex "
            f"{called(names, 2)} is beyond the range of the weights' type"
        ),
    ),
    "Hierarchy": (
        lambda: sums().with_weights(np.array([5, 2**62])),
        lambda g: wg.many_to_many(g, [first(g)], method="hierarchy", dtype="int64"),
        lambda names: f"the weight {2**62} of entry {called(names, 1, 2)} is beyond 62 bits",
    ),
    "k_shortest_paths": (
        lambda: wg.Graph.from_edges([0, 1, 2], [1, 2, 3], [-1e308, -1e308, 1e308]),
        lambda g: wg.k_shortest_paths(g, first(g), 3 if g.names is None else g.names[3], 1),
        lambda names: f"the length of a path from the source to vertex {called(names, 2)} does not",
    ),
    "k_shortest_paths of integers": (
        lambda: wg.Graph.from_edges([0, 1, 2], [1, 2, 3], np.full(3, 2**62)),
        lambda g: wg.k_shortest_paths(
            g, first(g), 3 if g.names is None else g.names[3], 1, dtype="int64"
        ),
        lambda names: f"the length of a path to vertex {called(names, 3)} is beyond the range of",
    ),
    "negative cycle": (cycle, lambda g: wg.sssp(g, first(g)), of_cycle),
    "negative cycle of a dag": (cycle, lambda g: wg.shortest_path_dag(g, first(g)), of_cycle),
    "counts": (
        lambda: wg.Graph.from_edges([0, 1, 2], [1, 2, 1], [1.0, 0.0, 0.0]),
        lambda g: wg.shortest_path_dag(g, first(g)).counts(),
        lambda names: (
            "edges of shortest paths form a cycle of weight zero through vertex "
            f"{called(names, 1)}: there the number of paths is not found, paths() lists them"
        ),
    ),
    "two costs of a corner": (
        sums,
        lambda g: g.with_turns(
            corners=[(*(g.names[:3] if g.names is not None else range(3)), c) for c in (1.0, 2.0)]
        ),
        lambda names: (
            f"are one turn, from vertex {called(names, 0)} via vertex "
            f"{called(names, 1)} to vertex {called(names, 2)}, but cost 1 and 2"
        ),
    ),
    "a negative weight in a search without names": (
        cycle,
        lambda g: wg.shortest_path(g, first(g), last(g), method="bidirectional"),
        lambda names: f"the weight -3.0 of entry {called(names, 1, 0)} is negative",
    ),
}


@pytest.mark.parametrize("names", [None, *NAMES], ids=["numbers", "integers", "texts"])
@pytest.mark.parametrize(("make", "call", "sentence"), CALLS.values(), ids=CALLS)
def test_each_vertex_is_named_once(make, call, sentence, names):
    graph = make()
    if names is not None:
        graph = wg.Graph(graph, names=names[: graph.n_vertices])
    with pytest.raises((ValueError, OverflowError)) as caught:
        call(graph)
    assert sentence(names) in str(caught.value)
    again = pickle.loads(pickle.dumps(caught.value))
    assert (type(again), str(again)) == (caught.type, str(caught.value))


@pytest.mark.parametrize("names", [None, *NAMES])
def test_states_of_turns_have_the_names_of_their_vertices(names):
    graph = sums(4)
    if names is not None:
        graph = wg.Graph(graph, names=names)
    turned = graph.with_turns([0], [1], np.array([3], np.int32))
    with pytest.raises(OverflowError) as caught:
        wg.sssp(turned, 0 if names is None else names[0], dtype="int32")
    assert f"of vertex {called(names, 1)} and the weight" in str(caught.value)
    wide = graph.with_weights(np.array([1, 2**40, 3])).with_turns([0], [1], 3)
    for given in (wide, pickle.loads(pickle.dumps(wide))):
        with pytest.raises(OverflowError) as caught:
            wg.many_to_many(given, [0 if names is None else names[0]], dtype="int32")
        assert f"of entry {called(names, 1, 2)} cannot" in str(caught.value)


def test_parts_are_what_the_core_says():
    graph = sums()
    with pytest.raises(OverflowError) as caught:
        wg.sssp(graph, 0, dtype="int32")
    parts = caught.value.parts
    assert [part for part in parts if isinstance(part, tuple)] == [(1,), (1, 2)]
    joined = "".join(
        part if isinstance(part, str) else str(part[0]) if len(part) == 1 else str(part)
        for part in parts
    )
    assert joined == str(caught.value)
    assert issubclass(wg.NegativeCycleError, _core.NegativeCycleError)


def test_a_hint_is_given_once():
    graph = wg.Graph.from_edges([0, 1], [1, 0], [0.5, -1.0])
    for call in (wg.sssp, wg.shortest_path_dag):
        with pytest.raises(wg.NegativeCycleError) as caught:
            call(graph, 0)
        assert str(caught.value).count("pgRouting") == 1
