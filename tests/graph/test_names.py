"""Vertices with names: names as arguments, and the names of results."""

import pickle

import networkx as nx
import numpy as np
import pytest
from hypothesis import given, settings, strategies as st

import calls
import warpgraph as wg
from checks import raises_sentence
from test_errors import from_a_source
from test_networkx import far_from, roads


@st.composite
def named_graphs(draw):
    make = draw(st.sampled_from([nx.Graph, nx.DiGraph, nx.MultiGraph, nx.MultiDiGraph]))
    kinds = [
        st.integers(-3, 12),
        st.text(max_size=3),
        st.tuples(st.integers(0, 2), st.integers(0, 2)),
        st.one_of(st.integers(0, 9), st.text(max_size=1), st.frozensets(st.integers(0, 3))),
    ]
    nodes = draw(st.lists(draw(st.sampled_from(kinds)), unique=True, min_size=1, max_size=8))
    graph = make()
    graph.add_nodes_from(nodes)
    pairs = st.tuples(*[st.sampled_from(nodes)] * 2, st.integers(0, 9))
    for tail, head, weight in draw(st.lists(pairs, max_size=16)):
        graph.add_edge(tail, head, km=weight, weight=float(weight))
    return graph


@settings(max_examples=200)
@given(graph=named_graphs(), data=st.data())
def test_named_in_as_networkx_finds_it(graph, data):
    nodes = list(graph)
    source = data.draw(st.sampled_from(nodes))
    expected = far_from(graph, source, "weight")
    distances, tree = wg.sssp(graph, source, return_predecessors=True)
    assert distances.tolist() == expected
    targets = data.draw(st.lists(st.sampled_from(nodes), max_size=5))
    found = [expected[nodes.index(node)] for node in targets]
    assert wg.sssp(graph, source, targets=targets).tolist() == found
    assert wg.many_to_many(graph, [source], targets).tolist() == [found]
    assert wg.apsp(graph)[nodes.index(source)].tolist() == expected
    indptr, all_paths = wg.reconstruct_paths(tree, source, nodes, graph=graph)
    hops = nx.single_source_shortest_path_length(graph, source)
    assert wg.bfs(graph, source).tolist() == [hops.get(node, -1) for node in nodes]
    kept = wg.Graph(graph)
    assert [kept.number_of(node) for node in nodes] == list(range(len(nodes)))
    for target in nodes:
        path = wg.reconstruct_path(tree, source, target, graph=kept).tolist()
        first, end = indptr[nodes.index(target)], indptr[nodes.index(target) + 1]
        assert all_paths[first:end].tolist() == path
        for form in (graph, kept):
            length, vertices = wg.shortest_path(form, source, target)
            assert (length, vertices.tolist()) == (expected[nodes.index(target)], path)
        lengths, shortest = wg.k_shortest_paths(kept, source, target, 1)
        if np.isinf(length):
            assert path == shortest == []
            continue
        for way in (path, shortest[0].tolist()):
            assert (way[0], way[-1]) == (source, target)
            assert nx.path_weight(lightest(graph), way, "weight") == length == lengths[0]


def lightest(graph):
    """Return a DiGraph with the lightest edge of each pair, in each allowed direction."""
    made = nx.DiGraph()
    for tail, head, weight in graph.edges(data="weight"):
        for ends in [(tail, head)] if graph.is_directed() else [(tail, head), (head, tail)]:
            known = made.edges[ends]["weight"] if made.has_edge(*ends) else np.inf
            made.add_edge(*ends, weight=min(weight, known))
    return made


@settings(max_examples=100)
@given(graph=named_graphs())
def test_forests_have_the_nodes_of_the_graph(graph):
    if graph.is_directed():
        graph = nx.MultiGraph(graph)
    forest = wg.minimum_spanning_forest(graph).to_networkx()
    assert list(forest) == list(graph)
    expected = nx.minimum_spanning_tree(graph)
    assert forest.size("weight") == expected.size("weight")
    assert nx.number_connected_components(forest) == nx.number_connected_components(graph)
    for tail, head in forest.edges:
        assert graph.has_edge(tail, head)


@calls.every("call", calls.calls())
def test_numbers_find_what_names_find(call):
    graph = nx.gnm_random_graph(30, 60, seed=1)
    graph = nx.relabel_nodes(graph, lambda number: f"town {number}")
    weights = np.random.default_rng(0).integers(1, 90, graph.size()).tolist()
    for ends, weight in zip(graph.edges, weights, strict=True):
        graph.edges[ends]["weight"] = weight
    kept = wg.Graph(graph)
    found = call.run(wg.Graph(kept.to_csr()))
    for named in (graph, kept):
        for part, expected in zip(call.run(named), found, strict=True):
            is_path = np.asarray(part).dtype == object
            np.testing.assert_array_equal(part, kept.names[expected] if is_path else expected)


@pytest.mark.parametrize("order", [[0, 1, 2], [2, 0, 1], [3, 2, 1], [-1, 0, 1], [1.0, 0, 2]])
def test_integers_are_names(order):
    """Node 2 is found by its name at any position."""
    graph = nx.DiGraph()
    graph.add_nodes_from(order)
    graph.add_weighted_edges_from([(order[0], order[1], 5), (order[1], order[2], 7)])
    for source in order:
        assert wg.sssp(graph, source).tolist() == far_from(graph, source, "weight")
    absent = next(number for number in (0, 3) if number not in order)
    with raises_sentence(ValueError, f"source is {absent}"):
        wg.sssp(graph, absent)
    with raises_sentence(ValueError, f"[1] is {absent}"):
        wg.many_to_many(graph, [order[2], absent])
    assert wg.bfs(wg.Graph(graph), np.int64(order[1]))[1] == 0


def test_nodes_that_are_strange():
    graph = nx.Graph()
    graph.add_weighted_edges_from([((0, 1), "a b\n", 1), ("a b\n", frozenset({3}), 2), (7, "7", 3)])
    names = wg.Graph(graph).names
    assert names.dtype == object
    assert names.tolist() == list(graph)
    assert wg.sssp(graph, (0, 1), targets=[frozenset({3})]).tolist() == [3]
    assert wg.sssp(graph, "7", targets=[7]).tolist() == [3]


NO_NODES = (
    ("source", "error", "parts"),
    [
        ("Rom", ValueError, ["'Rom'", "'Rome'"]),
        (None, ValueError, ["None"]),
        (0, ValueError, ["source is 0", "'Rome'"]),
        ({"Rome"}, TypeError, ["name of a vertex", "{'Rome'}"]),
    ],
)


@pytest.mark.parametrize(*NO_NODES)
@from_a_source
def test_a_source_that_is_no_node(call, source, error, parts):
    with raises_sentence(error, *parts):
        call(roads(attribute="weight"), source)


@pytest.mark.parametrize(*NO_NODES)
def test_a_number_of_what_is_no_node(source, error, parts):
    with raises_sentence(error, "name"):
        wg.Graph(roads(), weight="length").number_of(source)


@pytest.mark.parametrize(
    ("sources", "parts"),
    [
        ("Rome", ["the text 'Rome'"]),
        ({"Rome", "Oslo"}, ["a set", "list"]),
        (iter(["Rome"]), ["iterator", "list"]),
        (dict.fromkeys(["Rome"]), ["a dict", "list"]),
        ([["Rome"]], ["sources[0]", "['Rome']"]),
    ],
)
def test_sources_that_are_no_sequence_of_nodes(sources, parts):
    with raises_sentence(TypeError, "sources", *parts):
        wg.many_to_many(roads(attribute="weight"), sources)


def test_sequences_of_names():
    graph = roads(attribute="weight")
    expected = [far_from(graph, source, "weight") for source in ("Oslo", "Rome")]
    for sources in (["Oslo", "Rome"], ("Oslo", "Rome"), np.array(["Oslo", "Rome"])):
        assert wg.many_to_many(graph, sources).tolist() == expected
    assert wg.many_to_many(graph, []).shape == (0, 5)
    with raises_sentence(ValueError, "sources[1] is 'Milan'"):
        wg.many_to_many(graph, ["Oslo", "Milan"])


@from_a_source
def test_a_source_with_a_name_where_there_are_none(call):
    with raises_sentence(TypeError, "source", "'Rome'", "no names"):
        call(wg.Graph(roads(), weight="length").to_csr(), "Rome")


def test_a_name_where_there_are_none():
    matrix = wg.Graph(roads(), weight="length").to_csr()
    with raises_sentence(TypeError, "sources", "no names"):
        wg.many_to_many(matrix, ["Rome"])
    with raises_sentence(TypeError, "name", "'Rome'"):
        wg.Graph(matrix).number_of("Rome")
    assert wg.Graph(matrix).number_of(3) == 3
    assert wg.Graph(matrix).names is None


def test_names_go_with_the_graph():
    graph = wg.Graph(roads(), weight="length")
    before = graph.names.tolist()
    assert before == list(roads())
    assert wg.Graph(graph).names.tolist() == before
    assert pickle.loads(pickle.dumps(graph)).names.tolist() == before
    assert wg.sssp(pickle.loads(pickle.dumps(graph)), "Oslo")[4] == 1
    assert wg.transform.sort_by_weight(graph).graph.names.tolist() == before
    assert wg.transform.rank_weights(graph).graph.names.tolist() == before
    packed = wg.transform.compress(graph)
    assert packed.decompress().names.tolist() == before
    assert packed.neighbours("Oslo").tolist() == [4]
    moved = wg.transform.reorder(graph, "degree")
    assert moved.graph.names.tolist() == [before[v] for v in moved.order]
    again = wg.sssp(moved.graph, "Pisa")
    assert again[moved.inverse].tolist() == wg.sssp(graph, "Pisa").tolist()
    with pytest.raises(ValueError, match="read-only"):
        graph.names[0] = "Paris"


def test_names_that_are_given():
    matrix = wg.Graph(roads(), weight="length").to_csr()
    graph = wg.Graph(matrix, names=["R", "P", "G", (0, 1), None])
    assert wg.bfs(graph, (0, 1)).tolist() == [-1, -1, -1, 0, 1]
    assert wg.bfs(graph, None).tolist() == [-1, -1, -1, 1, 0]
    assert wg.Graph(graph, names=range(5)).number_of(3) == 3
    for error, names, parts in (
        (ValueError, list("abcd"), ["5 vertices", "got 4"]),
        (ValueError, list("abcda"), ["names[0]", "names[4]", "'a'"]),
        (TypeError, [[0], 1, 2, 3, 4], ["hashable", "list"]),
        (TypeError, "abcde", ["names", "text"]),
        (TypeError, set("abcde"), ["names", "set"]),
    ):
        with raises_sentence(error, *parts):
            wg.Graph(matrix, names=names)


def test_methods_that_search_from_vertices_of_their_own_choice():
    """These methods pass numbers to functions that take names."""
    rng = np.random.default_rng(0)
    order = rng.permutation(700).tolist()
    graph = nx.Graph()
    graph.add_nodes_from(order)
    ends = rng.integers(0, 700, (3000, 2)).tolist()
    graph.add_weighted_edges_from((u, v, int(rng.integers(1, 90))) for u, v in ends)
    plain = wg.Graph(wg.Graph(graph).to_csr())
    for dtype in ("float32", "float64", "int64"):
        expected = wg.apsp(plain, dtype=dtype, method="floyd_warshall")
        for method in ("auto", "many_to_many"):
            np.testing.assert_array_equal(wg.apsp(graph, dtype=dtype, method=method), expected)
        found = wg.many_to_many(graph, order, dtype=dtype)
        np.testing.assert_array_equal(found, expected)
    named = wg.Graph(graph)
    bounds = [wg._paths.sssp.distance_bound(one, False, 1e9) for one in (named, plain)]
    assert bounds[0] == bounds[1]
    same = wg.Graph(plain.to_csr())  # which has learnt nothing
    found = [wg.explain(wg.apsp, one, dtype="float64") for one in (named, same)]
    # One may be on a GPU already, and their offsets may have other types.
    reasons = [[r for r in one.reasons if "is copied to" not in r] for one in found]
    assert reasons[0] == reasons[1]


def test_sentences_name_the_edge():
    graph = roads(nx.DiGraph, attribute="weight")
    graph.edges["Pisa", "Genoa"]["weight"] = -2.5
    with raises_sentence(ValueError, "-2.5", "('Pisa', 'Genoa')"):
        wg.many_to_many(graph, ["Rome"], method="dijkstra")
    with raises_sentence(ValueError, "-2.5", "('Pisa', 'Genoa')"):
        wg.sssp(graph, "Rome", method="dijkstra")
    with raises_sentence(ValueError, "-2.5", "('Pisa', 'Genoa')", "int32"):
        wg.sssp(graph, "Rome", dtype="int32")
    with raises_sentence(ValueError, "-2.5", "('Pisa', 'Genoa')"):
        wg.cluster.single_linkage(nx.Graph(graph))


# Forests.


def test_forests_keep_names():
    graph = wg.Graph(roads(), weight="length")
    parts = [wg.local_forest(graph, rows=rows) for rows in ((0, 2), (2, 5))]
    whole = wg.minimum_spanning_forest(graph)
    merged = wg.merge_forests(*parts)
    assert list(merged.to_networkx().edges.data()) == list(whole.to_networkx().edges.data())
    assert whole.names[whole.edges].tolist()[0] == ["Oslo", "Bodo"]
    again = wg.extend_forest(whole, [[0, 3]], [2], [99])
    assert again.to_networkx().has_edge("Rome", "Oslo")
    nameless = wg.SpanningForest(5, whole.edges, whole.weights, whole.edge_ids)
    assert wg.merge_forests(nameless, whole).names.tolist() == whole.names.tolist()
    assert pickle.loads(pickle.dumps(whole)).names.tolist() == whole.names.tolist()
    other = wg.SpanningForest(5, [], np.empty(0, np.int64), [], names=list("abcde"))
    with raises_sentence(ValueError, "vertex 0 of forests[1]", "'a'", "'Rome'"):
        wg.merge_forests(whole, other)
    with raises_sentence(ValueError, "names", "5 vertices", "got 4"):
        wg.SpanningForest(5, [], [], names=list("abcd"))


def test_clusters_of_a_graph_with_names():
    model = wg.cluster.MSTClustering(1, metric="precomputed", weight="length", cut=None)
    with pytest.warns(UserWarning, match="2 connected components"):
        model.fit(roads())
    assert model.n_features_in_ == 5
    assert dict(zip(model.mst_.names, model.labels_.tolist(), strict=True)) == {
        "Rome": 0,
        "Pisa": 0,
        "Genoa": 0,
        "Oslo": 1,
        "Bodo": 1,
    }
    more = nx.Graph()
    more.add_nodes_from([*roads(), "Turin"])
    more.add_edge("Oslo", "Rome", length=9)
    more.add_edge("Turin", "Rome", length=7)
    model.add_edges(more)
    assert model.mst_.to_networkx().has_edge("Oslo", "Rome")
    assert model.mst_.names.tolist()[-1] == "Turin"
    with raises_sentence(ValueError, "vertex 0", "'Turin'", "'Rome'", "one order"):
        model.add_edges(nx.Graph([("Turin", f"x{i}", {"length": 1}) for i in range(6)]))
    with raises_sentence(ValueError, "6 vertices", "have names", "7 vertices"):
        model.add_edges(np.zeros((7, 7)))
    assert len(model.add_edges(np.zeros((6, 6))).mst_.names) == 6


# Files.


def test_names_are_written(tmp_path):
    path = tmp_path / "roads.csv"
    wg.io.write(path, roads(), weight="length")
    graph, ids = wg.io.read(path)
    assert sorted(ids.tolist()) == sorted(roads())
    again = wg.Graph(graph, names=ids)
    assert wg.sssp(again, "Rome", targets=["Genoa"]).tolist() == [520]
    numbers = nx.relabel_nodes(roads(), dict(zip(roads(), [7, 3, 9, 2, 5], strict=True)))
    wg.io.write(path, numbers, weight="length")
    assert sorted(wg.io.read(path)[1].tolist()) == [2, 3, 5, 7, 9]
    tuples = nx.relabel_nodes(roads(), lambda name: (name, 1))
    with raises_sentence(ValueError, "('Rome', 1)", "ids="):
        wg.io.write(path, tuples, weight="length")
    wg.io.write(path, tuples, weight="length", ids=range(5))
    assert wg.io.read(path)[1].tolist() == [0, 1, 2, 3, 4]


# Errors of the core have names.

_BIG = 2**31 - 9
_OF_GRAPHS = {
    "sssp": lambda graph, **how: wg.sssp(graph, "a", **how),
    "bellman_ford": lambda graph, **how: wg.sssp(graph, "a", method="bellman_ford", **how),
    "many_to_many": lambda graph, **how: wg.many_to_many(graph, ["a"], **how),
    "min_only": lambda graph, **how: wg.many_to_many(graph, ["a"], min_only=True, **how),
    "apsp": lambda graph, **how: wg.apsp(graph, **how),
    "apsp by searches": lambda graph, **how: wg.apsp(graph, method="many_to_many", **how),
    "shortest_path": lambda graph, **how: wg.shortest_path(graph, "a", "c", **how),
    "k_shortest_paths": lambda graph, **how: wg.k_shortest_paths(graph, "a", "c", 2, **how),
}


@pytest.mark.parametrize("call", _OF_GRAPHS.values(), ids=_OF_GRAPHS)
@pytest.mark.parametrize("form", [wg.Graph, wg.Graph.to_networkx])
def test_a_negative_cycle_is_named(call, form):
    matrix = np.array([[0, 2, 1], [-3, 0, 1], [0, 0, 0]])
    graph = form(wg.Graph(matrix, names=["a", "b", "c"]))
    with pytest.raises(wg.NegativeCycleError, match=r"through vertex '[ab]': shortest") as caught:
        call(graph)
    assert f"vertex '{'abc'[caught.value.vertex]}'" in str(caught.value)


@pytest.mark.parametrize("call", _OF_GRAPHS.values(), ids=_OF_GRAPHS)
def test_an_overflow_is_named(call):
    matrix = np.array([[0, _BIG, 0], [0, 0, _BIG], [0, 0, 0]], np.int32)
    with pytest.raises(OverflowError, match=r"'b'|to vertex 'c'|only 0 of 2"):
        call(wg.Graph(matrix, names=["a", "b", "c"]), dtype="int32")


def test_errors_that_have_names_keep_them():
    largest = np.array([[0, 2**31 - 1], [0, 0]], np.int32)
    with pytest.raises(OverflowError, match=r"of entry \(1, 0\) is the largest int32"):
        wg.sssp(wg.Graph(largest, names=[1, 0]), 1, dtype="int32")


@pytest.mark.parametrize(
    ("names", "plain"),
    [
        (np.array(["Bonn", "Ulm"]), ["Bonn", "Ulm"]),
        (np.array(["Bonn", "Ulm"], object), ["Bonn", "Ulm"]),
        ([np.str_("Bonn"), np.str_("Ulm")], ["Bonn", "Ulm"]),
        (np.array([2**63, 5], np.uint64), [2**63, 5]),
        ([np.int32(7), "Ulm"], [7, "Ulm"]),
        (np.array([0.5, 2.5]), [0.5, 2.5]),
        (np.array([True, False]), [True, False]),
    ],
)
def test_names_of_numpy_are_those_of_python(names, plain):
    graph = wg.Graph(np.array([[0, 1.0], [0, 0]]), names=names)
    assert graph.names.tolist() == plain
    assert list(map(type, graph.names)) == list(map(type, plain))
    _, tree = wg.sssp(graph, names[0], return_predecessors=True)
    path = wg.reconstruct_path(tree, names[0], names[1], graph=graph)
    assert repr(list(path)) == repr(plain)
    with raises_sentence(ValueError, "source is 'Berlin'", f"names are {plain[0]!r}, {plain[1]!r}"):
        wg.sssp(graph, np.str_("Berlin"))
    forest = wg.SpanningForest(2, [[0, 1]], [1.0], names=names)
    assert list(map(type, forest.names)) == list(map(type, plain))


def test_times_of_numpy_stay_names():
    times = np.array([1, 2], "m8[ns]")
    graph = wg.Graph(np.eye(2), names=times)
    assert graph.names.tolist() == list(times)
    assert graph.number_of(times[1]) == 1


def test_series_go_by_their_index():
    pd = pytest.importorskip("pandas")
    graph = wg.Graph.from_edges(["a", "b"], ["b", "c"], [1.0, 1.0])
    jobs = pd.Series({"c": 100.0, "b": 10.0, "a": 1.0})
    how = {"opportunities": jobs}
    assert wg.accessibility(graph, ["a", "b", "c"], 0, **how).tolist() == [1, 10, 100]
    by_name = wg.pagerank(graph, personalization=jobs.to_dict())
    for same in (jobs, jobs[::-1], jobs.to_numpy()[::-1], pd.Series(jobs.to_numpy()[::-1])):
        np.testing.assert_array_equal(wg.pagerank(graph, personalization=same), by_name)
        assert wg.accessibility(graph, ["a"], 0, opportunities=same).tolist() == [1]
    few = jobs[:2]
    expected = wg.pagerank(graph, personalization=few.to_dict())
    np.testing.assert_array_equal(wg.pagerank(graph, personalization=few), expected)
    for wrong in (few, pd.concat([few, few])):
        with pytest.raises(ValueError, match="the index of opportunities must name each of the 3"):
            wg.accessibility(graph, ["a"], 0, opportunities=wrong)
    with pytest.raises(ValueError, match="the index of personalization must name a vertex once"):
        wg.pagerank(graph, personalization=pd.concat([few, few]))
    with pytest.raises(ValueError, match="'d'"):
        wg.accessibility(graph, ["a"], 0, opportunities=jobs.rename({"c": "d"}))
    unnamed = wg.Graph(graph.to_csr())
    shuffled = pd.Series([100.0, 1.0, 10.0], index=[2, 0, 1])
    assert wg.accessibility(unnamed, [0, 1, 2], 0, opportunities=shuffled).tolist() == [1, 10, 100]


def test_series_by_integer_names_go_by_them():
    pd = pytest.importorskip("pandas")
    graph = wg.Graph(np.zeros((3, 3)), names=[2, 1, 0])
    jobs = pd.Series([1.0, 10.0, 100.0])
    assert wg.accessibility(graph, None, 0, opportunities=jobs).tolist() == [100, 10, 1]
    named = wg.Graph(np.zeros((3, 3)), names=["a", "b", "c"])
    assert wg.accessibility(named, None, 0, opportunities=jobs).tolist() == [1, 10, 100]
    with pytest.raises(ValueError, match="those that it lacks, such as b"):
        wg.accessibility(named, None, 0, opportunities=pd.Series({"a": 1.0, "c": 2.0}))
