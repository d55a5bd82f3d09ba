"""NetworkX graphs of plain dictionaries: read in C++, with the result of the general way."""

import collections
import decimal
import fractions
import sys
import threading
import warnings

import networkx as nx
import numpy as np
import pytest
from hypothesis import given, settings, strategies as st

import warpgraph as wg
from alarms import alarms
from checks import assert_same_bits, raises_sentence
from warpgraph._arguments import convert as _convert, nx_graphs

MAKERS = [nx.Graph, nx.DiGraph, nx.MultiGraph, nx.MultiDiGraph]
every_kind = pytest.mark.parametrize("make", MAKERS)


class Odd:
    """Few hashes, and equal to the integer that it holds."""

    def __init__(self, value):
        self.value = value

    def __hash__(self):
        return hash(self.value % 3)

    def __eq__(self, other):
        return self.value == (other.value if isinstance(other, Odd) else other)


class Text(str):
    """A string of another type than str."""


NODES = [
    st.integers(0, 12),
    st.integers(-(2**70), 2**70),
    st.text(max_size=2),
    st.tuples(st.integers(0, 2), st.integers(0, 2)),
    st.builds(Odd, st.integers(0, 9)),
    st.one_of(
        st.integers(-2, 9),
        st.booleans(),
        st.floats(-3, 3),
        st.text(max_size=1),
        st.builds(np.int64, st.integers(0, 9)),
        st.builds(Text, st.text(max_size=1)),
        st.frozensets(st.integers(0, 3)),
    ),
]
INTEGERS = st.integers(-(2**63), 2**63 - 1)
FLOATS = st.floats(allow_nan=False)
WEIGHTS = [
    INTEGERS,
    FLOATS,
    st.one_of(INTEGERS, FLOATS),
    st.one_of(st.integers(), FLOATS),
    st.one_of(FLOATS, st.just(float("nan"))),
    st.one_of(
        INTEGERS,
        FLOATS,
        st.booleans(),
        st.builds(np.float64, FLOATS),
        st.builds(np.int8, st.integers(-9, 9)),
        st.builds(np.bool_, st.booleans()),
        st.fractions(),
        st.just(decimal.Decimal(3)),
        st.sampled_from(["heavy", None, 1j, [2]]),
    ),
]
OTHERS = {"km": st.integers(0, 9), "name": st.text(max_size=2), 3: st.just(1.5)}


@st.composite
def weighted_graphs(draw):
    graph = draw(st.sampled_from(MAKERS))()
    nodes = draw(st.lists(draw(st.sampled_from(NODES)), min_size=1, max_size=8))
    graph.add_nodes_from(draw(st.lists(st.sampled_from(nodes))))
    pairs = st.tuples(*[st.sampled_from(nodes)] * 2)
    some, weights = draw(st.sampled_from([0, 3, 4])), draw(st.sampled_from(WEIGHTS))
    others = draw(st.booleans())
    for tail, head in draw(st.lists(pairs, max_size=20)):
        attributes = draw(st.fixed_dictionaries({}, optional=OTHERS)) if others else {}
        if draw(st.integers(1, 4)) <= some:
            attributes["weight"] = draw(weights)
        graph.add_edges_from([(tail, head, attributes)])
    return graph


def general(graph, weight):
    return _convert.from_edges(*nx_graphs.edges_of(graph, weight), len(graph))


def outcome(convert, graph, weight):
    """Return the arrays or the error, and the warnings."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        try:
            arrays = convert(graph, weight)
            result = [(array.dtype, array.tobytes()) for array in arrays]
        except (TypeError, ValueError, OverflowError) as error:
            result = [type(error), str(error)]
    return result, [str(warning.message) for warning in caught]


@settings(max_examples=1000)
@given(graph=weighted_graphs(), weight=st.sampled_from(["weight", "weight", "km", None]))
def test_equal_to_the_general_way(graph, weight):
    assert outcome(_convert.to_csr, graph, weight) == outcome(general, graph, weight)
    if weight is None:
        assert nx_graphs.csr_of(graph, weight) is not None
    frozen = nx.freeze(graph.copy())
    assert outcome(_convert.to_csr, frozen, weight) == outcome(general, frozen, weight)


def random_graph(make, weigh, n=300, m=2000, name=int):
    rng = np.random.default_rng(7)
    graph = make()
    ends = rng.integers(0, n, (2, m)).tolist()
    for tail, head in zip(*ends, strict=True):
        graph.add_edge(name(tail), name(head), **weigh(rng))
    return graph


PLAIN = {
    "no weights": (lambda rng: {}, np.int64),
    "integers": (lambda rng: {"weight": int(rng.integers(-5, 5)) << 40}, np.int64),
    "floats": (lambda rng: {"weight": rng.random()}, np.float64),
    "both": (lambda rng: {"weight": rng.choice([1, 2.5]).item() or 1}, np.float64),
    "among others": (lambda rng: {"km": 3, "weight": rng.random(), "name": "E 5"}, np.float64),
}


@every_kind
@pytest.mark.parametrize(("weigh", "dtype"), PLAIN.values(), ids=PLAIN)
@pytest.mark.parametrize("name", [int, str, lambda v: (v // 7, v % 7), np.int64, lambda v: v << 40])
def test_plain_graphs_are_read_in_one_go(make, weigh, dtype, name):
    graph = random_graph(make, weigh, name=name)
    for weight in ("weight", None):
        arrays = nx_graphs.csr_of(graph, weight)
        assert arrays is not None
        assert arrays[2].dtype == (dtype if weight else np.int64)
        assert_same_bits(arrays, general(graph, weight))


def path_of_weights(values):
    graph = nx.path_graph(len(values) + 1, nx.DiGraph)
    for edge, value in zip(graph.edges, values, strict=True):
        graph.edges[edge]["weight"] = value
    return graph


def test_integers_before_and_behind_floats():
    for values in ([2**53 - 1, 0.5, 3], [0.5, 1 - 2**53, 3], [7, 8, float("inf")]):
        graph = path_of_weights(values)
        assert nx_graphs.csr_of(graph, "weight")[2].tolist() == [float(value) for value in values]


def test_integers_that_floats_do_not_hold_are_read_in_the_general_way():
    for values in ([2**53 + 1, 0.5, 2**63 - 1], [0.5, -(2**63), 3], [2**53, 2, 0.5]):
        graph = path_of_weights(values)
        assert nx_graphs.csr_of(graph, "weight") is None
        assert wg.Graph(graph).data.tolist() == [float(value) for value in values]
        with pytest.raises(NotImplementedError):
            nx.shortest_path_length(graph, 0, 3, weight="weight", backend="warpgraph")


def test_little_graphs():
    for graph in (nx.Graph(), nx.DiGraph(), nx.empty_graph(3), nx.MultiGraph()):
        for weight in ("weight", None, "km"):
            arrays = nx_graphs.csr_of(graph, weight)
            assert arrays is not None
            assert_same_bits(arrays, general(graph, weight))


# Graphs that are read in the general way.


class OrderedGraph(nx.Graph):
    adjlist_inner_dict_factory = collections.OrderedDict


class Mirrored(nx.DiGraph):
    """Lists its nodes in reverse order."""

    def __iter__(self):
        return reversed(self._node)


class Doubled(nx.Graph):
    """Says that every vertex is its own neighbour."""

    def adjacency(self):
        return ((node, {**row, node: {}}) for node, row in super().adjacency())


def views():
    whole = nx.complete_graph(5)
    yield whole.subgraph([3, 1, 2])
    yield nx.subgraph_view(whole, filter_edge=lambda u, v: u + v != 3)
    yield nx.DiGraph([(0, 1), (2, 1)]).to_undirected(as_view=True)
    yield nx.MultiGraph(whole).subgraph([4, 0])
    yield OrderedGraph([(0, 1), (1, 2)])
    yield Mirrored([(0, 1), (1, 2), (5, 0)])
    yield Doubled([(0, 1), (1, 2)])


@pytest.mark.parametrize("graph", list(views()), ids=lambda graph: type(graph).__name__)
def test_views_and_other_mappings(graph):
    assert nx_graphs.csr_of(graph, "weight") is None
    assert outcome(_convert.to_csr, graph, "weight") == outcome(general, graph, "weight")


def test_views_of_the_same_dictionaries_are_plain():
    both_ways = nx.path_graph(4).to_directed(as_view=True)
    assert_same_bits(nx_graphs.csr_of(both_ways, "weight"), general(both_ways, "weight"))
    graph = nx.DiGraph([(0, 1, {"weight": 2.5}), (2, 1, {"weight": 1.5})]).reverse(copy=False)
    assert sorted(zip(*wg.Graph(graph).to_edges(), strict=True)) == [(1, 0, 2.5), (1, 2, 1.5)]


class Subclass(nx.DiGraph):
    """With an attribute, and NetworkX's dictionaries."""

    def __init__(self, *args, **attributes):
        super().__init__(*args, **attributes)
        self.crs = "epsg:4326"


def test_subclasses_with_dictionaries_are_plain():
    graph = Subclass([("a", "b", {"weight": 3})])
    assert_same_bits(nx_graphs.csr_of(graph, "weight"), general(graph, "weight"))


def test_names_that_are_equal_but_not_the_same_string():
    name = "".join(["wei", "ght"])
    graph = nx.DiGraph()
    graph.add_edge(0, 1, **{"".join(["we", "ight"]): 4})
    graph[0][1]["".join(["k", "m"])] = 7
    assert nx_graphs.csr_of(graph, name)[2].tolist() == [4]
    assert nx_graphs.csr_of(graph, "".join(["k", "m"]))[2].tolist() == [7]
    assert nx_graphs.csr_of(graph, Text("km")) is None
    assert wg.Graph(graph, weight=Text("km")).data.tolist() == [7]


def test_dictionaries_that_networkx_would_not_make():
    graph = nx.DiGraph([(0, 1), (1, 2)])
    graph._adj[0][7] = {}
    with pytest.raises(KeyError):
        wg.Graph(graph)
    graph = nx.MultiGraph([(0, 1), (1, 2)])
    graph._adj[0][1].clear()
    assert_same_bits(nx_graphs.csr_of(graph, "weight"), general(graph, "weight"))
    graph._adj[1][2][0] = None
    assert nx_graphs.csr_of(graph, "weight") is None
    # One direction only: the end that comes first counts.
    graph = nx.Graph([(0, 1), (1, 2)])
    del graph._adj[1][0], graph._adj[1][2]
    assert_same_bits(nx_graphs.csr_of(graph, None), general(graph, None))


# Python code that runs meanwhile.


class Saboteur(Odd):
    """Calls a function when it is compared."""

    sabotage = None

    def __eq__(self, other):
        if Saboteur.sabotage is not None:
            Saboteur.sabotage()
        return super().__eq__(other)

    __hash__ = Odd.__hash__


def dense_graph(n=40):
    """Return a graph whose neighbours are other objects than its nodes, so they are compared."""
    graph = nx.DiGraph()
    graph.add_nodes_from(map(Saboteur, range(n)))
    graph.add_edges_from((Saboteur(u), Saboteur(v)) for u in range(n) for v in range(n))
    return graph


def test_nodes_that_change_the_graph_while_they_are_compared(monkeypatch):
    graph = dense_graph()
    rows = list(graph._adj.values())
    monkeypatch.setattr(Saboteur, "sabotage", lambda: [row.clear() for row in rows])
    with raises_sentence(RuntimeError, "dictionary changed size during iteration"):
        wg.Graph(graph)


def test_nodes_that_replace_the_graph_while_they_are_compared(monkeypatch):
    graph = dense_graph()
    rows = list(graph._adj.values())

    def replace():
        """Keep all sizes, and free all that is not owned elsewhere."""
        for row in rows:
            for i, key in enumerate(list(row)):
                if type(key) is Saboteur:
                    del row[key]
                    row[-i - 1] = {}

    monkeypatch.setattr(Saboteur, "sabotage", replace)
    with pytest.raises((RuntimeError, KeyError)):
        wg.Graph(graph)


def test_nodes_that_raise_while_they_are_compared(monkeypatch):
    graph = dense_graph()

    def fail():
        raise ArithmeticError("not today")

    monkeypatch.setattr(Saboteur, "sabotage", fail)
    with pytest.raises(ArithmeticError, match="not today"):
        wg.Graph(graph)


@pytest.fixture
def soon():
    """Return a function that makes a signal handler run within a call, if this takes 5 ms."""

    def run(handler, call):
        with alarms(lambda signum, frame: handler(), 0.005):
            return call()

    return run


@pytest.fixture(scope="module")
def large():
    return nx.gnm_random_graph(20_000, 200_000, seed=3)


def test_signals_end_the_call(large, soon):
    def interrupt():
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        soon(interrupt, lambda: [nx_graphs.csr_of(large, "weight") for _ in range(100)])
    # Read whole again.
    assert_same_bits(nx_graphs.csr_of(large, "weight"), general(large, "weight"))


def test_signals_may_change_the_graph(large, soon):
    def change_while_it_is_read(graph):
        soon(
            lambda: [row.clear() for row in graph._adj.values()],
            lambda: [nx_graphs.csr_of(graph, "weight") for _ in range(100) if graph._adj[0]],
        )

    with raises_sentence(RuntimeError, "dictionary changed size during iteration"):
        for _ in range(9):  # a signal behind the last row changes nothing that is read
            change_while_it_is_read(large.copy())


@pytest.fixture
def short_turns():
    """Threads give way after 0.1 ms: the call may take less than Python's 5 ms."""
    interval = sys.getswitchinterval()
    sys.setswitchinterval(1e-4)
    yield
    sys.setswitchinterval(interval)


@pytest.mark.usefixtures("short_turns")
def test_other_threads_run_meanwhile(large):
    done = threading.Event()
    turns = 0

    def count():
        nonlocal turns
        while not done.is_set():
            turns += 1

    thread = threading.Thread(target=count)
    thread.start()
    before = turns
    nx_graphs.csr_of(large, "weight")
    within = turns - before
    done.set()
    thread.join()
    assert within > 0


# References.


def references(graph):
    edges = list(graph.edges(data=True))
    objects = [graph._node, graph._adj, *graph._node, *graph._adj.values()]
    objects += [item for edge in edges for item in (edge[2], *edge[2].values())]
    # Python shares small integers.
    return [sys.getrefcount(item) for item in objects if type(item) is not int or item > 1000]


@every_kind
@pytest.mark.parametrize("weigh", [*(weigh for weigh, _ in PLAIN.values()), lambda _: {"km": "x"}])
@pytest.mark.parametrize("name", [lambda v: v + 1001, str, Odd])
def test_no_reference_is_kept(make, weigh, name):
    graph = random_graph(make, weigh, 40, 200, name)
    before = references(graph)
    for _ in range(3):
        nx_graphs.csr_of(graph, "weight")
    assert references(graph) == before


def test_errors_keep_no_reference(monkeypatch):
    graph = dense_graph(20)
    before = references(graph)

    def fail():
        raise ArithmeticError

    monkeypatch.setattr(Saboteur, "sabotage", fail)
    with pytest.raises(ArithmeticError):
        wg.Graph(graph)
    monkeypatch.undo()
    assert references(graph) == before


@pytest.mark.parametrize(
    "value", [float("nan"), 2**63, True, np.float32(1), fractions.Fraction(1, 2), None, "heavy"]
)
def test_weights_that_are_read_in_the_general_way(value):
    graph = nx.path_graph(4)
    for weights in ([value] * 3, [1, value, 2], [1.5, 2, value]):
        for edge, weight in zip(graph.edges, weights, strict=True):
            graph.edges[edge]["weight"] = weight
        assert nx_graphs.csr_of(graph, "weight") is None
        assert outcome(_convert.to_csr, graph, "weight") == outcome(general, graph, "weight")
