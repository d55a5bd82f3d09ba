"""warpgraph.distributed on threads of this process: the answers of one machine, and errors."""

import re
import subprocess
import sys
import threading
import types

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp
from hypothesis import given, strategies as st
from numpy.testing import assert_array_equal

import graphs
import warpgraph as wg
from distributed_support import (
    CHECKS,
    blocks_of,
    edges_of,
    partitioned,
    random_edges,
    same_forest,
    same_tree,
)
from graphs import SAMPLES, over_samples
from warpgraph import distributed
from warpgraph.distributed._engine import Tasks
from warpgraph.distributed._tasks import rounds


@pytest.fixture(scope="module")
def engine():
    return distributed.LocalEngine(3)


@pytest.mark.parametrize("name", CHECKS)
@over_samples()
def test_the_answer_of_one_machine(name, graph, engine):
    check, takes_negative = CHECKS[name]
    if takes_negative or not graphs.has_negative(graph):
        check(engine, graph)


@given(graphs.csr_graphs(weights="ties"), st.data())
def test_edges_in_any_order_and_blocks(graph, data):
    engine = distributed.LocalEngine(2)
    arrays = edges_of(graph)
    order = np.array(data.draw(st.permutations(range(graph.nnz))), int)
    tails, heads, weights = (array[order] for array in arrays)
    blocks = blocks_of((tails, heads, weights), data.draw(st.integers(1, 7)))
    edges = distributed.graph(blocks, engine, n_vertices=graph.shape[0])
    found = distributed.minimum_spanning_forest(edges, arity=data.draw(st.integers(2, 4))).gather()
    matrix = wg.Graph.from_edges(tails, heads, weights, n_vertices=graph.shape[0])
    same_forest(found, wg.minimum_spanning_forest(matrix))
    assert_array_equal(weights[found.edge_ids], found.weights)
    components = distributed.connected_components(edges).gather()
    assert_array_equal(components, wg.connected_components(graph)[1])


@pytest.mark.parametrize("weights", ["non_negative", "few"])
def test_trees_of_searches(weights, monkeypatch):
    """Also among many edges of weight zero or that vanish in rounding, in cycles and chains."""
    monkeypatch.setattr(rounds, "_ARCS_AT_ONCE", 5)

    @given(graphs.csr_graphs(weights="non_negative", min_vertices=1), st.data())
    def are_those_of_one_machine(graph, data):
        if weights == "few":
            few = st.lists(st.sampled_from([0.0, 1e-30, 1.0]), min_size=graph.nnz)
            data_of = np.array(data.draw(few), float)[: graph.nnz]
            graph = sp.csr_array((data_of, graph.indices, graph.indptr), shape=graph.shape)
        engine = distributed.LocalEngine(data.draw(st.integers(1, 4)))
        edges = partitioned(graph, engine, data.draw(st.integers(1, 5)))
        source = data.draw(st.integers(0, graph.shape[0] - 1))
        options = {"directed": data.draw(st.booleans()), "return_predecessors": True}
        same_tree(distributed.bfs(edges, source, **options), wg.bfs(graph, source, **options))
        found = distributed.sssp(edges, source, **options)
        same_tree(found, wg.sssp(graph, source, dtype=np.float64, **options))

    are_those_of_one_machine()


def test_tree_along_edges_of_weight_zero(engine):
    """By hand: one step closer along such edges, then the smallest; never along the cycle."""
    tails, heads = [5, 5, 4, 3, 3, 2, 1], [4, 3, 1, 1, 2, 0, 2]
    lengths = [1.0, 1.0, 0.0, 0.0, 0.0, 0.0, 0.0]
    edges = distributed.graph(blocks_of((tails, heads, lengths), 2), engine, n_vertices=7)
    distances, tree = distributed.sssp(edges, 5, return_predecessors=True)
    assert distances.gather().tolist() == [1, 1, 1, 1, 1, 0, np.inf]
    assert tree.gather().tolist() == [2, 3, 3, 5, 5, -1, -1]
    assert tree.collection()[0]["predecessor"].dtype == np.int32


# Names.


@pytest.mark.parametrize("kind", ["integers", "strings"])
def test_names_are_numbered_as_in_tables(kind, engine):
    pandas = pytest.importorskip("pandas")
    tails, heads, weights = random_edges(400, 2500, seed=5)
    tails, heads = 7 * tails - 900, 7 * heads - 900
    if kind == "strings":
        tails, heads = (np.array([f"v{v}" for v in ends], object) for ends in (tails, heads))
    frame = pandas.DataFrame({"source": tails, "target": heads, "weight": weights})
    parts = [frame.iloc[i : i + 400] for i in range(0, len(frame), 400)]
    edges = distributed.graph(parts, engine)
    one = wg.Graph.from_dataframe(frame, source="source", target="target", weight="weight")
    assert edges.n_vertices == one.n_vertices
    assert edges.is_renumbered
    found, expected = (
        distributed.minimum_spanning_forest(edges).gather(),
        wg.minimum_spanning_forest(one),
    )
    same_forest(found, expected)
    assert found.names.tolist() == one.names.tolist()
    table = distributed.connected_components(edges).collection()
    assert np.concatenate([part["vertex"] for part in table]).tolist() == one.names.tolist()


@given(st.lists(st.tuples(st.integers(-(2**63), 2**63 - 1), st.integers(-3, 3)), max_size=30))
def test_any_integers_are_names(pairs):
    engine = distributed.LocalEngine(3)
    tails, heads = np.array(pairs, np.int64).reshape(-1, 2).T
    edges = distributed.graph(blocks_of((tails, heads), 2), engine, weight=None)
    names = np.unique(np.concatenate([tails, heads]))
    assert edges.n_vertices == len(names)
    forest = distributed.minimum_spanning_forest(edges).gather()
    rows, columns = (np.searchsorted(names, ends) for ends in (tails, heads))
    matrix = wg.Graph.from_edges(rows, columns, n_vertices=len(names))
    same_forest(forest, wg.minimum_spanning_forest(matrix))
    for name in names[:3].tolist():
        assert names[edges.number_of(name, "source")] == name


@pytest.mark.parametrize(
    "block",
    [
        (["a", "a\0"], ["a\0", "a\0\0"], [3.0, 1.0]),
        [("a", "a\0", 3.0), ("a\0", "a\0\0", 1.0)],
        {"source": ["a", "a\0"], "target": ["a\0", "a\0\0"], "weight": [3.0, 1.0]},
    ],
    ids=["tuple", "list of edges", "dictionary"],
)
def test_names_that_differ_after_a_nul(block, engine):
    """NumPy's strings have no NULs at their ends."""
    edges = distributed.graph([block], engine)
    forest = distributed.minimum_spanning_forest(edges).gather()
    assert forest.names.tolist() == ["a", "a\0", "a\0\0"]
    assert forest.edges.tolist() == [[1, 2], [0, 1]]
    assert distributed.bfs(edges, "a\0\0", directed=False).gather().tolist() == [2, 1, 0]


def test_a_forest_as_tables_has_the_partitions_of_the_input(engine):
    names = np.array(["a", "b", "c", "d"], object)
    blocks = [(names[:2], names[1:3], [3.0, 1.0]), (names[:1], names[2:3], [2.0]), ([], [], [])]
    edges = distributed.graph([*blocks, (names[3:], names[:1], [9.0])], engine)
    tables = distributed.minimum_spanning_forest(edges).collection()
    shown = [{name: column.tolist() for name, column in table.items()} for table in tables]
    assert shown == [
        {"source": ["b"], "target": ["c"], "weight": [1.0], "edge": [1]},
        {"source": ["a"], "target": ["c"], "weight": [2.0], "edge": [2]},
        {"source": [], "target": [], "weight": [], "edge": []},
        {"source": ["d"], "target": ["a"], "weight": [9.0], "edge": [3]},
    ]


# Forms of input.


COLUMNS = {"source": [3, 1], "target": [1, 2], "weight": [2.0, 4.0]}
FORMS = {
    "tuple": lambda: tuple(COLUMNS.values()),
    "list of edges": lambda: [(3, 1, 2.0), (1, 2, 4.0)],
    "dictionary": lambda: {name: np.array(values) for name, values in COLUMNS.items()},
    "pandas": lambda: pytest.importorskip("pandas").DataFrame(COLUMNS),
    "polars": lambda: pytest.importorskip("polars").DataFrame(COLUMNS),
    "pyarrow": lambda: pytest.importorskip("pyarrow").table(COLUMNS),
}


@pytest.mark.parametrize("form", FORMS)
def test_forms_of_a_block(form, engine):
    edges = distributed.graph([FORMS[form]()], engine)
    found = distributed.minimum_spanning_forest(edges).gather()
    assert found.names[found.edges].tolist() == [[1, 3], [1, 2]]
    assert found.weights.tolist() == [2.0, 4.0]


@pytest.mark.parametrize("n_blocks", [1, 2, 50])
def test_a_folder_of_parquet(n_blocks, engine, tmp_path):
    pyarrow, parquet = pytest.importorskip("pyarrow"), pytest.importorskip("pyarrow.parquet")
    arrays = random_edges(200, 3000, seed=2)
    for i, block in enumerate(blocks_of(arrays, 3)):
        table = pyarrow.table(dict(zip(("from", "to", "length"), block, strict=True)))
        parquet.write_table(table, tmp_path / f"part-{i}.parquet", row_group_size=300)
    names = {"source": "from", "target": "to", "weight": "length"}
    edges = distributed.graph(tmp_path, engine, **names, n_vertices=200, n_blocks=n_blocks)
    assert edges.n_blocks == min(n_blocks, 12)
    found = distributed.minimum_spanning_forest(edges).gather()
    tails, heads, weights = arrays
    matrix = wg.Graph.from_edges(tails, heads, weights, n_vertices=200)
    same_forest(found, wg.minimum_spanning_forest(matrix))
    file = distributed.graph(str(tmp_path / "part-0.parquet"), engine, **names)
    assert file.n_vertices <= 200


def test_no_edges(engine):
    for edges in (
        distributed.graph([], engine),
        distributed.graph([([], [], [])], engine),
        distributed.graph([], engine, n_vertices=0),
    ):
        assert edges.n_vertices == 0
        assert len(distributed.minimum_spanning_forest(edges).gather()) == 0
        assert len(distributed.connected_components(edges).gather()) == 0
    alone = distributed.graph([], engine, n_vertices=4)
    assert distributed.connected_components(alone).gather().tolist() == [0, 1, 2, 3]


@pytest.mark.parametrize("kind", [int, object, str])
def test_a_table_without_edges_among_others(kind, engine):
    ends = np.array([], kind)
    empty = pd.DataFrame({"source": ends, "target": ends, "weight": np.empty(0)})
    edges = distributed.graph([([0], [1], [1.0]), empty], engine, n_vertices=2)
    assert distributed.connected_components(edges).gather().tolist() == [0, 0]


# Memory, failure and cancellation.


def test_a_graph_of_many_times_the_memory_limit():
    """Chunks follow from the limit: 500,000 edges of 24 bytes, read by tasks of 1 MB."""
    arrays = random_edges(1000, 500_000, seed=7)
    limit = len(arrays[0]) * 24 // 10
    engine = distributed.LocalEngine(3, memory_limit=limit)
    edges = distributed.graph(blocks_of(arrays, 3), engine, n_vertices=1000)
    found = distributed.minimum_spanning_forest(edges).gather()
    tails, heads, weights = arrays
    matrix = wg.Graph.from_edges(tails, heads, weights, n_vertices=1000)
    same_forest(found, wg.minimum_spanning_forest(matrix))
    labels = distributed.connected_components(edges).gather()
    assert_array_equal(labels, wg.connected_components(matrix)[1])


def test_too_little_memory_for_the_vertices():
    engine = distributed.LocalEngine(2, memory_limit=1000)
    edges = partitioned(SAMPLES["medium_random"], engine)
    with pytest.raises(MemoryError, match="needs"):
        distributed.minimum_spanning_forest(edges)


class Recorded(distributed.LocalEngine):
    """Remembers what was cancelled."""

    def __init__(self, slots):
        super().__init__(slots)
        self.cancelled = []

    def cancel(self, handles):
        self.cancelled += handles
        super().cancel(handles)


def test_an_error_cancels_the_other_tasks():
    engine, go_on, others = Recorded(1), threading.Event(), []

    def run():
        with Tasks(engine) as tasks:
            first = tasks.submit(lambda: 1 // 0)
            others.extend([tasks.submit(go_on.wait), tasks.submit(max, 1, 2)])
            tasks.gather([first])

    with pytest.raises(ZeroDivisionError):
        run()
    go_on.set()
    assert set(others) <= set(engine.cancelled)
    assert others[1].cancelled()


def test_on_ray_a_task_is_cancelled_once_unless_it_has_ended():
    """Of several results of a task one is enough. Ray need not be installed."""

    class Ray:
        def __init__(self):
            self.noted = []
            self.experimental = types.SimpleNamespace(internal_kv=self)

        def wait(self, handles, *, num_returns, timeout, fetch_local):
            assert num_returns == len(handles)
            return [h for h in handles if h.ended], [h for h in handles if not h.ended]

        def _internal_kv_put(self, key, value, *, namespace):
            self.noted.append(key)

        def cancel(self, handle):
            raise AssertionError("this may end the process")

    class Handle:
        def __init__(self, task, ended=False):
            self.task_id = lambda: types.SimpleNamespace(hex=lambda: task)
            self.ended = ended

    engine = wg.ray.RayEngine.__new__(wg.ray.RayEngine)
    engine._ray = Ray()
    engine.cancel([])
    engine.cancel([Handle("a"), Handle("b"), Handle("a"), Handle("c", ended=True), Handle("a")])
    assert sorted(engine._ray.noted) == [b"a", b"b"]


def test_merges_are_between_results_that_share_memory_first():
    class Places(distributed.LocalEngine):
        moved = 0

        def place(self, handle):
            return next(iter(handle.result()))

    def merge(*parts):
        engine.moved += len({place for part in parts for place in part}) - 1
        return dict.fromkeys(parts[0], sum(sum(part.values()) for part in parts))

    engine = Places(2)
    with Tasks(engine) as tasks:
        leaves = [tasks.submit(lambda i=i: {"abc"[i % 3]: i}) for i in range(20)]
        root = tasks.merge(leaves, merge, 3)
    assert list(root.result().values()) == [190]
    assert engine.moved == 2


@pytest.mark.parametrize("targets", [None, range(0, 40, 3), []])
def test_rows_of_distances_as_tables(targets, engine):
    graph = SAMPLES["many_islands"]
    sources = list(range(0, graph.shape[0], 2))
    targets = targets and [t for t in targets if t < graph.shape[0]]
    rows = distributed.many_to_many(partitioned(graph, engine), sources, targets)
    tables = rows.collection()
    assert len(tables) == len(rows.handles) > 1
    table = {key: np.concatenate([part[key] for part in tables]) for key in tables[0]}
    ends = range(graph.shape[0]) if targets is None else targets
    pairs = [(s, t) for s in sources for t in ends]
    assert list(zip(table["source"].tolist(), table["target"].tolist(), strict=True)) == pairs
    assert_array_equal(table["distance"], rows.gather().ravel())


def test_searches_from_names(engine):
    blocks = [(["mill", "inn"], ["inn", "port"], [2.0, 3.0]), (["port"], ["mill"], [4.0])]
    edges = distributed.graph(blocks, engine)  # inn, mill, port
    assert distributed.sssp(edges, "mill").gather().tolist() == [2.0, 0.0, 5.0]
    assert distributed.bfs(edges, "port").gather().tolist() == [2, 1, 0]
    rows = distributed.many_to_many(edges, ["port", "inn"], ["mill"])
    assert rows.gather().tolist() == [[4.0], [7.0]]
    (first, second) = rows.collection()
    assert {key: column.tolist() for key, column in first.items()} == {
        "source": ["port"], "target": ["mill"], "distance": [4.0]
    }  # fmt: skip
    assert second["source"].tolist() == ["inn"]
    for name in ("well", 1, None):
        with pytest.raises(ValueError, match="but no vertex has that name"):
            distributed.sssp(edges, name)
    with pytest.raises(ValueError, match="sources has 'well'"):
        distributed.many_to_many(edges, ["inn", "well"])


# Errors.


@pytest.mark.parametrize(
    ("blocks", "options", "sentence"),
    [
        ([([0], [9], [1.0])], {"n_vertices": 3}, "target holds 9, but with n_vertices=3 vertices"),
        ([(["a"], ["b"], [1.0])], {"n_vertices": 3}, "source holds the name 'a', but n_vertices"),
        ([(["a"], ["b"], [1.0]), ([1], [2], [1.0])], {}, "'a' and another 1"),
        ([([None], ["a"], [1.0])], {}, "tails must hold the names of vertices"),
        ([([0, "a"], ["b", "c"], [1.0, 1.0])], {}, "all strings, but has 0"),
        ([None], {}, "a block must be a table, a dictionary or a tuple of arrays, or a list"),
        ([([0.5], [1], [1.0])], {}, "tails must be integers"),
        ([([0], [1, 2], [1.0])], {}, "have (1, 2, 1) entries"),
        ([[(0, 1)]], {}, "a block must have edges (tail, head, weight), got (0, 1)"),
        ([([0], [1], ["x"])], {}, "weights must be real numbers"),
        ([{"source": [0]}], {}, "'source' is the source, but no column is known as the target"),
        ([([0], [1], [1.0]), ([0], [1], [1])], {"n_vertices": 2}, "float64 and int64"),
        ([([0], [1], [np.nan])], {"n_vertices": 2}, "NaN"),
        ("/no/such/folder", {}, "/no/such/folder"),
        (7, {}, "edges must be a path or a list of blocks, got int"),
    ],
)
def test_bad_input(blocks, options, sentence, engine):
    pytest.importorskip("pyarrow")
    with pytest.raises((ValueError, TypeError, OSError), match=re.escape(sentence)):
        distributed.minimum_spanning_forest(distributed.graph(blocks, engine, **options))


def test_bad_options(engine):
    edges = partitioned(SAMPLES["grid"], engine)
    with pytest.raises(ValueError, match=r"arity must be in 2\.\."):
        distributed.minimum_spanning_forest(edges, arity=1)
    with pytest.raises(ValueError, match=r"slots must be in 1\.\."):
        distributed.LocalEngine(0)


@pytest.mark.parametrize(
    ("module", "package", "make"),
    [
        ("warpgraph.dask", "distributed", "wg.dask.graph([])"),
        ("warpgraph.ray", "ray", "wg.ray.graph([])"),
    ],
)
def test_an_engine_that_is_not_installed(module, package, make):
    program = f"import sys; sys.modules[{package!r}] = None\nimport warpgraph as wg\n{make}\n"
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=False
    )
    extra = module.partition(".")[2]
    assert f"which is not installed: pip install 'warpgraph[{extra}]'" in done.stderr


def test_something_else_than_an_engine():
    for edges in ("a.parquet", [([0], [1], [1.0])]):
        with pytest.raises(TypeError, match="engine must be an engine such as"):
            wg.distributed.graph(edges, 0)
