"""wg.shortest_path: the same as a path of wg.sssp, by every method, on every device."""

import networkx as nx
import numpy as np
import pytest
from hypothesis import given, settings, strategies as st

import checks
import device_lists
import oracles
import warpgraph as wg
from graphs import SAMPLES, csr, graphs_with_source, has_negative, over_samples
from sssp_support import DTYPES, SQUARE, assert_same, canonical_tree
from warpgraph._paths import shortest_path

METHODS = ["auto", "bidirectional", "dijkstra", "hierarchy", "alt"]


def methods_for(graph, device):
    one_core = device == "cpu" and not has_negative(graph)
    return METHODS if one_core else ["auto", "dijkstra"]


def path_in(tree, source, target):
    """Follow predecessors one by one."""
    path = [target]
    while path[-1] != source:
        if tree[path[-1]] < 0:
            return []
        path.append(int(tree[path[-1]]))
    return path[::-1]


def assert_right(graph, source, targets, device, *, directed=True, kept=None, **options):
    """Compare with the distances and the tree of the simple oracle.

    `kept` is the graph as an object, where several calls have one, with one hierarchy.
    """
    kind = np.dtype(options.get("dtype", np.float32 if graph.dtype == np.float32 else float))
    wanted = oracles.distances(graph, source, dtype=kind, directed=directed)
    if wanted is None:
        return
    tree = canonical_tree(graph, source, wanted, directed)
    for given_graph in (graph, wg.Graph(graph) if kept is None else kept):
        for method in methods_for(graph, device):
            # Each search in a hierarchy of a matrix prepares another one.
            once = method == "hierarchy" and given_graph is graph
            for target in targets[-1:] if once else targets:
                how = {"method": method, "directed": directed, "device": device, **options}
                length, vertices = wg.shortest_path(given_graph, source, target, **how)
                assert type(length) is (float if kind.kind == "f" else int)
                assert_same(np.array(length, kind), wanted[target])
                assert vertices.dtype == np.int32
                assert vertices.tolist() == path_in(tree, source, target)


@over_samples(only=lambda g: g.shape[0] > 0 and g is not SAMPLES["huge_integers"])
def test_samples(graph, device):
    n = graph.shape[0]
    kept = wg.Graph(graph)
    targets = sorted({0, 1 % n, n // 2, n - 1})
    for source in sorted({0, n // 2, n - 1}):
        assert_right(graph, source, targets, device, kept=kept)
    assert_right(graph, n // 3, targets, device, directed=False, kept=kept)


@over_samples(
    negative=False,
    only=lambda g: g.nnz > 0 and abs(g.data).max() < 1e6 and (g.data % 1 == 0).all(),
)
@pytest.mark.parametrize("dtype", DTYPES)
def test_samples_in_every_dtype(graph, dtype, device):
    n = graph.shape[0]
    assert_right(graph, n // 3, [0, n - 1], device, dtype=dtype)


@pytest.mark.parametrize("weights", ["non_negative", "integer", "ties", "any"])
def test_drawn_graphs(weights, device):
    @settings(max_examples=60)
    @given(graphs_with_source(weights=weights, max_vertices=25), st.booleans())
    def agrees(drawn, directed):
        graph, source = drawn
        assert_right(graph, source, range(graph.shape[0]), device, directed=directed)

    agrees()


def test_drawn_zeros(device):
    """Most edges add nothing, so that the rule for predecessors counts steps."""

    @settings(max_examples=60)
    @given(graphs_with_source(weights="ties", max_vertices=25), st.integers(0, 2**32 - 1))
    def agrees(drawn, seed):
        graph, source = drawn
        graph.data = (np.random.default_rng(seed).random(graph.nnz) < 0.2).astype(graph.dtype)
        assert_right(graph, source, range(graph.shape[0]), device)

    agrees()


LARGER = {
    "grid": lambda: wg.generators.grid(80, 90, seed=1),
    "power law": lambda: wg.generators.rmat(12, 8, seed=3, directed=True),
    "islands": lambda: wg.generators.rmat(12, 1, seed=3),
}


@pytest.mark.parametrize("dtype", ["float32", "float64", "int64"])
@pytest.mark.parametrize("make", LARGER)
def test_larger_graphs(make, dtype, device):
    graph = LARGER[make]()
    rng = np.random.default_rng(6)
    weights = (rng.random(graph.n_edges) * 1000).astype(dtype)
    graph = wg.Graph.from_csr(graph.indptr, graph.indices, weights)
    for source, target in rng.integers(0, graph.n_vertices, (25, 2)).tolist():
        how = {"dtype": dtype, "device": "cpu", "return_predecessors": True}
        distances, tree = wg.sssp(graph, source, **how)
        for method in methods_for(graph.to_csr(), device):
            if method == "hierarchy":  # these graphs have none: test_shortest_path_hierarchy.py
                continue
            how = {"dtype": dtype, "device": device, "method": method}
            length, vertices = wg.shortest_path(graph, source, target, **how)
            assert_same(np.array(length, dtype), distances[target])
            assert vertices.tolist() == path_in(tree, source, target)


def test_unweighted(device):
    graph = SAMPLES["negative_cycle"]
    for target in range(graph.shape[0]):
        length, vertices = wg.shortest_path(graph, 0, target, unweighted=True, device=device)
        hops = oracles.hops(graph, 0)[target]
        assert length == (hops if hops >= 0 else np.inf)
        assert len(vertices) == hops + 1


def test_no_path(device):
    graph = csr(3, [(0, 1, 2)], np.int32)
    for method in METHODS if device == "cpu" else ["dijkstra"]:
        how = {"method": method, "device": device}
        length, vertices = wg.shortest_path(graph, 1, 0, **how)
        assert (length, vertices.tolist()) == (np.inf, [])
        assert vertices.dtype == np.int32
        length, vertices = wg.shortest_path(graph, 0, 2, dtype="int32", **how)
        assert (length, vertices.tolist()) == (2**31 - 1, [])
        assert wg.shortest_path(graph, 2, 2, **how)[1].tolist() == [2]


def test_names(device):
    roads = nx.Graph()
    roads.add_edge("Rome", "Pisa", length=355.0)
    roads.add_edge("Pisa", "Genoa", length=165.0)
    length, vertices = wg.shortest_path(roads, "Rome", "Genoa", weight="length", device=device)
    assert (length, vertices.tolist()) == (520.0, ["Rome", "Pisa", "Genoa"])


def test_integer_overflow(device):
    big = 2**30
    graph = csr(4, [(0, 1, big), (1, 2, big), (0, 3, 5)], np.int32)
    for method in METHODS if device == "cpu" else ["dijkstra"]:
        how = {"method": method, "device": device}
        with checks.raises_sentence(OverflowError, big, "dtype"):
            wg.shortest_path(graph, 0, 2, dtype="int32", **how)
        assert wg.shortest_path(graph, 0, 2, dtype="int64", **how)[0] == 2 * big
        assert wg.shortest_path(graph, 0, 3, dtype="int32", **how)[0] == 5


def test_rounding_beyond_any_bound():
    """So many float32 vertices that sums from both ends tell nothing: both go to the end."""
    n = 3_000_000
    graph = wg.Graph.from_edges([0, 1], [1, n - 1], np.float32([1, 2]), n_vertices=n)
    for method in METHODS:
        how = {"landmarks": 1} if method == "alt" else {}
        length, vertices = wg.shortest_path(graph, 0, n - 1, method=method, **how)
        assert (length, vertices.tolist()) == (3.0, [0, 1, n - 1])


def test_a_graph_keeps_its_transposed_form():
    graph = wg.Graph(csr(3, [(0, 1, 1.0), (1, 2, 1.0)]))
    assert graph._known("transposed") is None
    wg.shortest_path(graph, 0, 2, method="bidirectional")
    kept = graph._known("transposed")
    assert kept is not None
    wg.shortest_path(graph, 0, 1, method="bidirectional")
    assert graph._known("transposed") is kept


@pytest.mark.parametrize(
    ("options", "error", "parts"),
    [
        ({"source": 4}, ValueError, ("source", 4, "0..3")),
        ({"target": -1}, ValueError, ("target", -1)),
        ({"method": "landmark"}, ValueError, ("method", "landmark", "hierarchy", "astar", "alt")),
        ({"method": "astar"}, ValueError, ("astar", "coordinates")),
        ({"dtype": "int16"}, TypeError, ("dtype", "int16")),
        ({"memory_limit": 10}, MemoryError, ("10 bytes",)),
        (
            {"method": "bidirectional", "device": ["cpu"] * 2},
            wg.DeviceError,
            ("bidirectional", "one core", "cpu, cpu"),
        ),
        (
            {"method": "hierarchy", "device": ["cpu"] * 2},
            wg.DeviceError,
            ("hierarchy", "one core", "cpu, cpu"),
        ),
    ],
)
def test_wrong_arguments(options, error, parts):
    with checks.raises_sentence(error, *parts):
        wg.shortest_path(csr(4, SQUARE), **{"source": 0, "target": 2, **options})


def test_negative_weights(device):
    graph = csr(3, [(0, 1, 4.0), (1, 2, -2.0), (0, 2, 3.0)])
    length, vertices = wg.shortest_path(graph, 0, 2, device=device)
    assert (length, vertices.tolist()) == (2.0, [0, 1, 2])
    for method in ("bidirectional", "hierarchy", "astar", "alt"):
        with checks.raises_sentence(ValueError, "-2.0", "(1, 2)", repr(method)):
            wg.shortest_path(graph, 0, 2, method=method)
    with checks.raises_sentence(wg.NegativeCycleError, "negative cycle"):
        wg.shortest_path(graph, 0, 2, directed=False, device=device)


#: Scales of coordinates: squares that are too large or too small for float64 are among them.
SCALES = [1.0, 0.0, 1e-170, 1e-120, 1e160, 1e300]


@st.composite
def points_of(draw, n):
    """Draw coordinates, many of which are equal or have little to do with each other."""
    d = draw(st.integers(1, 3))
    values = st.integers(-4, 4).map(float) | st.floats(-1, 1)
    rows = draw(st.lists(st.lists(values, min_size=d, max_size=d), min_size=n, max_size=n))
    scales = draw(st.lists(st.sampled_from(SCALES), min_size=n, max_size=n))
    return np.array(rows).reshape(n, d) * np.array(scales)[:, None]


@given(drawn=graphs_with_source(weights="non_negative"), data=st.data(), directed=st.booleans())
@settings(max_examples=300)
def test_astar_of_any_coordinates(drawn, data, directed):
    graph, source = drawn
    placed = wg.Graph(graph, coordinates=data.draw(points_of(graph.shape[0])))
    n = graph.shape[0]
    for target in sorted({0, n // 2, n - 1}):
        for kind in ("float32", "float64"):
            how = {"directed": directed, "dtype": kind}
            expected = wg.shortest_path(graph, source, target, method="dijkstra", **how)
            length, path = wg.shortest_path(placed, source, target, method="astar", **how)
            assert_same(np.array(length), np.array(expected[0]))
            assert path.tolist() == expected[1].tolist()


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("unweighted", [False, True])
def test_astar_on_roads(dtype, unweighted):
    roads = wg.datasets.load("model-roads")
    how = {"dtype": dtype, "unweighted": unweighted}
    for source, target in np.random.default_rng(1).integers(roads.n_vertices, size=(12, 2)):
        expected = wg.shortest_path(roads, source, target, method="bidirectional", **how)
        length, path = wg.shortest_path(roads, source, target, method="astar", **how)
        assert length == expected[0]
        assert path.tolist() == expected[1].tolist()


def test_astar_by_name_and_with_turns():
    streets = wg.Graph.from_edges(["a", "b", "a"], ["b", "c", "c"], [1.0, 1.0, 5.0])
    placed = wg.Graph(streets, coordinates=[[0.0], [1.0], [2.0]])
    length, path = wg.shortest_path(placed, "a", "c", method="astar")
    assert (length, path.tolist()) == (2.0, ["a", "b", "c"])
    length, path = wg.shortest_path(placed.with_turns([0], [2]), "a", "c", method="astar")
    assert (length, path.tolist()) == (5.0, ["a", "c"])


@pytest.mark.parametrize("max_visits", [1, 400, 10_000])
def test_a_search_that_gives_up_is_taken_over(max_visits, monkeypatch):
    """The result is the same however many visits a plan allows until both searches meet."""
    graph = wg.Graph(wg.generators.grid(15, 20, seed=2, weights=(1, 9), dtype=np.float64))
    pairs = [(0, 299), (0, 1), (7, 7), (150, 20)]
    expected = [wg.shortest_path(graph, *pair, method="dijkstra") for pair in pairs]
    searches = []
    search = shortest_path._search

    def counted(*args):
        searches.append(search(*args))
        return searches[-1]

    monkeypatch.setattr(shortest_path, "_search", counted)
    change = {"max_visits": max_visits}
    device_lists.change_plans(monkeypatch, lambda made, wanted, graph: change)
    for pair, (length, vertices) in zip(pairs, expected, strict=True):
        found = wg.shortest_path(graph, *pair, device="cpu")
        assert found[0] == length
        np.testing.assert_array_equal(found[1], vertices)
    assert any(found is None for found in searches) == (max_visits < 10_000)


def test_plans_tell_after_how_many_visits_a_search_gives_up():
    graph = wg.Graph(wg.generators.grid(100, 100, seed=2))
    plan = wg.explain(wg.shortest_path, graph, 0, 5000, device="cpu")
    assert plan.method == "bidirectional"
    assert any("visits, sssp takes the call" in reason for reason in plan.reasons)
