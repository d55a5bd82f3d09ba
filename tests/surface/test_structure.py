"""Degrees, neighbours, parts and facts of a wg.Graph, against loops over its edges."""

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given, settings, strategies as st

import graphs
import oracles
import warpgraph as wg

SMALL = graphs.csr_graphs(weights="ties", symmetric=None)
LETTERS = [f"v{i}" for i in range(200)]


def edges(graph):
    return list(zip(*(part.tolist() for part in oracles.arcs(graph)), strict=True))


@settings(max_examples=60)
@given(graph=SMALL)
def test_facts(graph):
    kept, found, n = wg.Graph(graph), edges(graph), graph.shape[0]
    assert kept.shape == (n, n)
    for kind, end in (("out", 0), ("in", 1)):
        degrees = kept.degrees(kind)
        assert degrees.tolist() == [sum(edge[end] == v for edge in found) for v in range(n)]
        assert degrees.dtype == np.int64
    pairs = [edge[:2] for edge in found]
    assert kept.has_parallel_edges() == (len(set(pairs)) < len(pairs))
    assert kept.has_self_loops() == any(u == v for u, v in pairs)
    assert kept.has_negative_weights() == any(edge[2] < 0 for edge in found)
    assert kept.is_directed() == (sorted(found) != sorted((v, u, w) for u, v, w in found))
    for v in range(n):
        neighbors = kept.neighbors(v)
        assert neighbors.tolist() == sorted({head for tail, head in pairs if tail == v})
        assert neighbors.dtype == np.int32


@settings(max_examples=60)
@given(graph=SMALL)
def test_reverse(graph):
    turned = edges(wg.Graph(graph).reverse().to_csr())
    assert sorted(turned) == sorted((v, u, w) for u, v, w in edges(graph))


@settings(max_examples=80)
@given(graph=SMALL, data=st.data(), as_mask=st.booleans(), has_names=st.booleans())
def test_subgraph(graph, data, as_mask, has_names):
    n = graph.shape[0]
    names = LETTERS[:n] if has_names else None
    points = np.arange(2.0 * n).reshape(n, 2) if has_names and n else None
    kept = wg.Graph(graph, names=names, coordinates=points)
    if as_mask:
        mask = data.draw(st.lists(st.booleans(), min_size=n, max_size=n))
        chosen, argument = [v for v in range(n) if mask[v]], np.array(mask, bool)
    else:
        chosen = data.draw(st.permutations(range(n)))[: data.draw(st.integers(0, n))]
        argument = [names[v] for v in chosen] if has_names else chosen
    part = kept.subgraph(argument)
    number = {v: i for i, v in enumerate(chosen)}
    inside = [(number[u], number[v], w) for u, v, w in edges(graph) if {u, v} <= number.keys()]
    inside.sort(key=lambda edge: edge[0])  # stable: a row keeps its order
    assert edges(part.to_csr()) == inside
    assert part.n_vertices == len(chosen)
    assert part.dtype == kept.dtype
    if has_names:
        assert part.names.tolist() == [names[v] for v in chosen]
        assert points is None or part.coordinates.tolist() == points[chosen].tolist()
    else:
        assert part.names is None


def roads():
    ends = ["Rome", "Pisa", "Rome"], ["Pisa", "Genoa", "Genoa"]
    return wg.Graph.from_edges(*ends, [355.0, 165.0, 500.0])


def test_neighbors_by_name():
    assert roads().neighbors("Rome").tolist() == ["Genoa", "Pisa"]
    assert roads().neighbors("Genoa").tolist() == []
    with pytest.raises(ValueError, match="vertex is 'Rom', but no vertex has that name"):
        roads().neighbors("Rom")
    with pytest.raises(ValueError, match=r"vertex is 4, but the graph's vertices are 0\.\.2"):
        wg.Graph(np.eye(3)).neighbors(4)


def test_masks_of_several_libraries():
    pd = pytest.importorskip("pandas")
    graph = roads()
    for mask in ([True, False, True], pd.Series([True, False, True]), (True, False, np.True_)):
        assert graph.subgraph(mask).names.tolist() == ["Genoa", "Rome"]
    mask = pd.Series([True, False, True], dtype="boolean")
    assert graph.subgraph(mask).names.tolist() == ["Genoa", "Rome"]


def test_what_subgraph_refuses():
    graph = roads()
    with pytest.raises(ValueError, match=r"mask of shape \(2,\), but must have an entry for each"):
        graph.subgraph([True, False])
    with pytest.raises(ValueError, match=r"vertices\[0\] and vertices\[2\] are both 'Rome'"):
        graph.subgraph(["Rome", "Pisa", "Rome"])
    with pytest.raises(ValueError, match=r"vertices\[1\] is 'Bari', but no vertex has that name"):
        graph.subgraph(["Rome", "Bari"])
    with pytest.raises(ValueError, match="kind must be one of 'out', 'in', got 'both'"):
        graph.degrees("both")


def test_facts_are_found_once_and_kept_with_other_weights(monkeypatch):
    graph = wg.Graph(np.eye(3))
    assert graph.has_self_loops()
    assert not graph.has_parallel_edges()
    changed = graph.with_weights(7.0)
    for name in ("count_parallel_arcs", "tails"):
        monkeypatch.setattr(wg._core, name, lambda *_: pytest.fail("looked twice"))
    for one in (graph, changed):
        assert one.has_self_loops()
        assert not one.has_parallel_edges()


def test_wide_offsets():
    graph = sp.csr_array(np.triu(np.ones((4, 4))))
    graph.indptr = graph.indptr.astype(np.int64)
    kept = wg.Graph(graph)
    assert kept.degrees().tolist() == [4, 3, 2, 1]
    assert kept.subgraph([3, 0]).to_csr().toarray().tolist() == [[1, 0], [1, 1]]
