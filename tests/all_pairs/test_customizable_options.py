"""wg.Hierarchy.customize: what graphs share and keep, files, Ctrl-C, errors."""

import os
import pickle
import signal
import threading

import numpy as np
import pytest

import graphs
import warpgraph as wg
from checks import raises_sentence
from sssp_support import assert_same, weighted


def sweep(graph, sources, **options):
    return wg.many_to_many(graph, sources, method="hierarchy", device="cpu", **options)


def a_grid(side=60):
    return wg.Graph(wg.generators.grid(side, side, seed=1, weights=(1, 50)))


def test_graphs_share_the_structure():
    grid = a_grid()
    hierarchy = wg.Hierarchy(grid, customizable=True)
    assert hierarchy.graph is grid
    assert hierarchy.customizable
    assert not wg.Hierarchy(a_grid()).customizable
    rush_hour = grid.with_weights(grid.data + 3)
    made = hierarchy.customize(rush_hour)
    assert made.graph is rush_hour
    assert made.customizable
    assert wg.Hierarchy(rush_hour)._prepared is made._prepared
    structure = grid._known("hierarchy structure")
    assert rush_hour._known("hierarchy structure") is structure
    assert grid.nbytes > hierarchy.nbytes + structure.nbytes
    # From any of them, and back.
    again = made.customize(grid.data)
    assert again.graph is not grid
    assert_same(sweep(again.graph, [0, 99]), sweep(a_grid(), [0, 99]))
    assert hierarchy.customize(7).graph.data.tolist() == [7] * grid.n_edges


def test_matrices_and_lists():
    matrix = graphs.SAMPLES["grid"]
    made = wg.Hierarchy(matrix, customizable=True).customize((matrix.data * 2).tolist())
    assert_same(sweep(made.graph, [0]), 2 * sweep(matrix, [0]))


def test_a_graph_that_keeps_a_hierarchy_is_left_as_it_is():
    grid = a_grid()
    first = wg.Hierarchy(grid)
    second = wg.Hierarchy(grid, customizable=True)
    assert second._prepared is first._prepared
    assert second.customize(grid.data)._prepared is not first._prepared


@pytest.mark.parametrize("directed", [True, False])
@pytest.mark.parametrize("name", ["medium_directed", "float32_weights", "no_vertices"])
def test_saved_loaded_and_customized(name, directed, tmp_path):
    matrix = graphs.SAMPLES[name]
    made = wg.Hierarchy(matrix, directed=directed, customizable=True)
    made.save(tmp_path / "file")
    fresh = wg.Graph(matrix)
    loaded = wg.Hierarchy.load(tmp_path / "file", fresh, directed=directed)
    unpickled = pickle.loads(pickle.dumps(made))
    assert loaded.graph is fresh
    sources = range(matrix.shape[0])[:20]
    doubled = weighted(matrix, matrix.data * 2)
    for kept in (loaded, unpickled):
        assert repr(kept) == repr(made)
        assert kept.customizable
        options = {"directed": directed}
        assert_same(sweep(kept.graph, sources, **options), sweep(made.graph, sources, **options))
        other = kept.customize(doubled.data)
        expected = wg.many_to_many(doubled, sources, method="dijkstra", **options)
        np.testing.assert_allclose(sweep(other.graph, sources, **options), expected, rtol=1e-6)


@pytest.mark.parametrize(
    "change", [lambda a: a[1:], lambda a: a * 0, lambda a: a.astype(np.int64), lambda a: a + 1]
)
def test_a_damaged_order(change, tmp_path):
    path = tmp_path / "file.npz"
    wg.Hierarchy(graphs.SAMPLES["grid"], customizable=True).save(path)
    with np.load(path) as file:
        arrays = dict(file)
    np.savez(path, **arrays | {"order": change(arrays["order"])})
    with raises_sentence(ValueError, "file.npz", "order"):
        wg.Hierarchy.load(path, graphs.SAMPLES["grid"])


def test_memory_limits():
    grid = a_grid()
    advice = "search without a hierarchy, as many_to_many does"
    with raises_sentence(MemoryError, "1000 bytes", "ordering a hierarchy", advice):
        wg.Hierarchy(grid, customizable=True, memory_limit=1000)
    hierarchy = wg.Hierarchy(grid, customizable=True, memory_limit="100 MiB")
    with raises_sentence(MemoryError, "2000 bytes", "customizing a hierarchy", advice):
        hierarchy.customize(grid.data, memory_limit=2000)


def test_progress():
    reports = []
    grid = a_grid()
    wg.Hierarchy(grid, customizable=True, progress=lambda *report: reports.append(report))
    assert reports
    assert reports[-1][1] == grid.n_vertices


def test_ctrl_c():
    grid = wg.Graph(wg.generators.grid(700, 700, seed=1, weights=(1, 100)))  # many seconds
    timer = threading.Timer(0.3, os.kill, (os.getpid(), signal.SIGINT))
    timer.start()
    with pytest.raises(KeyboardInterrupt):
        wg.Hierarchy(grid, customizable=True)
    timer.join()


def test_refused_weights():
    grid = wg.Graph(graphs.SAMPLES["grid"])
    hierarchy = wg.Hierarchy(grid, customizable=True)
    m = grid.n_edges
    negative = np.ones(m)
    negative[0] = -2.0
    with raises_sentence(ValueError, "-2.0", "(0, 1)", "negative"):
        hierarchy.customize(negative)
    with raises_sentence(ValueError, "-2.0", "negative"):
        hierarchy.customize(grid.with_weights(negative))
    with raises_sentence(ValueError, f"each of the {m} edges", f"({m - 1},)"):
        hierarchy.customize(np.ones(m - 1))
    with raises_sentence(ValueError, "NaN"):
        hierarchy.customize(np.full(m, np.nan))
    with raises_sentence(ValueError, "same edges", "indptr"):
        hierarchy.customize(wg.Graph(graphs.SAMPLES["path"]))
    with raises_sentence(OverflowError, "62 bits"):
        hierarchy.customize(np.full(m, 2**58))
    with raises_sentence(TypeError, "csr_array", "pass Graph(matrix)"):
        hierarchy.customize(graphs.SAMPLES["path"])


def test_refused_graphs():
    grid = wg.Graph(graphs.SAMPLES["grid"])
    with raises_sentence(ValueError, "Hierarchy(graph, customizable=True)"):
        wg.Hierarchy(grid).customize(grid.data)
    with raises_sentence(ValueError, "unweighted=True"):
        wg.Hierarchy(grid, unweighted=True, customizable=True)
    with raises_sentence(ValueError, "-1.0", "(1, 3)", "negative"):
        wg.Hierarchy(graphs.SAMPLES["negative_weights"], customizable=True)
    with raises_sentence(TypeError, "customizable"):
        wg.Hierarchy(grid, customizable="yes")
    with raises_sentence(ValueError, "small", "batched"):
        wg.Hierarchy(wg.generators.rmat(14, seed=1), customizable=True)
    turns = wg.Hierarchy(grid.with_turns([0], [int(grid.indptr[1])]), customizable=True)
    with raises_sentence(TypeError, "TurnGraph", "ndarray"):
        turns.customize(grid.data)


def test_weights_of_other_vertices_are_refused():
    rows = np.array([[0, 1.0, 0], [0, 0, 2], [3, 0, 0]])
    hierarchy = wg.Hierarchy(wg.Graph(rows, names=["a", "b", "c"]), customizable=True)
    assert hierarchy.customize(wg.Graph(rows, names=["a", "b", "c"])).graph.n_edges == 3
    assert hierarchy.customize(wg.Graph(rows)).graph.n_edges == 3
    with pytest.raises(ValueError, match=r"names of <warpgraph.Graph: 3 vertices.* are others"):
        hierarchy.customize(wg.Graph(rows, names=["b", "c", "a"]))
