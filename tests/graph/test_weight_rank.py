"""wg.transform.rank_weights: weights as small integers that compare as they do."""

import numpy as np
import pytest
from hypothesis import given, strategies as st

import oracles
import warpgraph as wg
from graphs import DTYPES, csr_graphs, over_samples
from warpgraph import _core, transform


def check_ranks(weights, ranks, first_rank, values):
    expected, inverse = np.unique(weights + weights.dtype.type(0), return_inverse=True)
    assert values.dtype == weights.dtype
    assert values.tolist() == expected.tolist()
    assert first_rank == 0
    assert ranks.dtype == np.int32
    assert ranks.tolist() == inverse.tolist()


@over_samples()
def test_rank_samples(graph, device):
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


@pytest.mark.parametrize("draw", [widely, closely])
@pytest.mark.parametrize("dtype", DTYPES)
def test_ranks_of_all_kinds(dtype, draw, device):
    """Whether by a table or by sorting numbers."""
    values = draw(np.random.default_rng(1), dtype)
    weights = np.random.default_rng(2).choice(values, 40_000)
    check_ranks(weights, *_core.rank_weights(weights, device))


@given(csr_graphs(weights="any") | csr_graphs(weights="extremes"), st.booleans())
def test_ranked_graph_has_the_same_forest(graph, maximum):
    made = transform.rank_weights(graph)
    ours = wg.minimum_spanning_forest(made.graph, maximum=maximum)
    assert ours.edge_ids.tolist() == oracles.kruskal(graph, maximum=maximum).tolist()
    assert made.values[ours.weights].tolist() == wg.Graph(graph).data[ours.edge_ids].tolist()
