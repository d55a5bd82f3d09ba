"""How NetworkX finds, asks and caches the backend."""

import ast
import subprocess
import sys
from pathlib import Path

import networkx as nx
import pytest

import _warpgraph_nx
import networkx_support
import warpgraph.nx_backend as interface

networkx_support.register()

ROOT = Path(__file__).parents[2]


@pytest.fixture
def configured(monkeypatch):
    """Let NetworkX choose the backend."""
    with nx.config(
        backend_priority=["warpgraph"], warnings_to_ignore={"cache"}, fallback_to_nx=True
    ):
        yield


def test_entry_points_are_those_of_the_project():
    text = (ROOT / "pyproject.toml").read_text()
    for group, value in networkx_support.ENTRY_POINTS.items():
        section = text.partition(f'[project.entry-points."{group}"]')[2].partition("\n[")[0]
        assert f'warpgraph = "{value}"' in section


def test_the_information_lists_the_functions():
    known = nx.utils.backends._registered_algorithms
    functions = {name for name in vars(interface) if name in known}
    assert set(_warpgraph_nx.get_info()["functions"]) == functions


def test_the_information_imports_nothing(tmp_path):
    program = (
        "import sys, networkx as nx\n"
        "assert nx.config.backends.warpgraph is not None\n"
        "assert 'pagerank' in nx.utils.backends.backend_info['warpgraph']['functions']\n"
        "assert 'warpgraph' not in sys.modules\n"
        "print(nx.shortest_path_length(nx.path_graph(3), 0, backend='warpgraph'))\n"
        "assert 'warpgraph.nx_backend' in sys.modules\n"
    )
    done = subprocess.run(
        [sys.executable, "-W", "error", "-c", program],
        env=networkx_support.environment(tmp_path),
        capture_output=True,
        text=True,
        check=False,
    )
    assert (done.returncode, done.stderr) == (0, "")
    assert ast.literal_eval(done.stdout) == {0: 0, 1: 1, 2: 2}


@pytest.mark.parametrize(
    ("name", "args", "kwargs", "word"),
    [
        ("dijkstra_path", (0, 1), {"weight": lambda u, v, data: 1}, "functions"),
        ("dijkstra_path", (0, 1, lambda u, v, data: 1), {}, "functions"),
        ("astar_path", (0, 1, lambda u, v: 0), {}, "heuristic"),
        ("astar_path", (0, 1), {"cutoff": 3}, "cutoff"),
        ("diameter", (), {"e": {0: 1}}, "given"),
        ("diameter", (), {"usebounds": True}, "bounds"),
        ("bfs_edges", (0,), {"sort_neighbors": sorted}, "sorts"),
    ],
)
def test_what_networkx_is_to_run(name, args, kwargs, word):
    graph = nx.path_graph(3)
    assert word in interface.can_run(name, (graph, *args), kwargs)
    with pytest.raises(NotImplementedError):
        getattr(nx, name)(graph, *args, backend="warpgraph", **kwargs)


def test_small_graphs_stay_with_networkx(configured):
    small, large = nx.path_graph(10), nx.path_graph(5000)
    for graph in (small, large):
        assert len(nx.single_source_dijkstra_path_length(graph, 0)) == len(graph)
    assert "backends" not in small.__networkx_cache__
    assert "warpgraph" in large.__networkx_cache__["backends"]
    assert interface.should_run("pagerank", (small,), {}) == (
        "the graph has 18 edges, undirected ones counted twice; the backend is faster from 40 on "
        "(PageRank)"
    )
    assert "both ends" in interface.should_run("has_path", (large, 0, 9), {})
    assert interface.should_run("pagerank", (large,), {}) is True


def test_graphs_with_many_edges_at_each_node(configured):
    name = "single_source_shortest_path_length"
    graph = nx.complete_graph(200)
    assert "conversion" in interface.should_run(name, (graph, 0), {})
    assert interface.should_run("strongly_connected_components", (graph.to_directed(),), {}) is True
    assert interface.should_run("single_source_dijkstra_path_length", (graph, 0), {}) is True
    assert interface.should_run("closeness_centrality", (graph,), {}) is True
    assert interface.should_run("closeness_centrality", (nx.complete_graph(30),), {}) is not True
    weighted = {"distance": "weight"}
    assert interface.should_run("closeness_centrality", (nx.complete_graph(30),), weighted) is True
    nx.pagerank(graph, backend="warpgraph")
    assert interface.should_run(name, (graph, 0), {}) is True
    few = nx.complete_graph(100)
    nx.pagerank(few, backend="warpgraph")
    assert "2000" in interface.should_run(name, (few, 0), {})


def test_the_work_of_a_call(configured):
    star = nx.star_graph(50_000)  # whose first node has half of the entries
    assert interface.should_run("single_source_shortest_path_length", (star, 0), {}) is True
    path = nx.path_graph(1000)
    lengths = "shortest_path_length"
    every = interface.should_run("all_pairs_shortest_path_length", (path,), {})
    assert interface.should_run(lengths, (path,), {}) == every
    assert interface.should_run(lengths, (path, 0), {}) != every
    assert "both ends" in interface.should_run(
        lengths, (path, 0, 9), {"method": "bellman-ford", "weight": None}
    )
    one = interface.should_run("single_source_shortest_path_length", (path, 0), {})
    assert interface.should_run("closeness_centrality", (path,), {"u": 0}) == one
    assert interface.should_run("eccentricity", (path,), {"v": 0}) == one
    assert interface.should_run("eccentricity", (path,), {"v": [0, 1]}) is True


def test_a_changed_graph_is_converted_again(configured):
    graph = nx.path_graph(40_000)
    assert nx.number_connected_components(graph) == 1
    assert "warpgraph" in graph.__networkx_cache__["backends"]
    graph.remove_edge(0, 1)
    assert nx.number_connected_components(graph) == 2


def test_what_the_backend_refuses_networkx_computes(configured):
    graph = nx.path_graph(5000)
    nx.set_edge_attributes(graph, "2", "weight")
    assert len(nx.single_source_shortest_path(graph, 0)) == 5000
    with pytest.raises(TypeError):  # of NetworkX: a string is added to a number
        nx.single_source_dijkstra(graph, 0)


@pytest.mark.parametrize("make", [nx.Graph, nx.DiGraph, nx.MultiGraph, nx.MultiDiGraph])
def test_conversion_back_shares_everything(make):
    graph = make([("a", "b"), ("b", "c")], name="letters")
    converted = interface.convert_from_nx(graph)
    assert (converted.is_directed(), converted.is_multigraph()) == (
        graph.is_directed(),
        graph.is_multigraph(),
    )
    back = interface.convert_to_nx(converted)
    assert type(back) is make
    assert nx.utils.graphs_equal(back, graph)
    assert back["a"]["b"] == graph["a"]["b"]
    assert nx.number_of_selfloops(back) == 0
    assert interface.convert_to_nx(7) == 7
    assert nx.is_weakly_connected(converted) if make().is_directed() else nx.is_connected(converted)


def test_nodes_keep_their_identity():
    nodes = [object() for _ in range(4)]
    graph = nx.path_graph(nodes)
    found = nx.single_source_shortest_path(graph, nodes[0], backend="warpgraph")
    assert list(found) == nodes
    assert all(a is b for a, b in zip(found[nodes[3]], nodes, strict=True))
