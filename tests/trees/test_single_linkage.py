"""single_linkage equals SciPy's linkage, and joins forests at inf."""

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given, settings, strategies as st
from scipy.cluster import hierarchy

import checks
import graphs
import warpgraph as wg
from warpgraph import _core
from warpgraph._trees.single_linkage import linkage_of
from warpgraph.cluster import single_linkage


def spell_out(forest):
    """Join clusters, which are sets of vertices, edge by edge."""
    n = forest.n_vertices
    clusters = {v: {v} for v in range(n)}
    order = np.argsort(forest.weights, kind="stable")
    joins = [(*forest.edges[e].tolist(), float(forest.weights[e])) for e in order]
    joins += [(0, v, np.inf) for v in range(1, n)]
    rows = []
    for u, v, height in joins:
        pair = sorted(k for k, members in clusters.items() if u in members or v in members)
        if len(pair) == 2:
            clusters[n + len(rows)] = clusters.pop(pair[0]) | clusters.pop(pair[1])
            rows.append([*map(float, pair), height, float(len(clusters[n + len(rows)]))])
    return rows


@pytest.mark.parametrize("d", [1, 2, 3, 6])
def test_equals_scipy_on_points(d, device):
    points = np.random.default_rng(d).random((400, d))
    ours = single_linkage(points, device=device)
    scipys = hierarchy.linkage(points, "single")
    # All distances differ, so the dendrogram is unique; SciPy rounds distances differently.
    np.testing.assert_array_equal(ours[:, [0, 1, 3]], scipys[:, [0, 1, 3]])
    np.testing.assert_allclose(ours[:, 2], scipys[:, 2], rtol=1e-14)
    for height in np.quantile(scipys[:, 2], [0.1, 0.5, 0.9, 0.99]):
        between = height * (1 + 1e-9)
        assert checks.same_partition(
            hierarchy.fcluster(ours, between, "distance"),
            hierarchy.fcluster(scipys, between, "distance"),
        )


def test_heights_and_partitions_with_ties(device):
    points = np.random.default_rng(0).integers(0, 12, (300, 2)).astype(float)
    ours = single_linkage(points, device=device)
    scipys = hierarchy.linkage(points, "single")
    np.testing.assert_array_equal(ours[:, 2], scipys[:, 2])
    for height in (0, 1, 1.5, 2, 3):
        assert checks.same_partition(
            hierarchy.fcluster(ours, height, "distance"),
            hierarchy.fcluster(scipys, height, "distance"),
        )


@graphs.over_samples(negative=False, only=lambda graph: graph.shape[0] > 0)
def test_equals_its_definition_on_graphs(graph, device):
    forest = wg.minimum_spanning_forest(graph, device=device)
    ours = single_linkage(graph, metric="precomputed", device=device)
    assert ours.tolist() == spell_out(forest)
    assert ours.shape == (graph.shape[0] - 1, 4)
    if len(ours):
        assert hierarchy.is_valid_linkage(ours)


@st.composite
def forests(draw):
    """Draw the edges of a forest over a few vertices, in any order."""
    n = draw(st.integers(1, 25))
    edges = []
    for v in range(1, n):
        if draw(st.booleans()):
            edges.append((draw(st.integers(0, v - 1)), v))
    names = draw(st.permutations(range(n)))
    weights = draw(
        st.lists(st.sampled_from([0, 1, 2, 2.5]), min_size=len(edges), max_size=len(edges))
    )
    return wg.SpanningForest(n, [(names[u], names[v]) for u, v in edges], weights)


@settings(max_examples=100)
@given(forest=forests())
def test_equals_its_definition_on_forests(forest, device):
    wanted = spell_out(forest)
    assert single_linkage(forest, device=device).tolist() == wanted
    for method in ("contraction", "reference"):
        assert linkage_of(forest, device, method=method).tolist() == wanted


def tree(kind, n, draw):
    """Return the edges of a tree over vertices with shuffled names, in any order."""
    later = np.arange(1, n)
    sooner = {
        "path": later - 1,
        "star": np.zeros(n - 1, int),
        "random": (draw.random(n - 1) * later).astype(int),
        "near": np.maximum(later - draw.integers(1, 8, n - 1), 0),
        "caterpillar": np.where(later % 2 == 0, np.maximum(later - 2, 0), later - 1),
    }[kind]
    names = draw.permutation(n)
    return draw.permutation(names[np.stack([sooner, later], axis=1)])


WEIGHTS = {
    "rising": lambda n, draw: np.arange(n - 1.0),
    "falling": lambda n, draw: np.arange(n - 1.0)[::-1],
    "random": lambda n, draw: draw.random(n - 1),
    "ties": lambda n, draw: draw.integers(0, 4, n - 1).astype(float),
    "zeros": lambda n, draw: draw.choice([0.0, -0.0], n - 1),
    "infinite": lambda n, draw: draw.choice([1.0, 2.0, np.inf], n - 1),
    "float32": lambda n, draw: draw.random(n - 1).astype(np.float32),
    "int64": lambda n, draw: draw.integers(0, 2**60, n - 1),
}


@pytest.mark.parametrize("weights", WEIGHTS.values(), ids=WEIGHTS)
@pytest.mark.parametrize("kind", ["path", "star", "random", "near", "caterpillar"])
def test_contraction_equals_the_reference(kind, weights, device):
    for n in (2, 3, 17, 700, 3000):
        draw = np.random.default_rng(n)
        whole = wg.SpanningForest(n, tree(kind, n, draw), weights(n, draw))
        kept = np.flatnonzero(draw.random(n - 1) < 0.8)
        pieces = wg.SpanningForest(n, whole.edges[kept], whole.weights[kept])
        for forest in (whole, pieces):
            wanted = linkage_of(forest, "cpu", method="reference")
            found = linkage_of(forest, device, method="contraction")
            assert found.tobytes() == wanted.tobytes()  # signs of zeros, too


def test_edges_in_the_order_of_the_tree(device):
    # A path with ascending weights: one chain, as long as the tree.
    n = 20_000
    edges = np.stack([np.arange(n - 1), np.arange(1, n)], axis=1)
    forest = wg.SpanningForest(n, edges, np.arange(n - 1.0))
    joins = linkage_of(forest, device, method="contraction")
    np.testing.assert_array_equal(joins[:, 2], np.arange(n - 1.0))
    np.testing.assert_array_equal(joins[:, 3], np.arange(2, n + 1))


def test_scipy_accepts_joins_at_infinity():
    graph = sp.csr_array(([1.0, 2.0, 1.0], ([0, 1, 3], [1, 2, 4])), (6, 6))
    joins = single_linkage(graph, metric="precomputed")
    assert joins[-2:].tolist() == [[7, 8, np.inf, 5], [5, 9, np.inf, 6]]
    assert hierarchy.is_valid_linkage(joins)
    assert hierarchy.fcluster(joins, 1, "distance").tolist() == [2, 2, 3, 1, 1, 4]
    assert checks.same_partition(hierarchy.fcluster(joins, 3, "maxclust"), [0, 0, 0, 1, 1, 2])
    assert len(hierarchy.dendrogram(joins, no_plot=True)["ivl"]) == 6


def test_dense_distances_equal_points():
    points = np.random.default_rng(4).random((80, 2))
    distances = np.sqrt(((points[:, None] - points) ** 2).sum(axis=2))
    joins = single_linkage(distances, metric="precomputed")
    np.testing.assert_array_equal(joins, single_linkage(points))


def test_graph_and_forest_need_no_metric():
    graph = sp.csr_array(([1.0, 2.0], ([0, 1], [1, 2])), (3, 3))
    wanted = single_linkage(graph, metric="precomputed")
    np.testing.assert_array_equal(single_linkage(wg.Graph(graph)), wanted)
    np.testing.assert_array_equal(single_linkage(wg.minimum_spanning_forest(graph)), wanted)


@pytest.mark.parametrize("form", ["csr_array", "csr_matrix", "csc_array", "coo_array"])
def test_sparse_graph_needs_no_metric(form, device):
    graph = getattr(sp, form)(([1.0, 2.0, 1.0], ([0, 1, 3], [1, 2, 4])), (6, 6))
    for min_samples in (1, 3):
        options = {"min_samples": min_samples, "device": device}
        wanted = single_linkage(wg.Graph(graph), **options)
        assert single_linkage(graph, **options).tolist() == wanted.tolist()
        assert single_linkage(graph, metric="precomputed", **options).tolist() == wanted.tolist()
    joins = single_linkage(graph, device=device)
    assert joins[-2:].tolist() == [[7, 8, np.inf, 5], [5, 9, np.inf, 6]]


def test_cupy_graph_needs_no_metric():
    cupy = pytest.importorskip("cupy")
    from cupyx.scipy.sparse import csr_matrix

    graph = sp.csr_array(([1.0, 2.0], ([0, 1], [1, 2])), (4, 4))
    arrays = map(cupy.asarray, (graph.data, graph.indices, graph.indptr))
    found = single_linkage(csr_matrix(tuple(arrays), graph.shape))
    assert found.tolist() == single_linkage(graph).tolist()


def test_one_point():
    assert single_linkage([[3.0]]).shape == (0, 4)


def test_long_chain():
    points = np.cumsum(np.arange(200_001.0))[:, None]
    joins = single_linkage(points)
    np.testing.assert_array_equal(joins[:, 2], np.arange(1, 200_001))
    np.testing.assert_array_equal(joins[:, 3], np.arange(2, 200_002))


@pytest.mark.parametrize(
    ("n", "edges", "named"),
    [
        (3, [(0, 1), (1, 2), (0, 2)], r"edge 2 \(0, 2\)"),
        (4, [(0, 1), (1, 2), (0, 2)], r"edge 2 \(0, 2\)"),
        (5, [(0, 1), (1, 2), (0, 2)], r"edge 2 \(0, 2\)"),
        (8, [(0, 1), (1, 2), (3, 4), (4, 5), (3, 5), (2, 3), (0, 7)], r"edge 4 \(3, 5\)"),
        (2, [(0, 0)], r"edge 0 \(0, 0\)"),
        (4, [(2, 2), (0, 1), (1, 3)], r"edge 0 \(2, 2\)"),
        (4, [(0, 1), (1, 3), (3, 3)], r"edge 2 \(3, 3\)"),
        (4, [(0, 1), (2, 3), (0, 1)], r"edge 2 \(0, 1\)"),
    ],
)
def test_cycle_is_named(n, edges, named, device):
    forest = wg.SpanningForest(n, edges, np.arange(float(len(edges))))
    for method in ("auto", "contraction"):
        with pytest.raises(ValueError, match=f"{named} closes a cycle"):
            linkage_of(forest, device, method=method)


over_gpus = pytest.mark.parametrize("gpu", wg.devices()[1:2])


def test_result_goes_where_it_is_wanted(device):
    forest = wg.SpanningForest(3, [(0, 1), (1, 2)], [1.0, 2.0])
    out = np.empty((2, 4))
    assert single_linkage(forest, out=out, device=device) is out
    assert out.tolist() == spell_out(forest)
    with checks.raises_sentence(ValueError, "out", "(2, 4)", "(3, 4)"):
        single_linkage(forest, out=np.empty((3, 4)), device=device)


@over_gpus
def test_result_stays_on_the_device(gpu):
    forest = wg.SpanningForest(3, [(0, 1), (1, 2)], [1.0, 2.0])
    out = _core.device_array((2, 4), np.dtype(np.float64), gpu)
    for device in ("auto", gpu):
        assert single_linkage(forest, out=out, device=device) is out
        assert out.to_numpy().tolist() == spell_out(forest)
    with checks.raises_sentence(ValueError, "out", gpu, "cpu"):
        single_linkage(forest, out=out, device="cpu")


class Shifted:
    """An array on a device that begins one item after the beginning of another one."""

    def __init__(self, array, shape):
        interface = dict(array.__cuda_array_interface__)
        interface["data"] = (interface["data"][0] + 8, False)
        self.owner, self.__cuda_array_interface__ = array, {**interface, "shape": shape}


@over_gpus
def test_result_begins_anywhere(gpu):
    forest = wg.SpanningForest(3, [(0, 1), (1, 2)], [1.0, 2.0])
    memory = _core.device_array(9, np.dtype(np.float64), gpu)
    single_linkage(forest, out=Shifted(memory, (2, 4)))
    assert memory.to_numpy()[1:].reshape(2, 4).tolist() == spell_out(forest)


@pytest.mark.parametrize(
    ("X", "metric", "sentence"),
    [
        (np.zeros((2, 2)), "canberra", r"metric must be one of 'euclidean', 'cosine', .*canberra"),
        (np.zeros((2, 3)), "precomputed", r"must be square"),
        (sp.csr_array(([-1.0], ([0], [1])), (2, 2)), "precomputed", r"Negative .* \(0, 1\) is -1"),
        (sp.csr_array(([np.nan], ([0], [1])), (2, 2)), "precomputed", r"is NaN"),
        (sp.csr_array((0, 0)), "precomputed", r"no vertices"),
        (wg.SpanningForest(0, [], []), "euclidean", r"no vertices"),
        (
            wg.SpanningForest(3, [[0, 1], [1, 2]], [1.0, np.nan]),
            "euclidean",
            r"1, \(1, 2\), is NaN",
        ),
        (wg.SpanningForest(2, [[0, 1]], [-3]), "euclidean", r"Negative .* 0, \(0, 1\), is -3"),
    ],
)
def test_bad_input(X, metric, sentence):
    with pytest.raises(ValueError, match=sentence):
        single_linkage(X, metric=metric)


@pytest.mark.parametrize("metric", ["euclidean", "precomputed"])
def test_bad_sparse_graphs(metric):
    with checks.raises_sentence(ValueError, "Negative", (0, 1), -1):
        single_linkage(sp.csr_array(([-1.0], ([0], [1])), (2, 2)), metric=metric)
    with checks.raises_sentence(ValueError, "square", (2, 3)):
        single_linkage(sp.csr_array((2, 3)), metric=metric)
    with checks.raises_sentence(ValueError, "metric", "canberra"):
        single_linkage(sp.csr_array((2, 2)), metric="canberra")


@over_gpus
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_everything_stays_on_the_device(dtype, gpu):
    points = np.random.default_rng(1).random((300, 3)).astype(dtype)
    wanted = single_linkage(points, device="cpu")
    there = _core.device_array(points.shape, points.dtype, gpu)
    there.set(points)
    out = _core.device_array(wanted.shape, wanted.dtype, gpu)
    assert single_linkage(there, out=out) is out
    np.testing.assert_array_equal(out.to_numpy(), wanted)
    np.testing.assert_array_equal(single_linkage(there), wanted)
    np.testing.assert_array_equal(single_linkage(points, device=gpu), wanted)
    tree = (
        _core.device_array((299, 2), np.dtype(np.int32), gpu),
        _core.device_array(299, np.dtype(np.float64), gpu),
    )
    wg.cluster.euclidean_mst(there, out=tree)
    for device in ("auto", gpu):
        np.testing.assert_array_equal(single_linkage(tree, device=device), wanted)
    with checks.raises_sentence(ValueError, "X[0]", "(299, 2)", "(299,)"):
        single_linkage((tree[1], tree[1]))
    with checks.raises_sentence(ValueError, "X[0]", gpu, "cpu"):
        single_linkage(tree, device="cpu")


@pytest.mark.cuda
def test_a_number_of_a_device_with_a_leading_zero():
    points = np.random.default_rng(0).random((9, 2))
    found = wg.cluster.single_linkage(points, device="cuda:00")
    np.testing.assert_array_equal(found, wg.cluster.single_linkage(points, device="cuda:0"))
