"""Method near_far of wg.sssp, on GPUs: difficult graphs."""

import numpy as np
import pytest

import warpgraph as wg
from sssp_support import assert_same

GPU = "cuda:0"


def edges(tails, heads, weights, n):
    return wg.Graph.from_edges(tails, heads, weights, n_vertices=n)


def star(weights):
    """Make a hub and leaves, and arcs back."""
    n = len(weights)
    hub, leaves = np.zeros(n, np.int32), np.arange(1, n + 1)
    ones = np.ones(n, weights.dtype)
    ends = (np.r_[hub, leaves], np.r_[leaves, hub])
    return edges(*ends, np.r_[weights, ones], n + 1)


def random_graph(n, m, weights, seed=0):
    rng = np.random.default_rng(seed)
    return edges(rng.integers(0, n, m), rng.integers(0, n, m), weights(rng, m), n)


def few_hubs(rng, m):
    """Make hubs whose rows are cut into pieces, adjacent to all vertices."""
    hubs = np.repeat(np.arange(4), m // 8)
    leaves = rng.integers(0, 3000, hubs.size)
    weight = rng.integers(1, 256, 2 * hubs.size)
    return edges(np.r_[hubs, leaves], np.r_[leaves, hubs], weight, 3000)


def path(n, weight):
    at = np.arange(n - 1)
    return edges(at, at + 1, np.full(n - 1, weight), n)


def ring_of_zeros(n):
    """Make a ring of weight zero, with light chords."""
    at = np.arange(n)
    chords = np.random.default_rng(4).integers(0, n, (2, n))
    return edges(
        np.r_[at, chords[0]], np.r_[(at + 1) % n, chords[1]], np.r_[np.zeros(n), np.ones(n)], n
    )


GRAPHS = {
    # More far and near vertices at once than the lists hold.
    "star": lambda: star(np.random.default_rng(1).random(3000)),
    "star of integers": lambda: star(np.random.default_rng(1).integers(1, 999, 3000)),
    "star of equal weights": lambda: star(np.full(3000, 2.5, np.float32)),
    "star without weight": lambda: star(np.zeros(3000, np.int64)),
    "hubs": lambda: few_hubs(np.random.default_rng(2), 16_000),
    "path": lambda: path(700, 1.5),
    "path without weight": lambda: path(200, 0.0),
    "ring of zeros": lambda: ring_of_zeros(300),
    "grid": lambda: wg.generators.grid(40, 40, seed=1, weights=(1, 1000)),
    "many magnitudes": lambda: random_graph(
        600, 2400, lambda rng, m: 10.0 ** rng.uniform(-300, 300, m)
    ),
    "huge integers": lambda: random_graph(
        600, 2400, lambda rng, m: rng.integers(0, 2**58, m, dtype=np.int64)
    ),
    "denormal numbers": lambda: random_graph(600, 2400, lambda rng, m: rng.random(m) * 1e-310),
    "beyond float32's whole numbers": lambda: path(700, np.float32(2**22)),
    "some edges never used": lambda: random_graph(
        600, 2400, lambda rng, m: np.where(rng.random(m) < 0.3, np.inf, rng.random(m))
    ),
    "power law": lambda: wg.generators.rmat(10, 16, seed=3),
}


@pytest.mark.cuda
@pytest.mark.parametrize("name", GRAPHS)
def test_made_to_break_it(name):
    graph = GRAPHS[name]()
    kind = graph.dtype.name
    for source in (0, graph.n_vertices // 2):
        options = {"dtype": kind, "return_predecessors": True}
        expected = wg.sssp(graph, source, method="dijkstra", device="cpu", **options)
        found = wg.sssp(graph, source, method="near_far", device=GPU, **options)
        assert_same(found[0], expected[0])
        assert_same(found[1], expected[1])


@pytest.mark.cuda
@pytest.mark.parametrize("name", ["grid", "power law", "star of integers"])
def test_stops_when_the_targets_are_settled(name):
    graph = GRAPHS[name]()
    distances = wg.sssp(graph, 0, method="dijkstra", device="cpu")
    by_distance = np.argsort(distances, kind="stable")
    for targets in (by_distance[[5]], by_distance[[500, 3, 40]], by_distance[[-1, 0]]):
        found = wg.sssp(graph, 0, targets=targets, method="near_far", device=GPU)
        assert_same(found, distances[targets])
    limit = distances[by_distance[300]]
    found = wg.sssp(graph, 0, limit=limit, method="near_far", device=GPU)
    assert_same(found, np.where(distances <= limit, distances, np.inf))


def cliques_in_a_row(n_cliques, size):
    """Return the ends of arcs: cliques, each joined to the next by an edge."""
    vertex = np.arange(n_cliques * size)
    tails, heads = (
        ends.ravel()
        for ends in np.broadcast_arrays(
            vertex[:, None], vertex[:, None] // size * size + np.arange(size)
        )
    )
    last, following = vertex[size - 1 : -1 : size], vertex[size::size]
    return np.r_[tails, last, following], np.r_[heads, following, last]


@pytest.mark.parametrize(
    ("leaves_of", "n_cliques", "hops", "reaches_most"),
    [
        (720, 60, 1, False),  # its component is small
        (11, 60, 13, False),  # of the first of 60 cliques: more hops than are looked at
        (11, 6, 10, True),
        (None, 60, None, None),  # all degrees are about equal
    ],
)
def test_a_hub_that_reaches_most_vertices_tells_the_depth(
    leaves_of, n_cliques, hops, reaches_most, device
):
    tails, heads = cliques_in_a_row(n_cliques, 12)
    if leaves_of is not None:
        hub, leaves = np.full(200, leaves_of), np.arange(721, 921)
        tails, heads = np.r_[tails, hub, leaves], np.r_[heads, leaves, hub]
    graph = wg.Graph.from_edges(tails, heads, n_vertices=921)
    graph.to(device)
    if leaves_of is None:
        assert graph._longest_row() * graph.n_vertices < 16 * graph.n_edges
    else:
        assert wg._core.depth_from_hub(graph._handle) == (hops, reaches_most)
