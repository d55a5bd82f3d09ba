"""wg.transform.rank_weights: weights as small integers that compare as they do."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import oracles
import warpgraph as wg
from graphs import DTYPES, csr_graphs, over_zoo
from warpgraph import _core, transform


def check_ranks(weights, ranks, first_rank, values):
    expected, inverse = np.unique(weights + weights.dtype.type(0), return_inverse=True)
    assert values.dtype == weights.dtype
    assert values.tolist() == expected.tolist()
    assert first_rank == 0
    assert ranks.dtype == np.int32
    assert ranks.tolist() == inverse.tolist()


@over_zoo()
def test_rank_zoo(graph, device):
    made = transform.rank_weights(graph, device=device)
    graph = wg.Graph(graph)
    check_ranks(graph.data, made.graph.data, made.first_rank, made.values)
    assert made.graph.indices.tolist() == graph.indices.tolist()
    assert made.report.after == 4 * graph.n_edges


def widely(rng, dtype):
    """Values too far apart for a table."""
    if np.dtype(dtype).kind == "i":
        info = np.iinfo(dtype)
        return rng.integers(info.min, info.max, 5000, dtype, endpoint=True)
    special = np.array([0.0, -0.0, np.inf, -np.inf, 5e-324, -5e-324], dtype)
    with np.errstate(over="ignore"):
        return np.r_[rng.normal(size=4994).astype(dtype), special]


def closely(rng, dtype):
    return rng.integers(-300, 300, 5000).astype(dtype)


@pytest.mark.parametrize("most_numbered", [2**32, 10], ids=["numbered", "searched"])
@pytest.mark.parametrize("draw", [widely, closely])
@pytest.mark.parametrize("dtype", DTYPES)
def test_ranks_of_all_kinds(dtype, draw, most_numbered, device):
    """Whether by a table, by sorting numbers, or, beyond 2**32 weights, by sorting keys."""
    values = draw(np.random.default_rng(1), dtype)
    weights = np.random.default_rng(2).choice(values, 40_000)
    check_ranks(weights, *_core.rank_weights(weights, device, most_numbered=most_numbered))


@pytest.mark.parametrize("most_numbered", [2**32, 10], ids=["numbered", "searched"])
@pytest.mark.parametrize("draw", [widely, closely])
def test_ranks_beyond_those_that_start_from_0(draw, most_numbered):
    """First 32 bits count from below 0, then 64 are needed: beyond 2**31 and 2**32 weights."""
    weights = draw(np.random.default_rng(1), np.float64)
    expected, inverse = np.unique(weights + 0.0, return_inverse=True)
    n = len(expected)
    for most_positive, first, dtype in (
        (n, 0, np.int32),
        (n - 1, 1 - n, np.int32),
        ((n + 1) // 2, -((n + 1) // 2), np.int32),
        ((n - 1) // 2, 0, np.int64),
    ):
        ranks, first_rank, values = _core.rank_weights(
            weights, "cpu", most_numbered=most_numbered, most_positive=most_positive
        )
        assert first_rank == first
        assert ranks.dtype == dtype
        assert ranks.tolist() == (inverse + first).tolist()
        assert values.tolist() == expected.tolist()


@given(csr_graphs(weights="any") | csr_graphs(weights="extremes"), st.booleans())
def test_ranked_graph_has_the_same_forest(graph, maximum):
    made = transform.rank_weights(graph)
    ours = wg.minimum_spanning_forest(made.graph, maximum=maximum)
    assert ours.edge_ids.tolist() == oracles.kruskal(graph, maximum=maximum).tolist()
    assert made.values[ours.weights].tolist() == wg.Graph(graph).data[ours.edge_ids].tolist()
