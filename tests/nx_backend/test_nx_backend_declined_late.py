"""The NetworkX backend: what NetworkX sees of the arguments of calls that the backend declines."""

import random

import networkx as nx
import numpy as np
import pytest

import networkx_support
import warpgraph.nx_backend as interface

networkx_support.register()

steiner_tree = nx.algorithms.approximation.steiner_tree
SCORES = ["betweenness_centrality", "edge_betweenness_centrality"]


@pytest.fixture(autouse=True)
def configured():
    """Let NetworkX choose the backend."""
    with nx.config(backend_priority=["warpgraph"], warnings_to_ignore={"cache"}):
        yield


def weighted(lightest=1):
    """Return a graph that is large enough for the backend, with one edge of this weight."""
    graph = nx.gnm_random_graph(60, 800, seed=1)
    nx.set_edge_attributes(graph, 1, "weight")
    nx.set_edge_attributes(graph, {next(iter(graph.edges)): lightest}, "weight")
    return graph


def alone(name, *args, **kwargs):
    """Return the result of NetworkX without backends."""
    with nx.config(backend_priority=[]):
        return getattr(nx, name)(*args, **kwargs)


@pytest.mark.parametrize("lightest", [0, 1, 2**70, float("inf")])
@pytest.mark.parametrize("targets", [list, iter])
@pytest.mark.parametrize(
    "name", ["betweenness_centrality_subset", "edge_betweenness_centrality_subset"]
)
def test_sources_from_an_iterator_are_there_for_networkx(name, targets, lightest):
    graph = weighted(lightest)
    expected = alone(name, graph, iter([0, 1, 2]), targets([5, 6, 7]), weight="weight")
    found = getattr(nx, name)(graph, iter([0, 1, 2]), targets([5, 6, 7]), weight="weight")
    assert any(expected.values())
    assert found == pytest.approx(expected, abs=1e-12)


@pytest.mark.parametrize("lightest", [1, float("inf")])
def test_harmonic_centrality_of_nodes_from_an_iterator(lightest):
    graph = weighted(lightest)
    calls = (
        function(
            graph, nbunch=iter(range(30)), distance="weight", sources=(v for v in range(20, 60))
        )
        for function in (
            nx.harmonic_centrality,
            lambda *args, **kwargs: alone("harmonic_centrality", *args, **kwargs),
        )
    )
    found, expected = calls
    assert len(expected) == 30
    assert found == pytest.approx(expected)


@pytest.mark.parametrize("name", ["multi_source_dijkstra_path_length", "voronoi_cells"])
def test_networkx_reads_an_iterator_of_sources_in_its_own_way(name):
    graph = weighted()
    found = getattr(nx, name)(graph, iter([0, 1, 2]))
    assert found == alone(name, graph, iter([0, 1, 2]))


def test_layers_around_nodes_from_an_iterator():
    graph = weighted()
    found = list(nx.bfs_layers(graph, iter([0, 1]), backend="warpgraph"))
    assert list(map(set, found)) == list(map(set, alone("bfs_layers", graph, [0, 1])))


@pytest.mark.parametrize("priority", ["algos", "generators"])
def test_steiner_trees_of_terminals_from_an_iterator(priority):
    graph = weighted()
    expected = steiner_tree(graph, [0, 5, 9], method="mehlhorn", backend="networkx")
    found = steiner_tree(graph, iter([0, 5, 9]), backend="warpgraph")
    assert found.size() == expected.size()
    with nx.config(backend_priority={priority: ["warpgraph"]}):
        try:
            found = steiner_tree(graph, iter([0, 5, 9]), method="mehlhorn")
        except KeyError:  # as in NetworkX, which reads the terminals twice
            with nx.config(backend_priority=[]), pytest.raises(KeyError):
                steiner_tree(graph, iter([0, 5, 9]), method="mehlhorn")
        else:
            assert found.size() == expected.size()


GENERATORS = {
    "seed": lambda: 3,
    "Random": lambda: random.Random(3),
    "RandomState": lambda: np.random.RandomState(3),
    "Generator": lambda: np.random.default_rng(3),
}


@pytest.mark.parametrize("lightest", [0, 1])
@pytest.mark.parametrize("make", GENERATORS.values(), ids=GENERATORS)
@pytest.mark.parametrize("name", SCORES)
def test_networkx_draws_the_sample_of_a_declined_call(name, make, lightest):
    graph = weighted(lightest)
    seeds = make(), make()
    expected = alone(name, graph, k=20, seed=seeds[0], weight="weight")
    found = getattr(nx, name)(graph, k=20, seed=seeds[1], weight="weight")
    assert found == pytest.approx(expected, abs=1e-12)
    if not isinstance(seeds[0], int):  # and the next sample is the same
        expected = alone(name, graph, k=20, seed=seeds[0])
        assert alone(name, graph, k=20, seed=seeds[1]) == expected


@pytest.mark.parametrize("lightest", [0, 1])
@pytest.mark.parametrize("name", SCORES)
def test_samples_by_the_global_generator(name, lightest):
    graph = weighted(lightest)
    before = random.getstate()
    try:
        random.seed(5)
        expected = alone(name, graph, k=20, weight="weight"), random.random()
        random.seed(5)
        found = getattr(nx, name)(graph, k=20, weight="weight"), random.random()
    finally:
        random.setstate(before)
    assert found[0] == pytest.approx(expected[0], abs=1e-12)
    assert found[1] == expected[1]


@pytest.mark.parametrize("name", SCORES)
def test_samples_by_a_generator_without_a_state(name):
    found = getattr(nx, name)(weighted(), k=20, seed=random.SystemRandom(), backend="warpgraph")
    assert sum(found.values()) > 0


@pytest.mark.parametrize(
    "k", [np.array(20), np.int64(20), np.array([20]), 20.0, "20", [20]], ids=repr
)
@pytest.mark.parametrize("make", GENERATORS.values(), ids=GENERATORS)
@pytest.mark.parametrize("name", SCORES)
def test_types_of_sample_sizes(name, make, k):
    try:
        expected = alone(name, weighted(), k=k, seed=make())
    except TypeError:
        with pytest.raises(TypeError, match=r"k must be an integer, got .*20"):
            getattr(nx, name)(weighted(), k=k, seed=make(), backend="warpgraph")
    else:
        found = getattr(nx, name)(weighted(), k=k, seed=make(), backend="warpgraph")
        assert found == pytest.approx(expected, abs=1e-12)


@pytest.mark.parametrize("k", [None, 0, 1, -1, False, True])
@pytest.mark.parametrize("name", SCORES)
def test_samples_of_a_graph_without_nodes(name, k):
    outcomes = []
    for backend in ("networkx", "warpgraph"):
        try:
            outcomes.append(getattr(nx, name)(nx.Graph(), k=k, seed=1, backend=backend))
        except ValueError as error:
            outcomes.append(str(error))
    assert outcomes[0] == outcomes[1]


@pytest.mark.parametrize(
    ("name", "argument"),
    [("voronoi_cells", "center_nodes"), ("eccentricity", "v"), ("harmonic_centrality", "nbunch")],
)
def test_iterators_are_left_to_networkx(name, argument):
    graph = nx.path_graph(3)
    assert "iterator" in interface.can_run(name, (graph,), {argument: iter([0])})
    assert interface.can_run(name, (graph,), {argument: [0]}) is True
