"""wg.explain changes nothing: a graph keeps nothing of it, and later calls take the same way."""

import copy

import numpy as np
import pytest
import scipy.sparse as sp

import graphs
import warpgraph as wg
from calls import calls, run_on
from warpgraph import _core
from warpgraph._graph import plan
from warpgraph._graph.graph import Graph

#: The functions that take graphs and have plans.
PLANNED = [
    (call, options)
    for call in calls()
    if call.name in plan.PUBLIC_NAMES.values()
    for options in (*call.variants.values(), *call.methods.values())
]
#: More than the calls after which a graph is transposed, or its vertices are put in order.
SEVERAL = 6


def _roads():
    places = np.stack(np.divmod(np.arange(900.0), 30), axis=1)
    return wg.Graph(wg.generators.grid(30, 30, seed=0, weights=(1, 9)), coordinates=places)


def _parallel():
    """A graph of directed edges with a hub, some of them twice, whose searches count."""
    tails, heads, weights = wg.generators.rmat(10, 8, seed=1, weights=(1, 9)).to_edges()
    upper = tails < heads
    upper[::7] = True
    edges = [np.concatenate([part[upper], part[upper][::5]]) for part in (tails, heads, weights)]
    return wg.Graph.from_edges(*edges, n_vertices=1024)


def _fractions():
    graph = _parallel()
    return graph.with_weights(graph.data + 0.5)


GRAPHS = {
    "both ways": lambda: wg.Graph(graphs.SAMPLES["grid"]),
    "one way": lambda: wg.Graph(graphs.SAMPLES["medium_directed"]),
    "parallel": _parallel,
    "roads": _roads,
    "fractions": _fractions,
}


def _kept(graph):
    return graph.nbytes, set(graph._derived), set(graph._weights), graph.data.tobytes()


def _planned(call, graph, options):
    """Return the plan of a call, or its error, as text."""
    with plan.only() as found:
        try:
            run_on("cpu", call, graph, options)
        except Exception as error:
            return repr(error)
    made = found.plan
    return None if made is None else (made.method, made.devices, made.bytes, found.reasons)


@pytest.fixture
def ways(monkeypatch):
    """Collect what the plans of calls have chosen, with nothing learnt from what they took."""
    chosen, make = [], plan.make
    _core.set_learning(False)

    def watched(*args, **options):
        made = make(*args, **options)
        choices = "method", "otherwise", "search", "devices", "uses_transposed", "is_mirrored"
        choices += "orders_by_degree", "accelerates", "has_negative", "max_visits"
        chosen.append([getattr(made, name) for name in choices])
        return made

    monkeypatch.setattr(plan, "make", watched)
    yield chosen
    _core.set_learning(True)


def _ways_of(call, graph, options, ways):
    """Return what the plans of a call choose, and those of a second one; or the error."""
    for _ in range(2):
        try:
            run_on("cpu", call, graph, options)
        except (ValueError, OverflowError) as error:
            ways.append(str(error))
    found = copy.copy(ways)
    ways.clear()
    return found


@pytest.mark.parametrize("kind", GRAPHS)
def test_several_explains_leave_everything_as_it_was(kind, ways):
    for call, options in PLANNED:
        graph = GRAPHS[kind]()
        before, first = _kept(graph), _planned(call, graph, options)
        assert [_planned(call, graph, options) for _ in range(SEVERAL)] == [first] * SEVERAL
        assert _kept(graph) == before, (call.name, options)
        ways.clear()
        explained = _ways_of(call, graph, options, ways)
        assert explained == _ways_of(call, GRAPHS[kind](), options, ways), (call.name, options)


@pytest.mark.parametrize("kind", ["one way", "parallel", "roads"])
def test_no_form_is_made(kind, monkeypatch):
    """So explaining takes none of the time of making it."""
    made = []
    monkeypatch.setattr(Graph, "_with_same_vertices", lambda _, *arrays: made.append(arrays))
    for call, options in PLANNED:
        graph, chosen = GRAPHS[kind](), [options]
        if "directed" in call.parameters:
            chosen.append({**options, "directed": False})
        assert all(not isinstance(_planned(call, graph, how), str) for how in chosen), call.name
        assert not made, call.name


@pytest.mark.parametrize("function", [wg.leiden_communities, wg.louvain_communities])
def test_communities_of_fractions_make_no_form(function):
    graph = _fractions()
    before = _kept(graph)
    first = wg.explain(function, graph)
    assert _kept(graph) == before
    assert wg.explain(function, graph) == first


def test_searches_that_are_explained_do_not_count(ways):
    """A graph that was searched several times is transposed for further searches."""
    graph = _parallel()
    for _ in range(SEVERAL):
        wg.explain(wg.bfs, graph, 0, device="cpu")
    ways.clear()
    wg.bfs(graph, 0, device="cpu")
    assert not ways[-1][4]
    for _ in range(SEVERAL):
        wg.bfs(graph, 0, device="cpu")
    assert ways[-1][4]


@pytest.fixture
def two_threads():
    wg.set_num_threads(2)
    yield
    wg.set_num_threads(0)


def test_a_bound_of_distances_is_found_and_not_kept(two_threads):
    """With more threads, searches are faster than hierarchies, and no bound is asked for."""
    graph = wg.Graph(wg.generators.grid(100, 100, removed=0.4, seed=3, weights=(1, 100)))
    before = _kept(graph)
    chosen = wg.explain(wg.apsp, graph, dtype="float32", method="many_to_many", device="cpu")
    assert _kept(graph) == before
    wg.apsp(graph, dtype="float32", method="many_to_many", device="cpu")
    assert "hierarchy bound" in graph._derived
    assert chosen.method == "many_to_many"


@pytest.mark.parametrize("make", [np.random.default_rng, np.random.RandomState])
@pytest.mark.parametrize("init", ["k-means++", "random"])
def test_random_numbers_are_not_drawn(make, init):
    points = np.random.default_rng(0).random((200, 2))
    source, same = make(3), make(3)
    model = wg.cluster.KMeans(5, init=init, n_init=2, random_state=source)
    wg.explain(model, points)
    wg.explain(model.fit, points)
    assert source.random() == same.random()


def test_arrays_of_the_caller_are_not_written_to():
    graph = sp.csr_array(graphs.SAMPLES["grid"])
    out = np.full(graph.shape[0], 7.0)
    wg.explain(wg.sssp, graph, 0, out=out)
    wg.explain(wg.pagerank, graph, out=out)
    assert (out == 7).all()
