"""wg.Hierarchy and the options of method="hierarchy": kept data, files, errors."""

import contextlib
import copy
import inspect
import logging
import os
import pickle
import re
import signal
import threading

import numpy as np
import pytest

import graphs
import warpgraph as wg
from checks import raises_sentence
from device_lists import machine, plan_for
from sssp_support import assert_same, weighted
from warpgraph._paths import sssp


def sweep(graph, sources, device="cpu", **options):
    return wg.many_to_many(graph, sources, method="hierarchy", device=device, **options)


def a_grid(draw=lambda rng, m: rng.integers(1, 50, m)):
    graph = wg.generators.grid(60, 60, seed=1)
    return weighted(graph, draw(np.random.default_rng(2), graph.n_edges))


# Predecessors.


@pytest.mark.parametrize("dtype", [np.float64, np.float32, np.int32])
@pytest.mark.parametrize("targets", [None, [3, 40, 9], [7]])
@pytest.mark.parametrize("limit", [np.inf, 6])
@pytest.mark.parametrize("name", ["grid", "zero_weight_cycle", "medium_directed", "two_islands"])
def test_predecessors_are_those_of_searches(name, limit, targets, dtype):
    graph = wg.Graph(graphs.SAMPLES[name])
    if name == "two_islands":
        graph = weighted(graph, np.ones(graph.n_edges))
    n = graph.n_vertices
    ends = None if targets is None else [t % n for t in targets]
    options = {"targets": ends, "limit": limit, "dtype": dtype, "return_predecessors": True}
    sources = [0, n - 1, 2] * 15
    expected = wg.many_to_many(graph, sources, method="dijkstra", **options)
    found = sweep(graph, sources, **options)
    assert_same(found[0], expected[0])
    assert_same(found[1], expected[1])


def test_predecessors_of_inexact_distances_are_refused():
    graph = a_grid(lambda rng, m: rng.random(m))
    with raises_sentence(ValueError, "not integers", "dijkstra"):
        sweep(graph, [0], return_predecessors=True)
    large = weighted(graphs.SAMPLES["path"], np.full(22, 2.0**22))
    sweep(large, [0], return_predecessors=True)
    with raises_sentence(ValueError, "16777216", "float32"):
        sweep(large, [0], return_predecessors=True, dtype=np.float32)


# Kept data.


def test_a_graph_keeps_its_hierarchy():
    graph = wg.Graph(graphs.SAMPLES["medium_power_law"])
    before = graph.nbytes
    first = wg.Hierarchy(graph)
    assert graph.nbytes == before + first.nbytes
    assert wg.Hierarchy(graph)._prepared is first._prepared
    assert wg.Hierarchy(graph, unweighted=True)._prepared is not first._prepared
    assert wg.Hierarchy(graph, directed=False)._prepared is first._prepared  # it is mirrored
    graph.clear()
    assert graph.nbytes == before
    assert wg.Hierarchy(graph)._prepared is not first._prepared


def test_it_describes_itself():
    hierarchy = wg.Hierarchy(graphs.SAMPLES["medium_directed"])
    assert hierarchy.n_vertices == 1200
    assert hierarchy.n_arcs > 1200
    assert hierarchy.n_levels > 1
    assert 0 < hierarchy.n_core < 1200
    assert hierarchy.relative_error == 0
    text = repr(hierarchy)
    assert text.startswith("<warpgraph.Hierarchy: 1200 vertices, ")
    assert "int32 distances" in text
    assert 0 < wg.Hierarchy(graphs.SAMPLES["float32_weights"]).relative_error < 1e-13


def test_two_threads_may_sweep_one_graph():
    graph = a_grid()
    expected = sweep(graph, range(40))
    found = []
    threads = [threading.Thread(target=lambda: found.append(sweep(graph, range(40)))) for _ in "ab"]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(found) == 2
    assert_same(found[0], expected)
    assert_same(found[1], expected)


# When method="auto" uses a hierarchy.


@pytest.fixture
def two_threads():
    """Plan for a number of threads; with more, searches gain and hierarchies do not."""
    before = wg.get_num_threads()
    wg.set_num_threads(2)
    yield
    wg.set_num_threads(before)


def chosen(caplog, graph, sources, **options):
    """Return the method that found the result, which must be that of a search."""
    caplog.clear()
    with caplog.at_level(logging.INFO, logger="warpgraph"):
        found = wg.many_to_many(graph, sources, device="cpu", **options)
    if not options.get("return_predecessors"):
        assert_same(found, wg.many_to_many(graph, sources, method="dijkstra", **options))
    (planned,) = re.findall(r"method='auto' chose (\w+)", caplog.text)
    instead = re.findall(r"(\w+) instead of hierarchy: ", caplog.text)
    assert planned == "hierarchy" or not instead
    return instead[0] if instead else planned


def test_auto_uses_a_kept_hierarchy(caplog, two_threads):
    graph = a_grid()
    assert chosen(caplog, graph, [0, 1]) == "dijkstra"
    wg.Hierarchy(graph)
    assert chosen(caplog, graph, [0, 1]) == "hierarchy"
    assert chosen(caplog, graph, [0, 1], dtype=np.int64) == "hierarchy"
    assert chosen(caplog, graph, [0, 1], dtype=np.float32) == "hierarchy"
    assert chosen(caplog, graph, [0, 1], targets=[5]) == "hierarchy"
    assert chosen(caplog, graph, [0, 1], limit=5) == "dijkstra"
    assert chosen(caplog, graph, [0, 1], unweighted=True) != "hierarchy"
    assert chosen(caplog, graph, [0, 1], return_predecessors=True) == "dijkstra"


def test_auto_wants_proof_that_float32_is_exact(caplog, two_threads):
    """Paths through one vertex give a bound; one-way streets have no such bound."""

    def chosen_for(graph):
        wg.Hierarchy(graph)
        return chosen(caplog, graph, [0, 1], dtype=np.float32)

    heavy = a_grid(lambda rng, m: rng.integers(2**15, 2**16, m))._undirected()
    heaviest_path = float(wg.many_to_many(heavy, range(0, heavy.n_vertices, 40)).max())
    assert heavy.data.max() * heavy.n_vertices > 2**24 > 2 * heaviest_path
    assert chosen_for(heavy) == "hierarchy"
    tail, head, weight = heavy.to_edges()
    n = heavy.n_vertices
    both = [np.concatenate([a, b]) for a, b in ((tail, tail + n), (head, head + n))]
    apart = wg.Graph.from_edges(*both, np.concatenate([weight, weight]), n_vertices=2 * n + 3)
    assert chosen_for(apart) == "hierarchy"
    one_way = wg.Graph.from_edges(tail, head, weight + (tail < head), n_vertices=n)
    assert chosen_for(one_way) == "dijkstra"
    too_heavy = a_grid(lambda rng, m: rng.integers(2**20, 2**21, m))._undirected()
    assert chosen_for(too_heavy) == "dijkstra"
    negative = wg.Graph(graphs.SAMPLES["negative_weights"])
    assert sssp.distance_bound(negative, False, 1.0) == np.inf


def test_auto_makes_one_for_many_sources(caplog, two_threads):
    """Each time for a new Graph, which keeps no hierarchy."""
    n = 50_000
    path = wg.generators.grid(1, n, seed=1)

    def choice(weights, n_sources=500, **options):
        graph, sources = weighted(path, weights), np.linspace(0, n - 1, n_sources).astype(int)
        return chosen(caplog, graph, sources, **{"targets": range(100)} | options)

    twos = np.full(2 * n - 2, 2.0)
    assert choice(twos) == "hierarchy"
    assert "for preparing the hierarchy" in caplog.text
    assert choice(twos, targets=[3]) == "dijkstra"
    assert choice(twos, n_sources=2) == "dijkstra"
    assert choice(np.random.default_rng(0).random(2 * n - 2)) != "hierarchy"
    assert choice(np.full(2 * n - 2, 2.0**42)) != "hierarchy"
    assert chosen(caplog, wg.generators.rmat(10, seed=1), range(1000)) == "batched"


def test_auto_makes_one_earlier_where_edges_are_fewer():
    """Preparing takes longer by the fourth power of the mean degree."""
    fewest = []
    for degree in (2, 3, 4):
        facts = {"n_vertices": 100_000, "n_arcs": degree * 100_000, "levels": 500}
        facts |= {"longest_row": 4, "has_exact_sums": True, "has_negative": False}
        facts |= {"bytes of batched": 1, "bytes of dijkstra": 1}
        request = {"device": ["cpu"], "on": machine(n_threads=4), "n_targets": 100}
        plans = (plan_for("many_to_many", facts, n_sources=2**k, **request) for k in range(20))
        fewest.append([plan.method for plan in plans].index("hierarchy"))
    assert fewest == sorted(fewest)
    assert fewest[0] < fewest[2]


def test_auto_works_without_a_hierarchy(caplog, two_threads):
    """Few edges per vertex, but a part has no small hierarchy."""
    rng = np.random.default_rng(1)
    edges = rng.integers(0, 1500, (2, 30_000))
    graph = wg.Graph.from_edges(*edges, n_vertices=10_000)
    assert chosen(caplog, graph, range(600)) in ("batched", "dijkstra")
    assert " instead of hierarchy: the graph has no small hierarchy" in caplog.text


def test_how_many_are_swept_at_a_time_changes_nothing(device):
    """On a GPU 32, 64 or 128, by the number of sources."""
    graph = wg.Graph(graphs.SAMPLES["medium_power_law"])
    expected = sweep(graph, range(70))
    for n in (20, 50, 70):
        assert_same(sweep(graph, range(n), device), expected[:n])
    handle = wg.Hierarchy(graph)._prepared.handle
    assert (handle.device_bytes() > 0) == (device != "cpu")


# Output arrays and progress.


def test_out_may_have_gaps_between_rows():
    graph = graphs.SAMPLES["grid"]
    wide = np.full((40, 100), -1.0)
    found = sweep(graph, range(40), out=wide[:, 10:74])
    assert found.base is wide
    assert_same(np.ascontiguousarray(found), sweep(graph, range(40)))
    assert (wide[:, :10] == -1).all()
    assert (wide[:, 74:] == -1).all()


def test_progress_of_both_parts():
    graph = a_grid()
    reports = []
    wg.Hierarchy(graph, progress=lambda done, total: reports.append((done, total)))
    assert reports
    assert reports[-1][1] == graph.n_vertices
    reports.clear()
    sweep(graph, range(100), progress=lambda done, total: reports.append((done, total)))
    assert reports[-1] == (100, 100)
    assert [done for done, _ in reports] == sorted(done for done, _ in reports)


def test_memory_limits():
    graph = a_grid()
    with raises_sentence(MemoryError, "1000 bytes", "hierarchy"):
        wg.Hierarchy(graph, memory_limit=1000)
    sweep(graph, [0])  # makes the hierarchy, and float64 weights
    needed = 8 * graph.n_vertices
    with raises_sentence(MemoryError, "sweeping"):
        sweep(graph, [0], memory_limit=needed + 1000)
    one_worker = needed + 300 * graph.n_vertices
    assert_same(sweep(graph, [0], memory_limit=one_worker), sweep(graph, [0]))


def test_predecessors_within_memory_limits():
    graph = wg.Graph(a_grid())
    sweep(graph, [0])
    how = {"return_predecessors": True, "targets": [5]}
    row = 8 * (graph.n_vertices + 1)  # including the distance of the target
    results = 40 * (4 * graph.n_vertices + 8)
    with raises_sentence(MemoryError, row, "a row of distances", "dijkstra"):
        sweep(graph, range(40), memory_limit=results + row - 1, **how)
    expected = sweep(graph, range(40), **how)
    found = sweep(graph, range(40), memory_limit=results + 60 * row, **how)
    assert_same(found[0], expected[0])
    assert_same(found[1], expected[1])


@contextlib.contextmanager
def ctrl_c_soon():
    timer = threading.Timer(0.1, os.kill, (os.getpid(), signal.SIGINT))
    timer.start()
    try:
        yield
    finally:
        timer.cancel()  # after an early failure no Ctrl-C reaches other tests
        timer.join()


def test_ctrl_c_while_preparing():
    graph = wg.Graph(wg.generators.grid(400, 400, seed=1, weights=(1, 100)))  # many seconds
    with ctrl_c_soon(), pytest.raises(KeyboardInterrupt):
        wg.Hierarchy(graph)


def test_ctrl_c_while_sweeping(device):
    graph = wg.Graph(wg.generators.grid(100, 100, seed=1, weights=(1, 100)))
    wg.Hierarchy(graph)
    sources = np.zeros(400_000, np.int32)
    with ctrl_c_soon(), pytest.raises(KeyboardInterrupt):
        sweep(graph, sources, device, targets=range(1000), dtype=np.float32)


# Errors.


def test_social_networks_are_refused():
    graph = wg.Graph(wg.generators.rmat(13, seed=1))
    for _ in range(2):  # the second time the result is kept
        with raises_sentence(ValueError, "neighbours", "8192", "batched"):
            wg.Hierarchy(graph)
    with raises_sentence(ValueError, "batched"):
        sweep(graph, [0])


def test_negative_weights_are_refused():
    with raises_sentence(ValueError, "-1.0", "(1, 3)", "negative"):
        wg.Hierarchy(graphs.SAMPLES["negative_weights"])


def test_vertices_that_do_not_exist():
    with raises_sentence(ValueError, "sources[1]", "64"):
        sweep(graphs.SAMPLES["grid"], [0, 64])
    with raises_sentence(ValueError, "targets[0]", "-1"):
        sweep(graphs.SAMPLES["grid"], [0], targets=[-1])


# Files.


@pytest.mark.parametrize(
    "name", ["medium_power_law", "medium_directed", "float32_weights", "no_vertices"]
)
@pytest.mark.parametrize("unweighted", [False, True])
def test_saved_and_loaded(name, unweighted, tmp_path):
    graph = graphs.SAMPLES[name]
    made = wg.Hierarchy(graph, unweighted=unweighted)
    made.save(tmp_path / "file")
    fresh = wg.Graph(graph)
    loaded = wg.Hierarchy.load(tmp_path / "file", fresh)
    assert repr(loaded) == repr(made)
    assert loaded.relative_error == made.relative_error
    assert wg.Hierarchy(fresh, unweighted=unweighted)._prepared is loaded._prepared
    sources = range(graph.shape[0])[:50]
    assert_same(
        sweep(fresh, sources, unweighted=unweighted), sweep(graph, sources, unweighted=unweighted)
    )


@pytest.mark.parametrize("name", ["medium_directed", "float32_weights", "no_vertices"])
@pytest.mark.parametrize("unweighted", [False, True])
def test_pickled(name, unweighted):
    graph = graphs.SAMPLES[name]
    made = wg.Hierarchy(graph, unweighted=unweighted)
    loaded = pickle.loads(pickle.dumps(made))
    assert repr(loaded) == repr(made)
    assert loaded.relative_error == made.relative_error
    form, sources = loaded.graph, range(graph.shape[0])[:50]
    assert wg.Hierarchy(form, unweighted=unweighted)._prepared is loaded._prepared
    assert_same(
        sweep(form, sources, unweighted=unweighted), sweep(graph, sources, unweighted=unweighted)
    )


FIGURES = {"n_vertices", "n_arcs", "n_levels", "n_core", "dtype", "relative_error"}


@pytest.mark.parametrize("name", sorted({"graph", "customizable", *FIGURES}))
def test_attributes_are_not_assigned(name, tmp_path):
    graph = wg.Graph(graphs.SAMPLES["grid"])
    made = wg.Hierarchy(graph, customizable=True)
    made.save(tmp_path / "file")
    others = made.customize(graph.data), wg.Hierarchy.load(tmp_path / "file", graph)
    copies = copy.copy(made), copy.deepcopy(made), pickle.loads(pickle.dumps(made))
    for hierarchy in (made, wg.Hierarchy(graph), *others, *copies):
        for value in (3, getattr(hierarchy, name)):
            with raises_sentence(AttributeError, f"{name} of a Hierarchy cannot be", "customize()"):
                setattr(hierarchy, name, value)
        assert hierarchy.graph.n_vertices == hierarchy.n_vertices == graph.n_vertices
    for hierarchy in copies:
        assert [getattr(hierarchy, of) for of in FIGURES] == [getattr(made, of) for of in FIGURES]
    assert {name for name, _ in inspect.getmembers(wg.Hierarchy)} >= FIGURES


def test_of_another_graph(tmp_path):
    path = tmp_path / "file.npz"
    graph = graphs.SAMPLES["grid"]
    wg.Hierarchy(graph).save(path)
    heavier = weighted(graph, graph.data + 1)
    for other in (heavier, graphs.SAMPLES["path"]):
        with raises_sentence(ValueError, "file.npz", "another graph"):
            wg.Hierarchy.load(path, other)


def test_damaged_files(tmp_path):
    path = tmp_path / "file.npz"
    graph = graphs.SAMPLES["grid"]
    wg.Hierarchy(graph).save(path)
    whole = path.read_bytes()
    for damaged in (b"", b"nonsense", whole[: len(whole) // 2], whole.replace(b"\x05", b"\x06")):
        path.write_bytes(damaged)
        with raises_sentence(ValueError, "file.npz"):
            wg.Hierarchy.load(path, graph)
    with path.open("wb") as file:
        np.save(file, np.arange(3))
    with raises_sentence(ValueError, "file.npz"):
        wg.Hierarchy.load(path, graph)
    with pytest.raises(FileNotFoundError):
        wg.Hierarchy.load(tmp_path / "nothing", graph)


@pytest.mark.parametrize(
    ("name", "change"),
    [
        ("vertices", lambda a: np.zeros_like(a)),
        ("vertices", lambda a: a - 1),
        ("vertices", lambda a: a[1:]),
        ("vertices", lambda a: a.astype(np.int64)),
        ("level_starts", lambda a: a[::-1].copy()),
        ("level_starts", lambda a: a[:1]),
        ("level_starts", lambda a: a[[0, -1]]),
        ("down_offsets", lambda a: a + 1),
        ("down_offsets", lambda a: a[1:]),
        ("down_offsets", lambda a: a[::-1].copy()),
        ("down_heads", lambda a: a + 1),
        ("down_heads", lambda a: -a),
        ("down_heads", lambda a: a.reshape(1, -1)),
        ("down_weights", lambda a: -1 - a),
        ("down_weights", lambda a: a + 2**28),
        ("down_weights", lambda a: a[1:]),
        ("down_weights", lambda a: a.astype(np.float32)),
        ("rounding_units", lambda a: np.array("many")),
        ("up_offsets", lambda a: a),
        ("graph", lambda a: np.array("0")),
        ("format", lambda a: np.array("another")),
    ],
)
def test_inconsistent_files(name, change, tmp_path):
    """The checksums of the file are right, its contents are not."""
    path = tmp_path / "file.npz"
    graph = graphs.SAMPLES["medium_power_law"]
    wg.Hierarchy(graph).save(path)
    with np.load(path) as file:
        arrays = {key: file[key] for key in file.files}
    arrays[name] = change(arrays.get(name, np.zeros(3, np.int64)))
    np.savez(path, **arrays)
    with raises_sentence(ValueError, "file.npz"):
        wg.Hierarchy.load(path, graph)


def test_the_direction_must_be_the_same(tmp_path):
    path = tmp_path / "file.npz"
    graph = graphs.SAMPLES["asymmetric_weights"]
    wg.Hierarchy(graph, directed=False).save(path)
    assert wg.Hierarchy.load(path, graph, directed=False).n_vertices == 4
    with raises_sentence(ValueError, "directed"):
        wg.Hierarchy.load(path, graph)
