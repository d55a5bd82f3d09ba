"""The memory that wg.explain tells suffices for the call; it refuses what the call refuses."""

import inspect
import itertools

import numpy as np
import pytest

import calls
import graphs
import warpgraph as wg
from test_explain_memory import CALLS, FORMS
from warpgraph._graph.plan import PUBLIC_NAMES

#: Parts of the bytes of a plan that serve as limits.
PARTS = (0.02, 0.1, 0.3, 0.5, 0.7, 0.8, 0.9, 0.95, 0.99, 1, 1.01, 1.2, 2)
#: Calls that end where their results do not fit, whose size is not known before.
OF_UNKNOWN_SIZE = ("within",)


def _run(function, *args, **options):
    return function(*args, **options)


def _outcome(run, make, limit, how):
    """Return what a call, or its plan, returns, or None and the error."""
    try:
        return run(make(), limit, how), None
    except Exception as error:
        return None, error


@pytest.mark.parametrize("name", CALLS | FORMS)
def test_the_bytes_suffice_as_a_limit(name):
    make, run = (CALLS | FORMS)[name]
    plan = run(make(), None, wg.explain)
    again = run(make(), plan.bytes, wg.explain)
    assert again.bytes <= plan.bytes
    if name not in OF_UNKNOWN_SIZE:
        run(make(), plan.bytes, _run)


@pytest.mark.parametrize("name", CALLS | FORMS)
def test_a_plan_within_a_limit_is_one_of_a_call_that_is_made(name):
    make, run = (CALLS | FORMS)[name]
    most = run(make(), None, wg.explain).bytes
    for part in PARTS:
        limit = int(part * most)
        plan, refusal = _outcome(run, make, limit, wg.explain)
        _, error = _outcome(run, make, limit, _run)
        if plan is None:
            assert isinstance(refusal, MemoryError)
            assert name in FORMS or isinstance(error, MemoryError), (limit, refusal)
        else:
            assert plan.bytes <= limit
            assert error is None or name in OF_UNKNOWN_SIZE, (limit, error)


#: Calls that take less time with more memory, or whose later steps depend on what is found.
TAKE_MORE = ("apsp", "steiner_tree")


@pytest.mark.parametrize("name", [name for name in CALLS if name not in TAKE_MORE])
def test_the_bytes_are_little_more_than_the_call_asks_for(name):
    """On one core, where no more searches run with more memory."""
    make, run = CALLS[name]
    wg.set_num_threads(1)
    try:
        most = run(make(), None, wg.explain).bytes
        results = 32 * 3000  # which some limits do not include
        enough, too_little = most, 0
        while enough > 1.02 * too_little + 8:
            limit = (enough + too_little) // 2
            if _outcome(run, make, limit, _run)[1] is None:
                enough = limit
            else:
                too_little = limit
    finally:
        wg.set_num_threads(0)
    assert most <= 1.25 * enough + results


#: Limits between what results, forms and searches of small graphs take.
LIMITS = (1, 40, 100, 400, 1000, 3000, 10_000, 100_000)


@pytest.mark.parametrize("name", sorted(set(PUBLIC_NAMES.values())))
def test_arguments_are_refused_as_by_the_call_whatever_the_limit(name):
    """Also if it lacks memory: a ValueError of the call is not a MemoryError of its plan."""
    entry = next((call for call in calls.calls("memory_limit") if call.name == name), None)
    if entry is None or inspect.isclass(entry.function):
        pytest.skip("takes no graph and limit")
    negative = graphs.csr(3, graphs.both_ways([(0, 1, -1.0), (1, 2, 2.0), (0, 2, 4.0)]), float)
    infinite = graphs.csr(3, graphs.both_ways([(0, 1, np.inf), (1, 2, 2.0)]), float)
    for graph, limit, options in itertools.product(
        (negative, infinite), LIMITS, entry.variants.values()
    ):
        how = {**options, "memory_limit": limit}
        if "device" in entry.parameters:
            how["device"] = "cpu"
        refusals = []
        for plans in (False, True):
            try:
                _planned(entry, graph, how) if plans else entry.run(graph, **how)
                refusals.append(None)
            except Exception as error:
                refusals.append(type(error))
        of_the_call, of_the_plan = refusals
        is_computed = of_the_call in (wg.NegativeCycleError, OverflowError)
        assert is_computed or of_the_plan == of_the_call, (limit, options)


def _planned(entry, graph, how):
    from warpgraph._graph import plan

    with plan.only():
        entry.run(graph, **how)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("metric", ["euclidean", "manhattan", "cosine", "minkowski", "hamming"])
@pytest.mark.parametrize(
    ("function", "args"),
    [
        (wg.cluster.kneighbors_graph, (5,)),
        (wg.cluster.core_distances, (5,)),
        (wg.cluster.mst_of_points, ()),
        (wg.cluster.radius_neighbors_graph, (0.01,)),
    ],
)
def test_points_are_refused_as_by_the_call(metric, function, args, dtype):
    """Points that need not be converted are not copied, and do not count."""
    points = np.random.default_rng(0).random((400, 96)).astype(dtype)
    sentences = []
    for call in (wg.explain, _run):
        with pytest.raises(MemoryError) as refused:
            call(function, points, *args, metric=metric, memory_limit=1, device="cpu")
        sentences.append(str(refused.value))
    assert sentences[0] == sentences[1]


@pytest.mark.parametrize("metric", ["euclidean", "manhattan"])
def test_copies_of_rows_count(metric):
    points = np.random.default_rng(0).random((2000, 3))
    weights = np.random.default_rng(1).integers(1, 4, len(points))
    plain, copied = (
        wg.explain(wg.cluster.HDBSCAN(metric=metric, device="cpu").fit, points, **given)
        for given in ({}, {"sample_weight": weights})
    )
    assert copied.bytes > plain.bytes + weights.sum() * points[0].nbytes
    model = wg.cluster.HDBSCAN(metric=metric, memory_limit=copied.bytes, device="cpu")
    assert wg.explain(model.fit, points, sample_weight=weights).bytes <= copied.bytes
    model.fit(points, sample_weight=weights)


ROADS = {
    "grid": lambda: wg.generators.grid(60, 60, seed=0, weights=(1, 100)),
    "fractions": lambda: wg.generators.grid(40, 40, seed=0),
    "dense": lambda: wg.generators.rmat(9, 8, seed=1, weights=(1, 100)),
    "one way": lambda: wg.generators.rmat(9, 4, seed=1, weights=(1, 100), directed=True),
}


@pytest.mark.parametrize("graph", ROADS)
@pytest.mark.parametrize(
    ("function", "args"),
    [
        (wg.many_to_many, ([0, 5, 9],)),
        (wg.many_to_many, ([0, 5, 9], [1, 2])),
        (wg.shortest_path, (0, 5)),
        (wg.shortest_paths, ([0, 5], [1, 2])),
    ],
)
def test_the_bytes_of_a_hierarchy_suffice(graph, function, args):
    how = {"method": "hierarchy", "directed": graph != "one way"}
    plan = wg.explain(function, wg.Graph(ROADS[graph]()), *args, **how)
    for part in (0.3, 0.7, 0.9, 1):
        limit = int(part * plan.bytes)
        outcomes = []
        for call in (wg.explain, _run):
            try:
                call(function, wg.Graph(ROADS[graph]()), *args, **how, memory_limit=limit)
                outcomes.append(True)
            except MemoryError:
                outcomes.append(False)
        assert outcomes[1] or not outcomes[0]
        assert part < 1 or outcomes[1]


@pytest.mark.parametrize("function", [wg.leiden_communities, wg.louvain_communities])
@pytest.mark.parametrize("resolution", [0.01, 1.0, 30.0])
@pytest.mark.parametrize("graph", ROADS)
def test_communities_with_little_memory_are_the_same(function, resolution, graph):
    """Whatever contraction leaves of a graph: rows are added up twice, by fewer threads."""
    graph = wg.Graph(ROADS[graph]())
    expected = function(graph, resolution=resolution)
    enough = wg.explain(function, graph, resolution=resolution).bytes
    for limit in range(enough // 2, enough, enough // 20):
        try:
            wg.explain(function, graph, resolution=resolution, memory_limit=limit)
        except MemoryError:
            continue
        found = function(graph, resolution=resolution, memory_limit=limit)
        np.testing.assert_array_equal(found.labels, expected.labels)
    found = function(graph, resolution=resolution, memory_limit=enough)
    np.testing.assert_array_equal(found.labels, expected.labels)


@pytest.mark.parametrize(
    ("function", "arguments"),
    [
        (wg.nearest_facilities, ([0], 7)),
        (wg.nearest_facilities, ([0, 0], 2)),
        (wg.nearest_facilities, ([0, 5], 2)),
        (wg.accessibility, ([0], [1.0])),
        (wg.accessibility, ([0, 1], [1.0, 2.0])),
    ],
)
def test_results_with_copies_are_told(function, arguments):
    graph = wg.generators.grid(30, 30)
    told = wg.explain(function, graph, *arguments, device="cpu").bytes
    function(graph, *arguments, device="cpu", memory_limit=told)
