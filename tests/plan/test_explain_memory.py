"""The memory that wg.explain tells is that of the call, whose errors it raises."""

import inspect
import re

import numpy as np
import pytest

import calls
import graphs
import warpgraph as wg
from warpgraph._graph import explain
from warpgraph._graph.plan import PUBLIC_NAMES


def _edges_both_ways():
    return wg.Graph(wg.generators.rmat(10, 8, seed=1, weights=(1, 100)))


def _edges_one_way():
    return wg.Graph(wg.generators.rmat(10, 8, seed=1, weights=(1, 100), directed=True))


def _roads():
    return wg.Graph(wg.generators.grid(30, 30, seed=0), coordinates=_places(30, 30))


def _forest():
    return wg.minimum_spanning_forest(_roads())


def _places(n_rows, n_columns):
    return np.stack(np.divmod(np.arange(n_rows * n_columns), n_columns), axis=1).astype(float)


def _parallel_edges():
    """A graph whose rows are not sorted, with some edges twice."""
    tails, heads, weights = _edges_both_ways().to_edges()[:3]
    order = np.random.default_rng(0).permutation(np.tile(np.arange(len(tails)), 2))
    order = np.concatenate([np.arange(len(tails)), order[: len(tails) // 4]])
    return wg.Graph.from_edges(tails[order], heads[order], weights[order])


def _points():
    return np.random.default_rng(0).random((3000, 3))


#: Makes the input of an entry's `planned`, by its name there.
INPUTS = {
    "both_ways": _edges_both_ways,
    "one_way": _edges_one_way,
    "parallel_edges": _parallel_edges,
    "roads": _roads,
    "forest": _forest,
    "points": _points,
}


def _case(entry, given):
    """Return what makes the input, and run(input, memory_limit, call): the call, or wg.explain."""

    def run(graph, memory_limit, call):
        options = {"memory_limit": memory_limit, **given.options}
        if "device" in entry.parameters:
            options.setdefault("device", "cpu")
        if inspect.isclass(entry.function):
            return call(entry.function(**options).fit, graph, *given.args)
        return call(entry.function, graph, *given.args, **options)

    return INPUTS[given.on], run


def _cases(*, exact):
    """Return `planned` of all entries of calls.py: (make, run) by name."""
    return {
        f"{entry.name}, {name}" if name else entry.name: _case(entry, given)
        for entry in calls.CALLS
        for name, given in entry.planned.items()
        if given.exact == exact
    }


CALLS = _cases(exact=True)
#: The same, where what a form of the graph, a later step or the result takes is not known exactly.
FORMS = _cases(exact=False)
#: Functions of graphs without a case, and why.
WITHOUT_CASE = {
    "cluster.MSTClustering": "the plan is that of its tree",
    "transform.rank_weights": "arrays of the graph's size",
    "transform.sort_by_weight": "arrays of the graph's size",
}


def test_every_planned_function_of_graphs_has_a_case():
    """Entries of calls.py have `planned` if wg.explain plans the function."""
    public = set(PUBLIC_NAMES.values())
    of_graphs = {e.name for e in calls.calls() if {e.name, f"{e.name}.fit"} & public}
    without = of_graphs - {e.name for e in calls.CALLS if e.planned}
    assert without - set(WITHOUT_CASE) == set(), "their entries of calls.py need planned={...}"
    assert set(WITHOUT_CASE) <= without


def _run(function, *args, **options):
    return function(*args, **options)


def _refusals(make, run):
    """Return the least limit that is enough, and for each smaller one the error of the call."""
    limit, refusals = 1, []
    for _ in range(10):
        try:
            run(make(), limit, _run)
        except MemoryError as error:
            needed, left = (int(n) for n in re.findall(r"(\d+) bytes", str(error))[:2])
            refusals.append((limit, str(error)))
            limit += needed - left
        else:
            return limit, refusals
    raise AssertionError("what errors ask for is not enough")


@pytest.mark.parametrize("name", CALLS)
def test_a_limit_is_refused_as_by_the_call(name):
    make, run = CALLS[name]
    _, refusals = _refusals(make, run)
    for limit, _ in refusals:
        with pytest.raises(MemoryError, match="left of memory_limit; raise memory_limit"):
            run(make(), limit, wg.explain)
    limit, sentence = refusals[-1]
    with pytest.raises(MemoryError) as refused:
        run(make(), limit, wg.explain)
    assert str(refused.value) == sentence


@pytest.mark.parametrize("name", CALLS | FORMS)
def test_the_bytes_are_those_that_the_call_asks_for(name):
    make, run = (CALLS | FORMS)[name]
    least, _ = _refusals(make, run)
    plan = run(make(), None, wg.explain)
    results = 32 * 3000  # which some limits do not include, and of the plan
    sum_of_searches = wg.get_num_threads() * least
    if name in CALLS:  # a form counts as large as it may be
        assert run(make(), least, wg.explain).bytes <= least
    if name != "within":  # where the result is not known before
        assert least <= plan.bytes <= results + sum_of_searches


@pytest.mark.parametrize("dtype", ["int32", "int64"])
def test_another_method_takes_a_call_that_memory_lacks_for(dtype):
    how = {"dtype": dtype, "device": "cpu"}

    def make():
        """Return a graph of so many edges that searches are slower."""
        return wg.generators.rmat(9, 40, seed=1, weights=(1, 90))

    def run(graph, memory_limit, call):
        return call(wg.apsp, graph, memory_limit=memory_limit, **how)

    least, refusals = _refusals(make, run)
    graph = make()
    assert wg.explain(wg.apsp, graph, **how).method == "floyd_warshall"
    plan = wg.explain(wg.apsp, graph, **how, memory_limit=least)
    assert plan.method == "many_to_many"
    assert plan.bytes <= least
    assert any(
        reason.startswith("many_to_many instead of floyd_warshall: the matrix of all")
        for reason in plan.reasons
    )
    np.testing.assert_array_equal(wg.apsp(graph, **how, memory_limit=least), wg.apsp(graph, **how))
    limit, sentence = refusals[-1]
    with pytest.raises(MemoryError) as refused:
        wg.explain(wg.apsp, make(), **how, memory_limit=limit)
    assert str(refused.value) == sentence


@pytest.mark.parametrize(
    ("function", "args"), [(wg.shortest_path, (0, 5)), (wg.many_to_many, ([0, 5],))]
)
def test_the_bytes_of_a_hierarchy(function, args):
    """They have the hierarchy, until that is kept, and queries."""
    graph = _roads()
    how = {"method": "hierarchy", "device": "cpu"}
    before = wg.explain(function, graph, *args, **how).bytes
    with pytest.raises(MemoryError) as refused:
        wg.explain(function, graph, *args, **how, memory_limit="1kB")
    with pytest.raises(MemoryError) as of_the_call:
        function(graph, *args, **how, memory_limit="1kB")
    assert str(refused.value) == str(of_the_call.value)
    kept = graph.nbytes
    function(graph, *args, **how)
    after = wg.explain(function, graph, *args, **how).bytes
    assert 0 < after < before
    assert graph.nbytes - kept < before


@pytest.mark.parametrize("name", FORMS)
def test_a_limit_that_no_form_fits_is_refused(name):
    make, run = FORMS[name]
    with pytest.raises(MemoryError, match="left of memory_limit; raise memory_limit"):
        run(make(), 1, wg.explain)


def test_the_memory_is_that_of_a_call():
    """The graph that is there does not count, and calls that differ take different memory."""
    graph = wg.Graph(graphs.SAMPLES["medium_directed"])
    n, m = graph.n_vertices, graph.n_edges
    several = wg.Graph.from_edges(*(np.tile(part, 50) for part in graph.to_edges()), n_vertices=n)
    of_one, of_several = (
        wg.explain(wg.connected_components, g, device="cpu").bytes for g in (graph, several)
    )
    assert 4 * n <= of_one <= of_several < several.nbytes
    assert several.n_edges == 50 * m
    takes = {
        function.__name__: wg.explain(function, graph, *args, device="cpu").bytes
        for function, args in (
            (wg.sssp, (0,)),
            (wg.bfs, (0,)),
            (wg.connected_components, ()),
            (wg.pagerank, ()),
            (wg.minimum_spanning_forest, ()),
            (wg.betweenness_centrality, ()),
        )
    }
    assert len(set(takes.values())) == len(takes), takes
    tree = wg.explain(wg.sssp, graph, 0, device="cpu", return_predecessors=True)
    assert tree.bytes > takes["sssp"]


def test_weights_in_another_type_count_once():
    graph = _edges_both_ways()
    before = wg.explain(wg.sssp, graph, 0, device="cpu").bytes
    wg.sssp(graph, 0, device="cpu")
    assert wg.explain(wg.sssp, graph, 0, device="cpu").bytes == before - 8 * graph.n_edges


def test_the_memory_of_an_answer_of_unknown_size():
    plan = wg.explain(wg.within, _edges_both_ways(), [0, 1], 10)
    assert plan.bytes > 0
    assert any("12 bytes for each distance that is found" in reason for reason in plan.reasons)


@pytest.mark.parametrize("metric", ["euclidean", "manhattan"])
def test_neighbours_within_a_radius_are_not_counted_before(metric):
    points = np.random.default_rng(0).random((300, 2))
    plan = wg.explain(wg.cluster.radius_neighbors_graph, points, 0.5, metric=metric)
    assert any("12 bytes for each neighbour" in reason for reason in plan.reasons)
    plan = wg.explain(wg.cluster.kneighbors_graph, points, 5, metric=metric)
    assert not any("for each neighbour" in reason for reason in plan.reasons)


@pytest.mark.parametrize(
    ("size", "text"),
    [
        (1, "1 B"),
        (999, "999 B"),
        (1000, "1 kB"),
        (12_100, "12.1 kB"),
        (999_499, "999 kB"),
        (999_500, "1 MB"),
        (123_456_789, "123 MB"),
        (2_510_000_000, "2.51 GB"),
        (5_000_000_000_000, "5000 GB"),
    ],
)
def test_sizes_have_units_that_suit_them(size, text):
    plan = explain.Plan("sssp", "dijkstra", ["cpu"], size, 1.0, ())
    assert f"memory         at most {text} on cpu, beside the input" in str(plan)


def test_the_devices_whose_memory_it_is():
    def memory(devices, size=1):
        return str(explain.Plan("sssp", "near_far", devices, size, 1.0, ())).splitlines()[2]

    assert memory(["cuda:0", "cuda:1"]).endswith("1 B on each of cuda:0, cuda:1, beside the input")
    assert memory(["cpu"] * 3).endswith("1 B on cpu, beside the input")
    assert memory(["cuda:0"], 0).endswith("not known before the call")


def test_a_limit_does_not_ask_for_another_machine():
    with pytest.raises(MemoryError) as refused:
        wg.minimum_spanning_forest(_edges_both_ways(), memory_limit=1000, device="cpu")
    assert "raise memory_limit" in str(refused.value)
    assert "machine" not in str(refused.value)
