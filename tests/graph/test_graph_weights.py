"""wg.Graph.with_weights: the same edges with other weights."""

import copy
import pickle
import threading

import networkx as nx
import numpy as np
import pytest
from hypothesis import given, settings, strategies as st

import graphs
import oracles
import warpgraph as wg
from checks import raises_sentence

DTYPES = ["float32", "float64", "int32", "int64"]


def of(matrix, weights):
    """Return the matrix with other weights, as SciPy makes it."""
    changed = matrix.copy()
    changed.data = np.asarray(weights)
    return changed


@graphs.over_samples(negative=False)
def test_distances_and_forests_are_those_of_the_new_weights(graph, device):
    kept = wg.Graph(graph)
    results = [
        lambda g: wg.sssp(g, 0, device=device),
        lambda g: wg.sssp(g, 0, directed=False, device=device),
        lambda g: wg.many_to_many(g, [0, 0], device=device),
        lambda g: wg.minimum_spanning_forest(g, device=device).weights,
        lambda g: wg.bfs(g, 0, device=device),
        lambda g: wg.connected_components(g, device=device)[1],
    ]
    results = results if kept.n_vertices else []
    for result in results:
        result(kept)  # keeps forms of the old weights
    weights = np.arange(graph.nnz)[::-1] % 7
    changed = kept.with_weights(weights)
    for result in results:
        np.testing.assert_array_equal(result(changed), result(of(graph, weights)))
        np.testing.assert_array_equal(result(kept), result(graph))


@settings(max_examples=60)
@given(graph=graphs.csr_graphs(weights="ties", symmetric=None), data=st.data())
def test_any_order_of_calls(graph, data):
    """Whatever was derived before, from old or new weights, answers are those of a new graph."""
    kept = wg.Graph(graph)
    calls = st.sampled_from(
        [
            lambda g: wg.sssp(g, 0, directed=False).tolist(),
            lambda g: wg.shortest_path(g, 0, g.n_vertices - 1, directed=False)[0],
            lambda g: wg.shortest_path(g, 0, g.n_vertices - 1, unweighted=True)[0],
            lambda g: wg.many_to_many(g, [0], directed=False, method="hierarchy").tolist(),
            lambda g: wg.many_to_many(g, [0], unweighted=True, method="hierarchy").tolist(),
            lambda g: wg.minimum_spanning_forest(g).edge_ids.tolist(),
            lambda g: wg.pagerank(g).tolist(),
            lambda g: wg.bfs(g, 0, directed=False).tolist(),
            lambda g: wg.bfs(g, 0, return_predecessors=True)[1].tolist(),
            lambda g: wg.connected_components(g, connection="strong")[0],
            lambda g: g._is_mirrored(),
            lambda g: g._has_mirrored_structure(),
            lambda g: g._longest_row(),
            lambda g: g._undirected_structure().n_edges,
            lambda g: sorted(map(tuple, np.transpose(g._transposed().to_edges()).tolist())),
        ]
    )
    versions = [kept]
    weights = st.lists(st.integers(0, 3), min_size=graph.nnz, max_size=graph.nnz)
    for _ in range(data.draw(st.integers(1, 4))):
        for version in versions:
            for call in data.draw(st.lists(calls, max_size=3)) if graph.shape[0] else []:
                fresh = wg.Graph(version.to_csr())
                assert call(version) == call(fresh)
        dtype = data.draw(st.sampled_from(DTYPES))
        versions.append(versions[-1].with_weights(np.array(data.draw(weights), dtype)))


def test_the_structure_is_shared_and_what_depends_on_it_kept(monkeypatch):
    graph = wg.Graph(graphs.SAMPLES["medium_directed"])
    n = graph.n_vertices
    expected = wg.many_to_many(graph, [0], unweighted=True, method="hierarchy")
    transposed = graph._transposed()
    assert not graph._has_mirrored_structure()
    assert graph._longest_row() > 0
    undirected = graph._undirected()
    changed = graph.with_weights(graph.data * 2)
    assert changed.indptr is graph.indptr
    assert changed.indices is graph.indices
    assert changed._known("hierarchy, unweighted") is graph._known("hierarchy, unweighted")
    assert wg._core.known_facts(changed._handle)["longest_row"] == graph._longest_row()
    assert wg._core.known_facts(changed._handle)["is_mirrored"] is False
    assert changed._known_form("transposed", reads_weights=False) is transposed
    assert changed._known_form("transposed", reads_weights=True) is None
    assert changed._undirected_structure() is undirected
    # Also by the graph after the next.
    again = changed.with_weights(3)
    assert changed._undirected() is not undirected
    assert again._known_form("undirected", reads_weights=False) is undirected
    with monkeypatch.context() as patch:
        for name in ("build_hierarchy", "has_mirrored_structure"):
            if hasattr(wg._core, name):
                patch.setattr(wg._core, name, lambda *_, **__: pytest.fail("made again"))
        found = wg.many_to_many(again, [0], unweighted=True, method="hierarchy")
    np.testing.assert_array_equal(found, expected)
    assert (wg.bfs(again, 0, directed=False) == wg.bfs(graph, 0, directed=False)).all()
    assert n == again.n_vertices
    again.clear()
    assert wg._core.known_facts(again._handle)["longest_row"] is None
    assert wg._core.known_facts(graph._handle)["longest_row"] is not None


def test_what_depends_on_weights_is_not_kept():
    matrix = graphs.csr(3, graphs.both_ways([(0, 1, 1.0), (1, 2, 5.0)]))
    graph = wg.Graph(matrix)
    assert graph._is_mirrored()
    assert graph._heaviest() == 5
    assert wg.sssp(graph, 0, dtype="int32").tolist() == [0, 1, 6]
    changed = graph.with_weights([2.5, 1.0, 5.0, -7.0])
    assert not changed._is_mirrored()
    assert changed._has_mirrored_structure()
    assert changed._heaviest() == 7
    assert changed._first_negative()[:3] == (3, 2, 1)
    with raises_sentence(ValueError, 2.5, "(0, 1)", "int32"):
        wg.sssp(changed, 0, dtype="int32", method="bellman_ford")
    assert graph._first_negative() is None


def test_names_and_coordinates_stay():
    roads = nx.Graph()
    roads.add_edge("Rome", "Pisa", weight=355.0)
    graph = wg.Graph(roads, coordinates=[[0.0, 1.0], [2.0, 3.0]])
    changed = graph.with_weights([1, 1])
    assert wg.shortest_path(changed, "Rome", "Pisa")[1].tolist() == ["Rome", "Pisa"]
    assert changed.coordinates is graph.coordinates
    assert changed.names.tolist() == ["Rome", "Pisa"]
    assert type(changed) is wg.Graph


@pytest.mark.parametrize("dtype", [*DTYPES, "bool", "uint8", "float16", ">f8", "uint64"])
def test_weights_of_every_dtype(dtype):
    graph = wg.Graph(graphs.csr(2, [(0, 1, 5.0), (1, 0, 5.0)]))
    changed = graph.with_weights(np.array([1, 0], dtype))
    assert changed.data.tolist() == [1, 0]
    assert changed.dtype == wg.Graph.from_csr([0, 1, 2], [1, 0], np.array([1, 0], dtype)).dtype
    assert graph.data.tolist() == [5, 5]


def test_a_number_is_the_weight_of_all():
    graph = wg.Graph(graphs.SAMPLES["grid"])
    for number in (3, 3.0, np.float32(3), np.array(3)):
        changed = graph.with_weights(number)
        assert (changed.data == 3).all()
        assert changed.dtype == np.asarray(number).dtype
    assert wg.Graph(graphs.csr(3, [])).with_weights(2).n_edges == 0


@pytest.mark.parametrize(
    ("weights", "error", "sentence"),
    [
        ([1.0, 2.0], ValueError, ["3 edges", "(2,)"]),
        ([[1.0, 2.0, 3.0]], ValueError, ["3 edges", "(1, 3)"]),
        ([1.0, np.nan, 3.0], ValueError, ["(0, 2)", "data[1]", "NaN"]),
        (np.nan, ValueError, ["(0, 1)", "NaN"]),
        (["a", "b", "c"], TypeError, ["real numbers"]),
        (None, TypeError, ["real numbers"]),
        ([1j, 2, 3], TypeError, ["real numbers"]),
        (np.array([1, 2, 3], np.longdouble), TypeError, ["64 bits"]),
        ([1, 2, 2**64 - 1], OverflowError, [2**64 - 1]),
        (np.ma.masked_array([1, 2, 3], [0, 1, 0]), ValueError, ["weights[1]", "masked"]),
        (iter([1, 2, 3]), TypeError, ["weights"]),
    ],
)
def test_weights_that_are_wrong(weights, error, sentence):
    graph = wg.Graph(graphs.csr(3, [(0, 1, 1.0), (0, 2, 1.0), (2, 1, 1.0)]))
    with raises_sentence(error, *sentence):
        graph.with_weights(weights)
    assert graph.data.tolist() == [1, 1, 1]


def test_an_array_that_changes_later():
    graph = wg.Graph(graphs.csr(2, [(0, 1, 5.0), (1, 0, 5.0)]))
    given = np.array([1.0, 2.0])
    changed = graph.with_weights(given)
    given[:] = 7
    assert changed.data.tolist() == [1, 2]
    assert not changed.data.flags.writeable
    given.flags.writeable = False
    assert np.shares_memory(graph.with_weights(given).data, given)


def test_copies_and_pickles():
    graph = wg.Graph(graphs.SAMPLES["grid"]).with_weights(2)
    for again in (pickle.loads(pickle.dumps(graph)), copy.copy(graph), copy.deepcopy(graph)):
        assert (again.data == 2).all()
        assert not again.data.flags.writeable
        assert not again.indices.flags.writeable
        assert (wg.sssp(again, 0) == wg.sssp(graph, 0)).all()


def test_from_several_threads():
    """While others derive from the same graph."""
    graph = wg.Graph(graphs.SAMPLES["medium_directed"])
    expected = {k: wg.sssp(of(graph.to_csr(), graph.data * k), 0).tolist() for k in range(1, 5)}
    wrong = []

    def work(k):
        for _ in range(20):
            graph.clear()
            changed = graph.with_weights(graph.data * k)
            graph._undirected()
            wg.bfs(changed, 0, directed=False)
            if wg.sssp(changed, 0).tolist() != expected[k]:
                wrong.append(k)

    threads = [threading.Thread(target=work, args=(k,)) for k in expected]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not wrong


def test_the_copy_on_a_device_is_shared(device):
    graph = wg.Graph(graphs.SAMPLES["medium_random"]).to(device)
    alone = graph.nbytes
    structure = graph.indptr.nbytes + graph.indices.nbytes
    changed = graph.with_weights(graph.data * 2)
    if device == "cpu":
        assert changed.nbytes == alone
        return
    free = wg._core.free_memory(device)
    changed.to(device)
    assert changed.nbytes == alone
    assert free - wg._core.free_memory(device) < graph.data.nbytes + structure
    graph.clear()
    twice = oracles.distances(changed.to_csr(), 0)
    assert (wg.sssp(changed, 0, device=device) == twice).all()
    assert (wg.sssp(graph, 0, device=device) == twice / 2).all()


def test_weights_of_a_series_with_an_index_are_refused():
    pd = pytest.importorskip("pandas")
    table = pd.DataFrame({"from": ["b", "a"], "to": ["c", "b"], "minutes": [1.0, 2.0]})
    graph = wg.Graph.from_dataframe(table, "from", "to", "minutes")
    weights = table.set_index(["from", "to"])["minutes"]
    with pytest.raises(ValueError, match=r"weights must be in the order of to_edges\(\)"):
        graph.with_weights(weights)
    np.testing.assert_array_equal(graph.with_weights(pd.Series([3, 4])).data, [3, 4])
    np.testing.assert_array_equal(graph.with_weights(weights.to_numpy()).data, weights)
