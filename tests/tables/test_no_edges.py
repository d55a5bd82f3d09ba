"""The weight -1 of pgRouting, "no edge": errors of negative weights say so, and tables warn."""

import warnings

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
import scipy.sparse as sp

import warpgraph as wg
from warpgraph.distributed._tasks.exchange import check_weights

HINT = "all negative weights are -1, as pgRouting writes where there is no edge: leave such edges"
TABLE = {"source": [1, 2, 3, 1], "target": [2, 3, 1, 3], "cost": [2.0, 5.0, -1.0, -1.0]}


def graph_with(weight, dtype=float):
    return wg.Graph.from_edges([0, 1, 2, 1], [1, 2, 3, 3], np.array([3, weight, 1, 7], dtype))


REFUSE = {
    "sssp": lambda g: wg.sssp(g, 0, method="dijkstra"),
    "many_to_many": lambda g: wg.many_to_many(g, [0], method="dijkstra"),
    "shortest_path": lambda g: wg.shortest_path(g, 0, 3, method="bidirectional"),
    "shortest_paths": lambda g: wg.shortest_paths(g, [0], [3]),
    "within": lambda g: wg.within(g, [0], 3),
    "accessibility": lambda g: wg.accessibility(g, [0], [3]),
    "nearest_facilities": lambda g: wg.nearest_facilities(g, [0], 1),
    "Hierarchy": lambda g: wg.Hierarchy(g),
    "customize": lambda g: wg.Hierarchy(graph_with(1.0), customizable=True).customize(g),
    "with_turns": lambda g: g.with_turns(corners=[(0, 1, 2)]),
    "betweenness_centrality": wg.betweenness_centrality,
    "edge_betweenness_centrality": wg.edge_betweenness_centrality,
    "pagerank": wg.pagerank,
    "leiden_communities": wg.leiden_communities,
    "louvain_communities": wg.louvain_communities,
    "label_propagation_communities": wg.label_propagation_communities,
    "steiner_tree": lambda g: wg.steiner_tree(g, [0, 3]),
    "sssp without directions": lambda g: wg.sssp(g, 0, directed=False),
    "apsp without directions": lambda g: wg.apsp(g, directed=False),
    "many_to_many without directions": lambda g: wg.many_to_many(g, [0, 1], directed=False),
}


@pytest.mark.parametrize("name", REFUSE)
@pytest.mark.parametrize("dtype", [np.int64, np.float32, np.float64])
def test_errors_say_what_a_weight_of_minus_one_may_mean(name, dtype):
    with pytest.raises(ValueError, match=HINT):
        REFUSE[name](graph_with(-1, dtype))
    with pytest.raises(ValueError) as other:  # noqa: PT011
        REFUSE[name](graph_with(-2, dtype))
    assert "pgRouting" not in str(other.value)


def test_matrices_and_distributed_edges():
    matrix = graph_with(-1.0).to_csr()
    with pytest.raises(wg.NegativeCycleError, match=HINT) as found:
        wg.sssp(matrix, 0, directed=False)
    assert found.value.vertex in (1, 2)
    with pytest.raises(wg.NegativeCycleError) as dense:
        wg.sssp(np.array([[0.0, -1.0], [-1.0, 0.0]]), 0)
    assert HINT in str(dense.value)
    with pytest.raises(ValueError, match=HINT):
        check_weights(np.array([0]), np.array([1]), np.array([-1.0]), exact=False)


def as_csv(table, path):
    table.to_csv(path / "ways.csv", index=False)
    return wg.Graph.read(str(path / "ways.csv"))


def as_parquet(table, path):
    table.to_parquet(path / "ways.parquet")
    return wg.Graph.read(str(path / "ways.parquet"))


READERS = {
    "pandas": lambda table, path: wg.Graph.from_dataframe(table),
    "pyarrow": lambda table, path: wg.Graph.from_dataframe(pa.Table.from_pandas(table)),
    "csv": as_csv,
    "parquet": as_parquet,
}


@pytest.mark.parametrize("reader", READERS)
@pytest.mark.parametrize("name", ["cost", "reverse_cost", "COST"])
def test_tables_of_pgrouting_are_warned_of(reader, name, tmp_path):
    table = pd.DataFrame(TABLE).rename(columns={"cost": name})
    sentence = f"2 of 4 weights in the column '{name}' are -1, as pgRouting writes where there is"
    with pytest.warns(UserWarning, match=sentence) as found:
        graph = READERS[reader](table, tmp_path)
    assert found[0].filename == __file__
    assert sorted(graph.data.tolist()) == [-1, -1, 2, 5]  # the edges are as the table has them


@pytest.mark.parametrize("reader", READERS)
@pytest.mark.parametrize(
    "changes",
    [
        {"cost": [2.0, 5.0, 1.0, 4.0]},
        {"cost": [2.0, 5.0, -1.0, -3.0]},
        {"cost": [2, 5, -2, -2]},
        {"weight": [2.0, 5.0, -1.0, -1.0]},
        {"gain": [1, 1, -1, -1]},
    ],
    ids=str,
)
def test_other_weights_are_not(reader, changes, tmp_path):
    ends = {"source": TABLE["source"], "target": TABLE["target"]}
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        READERS[reader](pd.DataFrame(ends | changes), tmp_path)


def test_matrices_with_minus_one_are_not_warned_of():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert wg.sssp(graph_with(-1.0), 0).tolist() == [0, 3, 2, 3]
        assert wg.sssp(sp.csr_array(np.array([[0, -1], [0, 0]])), 0).tolist() == [0, -1]
