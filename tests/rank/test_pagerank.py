"""PageRank on every device: against NetworkX, and against a plain power iteration."""

import pickle

import networkx as nx
import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given, settings, strategies as st

import checks
import graphs
import oracles
import warpgraph as wg
from checks import raises_sentence
from device_lists import LISTS, SINGLE, over_devices, over_methods
from pagerank_support import STRICT, assert_scores, each_method, expected, power_law, strict

__all__ = ["power_law"]


def has_usable_weights(graph):
    """Whether all weights are finite, and sums of them are far from overflow and underflow."""
    weights = graph.data[graph.data != 0].astype(np.float64)
    return graph.shape[0] > 0 and (
        weights.size == 0 or (weights.max() < 1e200 and weights.min() > 1e-200)
    )


usable_samples = graphs.over_samples(negative=False, only=has_usable_weights)


# Against the oracle.


@usable_samples
@pytest.mark.parametrize("directed", [True, False])
@pytest.mark.parametrize("unweighted", [True, False])
@each_method
def test_samples(graph, directed, unweighted, method, device):
    options = {"directed": directed, "unweighted": unweighted}
    wanted = expected(graph, **options)
    options["method"] = method
    found = strict(graph, **options, device=device)
    assert_scores(found, wanted)
    kept = wg.Graph(graph)
    for _ in range(2):  # the second call uses what the first one derived
        again = strict(kept, **options, device=device)
        checks.assert_same_bits((again,), (found,))


def vectors(n):
    """Draw an array of n numbers, some of them 0, or None."""
    number = st.sampled_from([0.0, 1.0, 3.0, 1e-3]) | st.floats(0, 100)
    array = st.lists(number, min_size=n, max_size=n).map(np.array)
    return st.none() | array.filter(lambda a: a.max() > 1e-300)


@settings(max_examples=60)
@each_method
@given(data=st.data())
def test_drawn_graphs(data, method, device):
    graph = data.draw(graphs.csr_graphs(weights="integer", min_vertices=1))
    drawn = NAMES if method == "pull" else NAMES[:2]
    options = {name: data.draw(vectors(graph.shape[0]), label=name) for name in drawn}
    options["alpha"] = data.draw(st.sampled_from([0.05, 0.5, 0.85, 0.99]), label="alpha")
    how = {name: data.draw(st.booleans(), label=name) for name in ("directed", "unweighted")}
    # The oracle's scores are up to alpha / (1 - alpha) changes from the limit.
    change = STRICT if options["alpha"] < 0.9 else STRICT / 10
    found = strict(graph, **options, **how, method=method, device=device)
    assert_scores(found, expected(graph, **options, **how, tol=change))


NAMES = ("personalization", "dangling", "nstart")


WAYS = [(pair, method) for pair in SINGLE for method in ("pull", "push")]


@over_methods(WAYS + [(names, "pull") for names in LISTS])
def test_power_law(power_law, method, device):
    assert_scores(strict(power_law, method=method, device=device), expected(power_law))
    assert (np.diff(power_law.indptr) == 0).any()
    assert np.bincount(power_law.indices).max() > 1024


@pytest.mark.parametrize("dtype", graphs.DTYPES)
@each_method
def test_dtypes(power_law, dtype, method, device):
    graph = power_law.copy()
    graph.data = (100 * graph.data).astype(dtype)
    assert_scores(strict(graph, method=method, device=device), expected(graph))


@each_method
@pytest.mark.parametrize("reverse", [False, True])
def test_a_hub_of_several_segments(method, reverse, device):
    """A row of the graph, or of the transposed one, that several threads share."""
    n = 3000 if checks.EMULATED else 150_000
    tail = np.arange(n, dtype=np.int32)
    weight = 1 + tail % 7.0
    rows, columns = np.r_[tail, tail], np.r_[np.zeros(n, int), (tail + 1) % n]
    ends = (columns, rows) if reverse else (rows, columns)
    graph = wg.Graph.from_edges(*ends, np.r_[weight, weight[::-1]], n_vertices=n).to_csr()
    assert_scores(strict(graph, method=method, device=device), expected(graph))


@pytest.mark.parametrize("n", [1, 2, 31, 32, 33, 255, 256, 257, 1023, 1025])
@each_method
def test_numbers_of_vertices(n, method, device):
    """At the sizes of the blocks in which totals over vertices are added."""
    tail = np.arange(n)
    graph = graphs.csr(n, [(u, u * u % n, 1.0 + u % 3) for u in tail.tolist() if u % 4])
    options = {"nstart": 1.0 + tail % 5} if method == "pull" else {}
    found = strict(graph, **options, method=method, device=device)
    assert_scores(found, expected(graph, **options))


@each_method
def test_many_blocks_of_vertices(method, device):
    n = 3000 if checks.EMULATED else 300_000  # more than 1024 blocks of 256
    graph = graphs.csr(n, [(v, (7 * v + 1) % n, 1.0) for v in range(0, n, 3)])
    options = {} if method == "pull" else {"alpha": 0.5}  # fewer rounds
    found = strict(graph, **options, method=method, device=device)
    assert_scores(found, expected(graph, **options))


# Against NetworkX.


@pytest.mark.parametrize("kind", [nx.DiGraph, nx.Graph])
@pytest.mark.parametrize("weight", ["weight", None])
@each_method
def test_agrees_with_networkx(kind, weight, method, device):
    graph = nx.gnp_random_graph(80, 0.03, seed=5, directed=kind is nx.DiGraph)
    rng = np.random.default_rng(1)
    for edge in graph.edges:
        graph.edges[edge]["weight"] = float(rng.integers(0, 5))
    graph.add_edge(3, 3, weight=2.0)
    options = {
        "alpha": 0.7,
        "personalization": {4: 1.0, 9: 2.5},
        "dangling": {0: 3, 7: 1},
        "nstart": {v: 1 + v % 3 for v in graph},
    }
    if method == "push":
        del options["nstart"]
    how = {"weight": weight, "method": method}
    for chosen in ({}, options):
        found = strict(graph, **how, **chosen, device=device)
        wanted = nx.pagerank(graph, weight=weight, **chosen, tol=1e-15, max_iter=1000)
        assert np.abs(found - list(wanted.values())).sum() < 1e-10


@each_method
def test_names_and_parallel_edges(method, device):
    graph = nx.MultiDiGraph()
    graph.add_weighted_edges_from([("b", "a", 2.0), ("b", "a", 1.0), ("b", "c", 4.0)])
    graph.add_weighted_edges_from([("a", "b", 0.0), ("c", "c", 1.0)])
    options = {"personalization": {"c": 1, "b": 2}, "dangling": {"b": 1}}
    found = strict(graph, **options, method=method, device=device)
    wanted = nx.pagerank(graph, **options, tol=1e-14, max_iter=1000)
    np.testing.assert_allclose(found, [wanted[name] for name in graph], rtol=1e-10)


def test_iterations_are_those_of_networkx(device):
    """As many as the bound of the error by the change needs."""
    graph = nx.scale_free_graph(60, seed=3)
    matrix = nx.to_scipy_sparse_array(graph, weight=None)
    change = 1e-6 * 0.15 / 0.85
    wanted, iterations = oracles.pagerank(60, oracles.arcs(sp.csr_array(matrix)), tol=change)
    found = wg.pagerank(matrix, max_iter=iterations, device=device)
    np.testing.assert_allclose(found, wanted, rtol=1e-12)
    with pytest.raises(wg.ConvergenceError) as caught:
        wg.pagerank(matrix, max_iter=iterations - 1, device=device)
    assert caught.value.iterations == iterations - 1


# Cases with a known result.


@each_method
def test_dangling_vertices(method, device):
    """Without edges all mass is that of dangling vertices, and one iteration is enough."""
    how = {"method": method, "device": device}
    island = graphs.csr(4, [])
    np.testing.assert_allclose(wg.pagerank(island, **how), 0.25)
    where = np.array([0.0, 1, 0, 3])
    assert strict(island, personalization=where, **how) == pytest.approx(where / 4)
    found = strict(island, dangling=where, **how)
    assert found == pytest.approx(0.15 / 4 + 0.85 * where / 4, rel=1e-9)
    # Weights of 0 are edges that are never followed.
    zeros = graphs.csr(4, [(0, 1, 0.0), (2, 3, 0.0)])
    assert strict(zeros, dangling=where, **how).tobytes() == found.tobytes()


@each_method
def test_unweighted_counts_stored_zeros(method, device):
    graph = graphs.csr(3, [(0, 1, 0.0), (0, 2, 5.0), (1, 0, 0.0), (2, 0, -1.0)])
    ones = graphs.csr(3, [(0, 1, 1.0), (0, 2, 1.0), (1, 0, 1.0), (2, 0, 1.0)])
    found = wg.pagerank(graph, unweighted=True, method=method, device=device)
    checks.assert_same_bits((found,), (wg.pagerank(ones, method=method, device=device),))


@each_method
def test_one_vertex(method, device):
    for edges in ([], [(0, 0, 2.0)]):
        found = wg.pagerank(graphs.csr(1, edges), method=method, device=device)
        assert found.tolist() == [1.0]


@each_method
def test_no_vertices(method, device):
    found = wg.pagerank(graphs.csr(0, []), method=method, device=device)
    assert (found.shape, found.dtype) == ((0,), np.float64)


@each_method
def test_scale_of_weights_and_vectors_does_not_matter(method, device):
    graph = graphs.SAMPLES["medium_directed"]
    how = {"method": method, "device": device}
    found = wg.pagerank(graph, **how)
    for factor in (2.0**-600, 2.0**600):
        scaled = graph.copy()
        scaled.data *= factor
        checks.assert_same_bits((wg.pagerank(scaled, **how),), (found,))
    ones = np.ones(graph.shape[0])
    for factor in (5e-324, 1e308):
        again = wg.pagerank(graph, personalization=factor * ones, **how)
        np.testing.assert_allclose(again, found, rtol=1e-12)


# Options of the call.


@each_method
def test_output(power_law, method, device):
    out = np.full(power_law.shape[0], 7.0)
    assert wg.pagerank(power_law, out=out, method=method, device=device) is out
    checks.assert_same_bits((out,), (wg.pagerank(power_law, method=method, device=device),))
    with raises_sentence(ValueError, "out", "float32"):
        wg.pagerank(power_law, out=out.astype(np.float32), device=device)
    with raises_sentence(ValueError, "out", "(3,)"):
        wg.pagerank(power_law, out=out[:3], device=device)


def test_not_converged(power_law, device):
    with raises_sentence(wg.ConvergenceError, "2 iterations", "max_iter") as caught:
        wg.pagerank(power_law, max_iter=2, device=device)
    error = caught.value
    assert isinstance(error, RuntimeError)
    assert error.iterations == 2
    wanted = oracles.pagerank(power_law.shape[0], oracles.arcs(power_law), sweeps=2)[0]
    np.testing.assert_allclose(error.scores, wanted, rtol=1e-9)
    again = pickle.loads(pickle.dumps(error))
    assert (str(again), again.iterations) == (str(error), 2)
    checks.assert_same_bits((again.scores,), (error.scores,))
    # A later call continues where that one ended.
    found = wg.pagerank(power_law, nstart=error.scores, device=device)
    assert np.abs(found - strict(power_law, device=device)).sum() < 1e-6


@each_method
def test_tolerance_of_zero_never_converges(method, device):
    how = {"method": method, "device": device}
    with raises_sentence(wg.ConvergenceError, "7 iterations", "tol = 0", "raise tol") as caught:
        wg.pagerank(graphs.csr(2, []), tol=0, max_iter=7, **how)
    assert "and more iterations would not help: tol = 0 is not above" in str(caught.value)
    assert "less than 0" not in str(caught.value)
    with raises_sentence(ValueError, "tol = 0", "max_iter"):
        wg.pagerank(graphs.csr(2, []), tol=0, **how)
    assert wg.pagerank(graphs.csr(2, []), tol=np.inf, **how).tolist() == [0.5, 0.5]


@pytest.mark.parametrize("method", ["auto", "pull", "push"])
@pytest.mark.parametrize("start", [None, {5: 1}])
def test_progress(power_law, method, start, device):
    reports = []

    def report(done, total):
        reports.append((done, total))

    how = {"personalization": start, "method": method, "device": device}
    wg.pagerank(power_law, progress=report, **how)
    done, total = zip(*reports, strict=True)
    assert (done[0], done[-1]) == (0, total[-1])
    assert min(total) >= 100
    reports.clear()
    assert wg.pagerank(power_law, max_iter=120, progress=report, **how).sum() == pytest.approx(1)
    assert (reports[0], reports[-1]) == ((0, 120), (120, 120))


@pytest.mark.parametrize("method", ["auto", "pull", "push"])
def test_progress_may_end_the_call(power_law, method, device):
    def refuse(done, total):
        raise InterruptedError("enough")

    how = {"personalization": {5: 1}, "method": method, "device": device}
    with pytest.raises(InterruptedError, match="enough"):
        wg.pagerank(power_law, progress=refuse, **how)
    found = wg.pagerank(power_law, **how)
    assert found.sum() == pytest.approx(1)


@over_devices
def test_progress_of_an_iteration_without_end(device):
    graph, reports = wg.generators.grid(60, 60, seed=0), []
    how = {"tol": 0, "max_iter": 50, "method": "pull", "device": device}
    with pytest.raises(wg.ConvergenceError) as error:
        wg.pagerank(graph, progress=lambda *report: reports.append(report), **how)
    assert error.value.iterations == 50
    assert reports[-1] == (50, 50)
    assert reports == sorted(reports)


@each_method
def test_memory_limit(power_law, method, device):
    how = {"method": method, "device": device}
    with raises_sentence(MemoryError, "100 bytes", "memory_limit"):
        wg.pagerank(power_law, **how, memory_limit=100)
    found = wg.pagerank(power_law, **how, memory_limit=1 << 30)
    checks.assert_same_bits((found,), (wg.pagerank(power_law, **how),))


# Bad input.


GRID = graphs.SAMPLES["grid"]


@pytest.mark.parametrize("alpha", [-0.1, 1.5, np.nan, np.inf, 10**400])
def test_alpha_out_of_range(alpha):
    with raises_sentence(ValueError, "alpha", alpha, "from 0 to 1"):
        wg.pagerank(GRID, alpha=alpha)


@pytest.mark.parametrize(
    ("options", "error", "parts"),
    [
        ({"alpha": "half"}, TypeError, ["alpha", "half"]),
        ({"alpha": None}, TypeError, ["alpha", "None"]),
        ({"tol": -1e-6}, ValueError, ["tol", "-1e-06"]),
        ({"tol": np.nan}, ValueError, ["tol", "nan"]),
        ({"tol": "small"}, TypeError, ["tol", "small"]),
        ({"method": "both"}, ValueError, ["method", "'auto', 'pull', 'push'", "'both'"]),
        ({"method": None}, ValueError, ["method", "None"]),
        ({"method": "push", "nstart": {0: 1}}, ValueError, ["nstart", "'push'", "'pull'"]),
        ({"max_iter": 0}, ValueError, ["max_iter", "0"]),
        ({"max_iter": 2**31}, ValueError, ["max_iter", 2**31]),
        ({"max_iter": 1.5}, TypeError, ["max_iter", "1.5"]),
        ({"device": "cuda:97"}, wg.DeviceError, ["cuda:97"]),
        ({"memory_limit": 0}, ValueError, ["memory_limit", 0]),
    ],
)
def test_bad_options(options, error, parts):
    with raises_sentence(error, *parts):
        wg.pagerank(GRID, **options)


def test_push_is_for_one_device():
    with raises_sentence(ValueError, "method='push'", "['cpu', 'cpu']"):
        wg.pagerank(GRID, method="push", device=["cpu"] * 2)


@pytest.mark.cuda
def test_mixed_lists_are_refused():
    with raises_sentence(wg.DeviceError, "['cpu', 'cuda:0']", "mixed list"):
        wg.pagerank(GRID, device=["cpu", "cuda:0"])


def with_entry(value):
    array = np.ones(64)
    array[5] = value
    return array


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize(
    ("value", "error", "parts"),
    [
        (np.ones(63), ValueError, ["64 vertices", "(63,)"]),
        (np.ones((64, 1)), ValueError, ["64 vertices", "(64, 1)"]),
        (with_entry(-0.5), ValueError, ["[5] is -0.5", "at least 0"]),
        (with_entry(np.nan), ValueError, ["[5] is nan", "finite"]),
        (with_entry(np.inf), ValueError, ["[5] is inf", "finite"]),
        (np.zeros(64), ValueError, ["0 for all 64 vertices"]),
        ({}, ValueError, ["0 for all 64 vertices"]),
        ({64: 1.0}, ValueError, ["64", "0..63"]),
        ({"a": 1.0}, TypeError, ["'a'"]),
        ({3: "much"}, TypeError, ["[3]", "'much'"]),
        ({3: -1.0}, ValueError, ["[3] is -1.0", "at least 0"]),
        ({3: 10**400}, ValueError, ["[3] is inf", "finite"]),
        (np.array(["a"] * 64), TypeError, ["numbers", "<U1"]),
        (1.0, ValueError, ["64 vertices", "()"]),
        ({1, 2}, TypeError, ["set"]),
    ],
)
def test_bad_vectors(name, value, error, parts):
    with raises_sentence(error, name, *parts):
        wg.pagerank(GRID, **{name: value})


def test_a_name_that_no_vertex_has():
    with raises_sentence(ValueError, "personalization", "'Rome'"):
        wg.pagerank(nx.path_graph(["a", "b"]), personalization={"Rome": 1})


@pytest.mark.parametrize("directed", [True, False])
def test_bad_weights(directed):
    def call(*edges):
        return wg.pagerank(graphs.csr(3, edges), directed=directed)

    with raises_sentence(ValueError, "-2.0", "(1, 2)", "negative"):
        call((0, 1, 1.0), (1, 2, -2.0))
    with raises_sentence(ValueError, "(1, 2)", "inf"):
        call((0, 1, 1.0), (1, 2, np.inf))
    with raises_sentence(ValueError, "(1, 2)", "NaN"):
        call((0, 1, 1.0), (1, 2, np.nan))
    with raises_sentence(ValueError, "vertex", "e+300", "scale"):
        call((1, 0, 1e300), (1, 2, 1e300))
    with raises_sentence(ValueError, "vertex", "add up to", "scale"):
        call((1, 0, 1e308), (1, 2, 1e308))
    with raises_sentence(ValueError, "vertex 1", "1e-300", "scale"):
        call((1, 2, 1e-300))


def test_bad_weights_of_named_vertices():
    graph = nx.DiGraph()
    graph.add_weighted_edges_from([("a", "b", 1e300), ("b", "c", -1.0)])
    with raises_sentence(ValueError, "('b', 'c')", "negative"):
        wg.pagerank(graph)
    graph.edges["b", "c"]["weight"] = 1.0
    with raises_sentence(ValueError, "vertex 'a'", "1e+300"):
        wg.pagerank(graph)
