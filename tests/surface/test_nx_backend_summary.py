"""What ran where: the table of NetworkX's calls, and the reasons in errors."""

import subprocess
import sys
import threading
import time
import timeit

import networkx as nx
import pytest

import warpgraph as wg
from warpgraph.nx_backend import _policy, _summary

GRAPH = nx.gnm_random_graph(60, 2000, seed=1)
SMALL = nx.path_graph(4)


@pytest.fixture
def rows(monkeypatch):
    """Return a function for the rows of calls that a test makes: by function and place."""
    monkeypatch.setattr(_summary, "_all", [])
    monkeypatch.setattr(_summary, "_here", _summary._OfThread())
    nx.config.warnings_to_ignore.add("cache")
    with nx.config.backend_priority(algos=["warpgraph"], generators=[]):
        yield lambda: {(row.function, row.ran_by): row for row in wg.nx_backend.summary()}


def test_calls_of_both_places(rows):
    for _ in range(3):
        nx.pagerank(GRAPH, tol=1e-9)
    nx.pagerank(SMALL)
    nx.has_path(GRAPH, 0, 1)
    nx.greedy_color(SMALL)
    found = rows()
    assert found["pagerank", "warpgraph"][1] == 3
    assert found["pagerank", "warpgraph"].reason == ""
    assert found["pagerank", "NetworkX"].calls == 1
    assert found["pagerank", "NetworkX"].reason == _policy._should_run("pagerank", (SMALL,), {})
    assert "both ends" in found["has_path", "NetworkX"].reason
    assert found["greedy_color", "NetworkX"].reason == "the backend does not have it"
    assert all(row.seconds > 0 for row in found.values())
    seconds = [row.seconds for row in wg.nx_backend.summary()]
    assert seconds == sorted(seconds, reverse=True)


def test_the_table(rows):
    assert str(wg.nx_backend.summary()) == (
        "no function of NetworkX was offered to the backend warpgraph"
    )
    nx.pagerank(GRAPH, tol=1e-9)
    nx.pagerank(SMALL)
    first, *lines = str(wg.nx_backend.summary()).splitlines()
    assert first.split() == ["function", "calls", "seconds", "ran", "by", "reason"]
    # NetworkX's function of small graphs calls another one.
    names = ["pagerank", "pagerank", "to_scipy_sparse_array"]
    assert sorted(line.split()[0] for line in lines) == names
    for row, line in zip(wg.nx_backend.summary(), lines, strict=True):
        assert line.split()[:4] == [row.function, "1", f"{row.seconds:.4f}", row.ran_by]
        assert line.endswith(row.reason or "warpgraph")
    assert rows()


def test_calls_of_networkx_that_the_backend_was_not_asked_for_are_not_counted(rows):
    nx.pagerank(SMALL)
    with nx.config.backend_priority(algos=[]):
        nx.pagerank(SMALL)
    assert rows()["pagerank", "NetworkX"].calls == 1


def test_a_call_that_is_declined_late_is_counted_where_it_ran(rows):
    graph = nx.Graph(GRAPH.edges)
    nx.set_edge_attributes(graph, 0.5, "weight")
    graph[0][next(iter(graph[0]))]["weight"] = 2**70
    nx.single_source_dijkstra(graph, 0)
    row = rows()["single_source_dijkstra", "NetworkX"]
    assert (row.calls, row.reason) == (1, "integers of 2**53 or more among floats run in NetworkX")
    nx.single_source_dijkstra(graph, 0)  # NetworkX remembers that the conversion failed
    assert rows()["single_source_dijkstra", "NetworkX"].calls == 2
    assert ("single_source_dijkstra", "warpgraph") not in rows()


def test_errors_are_counted_where_they_were_raised(rows):
    with pytest.raises(nx.NodeNotFound):
        nx.single_source_dijkstra(GRAPH, "nowhere")
    with pytest.raises(nx.NodeNotFound):
        nx.single_source_dijkstra(SMALL, "nowhere")
    assert rows()["single_source_dijkstra", "warpgraph"].calls == 1
    assert rows()["single_source_dijkstra", "NetworkX"].calls == 1


@pytest.mark.parametrize("graph", [GRAPH, SMALL], ids=["warpgraph", "NetworkX"])
def test_generators_stay_generators(rows, graph):
    paths = nx.all_pairs_dijkstra(graph)
    assert type(paths) is type(item for item in ())
    place = "warpgraph" if graph is GRAPH else "NetworkX"
    before = rows()["all_pairs_dijkstra", place]
    assert len(dict(paths)) == len(graph)
    after = rows()["all_pairs_dijkstra", place]
    assert (before.calls, after.calls) == (1, 1)
    assert after.seconds > before.seconds
    nx.all_pairs_dijkstra(graph).close()
    next(nx.all_pairs_dijkstra(graph))
    assert rows()["all_pairs_dijkstra", place].calls == 3


def test_long_items_of_a_generator_are_measured():
    def items():
        for _ in range(3):
            time.sleep(0.01)
            yield 1
        for _ in range(3):
            yield 2
        return "end"

    def consumer():
        return (yield from _summary._measured(items(), ("items", "NetworkX"), "because"))

    consumed = consumer()
    assert [next(consumed) for _ in range(6)] == [1, 1, 1, 2, 2, 2]
    time.sleep(0.05)  # which is not the generator's
    with pytest.raises(StopIteration, match="end"):
        next(consumed)
    assert 0.03 <= _summary._here.rows.pop(("items", "NetworkX"))[1] < 0.075


def test_calls_within_calls_and_of_threads(rows):
    nx.global_efficiency(GRAPH)  # NetworkX's calls a function that the backend has
    assert rows()["global_efficiency", "NetworkX"].calls == 1
    assert rows()["all_pairs_shortest_path_length", "warpgraph"].calls == 1
    threads = [threading.Thread(target=nx.pagerank, args=(GRAPH, 0.8)) for _ in range(5)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert rows()["pagerank", "warpgraph"].calls == 5


@pytest.mark.parametrize(
    ("name", "options", "reason"),
    [
        ("astar_path", {"target": 3, "heuristic": lambda u, v: 0}, "with a heuristic"),
        ("single_source_dijkstra", {"weight": lambda u, v, d: 1}, "functions as weights"),
        ("single_source_shortest_path", {"cutoff": "3"}, "cutoff='3' is not a plain number"),
    ],
)
def test_the_reason_is_in_the_error(name, options, reason):
    with pytest.raises(NotImplementedError) as found:
        getattr(nx, name)(GRAPH, 0, **options, backend="warpgraph")
    assert f"the backend 'warpgraph' does not run this {name}: " in str(found.value)
    assert reason in str(found.value)
    given = wg.nx_backend.can_run(name, (GRAPH, 0), options)
    assert reason in given  # as text where NetworkX is to go on with the next backend
    graph = wg.nx_backend.convert_from_nx(GRAPH)
    with pytest.raises(NotImplementedError, match=name):
        getattr(nx, name)(graph, 0, **options, backend="warpgraph")


def test_the_reason_of_a_call_that_is_declined_late_is_the_cause_of_the_error():
    graph = nx.path_graph(3)
    nx.set_edge_attributes(graph, 2**70, "weight")
    with pytest.raises(NotImplementedError, match="'warpgraph' backend raised") as found:
        nx.single_source_dijkstra(graph, 0, backend="warpgraph")
    assert str(found.value.__cause__) == "integers beyond int64 run in NetworkX"


PROGRAM = """
import networkx as nx
nx.config.backend_priority.algos = PRIORITY
nx.pagerank(nx.path_graph(30), tol=1e-9)
print("end")
"""


@pytest.mark.parametrize(
    ("value", "priority", "printed"),
    [
        ("1", ["warpgraph"], "pagerank      1"),
        ("1", [], "no call was offered to the backend warpgraph"),
        ("0", ["warpgraph"], None),
        ("", ["warpgraph"], None),
    ],
)
def test_the_table_is_printed_at_exit(value, priority, printed, monkeypatch):
    monkeypatch.setenv("WARPGRAPH_NX_SUMMARY", value)
    program = PROGRAM.replace("PRIORITY", repr(priority))
    ran = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True
    )
    assert ran.stdout == "end\n"
    assert ran.stderr == "" if printed is None else printed in ran.stderr


def test_a_call_costs_less_than_two_microseconds_more(rows):
    def nothing(graph):
        return graph

    nothing.__name__ = "pagerank"

    def seconds(call):
        return min(timeit.repeat(call, number=2000, repeat=20)) / 2000

    counted, watching = _summary.counted(nothing), _summary._watching("pagerank", nothing)

    def declined():
        _summary.decline("pagerank", "it is small")
        watching(SMALL)

    plain = seconds(lambda: nothing(SMALL))
    # Mostly half a microsecond; a busy machine may take longer.
    assert seconds(lambda: counted(SMALL)) - plain < 2e-6
    assert seconds(declined) - plain < 2e-6
    assert rows()
