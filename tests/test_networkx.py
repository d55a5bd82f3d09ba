"""NetworkX graphs: which attribute has the weights, and nodes that are named in and named out."""

import fractions
import inspect
import pickle
import warnings

import networkx as nx
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import warpgraph as wg
from checks import raises_sentence

TOWNS = [("Rome", "Pisa", 355), ("Pisa", "Genoa", 165), ("Rome", "Genoa", 600), ("Oslo", "Bodo", 1)]


def roads(make=nx.Graph, attribute="length", **others):
    graph = make()
    for tail, head, length in TOWNS:
        graph.add_edge(tail, head, **{attribute: length}, **others)
    return graph


def far_from(graph, source, weight):
    """What NetworkX finds, as a list in the order of the nodes."""
    far = nx.single_source_dijkstra_path_length(graph, source, weight=weight)
    return [far.get(node, np.inf) for node in graph]


#: Functions that read weights; each returns what can be compared.
CALLS = {
    "Graph": lambda graph, **o: wg.Graph(graph, **o).data,
    "sssp": lambda graph, **o: wg.sssp(graph, "Rome", **o),
    "many_to_many": lambda graph, **o: wg.many_to_many(graph, ["Oslo", "Rome"], **o),
    "apsp": lambda graph, **o: wg.apsp(graph, **o),
    "Hierarchy": lambda graph, **o: np.array(wg.Hierarchy(graph, **o).n_arcs),
    "minimum_spanning_forest": lambda graph, **o: wg.minimum_spanning_forest(graph, **o).weights,
    "local_forest": lambda graph, **o: wg.local_forest(graph, rows=(0, 5), **o).weights,
    "single_linkage": lambda graph, **o: wg.cluster.single_linkage(graph, **o),
    "MSTClustering": lambda graph, **o: (
        wg.cluster.MSTClustering(metric="precomputed", **o).fit(graph).linkage_
    ),
    "sort_by_weight": lambda graph, **o: wg.transform.sort_by_weight(graph, **o).graph.data,
    "reorder": lambda graph, **o: wg.transform.reorder(graph, "degree", **o).graph.data,
    "permute": lambda graph, **o: wg.transform.permute(graph, [4, 3, 2, 1, 0], **o).graph.data,
    "rank_weights": lambda graph, **o: wg.transform.rank_weights(graph, **o).values,
    "compress": lambda graph, **o: wg.transform.compress(graph, **o).data,
}
every_call = pytest.mark.parametrize("call", CALLS.values(), ids=CALLS)


# Weights.


@every_call
def test_the_attribute_that_is_named_has_the_weights(call):
    by_length, by_weight = roads(), roads(attribute="weight")
    np.testing.assert_array_equal(call(by_length, weight="length"), call(by_weight))
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        np.testing.assert_array_equal(call(by_length, weight=None), call(nx.Graph(by_length.edges)))


@every_call
def test_no_weight_among_other_numbers_is_warned_of(call):
    graph = roads(lanes=2, name="E 5", oneway=True)
    with pytest.warns(UserWarning, match=r"no attribute 'weight' .* 'lanes', 'length'") as caught:
        call(graph)
    assert [warning.filename for warning in caught] == [__file__]
    assert "oneway" not in str(caught[0].message)
    assert "'name'" not in str(caught[0].message)


@every_call
def test_no_number_at_all_is_no_reason_to_warn(call):
    call(nx.Graph([(*edge[:2], {"name": "E 5"}) for edge in TOWNS]))


@every_call
def test_an_attribute_that_no_edge_has(call):
    with raises_sentence(ValueError, "weight='lenght'", "'length'"):
        call(roads(), weight="lenght")


@every_call
@pytest.mark.parametrize("weight", [3, ["length"], lambda u, v, data: 1], ids=["3", "list", "call"])
def test_a_weight_that_is_no_name(call, weight):
    with raises_sentence(TypeError, "weight must be the name of an edge attribute"):
        call(roads(), weight=weight)


@every_call
@pytest.mark.parametrize("weight", ["length", None])
def test_a_weight_chosen_where_there_is_nothing_to_choose(call, weight):
    matrix = wg.Graph(roads(), weight="length", names=list("abcde")).to_csr()
    named = wg.Graph(matrix, names=["Rome", "Pisa", "Genoa", "Oslo", "Bodo"])
    with raises_sentence(TypeError, f"weight={weight!r}", "NetworkX", "Graph"):
        call(named, weight=weight)
    with raises_sentence(TypeError, f"weight={weight!r}", "NetworkX", type(matrix).__name__):
        call(matrix, weight=weight)


def test_points_have_no_attributes():
    for call in (wg.cluster.single_linkage, wg.cluster.MSTClustering(weight="km").fit):
        options = {"weight": "km"} if call is wg.cluster.single_linkage else {}
        with raises_sentence(TypeError, "weight='km'", "ndarray"):
            call(np.zeros((3, 2)), **options)


def test_weights_that_are_not_read_are_not_looked_at():
    graph = roads(weight="heavy")
    assert wg.bfs(graph, "Oslo").tolist() == [-1, -1, -1, 0, 1]
    assert wg.connected_components(graph)[0] == 2
    assert wg.sssp(graph, "Oslo", unweighted=True).tolist() == [np.inf, np.inf, np.inf, 0, 1]
    assert wg.apsp(roads(), unweighted=True)[0, 2] == 1
    assert wg.many_to_many(graph, ["Rome"], ["Genoa"], unweighted=True) == 1
    assert wg.Hierarchy(graph, unweighted=True).n_vertices == 5


@pytest.mark.parametrize("value", ["heavy", None, 1j, [1], np.array([1.0, 2.0]), object()])
def test_weights_that_are_no_numbers(value):
    graph = roads()
    graph.edges["Pisa", "Genoa"]["length"] = value
    with raises_sentence(TypeError, "'length'", "('Pisa', 'Genoa')", "real numbers"):
        wg.Graph(graph, weight="length")


def test_weights_that_are_nan():
    graph = roads()
    graph.edges["Pisa", "Genoa"]["length"] = float("nan")
    with raises_sentence(ValueError, "'length'", "('Pisa', 'Genoa')", "NaN"):
        wg.Graph(graph, weight="length")


@pytest.mark.parametrize("value", [2**63, -(2**63) - 1, 2**64, -(2**70), 10**400])
def test_integer_weights_that_do_not_fit(value):
    graph = roads()
    graph.edges["Pisa", "Genoa"]["length"] = value
    with raises_sentence(OverflowError, "int64"):
        wg.Graph(graph, weight="length")


def test_integers_among_floats():
    graph = roads()
    graph.edges["Pisa", "Genoa"]["length"] = 0.5
    graph.edges["Oslo", "Bodo"]["length"] = 2**64
    assert wg.sssp(graph, "Oslo", weight="length")[4] == 2.0**64
    graph.edges["Oslo", "Bodo"]["length"] = fractions.Fraction(1, 4)
    assert wg.sssp(graph, "Oslo", weight="length")[4] == 0.25
    graph.edges["Oslo", "Bodo"]["length"] = 10**400
    with raises_sentence(OverflowError, "('Oslo', 'Bodo')", "float64"):
        wg.Graph(graph, weight="length")


@pytest.mark.parametrize(
    ("values", "dtype"),
    [
        ([1, 2, 3, 2**62 + 1], "int64"),
        ([True, False, True, True], "int32"),
        ([np.float32(0.1)] * 4, "float32"),
        ([np.int32(4)] * 4, "int32"),
        ([1, 2.5, np.float32(3), fractions.Fraction(7, 2)], "float64"),
    ],
)
def test_weights_keep_their_values(values, dtype):
    graph = nx.DiGraph([(i, i + 1, {"weight": value}) for i, value in enumerate(values)])
    made = wg.Graph(graph)
    assert made.dtype == dtype
    assert made.data.tolist() == [np.dtype(dtype).type(value).item() for value in values]


@pytest.mark.parametrize("make", [nx.Graph, nx.DiGraph, nx.MultiGraph, nx.MultiDiGraph])
def test_edges_without_the_weight_weigh_one_as_in_networkx(make):
    graph = roads(make, attribute="weight")
    graph.add_edge("Genoa", "Turin", km=7)
    with pytest.warns(UserWarning, match=r"1 of 5 edges have no attribute 'weight' and weigh 1"):
        distances = wg.sssp(graph, "Rome")
    assert distances.tolist() == far_from(graph, "Rome", "weight")


def test_the_lightest_of_parallel_edges_wins():
    for make in (nx.MultiGraph, nx.MultiDiGraph):
        graph = roads(make)
        graph.add_edge("Rome", "Pisa", length=7)
        graph.add_edge("Rome", "Pisa", length=9)
        for source in graph:
            distances = wg.sssp(graph, source, weight="length")
            assert distances.tolist() == far_from(graph, source, "length")


# Names.


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
    hops = nx.single_source_shortest_path_length(graph, source)
    assert wg.bfs(graph, source).tolist() == [hops.get(node, -1) for node in nodes]
    kept = wg.Graph(graph)
    assert [kept.number_of(node) for node in nodes] == list(range(len(nodes)))
    for target in nodes:
        path = kept.names[wg.reconstruct_path(tree, source, target, graph=kept)].tolist()
        if np.isinf(distances[nodes.index(target)]):
            assert path == []
        else:
            assert (path[0], path[-1]) == (source, target)
            assert (
                nx.path_weight(nx.DiGraph(lightest(graph)), path, "weight")
                == (distances[nodes.index(target)])
            )


def lightest(graph):
    """Return a DiGraph with the lightest edge of each pair, in each direction it may be walked."""
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


@pytest.mark.parametrize("order", [[0, 1, 2], [2, 0, 1], [3, 2, 1], [-1, 0, 1], [1.0, 0, 2]])
def test_integers_are_names(order):
    """Node 2 is node 2, wherever it stands."""
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


@pytest.mark.parametrize(
    ("source", "error", "parts"),
    [
        ("Rom", ValueError, ["'Rom'", "'Rome'"]),
        (None, ValueError, ["None"]),
        (0, ValueError, ["source is 0", "'Rome'"]),
        (["Rome"], TypeError, ["name of a vertex", "['Rome']"]),
    ],
)
def test_a_source_that_is_no_node(source, error, parts):
    for call in (wg.bfs, wg.sssp):
        with raises_sentence(error, *parts):
            call(roads(attribute="weight"), source)
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


def test_a_name_where_there_are_none():
    matrix = wg.Graph(roads(), weight="length").to_csr()
    for call in (wg.sssp, wg.bfs):
        with raises_sentence(TypeError, "source", "'Rome'", "no names"):
            call(matrix, "Rome")
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


def test_methods_that_search_from_vertices_of_their_own_choice(monkeypatch):
    """These pass numbers to functions that take names."""
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
    assert wg._sssp._hops_from_hub(named, "cpu") == wg._sssp._hops_from_hub(plain, "cpu")
    bounds = [wg._sssp.distance_bound(one, False, 1e9) for one in (named, plain)]
    assert bounds[0] == bounds[1]
    assert wg._apsp._shape(named) == wg._apsp._shape(plain)


def test_sentences_name_the_edge():
    graph = roads(nx.DiGraph, attribute="weight")
    graph.edges["Pisa", "Genoa"]["weight"] = -2.5
    with raises_sentence(ValueError, "-2.5", "('Pisa', 'Genoa')"):
        wg.many_to_many(graph, ["Rome"])
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


def test_every_function_that_reads_weights_takes_their_name():
    """A function with a graph and no weight= reads no weights, or is no first door for graphs."""
    without = set()
    for module in (wg, wg.cluster, wg.transform, wg.io):
        for name in module.__all__:
            value = getattr(module, name)
            if not callable(value) or name.endswith(("Graph", "Error")):
                continue
            parameters = inspect.signature(value).parameters
            if "graph" in parameters and "weight" not in parameters:
                without.add(name)
    assert without == {"bfs", "connected_components", "reconstruct_path", "reconstruct_paths"}
