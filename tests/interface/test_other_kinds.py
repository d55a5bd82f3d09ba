"""Values of other kinds in every argument of every public function: an error in our own words.

Errors of Python and NumPy, such as "'Graph' object has no attribute 'engine'", do not say which
argument is wrong, nor what is expected. A new function is called as soon as it is public; a new
name of an argument without a default needs an entry in `VALID`.
"""

import inspect
import re

import matplotlib.pyplot as plt
import networkx as nx
import numpy as np
import pandas as pd
import pytest

import warpgraph as wg
from calls import triangle
from warpgraph import distributed

MODULES = (wg, wg.cluster, wg.transform, wg.generators, wg.plot, distributed, wg.io)
#: What only other functions make, and what takes any function or nothing.
OTHERS = {"Communities", "DatasetInfo", "DistanceRows", "GraphStatistics", "PartitionedForest"}
OTHERS |= {"Place", "Plan", "RankedGraph", "ReorderedGraph", "Report", "SortedGraph", "TurnGraph"}
OTHERS |= {"VertexValues", "PartitionedGraph", "CondensedTree", "SingleLinkageTree", "explain"}
OTHERS |= {
    "set_num_threads",
    "show_config",
    "freeze_plans",
    "Arborescence",
    "ShortestPathDag",
    "Prediction",
}
OTHERS |= {"LocalEngine", "Engine", "interactive", "Neighbors"}


def points():
    return np.random.default_rng(0).random((12, 2))


def forest():
    return wg.SpanningForest(3, [[0, 1], [1, 2]], [1.0, 2.0], [0, 1])


def graph():
    return wg.Graph(triangle(), coordinates=[[0, 0], [1, 0], [0, 1]])


def partitioned():
    blocks = [([0, 1], [1, 2], [1.0, 2.0])]
    return distributed.graph(blocks, distributed.LocalEngine(), n_vertices=3)


def fitted():
    return wg.cluster.HDBSCAN(2).fit(points())


#: Values for the arguments without a default, by name.
VALID = {
    "X": points,
    "clusterer": fitted,
    "cols": lambda: 2,
    "dim": lambda: 2,
    "distances": lambda: np.ones(3),
    "edge_ids": lambda: [8],
    "edges": lambda: [[0, 1]],
    "facilities": lambda: [0],
    "forest": forest,
    "forests": forest,
    "graph": graph,
    "k": lambda: 2,
    "labels": lambda: np.zeros(12, int),
    "limit": lambda: 3.0,
    "limits": lambda: [1.0, 2.0],
    "low": lambda: 0.1,
    "n": lambda: 3,
    "n_parts": lambda: 2,
    "n_vertices": lambda: 3,
    "order": lambda: [2, 1, 0],
    "path": lambda: [0, 1],
    "paths": lambda: [[0, 1]],
    "predecessors": lambda: wg.sssp(triangle(), 0, return_predecessors=True)[1],
    "radius": lambda: 0.5,
    "rows": lambda: 2,
    "scale": lambda: 2,
    "scores": lambda: np.ones(6),
    "source": lambda: 0,
    "sources": lambda: [0, 1],
    "target": lambda: 2,
    "targets": lambda: [1, 2],
    "terminals": lambda: [0, 2],
    "tree": lambda: fitted().condensed_tree_,
    "values": points,
    "weights": lambda: [1.0],
}
#: Other values for a module.
VALID_IN = {
    distributed: {"graph": partitioned},
    wg.io: {"path": lambda: "a.npz"},
}
DISTRIBUTED_FOREST = {"forest": lambda: distributed.minimum_spanning_forest(partitioned())}

KINDS = {
    "None": lambda: None,
    "text": lambda: "abc",
    "number": lambda: -3,
    "large integer": lambda: 10**400,
    "NaN": lambda: float("nan"),
    "complex": lambda: 1j,
    "uneven rows": lambda: [[1, 2], [3]],
    "objects": lambda: np.array([None, "a", 3], object),
    "large integers": lambda: [10**30, 1],
    "nothing": lambda: np.empty((0, 0)),
    "sparse": triangle,
    "Graph": graph,
    "NetworkX": lambda: nx.path_graph(3),
    "estimator": wg.cluster.HDBSCAN,
    "fitted": fitted,
    "dict": lambda: {"a": 1},
    "generator": lambda: (i for i in range(3)),
    "table": lambda: pd.DataFrame({"a": [1, 2], "b": ["x", "y"]}),
    "dates": lambda: np.array(["2020-01-01"], "M8[s]"),
}
#: How errors of Python, NumPy and pybind11 begin, where none of our words precede.
RAW = re.compile(
    r"^(.* has no attribute|unsupported operand|.* not subscriptable|must be real number,"
    r"|.*incompatible function arg|ufunc|.* object is not|.*not supported between|.* has no len"
    r"|object of type|int too (large|big)|Python int too|could not convert|invalid literal"
    r"|an integer is required|The truth value|unhashable|setting an array|index \d|.*out of bounds"
    r"|expected str, bytes|too many|not enough values|cannot unpack|bad operand|float\(\) arg"
    r"|int\(\) arg|.*cannot be interpreted|operands could not)"
)
#: Errors with a sentence of ours.
OUR_OWN = (ValueError, TypeError, OverflowError, MemoryError, ImportError)
OUR_OWN += (wg.DeviceError, wg.ConvergenceError)


def public():
    """Yield (module, function or class) with an id."""
    for module in MODULES:
        for name in module.__all__:
            value = getattr(module, name)
            is_error = inspect.isclass(value) and issubclass(value, BaseException)
            if callable(value) and not is_error and name not in OTHERS:
                yield pytest.param(module, value, id=f"{module.__name__}.{name}")


def arguments_of(module, function):
    """Return makers of the arguments that a function needs."""
    made = {**VALID, **VALID_IN.get(module, {})}
    if function in (distributed.cluster_labels, distributed.single_linkage):
        made |= DISTRIBUTED_FOREST
    if function is distributed.graph:
        made |= {"edges": list, "engine": distributed.LocalEngine}
    parameters = inspect.signature(function).parameters.values()
    return {p.name: made[p.name] for p in parameters if p.default is p.empty and p.kind < 4}


def assert_in_our_words(call, where):
    sentence = "as expected"
    try:
        call()
    except OUR_OWN as error:
        sentence = str(error)
    except FileNotFoundError:
        pass
    assert sentence, where
    assert not RAW.match(sentence), f"{where}: {sentence}"


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize(("module", "function"), list(public()))
def test_every_argument(module, function, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    needed = arguments_of(module, function)
    positional = [
        p.name
        for p in inspect.signature(function).parameters.values()
        if p.kind is p.POSITIONAL_ONLY
    ]
    for name in inspect.signature(function).parameters:
        if name in ("progress", "out", "kwargs", "options", "args", "engine"):
            continue
        for kind, make in KINDS.items():
            given = {key: value() for key, value in {**needed, name: make}.items()}
            first = [given.pop(key) for key in positional if key in given]
            assert_in_our_words(lambda: function(*first, **given), f"{name} is {kind}")  # noqa: B023
    plt.close("all")


METHODS = [
    (graph, "with_weights", "weights"),
    (graph, "to_dataframe", "source"),
    (graph, "write", "path"),
    (graph, "subgraph", "vertices"),
    (graph, "neighbors", "vertex"),
    (lambda: wg.Hierarchy(triangle()), "save", "path"),
    (lambda: wg.Hierarchy(triangle(), customizable=True), "customize", "weights"),
    (wg.cluster.HDBSCAN, "fit", "X"),
    (lambda: wg.cluster.KMeans(2), "fit", "X"),
    (wg.cluster.MSTClustering, "fit", "X"),
]


@pytest.mark.parametrize(("make", "method", "argument"), METHODS)
def test_arguments_of_methods(make, method, argument, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for kind, value in KINDS.items():
        call = getattr(make(), method)
        assert_in_our_words(lambda: call(**{argument: value()}), f"{kind}")  # noqa: B023


@pytest.mark.parametrize(
    ("call", "error", "parts"),
    [
        (lambda: distributed.connected_components(graph()), TypeError, ["PartitionedGraph"]),
        (lambda: wg.plot.weights(graph()), TypeError, ["SpanningForest", "warpgraph.Graph"]),
        (lambda: wg.plot.dendrogram(fitted().linkage_), TypeError, ["SpanningForest", "ndarray"]),
        (lambda: wg.plot.condensed_tree(fitted()), TypeError, ["condensed_tree_"]),
        (lambda: wg.plot.condensed_tree(wg.cluster.HDBSCAN()), TypeError, ["condensed_tree_"]),
        (lambda: wg.transform.CompressedGraph(3), TypeError, ["Graph", "int"]),
        (
            lambda: wg.Graph(triangle(), coordinates=triangle()),
            TypeError,
            ["coordinates", "sparse"],
        ),
        (lambda: graph().with_weights(10**30), OverflowError, ["10000", "int64"]),
        (lambda: graph().with_weights([10**30] * 6), OverflowError, ["10000", "int64"]),
        (lambda: wg.Graph.from_edges([0], [1], [10**30]), OverflowError, ["10000", "int64"]),
        (lambda: wg.Graph([[0, 10**30], [1, 0]]), OverflowError, ["10000", "int64"]),
        (lambda: wg.cluster.euclidean_mst(points(), alpha=10**400), ValueError, ["alpha"]),
        (lambda: wg.Hierarchy(triangle()).save(1), TypeError, ["path", "int"]),
    ],
)
def test_examples(call, error, parts):
    with pytest.raises(error) as caught:
        call()
    assert all(part in str(caught.value) for part in parts), caught.value
