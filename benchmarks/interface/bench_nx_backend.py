"""NetworkX's functions on the backend against NetworkX's own, of graphs of its dictionaries.

Each is measured twice: with the conversion of the graph, and with a graph that was converted by an
earlier call and kept. Iterators are read to their ends. NetworkX takes seconds: it is timed once.
With a kept graph, spanning forests are kept as well: their functions make dictionaries and lists of
edges that are known, and do not search.

"result again" makes the lists, sets and dictionaries of a result from nodes and numbers that are
there, with no graph and no search. No backend can be faster; where NetworkX takes less than 50
times as long as that, no backend can be 50 times as fast.
"""

import os
import time
from functools import partial

# Both have to be set before NetworkX is imported.
os.environ.setdefault("NETWORKX_WARNINGS_TO_IGNORE", "cache")

import networkx as nx
import numpy as np

from benchmarks.harness import Case, Input, Once, Timed, main

SECTION = (
    "Functions of NetworkX",
    "Functions of NetworkX with the backend are compared with NetworkX's own. In cases "
    '"converted", the conversion of the graph is part of the time; in cases "kept", an earlier '
    'call has converted it. "Containers alone" is the time of making the dictionaries and '
    "lists of the result.",
)

#: Functions of one search, by name: positional arguments. They run on a hundred thousand vertices.
SEARCHES = {
    "single_source_dijkstra": (0,),
    "single_source_dijkstra_path_length": (0,),
    "multi_source_dijkstra_path_length": ([0, 1, 2],),
    "dijkstra_predecessor_and_distance": (0,),
    "single_source_bellman_ford_path_length": (0,),
    "goldberg_radzik": (0,),
    "single_source_shortest_path": (0,),
    "single_source_shortest_path_length": (0,),
    "bfs_edges": (0,),
    "bfs_tree": (0,),
    "descendants": (0,),
    "pagerank": (),
}
UNDIRECTED = {
    "connected_components": (),
    "minimum_spanning_edges": (),
    "minimum_spanning_tree": (),
}
DIRECTED = {"strongly_connected_components": (), "weakly_connected_components": ()}
#: Functions that search from every vertex. They run on two thousand, in the suite "large".
ALL_PAIRS = {
    "all_pairs_dijkstra_path_length": (),
    "all_pairs_dijkstra_path": (),
    "all_pairs_shortest_path": (),
    "all_pairs_shortest_path_length": (),
    "average_shortest_path_length": (),
    "closeness_centrality": (),
    "harmonic_centrality": (),
    "betweenness_centrality": (),
    "edge_betweenness_centrality": (),
    "diameter": (),
}

#: Functions whose result is a number.
NUMBERS = ("average_shortest_path_length", "diameter")


def graph_of(n_vertices, n_edges, directed):
    """Return a random graph with integer weights up to 1000."""
    graph = nx.gnm_random_graph(n_vertices, n_edges, seed=1, directed=directed)
    weights = np.random.default_rng(1).integers(1, 1000, n_edges).tolist()
    for (_, _, data), weight in zip(graph.edges(data=True), weights, strict=True):
        data["weight"] = weight
    return graph


LARGE = partial(graph_of, 100_000, 1_000_000, False)
LARGE_DIRECTED = partial(graph_of, 100_000, 1_000_000, True)
MEDIUM = partial(graph_of, 2_000, 20_000, False)
SMALL = partial(graph_of, 300, 1_000, False)
SMALL_DIRECTED = partial(graph_of, 300, 1_000, True)


def call(name, arguments, backend, graph):
    found = getattr(nx, name)(graph, *arguments, backend=backend)
    return list(found) if hasattr(found, "__next__") else found


def with_conversion(name, arguments, x: Input):
    x.matrix.__networkx_cache__.clear()
    return call(name, arguments, "warpgraph", x.matrix)


def converted(name, arguments, x: Input):
    return call(name, arguments, "warpgraph", x.matrix)


def networkx_own(name, arguments, x: Input):
    """Return the time and the size of the result, which need not be kept."""
    start = time.perf_counter()
    found = call(name, arguments, "networkx", x.matrix)
    return Timed(time.perf_counter() - start, len_or_value(found))


def len_or_value(found):
    return len(found) if hasattr(found, "__len__") else found


def agree(mine, its) -> bool:
    """Compare sizes; the tests compare results."""
    return bool(np.isclose(len_or_value(mine), its))


def result_again(name, arguments, x: Input):
    """Return the time that the containers of a result take."""
    found = call(name, arguments, "warpgraph", x.matrix)
    make = maker_of(found)
    start = time.perf_counter()
    made = make()
    elapsed = time.perf_counter() - start
    del made
    return Timed(elapsed, len_or_value(found))


def maker_of(found):
    """Return a function that makes the containers of a result from their items."""
    if isinstance(found, nx.Graph):
        rows, attributes = list(found.adj), [data for _, _, data in found.edges(data=True)]
        neighbours = [dict(row) for row in found._adj.values()]
        return lambda: (
            dict(zip(rows, map(dict.copy, neighbours), strict=True)),
            list(map(dict.copy, attributes)),
        )
    if isinstance(found, tuple):
        parts = list(map(maker_of, found))
        return lambda: [part() for part in parts]
    if isinstance(found, dict):
        keys, values = list(found), list(found.values())
        copied = type(values[0]).copy if hasattr(values[0], "copy") else None
        return lambda: dict(zip(keys, map(copied, values) if copied else values, strict=True))
    if isinstance(found, set):
        return partial(set, list(found))
    if isinstance(found[0], tuple) and isinstance(found[0][1], dict):  # of each node
        nodes, makers = [node for node, _ in found], [maker_of(part) for _, part in found]
        return lambda: [(node, make()) for node, make in zip(nodes, makers, strict=True)]
    if isinstance(found[0], tuple):
        columns = list(zip(*found, strict=True))
        return lambda: list(zip(*columns, strict=True))
    return lambda: [part.copy() for part in found]


def size(graph) -> dict[str, int]:
    return {"vertices": graph.number_of_nodes(), "edges": graph.number_of_edges()}


def cases(functions, build, suite):
    for name, arguments in functions.items():
        rival = Once(partial(networkx_own, name, arguments))
        again = partial(result_again, name, arguments)
        for how, ours in ((", converted", with_conversion), (", kept", converted)):
            has_containers = how == ", kept" and name not in NUMBERS
            yield Case(
                f"nx.{name}, {build.args[0]} vertices{how}",
                build,
                partial(ours, name, arguments),
                {"networkx": rival, **({"result again": again} if has_containers else {})},
                suite=suite,
                agree=agree,
                size=size,
                resident=False,
                devices=("cpu",),
            )


CASES = [
    *cases({**SEARCHES, **UNDIRECTED}, SMALL, "smoke"),
    *cases(DIRECTED, SMALL_DIRECTED, "smoke"),
    *cases({**SEARCHES, **UNDIRECTED}, LARGE, "standard"),
    *cases(DIRECTED, LARGE_DIRECTED, "standard"),
    *cases(ALL_PAIRS, MEDIUM, "large"),
]

if __name__ == "__main__":
    main(__file__, CASES)
