"""wg.nearest_facilities: the k nearest of some vertices for each vertex."""

import heapq
import itertools

import networkx as nx
import numpy as np
import pytest
from hypothesis import given, settings, strategies as st

import checks
import graphs
import oracles
import warpgraph as wg


def first_labels(graph, facilities, k, *, kind, limit):
    """Return (distances, facilities): the k first labels, by Dijkstra's algorithm on labels.

    A label of a vertex is a distance and a facility; those of a vertex extend those of the vertices
    before it. They are final in their order.
    """
    n = graph.shape[0]
    leaving = [[] for _ in range(n)]
    for u, v, w in zip(*oracles.arcs(graph), strict=True):
        if w < np.inf:
            leaving[u].append((v, kind(w)))
    labels = [{} for _ in range(n)]
    heap = sorted((kind(0), facility, facility) for facility in facilities)
    while heap:
        distance, facility, v = heapq.heappop(heap)
        if facility in labels[v] or len(labels[v]) == k:
            continue
        labels[v][facility] = distance
        for head, weight in leaving[v]:
            through = kind(distance + weight)
            if float(through) <= limit and through < oracles.unreachable(kind):
                heapq.heappush(heap, (through, facility, head))
    distances = np.full((n, k), oracles.unreachable(kind))
    nearest = np.full((n, k), -1, np.int32)
    for v, own in enumerate(labels):
        distances[v, : len(own)] = list(own.values())
        nearest[v, : len(own)] = list(own)
    return distances, nearest


def assert_right(
    graph, facilities, k, *, limit=np.inf, directed=True, dtype=None, to=True, device="cpu"
):
    kind = np.dtype(dtype or (np.float32 if graph.dtype == np.float32 else np.float64)).type
    how = {"limit": limit, "directed": directed, "dtype": dtype, "to_facilities": to}
    distances, nearest = wg.nearest_facilities(graph, facilities, k, device=device, **how)
    tail, head, weight = oracles.arcs(graph, directed)
    if to and directed:
        tail, head = head, tail
    searched = graphs.csr(graph.shape[0], list(zip(tail, head, weight, strict=True)), graph.dtype)
    wanted = first_labels(searched, set(facilities), k, kind=kind, limit=limit)
    assert distances.dtype == wanted[0].dtype
    assert nearest.dtype == np.int32
    assert distances.tolist() == wanted[0].tolist()
    assert nearest.tolist() == wanted[1].tolist()
    # The distances are the smallest of all, also where labels were forgotten.
    rows = [oracles.distances(searched, f, dtype=kind, limit=limit) for f in sorted({*facilities})]
    far = [np.full(graph.shape[0], oracles.unreachable(kind))] * k
    assert np.sort(np.array([*rows, *far]), axis=0)[:k].T.tolist() == distances.tolist()


def is_tame(graph):
    return (
        not graphs.has_negative(graph)
        and abs(graph.data).max(initial=0) < 1e6
        and graph.shape[0] < 500
    )


@graphs.over_samples(only=is_tame)
@pytest.mark.parametrize("k", [1, 3])
def test_samples(graph, k, device):
    n = graph.shape[0]
    facilities = [v for v in (n // 2, 0, n - 1, n // 2, n // 3, n // 5) if 0 <= v < n]
    for directed, to in ((True, True), (True, False), (False, True)):
        assert_right(graph, facilities, k, directed=directed, to=to, device=device)
    assert_right(graph, facilities, k, limit=4, device=device)


@pytest.mark.parametrize("weights", ["non_negative", "integer", "ties"])
def test_drawn_graphs(weights, device):
    @settings(max_examples=60)
    @given(graphs.csr_graphs(weights=weights, max_vertices=15), st.data())
    def agrees(graph, data):
        n = graph.shape[0]
        some = st.lists(st.integers(0, n - 1), min_size=1, max_size=8)
        facilities = data.draw(some) if n else []
        how = {"directed": data.draw(st.booleans()), "to": data.draw(st.booleans())}
        how["limit"] = data.draw(st.just(np.inf) | st.floats(0, 50))
        assert_right(graph, facilities, data.draw(st.integers(1, 4)), device=device, **how)

    agrees()


@pytest.mark.parametrize("dtype", graphs.DTYPES)
def test_dtypes(dtype, device):
    graph = graphs.SAMPLES["medium_power_law"]
    assert_right(graph, range(0, 1500, 100), 2, dtype=dtype, device=device)


def test_sums_that_round_to_ties(device):
    """Distances stay the smallest where different ones become equal, or stay as they are."""
    rng = np.random.default_rng(5)
    for _ in range(60):
        edges = rng.integers(0, 9, (25, 2)).tolist()
        weights = rng.choice([0, 1e-9, 1.0, 1e8, 3e8], 25)
        graph = graphs.csr(9, [(u, v, w) for (u, v), w in zip(edges, weights, strict=True)])
        graph = graph.astype(np.float32)
        for k in (1, 2):
            assert_right(graph, rng.choice(9, 4, replace=False).tolist(), k, device=device)


@pytest.mark.parametrize("vanishing", [0, 1.0])
@pytest.mark.parametrize("n_between", range(1, 8))
def test_labels_do_not_stay_by_each_other(vanishing, n_between, device):
    """What two vertices got from a label that was replaced, and give each other at no distance.

    They have it both, or in turns, if it was replaced in the next round.
    """
    big = 2.0**30
    for near, far in itertools.permutations((0, 7)):
        edges = [(far, 1, 2), (1, 3, big), (3, 4, vanishing), (4, 3, vanishing)]
        chain = [near, *range(8, 8 + n_between), 1]
        edges += [(u, v, 0.125) for u, v in itertools.pairwise(chain)]
        # Weights elsewhere, so that all rounds are near ones.
        edges += [(20, v, big) for v in range(21, 60)]
        graph = graphs.csr(60, edges).astype(np.float32)
        assert_right(graph, [near, far], 1, to=False, device=device)


def test_equal_distances_come_in_the_order_of_facilities(device):
    """A label that is replaced at its own distance has not been extended before."""
    big = 2.0**30
    for places in itertools.islice(itertools.permutations(range(6)), 0, None, 7):
        a, b, c, u, before, v = places
        edges = [(a, u, 1), (b, u, 2), (c, before, 2), (before, u, 0), (u, v, big)]
        assert_right(graphs.csr(6, edges).astype(np.float32), [a, b, c], 2, to=False, device=device)


def test_hub(device):
    """Many arcs into one vertex, and out of it."""
    n = 500
    spokes = [(0, v, 1 + v % 7) for v in range(1, n)]
    graph = graphs.csr(n, graphs.both_ways(spokes))
    assert_right(graph, range(1, n, 9), 5, device=device)


def test_one_nearest_is_that_of_min_only(device):
    graph = wg.Graph(wg.generators.grid(50, 60, seed=3, weights="uniform"))
    sources = np.arange(0, 3000, 97)
    distances, _ = wg.many_to_many(graph, sources, min_only=True)
    found, nearest = wg.nearest_facilities(graph, sources, to_facilities=False, device=device)
    assert found.shape == nearest.shape == (3000, 1)
    assert found[:, 0].tobytes() == distances.tobytes()


def test_all_facilities_are_a_sorted_matrix(device):
    graph = wg.Graph(graphs.SAMPLES["medium_directed"])
    facilities = np.arange(0, 1200, 150)
    matrix = wg.many_to_many(graph, facilities)
    order = np.argsort(matrix, axis=0, kind="stable").T  # facilities ascend
    wanted = np.take_along_axis(matrix.T, order, axis=1)
    found, nearest = wg.nearest_facilities(
        graph, facilities, 20, to_facilities=False, device=device
    )
    assert (found[:, :8] == wanted).all()
    assert (found[:, 8:] == np.inf).all()
    assert (
        nearest == np.where(found < np.inf, facilities[np.pad(order, ((0, 0), (0, 12)))], -1)
    ).all()


def test_names():
    roads = nx.Graph([("a", "b", {"weight": 2}), ("b", "c", {"weight": 3})])
    distances, nearest = wg.nearest_facilities(roads, ["c", "a"], 2)
    assert distances.tolist() == [[0, 5], [2, 3], [0, 5]]
    assert nearest.tolist() == [[0, 2], [0, 2], [2, 0]]


def test_directions(device):
    one_way = graphs.csr(3, [(0, 1, 2.0), (1, 2, 3.0)])
    assert wg.nearest_facilities(one_way, [2], device=device)[0].ravel().tolist() == [5, 3, 0]
    away = wg.nearest_facilities(one_way, [2], to_facilities=False, device=device)
    assert away[0].ravel().tolist() == [np.inf, np.inf, 0]
    assert away[1].ravel().tolist() == [-1, -1, 2]


def test_progress_ends_with_all(device):
    seen = []
    graph = wg.generators.grid(30, 30, seed=1)
    how = {"progress": lambda *report: seen.append(report), "device": device}
    wg.nearest_facilities(graph, [3, 4], 2, **how)
    assert seen[-1] == (1800, 1800)


PLACES = [wg.datasets.Place("bank", "Aktia", 0), wg.datasets.Place("library", "Rikhardinkatu", 1)]
BAD = [
    ({"k": 0}, ValueError, ["k must be at least 1, got 0"]),
    ({"k": 1.5}, TypeError, ["k must be an integer", "1.5"]),
    ({"k": 2**31}, ValueError, ["k is 2147483648", "less than 2**31"]),
    ({"limit": np.nan}, ValueError, ["limit must be at least 0, got nan"]),
    ({"facilities": [3]}, ValueError, ["facilities[0] is 3", "0..2"]),
    ({"facilities": PLACES[:1]}, ValueError, ["shape (1, 3)", "pass [place.vertex for place in"]),
    ({"facilities": PLACES}, ValueError, ["shape (2, 3)", "pass [place.vertex for place in"]),
    ({"facilities": PLACES[0]}, TypeError, ["array of <U", "pass [place.vertex]"]),
    ({"to_facilities": "yes"}, TypeError, ["to_facilities must be True or False"]),
]


@pytest.mark.parametrize(("bad", "error", "parts"), BAD)
def test_bad_input(bad, error, parts):
    arguments = {"facilities": [0], **bad}
    with checks.raises_sentence(error, *parts):
        wg.nearest_facilities(graphs.SAMPLES["parallel_edges"], **arguments)


def test_negative_weights_are_refused():
    with checks.raises_sentence(ValueError, "-1.0", "nearest_facilities does not allow"):
        wg.nearest_facilities(graphs.SAMPLES["negative_weights"], [0])


def test_overflow(device):
    big = graphs.csr(3, [(0, 1, 2**31 - 2), (1, 2, 2**31 - 2)], np.int32)
    how = {"dtype": "int32", "device": device}
    with checks.raises_sentence(OverflowError, "entry (1, 2)", "wider dtype"):
        wg.nearest_facilities(big, [0], to_facilities=False, **how)
    with checks.raises_sentence(OverflowError, "distance to a facility", "wider dtype"):
        wg.nearest_facilities(big, [2], **how)
    near, nearest = wg.nearest_facilities(big, [0, 2], 1, to_facilities=False, **how)
    assert near.ravel().tolist() == [0, 2**31 - 2, 0]
    assert nearest.ravel().tolist() == [0, 0, 2]


def test_memory_limit(device):
    graph = wg.generators.grid(30, 30, seed=1)
    with checks.raises_sentence(MemoryError, "memory_limit"):
        wg.nearest_facilities(graph, [0], 3, memory_limit=1000, device=device)
    found = wg.nearest_facilities(graph, [0], 3, memory_limit="1 MiB", device=device)
    assert found[0].shape == (900, 3)


def test_one_device():
    with checks.raises_sentence(wg.DeviceError, "one device at a time"):
        wg.nearest_facilities(graphs.SAMPLES["grid"], [0], device=["cpu", "cpu"])
    plan = wg.explain(wg.nearest_facilities, graphs.SAMPLES["grid"], [0, 1])
    assert plan.devices == ["cpu"]
    assert "device='auto' chose cpu: " in str(plan)


def test_floats_beyond_the_largest_are_infinite(device):
    big = graphs.csr(3, [(0, 1, 3e38), (1, 2, 3e38)], np.float32)
    near, nearest = wg.nearest_facilities(big, [0], to_facilities=False, device=device)
    assert near.ravel().tolist() == [0, np.float32(3e38), np.inf]
    assert nearest.ravel().tolist() == [0, 0, -1]


def test_a_place_is_no_vertex():
    with checks.raises_sentence(TypeError, "source must be one", "'Aktia'", "pass place.vertex"):
        wg.sssp(graphs.SAMPLES["parallel_edges"], PLACES[0])


def test_a_graph_without_vertices_needs_no_facilities(device):
    distances, nearest = wg.nearest_facilities(graphs.csr(0, []), [], 2, device=device)
    assert distances.shape == nearest.shape == (0, 2)
