"""Results of the NetworkX backend have the types that NetworkX's own results have.

Every function that the backend has is called with weights of every type, and the results are
compared recursively: containers, keys, values and, where sums are exact, the values themselves.
"""

import inspect
import math
from decimal import Decimal, localcontext
from fractions import Fraction

import networkx as nx
import numpy as np
import pytest

import _warpgraph_nx
import networkx_support

networkx_support.register()

pytestmark = pytest.mark.filterwarnings("ignore:Note. conversions to backend graphs:UserWarning")

#: NetworkX before 3.7 has no function of its own for one of them.
FUNCTIONS = sorted(_warpgraph_nx.get_info()["functions"].keys() - {"leiden_communities"})
MAKERS = [nx.Graph, nx.DiGraph, nx.MultiGraph, nx.MultiDiGraph]

#: Strongly connected, with a loop.
PAIRS = [(0, 1), (1, 2), (2, 3), (3, 4), (4, 0), (0, 2), (1, 4), (2, 0), (3, 1), (4, 4)]


def length(i):
    """Return the length of edge i: sums of different edges differ, so shortest paths are unique."""
    return 8 << i


#: The weight of edge i, or None: it has none.
WEIGHTS = {
    "no weights": lambda i: None,
    "int": length,
    "float": lambda i: length(i) / 16,
    "int and float": lambda i: length(i) if i % 2 else length(i) / 16,
    "some int": lambda i: length(i) if i % 3 else None,
    "some float": lambda i: length(i) / 16 if i % 3 else None,
    "float16 values of float32": lambda i: np.float32(length(i) / 16),
    "rounded float32": lambda i: np.float32(length(i) / 10),
    "float32 and int": lambda i: length(i) if i % 2 else np.float32(length(i) / 16),
    "float64": lambda i: np.float64(length(i) / 16),
    "float64 and int": lambda i: length(i) if i % 2 else np.float64(length(i) / 16),
    "int64": lambda i: np.int64(length(i)),
    "int32": lambda i: np.int32(length(i)),
    "int32 and int64": lambda i: (np.int32, np.int64)[i % 2](length(i)),
    "int64 and float": lambda i: np.int64(length(i)) if i % 2 else length(i) / 16,
    "Fraction": lambda i: Fraction(length(i), 7 + i % 2),
    "Fraction and int": lambda i: Fraction(length(i), 7) if i % 2 else length(i),
    "Decimal": lambda i: Decimal(length(i)) / 10,
    "Decimal and int": lambda i: Decimal(length(i)) / 100 if i % 2 else length(i),
}

#: A value of each argument that functions must have.
REQUIRED = {
    "source": 0,
    "target": 3,
    "center_nodes": {0, 2},
    "sources": {0, 2},
    "targets": {1, 3},
    "terminal_nodes": [0, 2, 3],
    "n": 0,
    "distance": 1,
    "v": 0,
    "u": 0,
    "k": 3,
}
#: The same of functions that the backend has for some values only.
REQUIRED_BY = {"edge_betweenness_centrality_subset": {"targets": {0, 1, 2, 3, 4, 5}}}
#: Further arguments that functions are called with, where they have these.
OPTIONAL = [
    {"source": 0},
    {"target": 0},
    {"target": 3},
    {"source": 0, "target": 3},
    {"cutoff": 0},
    {"cutoff": 40},
    {"method": "bellman-ford"},
    {"method": "floyd-warshall"},
    {"method": "floyd-warshall-numpy"},
    {"return_seen": True},
    {"u": 0},
    {"v": 0},
    {"v": [0, 1]},
    {"nbunch": [0, 1]},
    {"sources": [0]},
    {"depth_limit": 1},
    {"nodelist": [4, 3, 2, 1, 0]},
    {"data": False},
    {"keys": False},
    {"algorithm": "prim"},
    {"wf_improved": False},
]


def graph_of(make, kind, *, apart=False):
    graph = make()
    graph.add_nodes_from(range(5 + apart))  # with a node that cannot be reached, perhaps
    pairs = [*PAIRS, (0, 1)] if graph.is_multigraph() else PAIRS
    for i, (u, v) in enumerate(pairs):
        weight = WEIGHTS[kind](i)
        graph.add_edge(u, v, **({} if weight is None else {"weight": weight}))
    return graph


def function_of(name):
    """Return NetworkX's function: some are not in its main module."""
    return getattr(nx, name, None) or getattr(nx.algorithms.approximation, name)


def calls_of(name):
    """Return the arguments of calls of a function, by its parameters.

    A new function whose arguments are not in REQUIRED is an error here.
    """
    parameters = inspect.signature(function_of(name).orig_func).parameters
    needed = [p.name for p in parameters.values() if p.default is p.empty and p.name != "G"]
    given = {key: REQUIRED[key] for key in needed} | REQUIRED_BY.get(name, {})
    weights = [key for key in ("weight", "distance") if key in parameters and key not in needed]
    calls = [{"attr": "weight"}] if "attr" in parameters else []
    for weight in [{key: value} for key in weights for value in ("weight", None)] or [{}]:
        if weight == {"weight": None} and parameters["weight"].default is not None:
            continue  # means the attribute None
        calls.append({**given, **weight})
        for more in OPTIONAL:
            if more.keys() <= parameters.keys() and not more.items() <= given.items():
                calls.append({**given, **weight, **more})
    return calls


def shape_of(value):
    """Return the types in a result, recursively, and numbers that are exact."""
    kind = type(value).__name__
    if isinstance(value, nx.Graph):
        return kind, shape_of(dict(value.nodes)), shape_of(list(value.edges(data=True)))
    if isinstance(value, np.ndarray):
        return kind, str(value.dtype), value.shape
    if isinstance(value, dict):
        items = [(repr(key), shape_of(key), shape_of(value[key])) for key in value]
        return kind, sorted(items, key=repr)
    if isinstance(value, (list, tuple)):
        return kind, [shape_of(item) for item in value]
    if isinstance(value, (set, frozenset)) or hasattr(value, "__next__"):
        return kind, sorted((shape_of(item) for item in value), key=repr)
    is_exact = isinstance(value, (int, np.integer, Fraction, Decimal))
    return kind, str(value) if is_exact else None


def outcome(name, graph, call, backend):
    try:
        return shape_of(function_of(name)(graph, **call, backend=backend))
    except Exception as error:
        return "error", type(error)


def is_left_to_networkx(name, kind, call, expected):
    """Return whether the backend need not take a call: the list is in docs/networkx.md."""
    if "arborescence" in name and kind not in ("no weights", "int", "float", "some int"):
        return True
    if name.startswith("astar") and "cutoff" in call:
        return True
    if "clustering" in name or name in ("core_number", "k_truss", "transitivity", "triangles"):
        return True  # of directed graphs, with parallel edges, weights or loops
    # NetworkX adds floats to decimals in these, which Python refuses.
    return "Decimal" in kind and expected == ("error", TypeError)


@pytest.mark.parametrize("name", FUNCTIONS)
def test_types_are_those_of_networkx(name):
    calls = calls_of(name)
    reads_weights = any({"weight", "distance", "attr"} & call.keys() for call in calls)
    for kind in WEIGHTS if reads_weights else ["int"]:
        for make, apart in [*((make, False) for make in MAKERS), (nx.DiGraph, True)]:
            graph = graph_of(make, kind, apart=apart)
            for call in calls:
                expected = outcome(name, graph, call, "networkx")
                found = outcome(name, graph, call, "warpgraph")
                if is_left_to_networkx(name, kind, call, expected):
                    assert found in (expected, ("error", NotImplementedError))
                elif has_several_answers(name, kind, call):
                    assert loosely(found) == loosely(expected), (kind, make, call)
                else:
                    assert found == expected, (kind, make, call)


def has_several_answers(name, kind, call):
    """Return whether shortest paths are of equal length, or the order of edges is not the same."""
    is_weighted = kind != "no weights" and (call.get("weight") or call.get("distance"))
    return not is_weighted or "spanning_tree" in name or "algorithm" in call


def loosely(shape):
    """Return the types in a shape as a set."""
    if isinstance(shape, (list, tuple)):
        return frozenset().union(*map(loosely, shape)) if shape else frozenset()
    return frozenset([shape if isinstance(shape, (str, type)) and not str(shape).isdigit() else 0])


@pytest.mark.parametrize("make", MAKERS)
def test_edges_of_bools_in_the_algorithm_of_floyd_and_warshall(make):
    graph = nx.path_graph(4, make)
    for i, (_, _, found) in enumerate(graph.edges(data=True)):
        found["weight"] = i == 1
    graph.add_edge(3, 0, weight=5.0)
    names = ("floyd_warshall", "floyd_warshall_predecessor_and_distance", "floyd_warshall_numpy")
    for name in names:
        assert outcome(name, graph, {}, "warpgraph") == outcome(name, graph, {}, "networkx")


@pytest.mark.parametrize("zero", [0, 0.0, np.float32(0), np.float64(0), Fraction(0)], ids=repr)
def test_loops_of_weight_zero(zero):
    graph = nx.DiGraph([(0, 0, {"weight": zero}), (0, 1, {"weight": zero + 1})])
    for name in ("floyd_warshall", "single_source_dijkstra_path_length"):
        call = {} if name == "floyd_warshall" else {"source": 0}
        assert outcome(name, graph, call, "warpgraph") == outcome(name, graph, call, "networkx")


@pytest.mark.parametrize("value", [-1, -1.5, np.float32(-0.1), Fraction(-1, 3), Decimal("-0.1")])
def test_negative_weights(value):
    graph = nx.DiGraph()
    rest = [type(value)(x) for x in (3, 4, 5)]
    graph.add_weighted_edges_from(
        [(0, 1, value), (1, 2, rest[0]), (2, 0, rest[1]), (0, 2, rest[2])]
    )
    names = {
        "single_source_bellman_ford",
        "single_source_bellman_ford_path_length",
        "bellman_ford_predecessor_and_distance",
        "goldberg_radzik",
        "johnson",
        "all_pairs_bellman_ford_path_length",
        "negative_edge_cycle",
    }
    for name in sorted(names):
        call = (
            {}
            if "all_pairs" in name or name in ("johnson", "negative_edge_cycle")
            else {"source": 0}
        )
        assert outcome(name, graph, call, "warpgraph") == outcome(name, graph, call, "networkx")


@pytest.mark.parametrize(
    ("weight", "cutoff"),
    [
        (np.float32(0.1), 0.1),
        (np.float32(0.1), np.float64(0.1)),
        (np.float32(0.1), 0.09999),
        (Fraction(1, 3), 1 / 3),
        (Fraction(1, 3), 0.34),
        (Decimal("0.1"), 0.1),
        (Decimal("0.1"), 0.2),
        (np.int64(3), 3),
        (np.int64(3), 2.5),
    ],
)
def test_cutoffs_are_compared_as_in_networkx(weight, cutoff):
    graph = nx.path_graph(5)
    nx.set_edge_attributes(graph, weight, "weight")
    for name in ("single_source_dijkstra_path_length", "single_source_dijkstra"):
        call = {"source": 0, "cutoff": cutoff}
        assert outcome(name, graph, call, "warpgraph") == outcome(name, graph, call, "networkx")


REFUSED = {
    "two roundings": [0.1, np.float32(0.1)],
    "half": [np.float16(0.1), np.float16(0.2)],
    "fractions and floats": [Fraction(1, 3), 0.5],
    "decimals and fractions": [Fraction(1, 3), Decimal("0.5")],
    "fractions of large denominators": [Fraction(1, 2**40 + i) for i in (1, 2)],
    "decimals of many places": [Decimal("1e-30"), Decimal(1)],
    "decimals of many digits": [Decimal("1." + "3" * 22), Decimal(1)],
    "large decimals": [Decimal("1e30"), Decimal(1)],
    "decimals that would take gigabytes": [Decimal("1e999999999"), Decimal("1e-999999999")],
    "sums beyond int32": [np.int32(2**30), np.int32(2**30)],
    "unsigned and negative": [np.uint8(3), -1],
    "integers that float32 rounds": [2**24 + 1, np.float32(1)],
    "decimal infinity": [Decimal("inf"), Decimal(1)],
    "text": ["1", "2"],
    "complex": [1j, 2],
}


@pytest.mark.parametrize("weights", REFUSED.values(), ids=REFUSED)
def test_weights_whose_sums_the_core_does_not_find(weights):
    graph = nx.DiGraph()
    graph.add_weighted_edges_from([(0, 1, weights[0]), (1, 2, weights[1])])
    with pytest.raises(NotImplementedError):
        nx.single_source_dijkstra_path_length(graph, 0, backend="warpgraph")


def test_decimals_that_python_rounds():
    graph = nx.DiGraph()
    graph.add_weighted_edges_from([(0, 1, Decimal("0.99")), (1, 2, Decimal("0.05"))])
    with localcontext() as context:
        context.prec = 2
        assert str(nx.dijkstra_path_length(graph, 0, 2)) == "1.0"
        with pytest.raises(NotImplementedError):
            nx.dijkstra_path_length(graph, 0, 2, backend="warpgraph")
    graph.__networkx_cache__.clear()
    assert str(nx.dijkstra_path_length(graph, 0, 2, backend="warpgraph")) == "1.04"


def test_sums_are_those_along_the_path():
    graph = nx.path_graph(4)
    tenths = [Decimal("0.1"), Decimal("0.20"), Decimal("0.7")]
    for (u, v), weight in zip(list(graph.edges), tenths, strict=True):
        graph[u][v]["weight"] = weight
    found = nx.single_source_dijkstra_path_length(graph, 0, backend="warpgraph")
    assert list(map(str, found.values())) == ["0", "0.1", "0.30", "1.00"]
    nx.set_edge_attributes(graph, np.float32(0.1), "weight")
    found = nx.dijkstra_path_length(graph, 0, 3, backend="warpgraph")
    assert (type(found), found) == (np.float32, np.float32(0.1) + np.float32(0.1) + np.float32(0.1))


@pytest.mark.parametrize("name", ["floyd_warshall", "floyd_warshall_predecessor_and_distance"])
def test_floyd_and_warshall_have_the_ones_of_networkx_for_edges_without_weight(name):
    graph = nx.path_graph(3)
    graph.add_node(3)
    found = getattr(nx, name)(graph, backend="warpgraph")
    far = found if name == "floyd_warshall" else found[1]
    before_3_7 = tuple(map(int, nx.__version__.split(".")[:2])) < (3, 7)
    expected = ["0", "1.0", "2.0", "inf"] if before_3_7 else ["0", "1", "2", "inf"]
    assert list(map(repr, far[0].values())) == expected
    assert far[0]["nowhere"] == math.inf


@pytest.mark.parametrize("make", MAKERS)
def test_negative_cycles_of_frozen_graphs(make):
    graph = make([(0, 1, {"weight": -1}), (1, 2, {"weight": 3}), (2, 0, {"weight": 3})])
    expected = nx.negative_edge_cycle(graph, backend="networkx")
    assert nx.negative_edge_cycle(graph, backend="warpgraph") == expected  # is kept converted
    empty = nx.freeze(make())
    assert nx.negative_edge_cycle(empty, backend="warpgraph") is False
    for frozen in (graph.subgraph([0, 1]), nx.freeze(graph)):
        for backend in ("networkx", "warpgraph"):
            with pytest.raises(nx.NetworkXError, match="Frozen graph can't be modified"):
                nx.negative_edge_cycle(frozen, backend=backend)
    with nx.config(backend_priority=["warpgraph"]), pytest.raises(nx.NetworkXError, match="Frozen"):
        nx.negative_edge_cycle(graph)
