"""wg.io: names of vertices that files cannot hold, or only with much memory."""

import numpy as np
import pytest

import graphs
import warpgraph as wg
from files import arcs, loses_vertices
from warpgraph._arguments.names import Names


@pytest.mark.parametrize("ending", [".csv", ".npz"])
@pytest.mark.parametrize(
    ("ids", "sentence"),
    [
        (["a\0", "b"], r"the vertex id 'a\\x00' cannot be written to a file: it ends with a NUL"),
        ([1, "b"], "64-bit integers or all by strings, but here one is 1 and another 'b'"),
        ([2**63, "b"], "64-bit integers or all by strings, but here one is 9223372036854775808;"),
    ],
)
def test_names_that_files_cannot_hold(tmp_path, ids, sentence, ending):
    networkx = pytest.importorskip("networkx")
    graph = graphs.csr(2, [(0, 1, 1.0)])
    for source, options in [
        (graph, {"ids": ids}),
        (networkx.DiGraph([ids]), {}),
        *([(graph, {"ids": np.array(ids, object)})] if ids[0] == "a\0" else []),
    ]:
        with pytest.raises(ValueError, match=sentence):
            wg.io.write(tmp_path / f"a{ending}", source, **options)


@pytest.mark.parametrize(
    ("ids", "sentence"),
    [
        (np.array([2**63, 1], np.uint64), "the vertex id 9223372036854775808 is no 64-bit integer"),
        (["a\ud800", "b"], r"the vertex id 'a\\ud800' cannot be written to an edge list"),
    ],
)
def test_ids_that_text_cannot_hold(tmp_path, ids, sentence):
    graph = graphs.csr(2, [(0, 1, 1.0)])
    with pytest.raises(ValueError, match=sentence):
        wg.io.write(tmp_path / "a.csv", graph, ids=ids)
    wg.io.write(tmp_path / "a.npz", graph, ids=ids)
    assert wg.io.read(tmp_path / "a.npz")[1].tolist() == list(ids)


@loses_vertices
def test_one_long_name_of_a_graph_does_not_widen_all_others(tmp_path):
    names = [f"a{k}" for k in range(20_000)] + ["x" * 100_000]
    graph = wg.Graph.from_edges([0], [20_000], [1.0], n_vertices=20_001)
    assert Names.given(names, 20_001).as_ids().dtype == object
    wg.io.write(tmp_path / "a.csv", graph, ids=names)
    assert arcs(*wg.io.read(tmp_path / "a.csv")) == [("a0", names[-1], 1.0)]
