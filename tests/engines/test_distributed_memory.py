"""warpgraph.distributed on graphs of ten times what a task may take, and what tasks keep."""

import collections
import tracemalloc
import weakref
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st
from numpy.testing import assert_array_equal

import graphs
import warpgraph as wg
from distributed_support import (
    blocks_of,
    check_all_functions,
    partitioned,
    random_edges,
    same_forest,
    same_tree,
)
from warpgraph import _core, distributed
from warpgraph.distributed._tasks import blocks as _blocks


def bytes_of(value):
    """Return the bytes of arrays and matrices in an argument of a task."""
    if isinstance(value, list | tuple):
        return sum(map(bytes_of, value))
    if hasattr(value, "indptr"):
        return sum(array.nbytes for array in (value.indptr, value.indices, value.data))
    return getattr(value, "nbytes", 0)


class Measured(distributed.LocalEngine):
    """Knows how many bytes tasks took at most, their arguments included, by the task's name."""

    def __init__(self, slots, memory_limit):
        super().__init__(slots, memory_limit=memory_limit)
        self._pool = ThreadPoolExecutor(1)  # memory is that of the process, so one at a time
        self.peaks = collections.Counter()
        self.counts = collections.Counter()

    def submit(self, function, *arguments, pieces=1, place=""):
        name = getattr(arguments[0] if function.__name__ == "_only" else function, "__name__", "")

        def measured(*given):
            tracemalloc.reset_peak()
            before = tracemalloc.get_traced_memory()[0] - sum(map(bytes_of, given))
            result = function(*given)
            taken = tracemalloc.get_traced_memory()[1] - before
            self.peaks[name] = max(self.peaks[name], taken)
            self.counts[name] += 1
            return result

        return super().submit(measured, *arguments, pieces=pieces, place=place)


@pytest.fixture(scope="module")
def large(tmp_path_factory):
    """Return a folder of Parquet files, and the arrays in it; a tenth of the arcs leave vertex 3.

    Row groups are larger than what a task may take.
    """
    pyarrow, parquet = pytest.importorskip("pyarrow"), pytest.importorskip("pyarrow.parquet")
    folder = tmp_path_factory.mktemp("large")
    tails, heads, weights = random_edges(500, 800_000, seed=3)
    tails[:80_000] = 3
    for i, block in enumerate(blocks_of((tails, heads, weights), 2)):
        table = pyarrow.table(dict(zip(("source", "target", "weight"), block, strict=True)))
        parquet.write_table(table, folder / f"{i}.parquet", row_group_size=300_000)
    return str(folder), (tails, heads, weights)


@pytest.mark.parametrize("n_vertices", [500, None], ids=["numbers", "names"])
def test_ten_times_what_a_task_may_take(n_vertices, large):
    """All functions, each in the memory of a task."""
    folder, arrays = large
    warm = distributed.graph([([0, 1], [1, 2], [1.0, 2.0])], distributed.LocalEngine())
    distributed.cluster_labels(distributed.minimum_spanning_forest(warm)).gather()  # imports
    limit = len(arrays[0]) * 24 // 10
    tracemalloc.start()
    try:
        engine = Measured(3, limit)
        edges = distributed.graph(folder, engine, n_vertices=n_vertices)
        check_all_functions(edges, arrays)
    finally:
        tracemalloc.stop()
    assert engine.counts["_relaxed"] > 3  # several parts a range
    over = {name: peak / limit for name, peak in engine.peaks.items() if peak > limit}
    assert not over


@pytest.mark.parametrize("seed", range(20))
def test_blocks_of_files_are_cut_anywhere(seed, tmp_path):
    """Into runs of row groups and parts of them; each edge once, in order."""
    pyarrow, parquet = pytest.importorskip("pyarrow"), pytest.importorskip("pyarrow.parquet")
    rng = np.random.default_rng(seed)
    lengths = rng.integers(0, 50, 3)
    lengths[0] += 1
    ids = np.arange(lengths.sum())
    for i, part in enumerate(np.split(ids, np.cumsum(lengths)[:-1])):
        table = pyarrow.table({"source": part, "target": 2 * part, "weight": part / 2})
        parquet.write_table(table, tmp_path / f"{i}.parquet", row_group_size=rng.integers(1, 30))
    columns = _blocks.Columns("source", "target", "weight")
    most, chunk = rng.integers(1, 40, 2).tolist()
    blocks = _blocks.divided(_blocks.of_parquet(str(tmp_path), columns, 4), most)
    read = [list(block.read(chunk, *block.arguments)) for block in blocks]
    assert all(sum(len(tails) for tails, _, _ in chunks) <= most for chunks in read)
    assert all(len(tails) <= chunk for chunks in read for tails, _, _ in chunks)
    found = [
        np.concatenate(part) for part in zip(*(c for chunks in read for c in chunks), strict=True)
    ]
    assert_array_equal(found, [ids, 2 * ids, ids / 2])


def test_edges_in_the_order_of_their_tails(monkeypatch):
    """Then a round reads only the parts that have a vertex to relax."""
    monkeypatch.setattr(_core, "arcs_of_a_part", lambda *arguments: 218)
    n = 3000
    ends = np.arange(n - 1)
    tails, heads = np.append(ends, ends + 1), np.append(ends + 1, ends)
    order = np.argsort(tails, kind="stable")
    arrays = tails[order], heads[order], np.ones(len(tails))
    engine = Measured(2, 200_000)
    edges = distributed.graph(blocks_of(arrays, 40), engine, n_vertices=n)
    assert_array_equal(distributed.sssp(edges, 0).gather(), np.arange(n))
    parts = engine.counts["_rows"]
    assert parts > 20
    # Each part is there once, before or after a round of its range alone.
    assert engine.counts["_relaxed"] + engine.counts["_round"] < 3 * parts


@pytest.mark.parametrize("most", [1, 3, 20])
def test_searches_in_parts_of_any_length(most, monkeypatch):
    monkeypatch.setattr(_core, "arcs_of_a_part", lambda *arguments: most)

    @given(graphs.csr_graphs(weights="non_negative", min_vertices=1), st.data())
    def are_those_of_one_machine(graph, data):
        engine = distributed.LocalEngine(data.draw(st.integers(1, 4)))
        edges = partitioned(graph, engine, data.draw(st.integers(1, 9)))
        source = data.draw(st.integers(0, graph.shape[0] - 1))
        options = {"directed": data.draw(st.booleans()), "return_predecessors": True}
        same_tree(distributed.bfs(edges, source, **options), wg.bfs(graph, source, **options))
        expected = wg.sssp(graph, source, dtype=np.float64, **options)
        for delta in (None, 2.0):
            same_tree(distributed.sssp(edges, source, delta=delta, **options), expected)

    are_those_of_one_machine()


@pytest.mark.parametrize("most", [1, 20])
def test_pagerank_in_parts_of_any_length(most, monkeypatch):
    monkeypatch.setattr(_core, "arcs_of_a_part", lambda *arguments: most)

    @settings(max_examples=30)
    @given(graphs.csr_graphs(weights="ties", min_vertices=1), st.data())
    def is_that_of_one_machine(graph, data):
        engine = distributed.LocalEngine(data.draw(st.integers(1, 4)))
        edges = partitioned(graph, engine, data.draw(st.integers(1, 9)))
        found = distributed.pagerank(edges, tol=1e-10, gather="all").gather()
        expected = wg.pagerank(graph, tol=1e-10, method="pull")
        assert np.abs(found - expected).sum() < 2e-10
        by_blocks = distributed.pagerank(edges, tol=1e-10, gather="blocks").gather()
        assert_array_equal(by_blocks, found)

    is_that_of_one_machine()


def test_too_little_memory_for_the_vertices():
    edges = partitioned(graphs.SAMPLES["grid"], distributed.LocalEngine(2, memory_limit=100))
    for function, arguments in (("sssp", [0]), ("bfs", [0]), ("pagerank", [])):
        with pytest.raises(MemoryError, match=f"{function} needs .* bytes a task for the numbers"):
            getattr(distributed, function)(edges, *arguments)


def test_many_to_many_refuses_a_graph_that_does_not_fit():
    arrays = random_edges(100, 20_000, seed=1)
    made = []

    class Recorded(distributed.LocalEngine):
        def submit(self, function, *arguments, **options):
            made.append(function.__name__)
            return super().submit(function, *arguments, **options)

    def rows(memory_limit):
        engine = Recorded(2, memory_limit=memory_limit)
        edges = distributed.graph(blocks_of(arrays, 4), engine, n_vertices=100)
        return distributed.many_to_many(edges, [0, 1]).gather()

    with pytest.raises(MemoryError, match="many_to_many keeps the whole graph on each worker"):
        rows(1_000_000)
    assert "_whole" not in made
    tails, heads, weights = arrays
    matrix = wg.Graph.from_edges(tails, heads, weights, n_vertices=100)
    assert_array_equal(rows(2_000_000), wg.many_to_many(matrix, [0, 1]))


@pytest.mark.parametrize("function", ["sssp", "pagerank", "minimum_spanning_forest"])
def test_results_of_earlier_tasks_are_dropped(function):
    """What a round made is needed by the next one only."""
    alive = weakref.WeakSet()
    most = 0

    class Counted(distributed.LocalEngine):
        def submit(self, function, *arguments, pieces=1, place=""):
            nonlocal most
            made = super().submit(function, *arguments, pieces=pieces, place=place)
            alive.update(made if pieces > 1 else [made])
            most = max(most, len(alive))
            return made

    n = 400
    path = np.random.default_rng(0).permutation(n)  # so that a path crosses ranges again and again
    blocks = blocks_of((path[:-1], path[1:], np.ones(n - 1)), 3)
    edges = distributed.graph(blocks, Counted(2), n_vertices=n)
    if function == "sssp":
        found = distributed.sssp(edges, int(path[0])).gather()
        assert_array_equal(found[path], np.arange(n))
    elif function == "pagerank":
        distributed.pagerank(edges, tol=1e-10)
    else:
        matrix = wg.Graph.from_edges(path[:-1], path[1:], np.ones(n - 1), n_vertices=n)
        found = distributed.minimum_spanning_forest(edges).gather()
        same_forest(found, wg.minimum_spanning_forest(matrix))
    assert most < 60
