"""Names of benchmarks and contestants in the tables.

`OTHERS` has the programs of others; all other contestants are variants of warpgraph.
"""

from __future__ import annotations

import re
import textwrap
from typing import Any

OTHERS = {
    "Boost's 4-ary heap, 1 core": "Boost",
    "Boost's Fibonacci heap, 1 core": "Boost",
    "Boost's pairing heap, 1 core": "Boost",
    "adds": "ADDS",
    "cupq": "CUPQ",
    "ecl-apsp": "ECL-APSP",
    "ecl-mst": "ECL-MST",
    "fast_hdbscan": "fast_hdbscan",
    "gap": "GAP",
    "gardenia": "Gardenia",
    "GVE-Leiden": "GVE-Leiden",
    "GVE-Louvain": "GVE-Louvain",
    "Groute": "Groute",
    "hdbscan": "hdbscan",
    "igraph": "igraph",
    "leidenalg": "leidenalg",
    "networkit": "NetworKit",
    "networkx": "NetworkX",
    "numpy": "NumPy",
    "parallel hdbscan*": "HDBSCAN* of SIGMOD'21",
    "pbbs filter-kruskal": "PBBS",
    "routingkit": "RoutingKit",
    "routingkit, perfect": "RoutingKit",
    "quitefastmst": "quitefastmst",
    "scipy": "SciPy",
    "SciPy": "SciPy",
    "scipy Delaunay": "SciPy",
    "scipy breadth_first_order": "SciPy",
    "scipy dijkstra": "SciPy",
    "scipy pdist, linkage": "SciPy",
    "scipy, graph of edges": "SciPy",
    "scipy, one triangle": "SciPy",
    "scipy_strong": "SciPy",
    "scipy_undirected": "SciPy",
    "scipy_weak": "SciPy",
    "faiss IndexFlatL2": "FAISS, flat index",
    "scikit-learn ball_tree": "scikit-learn, ball tree",
    "scikit-learn brute": "scikit-learn, all pairs",
    "scikit-learn kd_tree": "scikit-learn, k-d tree",
    "sklearn": "scikit-learn",
    "sklearn elkan": "scikit-learn",
    "sklearn lloyd": "scikit-learn",
    "std::priority_queue, 1 core": "C++ standard library",
}
#: Heaps of others, on one core.
HEAPS_OF_OTHERS = {name for name in OTHERS if name.endswith(", 1 core")}

#: Programs that run in processes of their own, whose own clocks count, and those for a GPU.
OUTSIDE = {
    *("adds", "cupq", "ecl-apsp", "ecl-mst", "gap", "gardenia"),
    *("parallel hdbscan*", "pbbs filter-kruskal", "routingkit", "routingkit, perfect"),
    *("GVE-Leiden", "GVE-Louvain", "Groute"),
    *HEAPS_OF_OTHERS,
}
_FOR_A_GPU = {"adds", "cupq", "ecl-apsp", "ecl-mst", "gardenia", "Groute"}
#: Rivals that use all threads of the run; those below use one core, whatever the number is.
_ON_ALL_THREADS = {
    *("gap", "networkit", "pbbs filter-kruskal", "quitefastmst", "fast_hdbscan", "hdbscan"),
    *("parallel hdbscan*", "GVE-Leiden", "GVE-Louvain"),
    *("sklearn elkan", "sklearn lloyd", "cores", "warpgraph cpu"),
}
_ON_ONE_CORE = {"igraph", "leidenalg", "numpy", "networkx", "sklearn", "tarjan", *HEAPS_OF_OTHERS}
#: Methods of warpgraph that run on cores although the row is of a GPU, in these cases.
_METHODS_ON_CORES = re.compile(r"many_to_many, |\d+ origins, |(sssp, (?!.* on the device))")
_HEAPS = {"std::priority_queue", "4-ary heap", "radix heap"}  # of an earlier version

#: Addition to the name of warpgraph if the call starts from the matrix instead of a graph that
#: lies on the device.
WITH_COPY = ", with the copy"

OUTSIDE_MARK, ONCE_MARK, UNCHECKED_MARK = "¹", "²", "³"
LEGEND = (
    f"{OUTSIDE_MARK} The program ran in a process of its own and measured itself, without reading "
    f"the graph. {ONCE_MARK} The program ran once. {UNCHECKED_MARK} No answers were compared in "
    "that run; in all others, the answers of all programs were."
)


#: Title of a benchmark's section and what it compares, in the order of the page.
SECTIONS = {
    "sssp": (
        "Shortest paths from one vertex",
        "`wg.sssp` is compared with SciPy's Dijkstra, with GAP on cores, with ADDS and Gardenia on "
        "a GPU, and with its own methods.",
    ),
    "many_to_many": (
        "Shortest paths from many vertices",
        "`wg.many_to_many` is compared with SciPy's Dijkstra and with its own methods.",
    ),
    "pairs": (
        "Shortest paths of many pairs",
        "`wg.shortest_paths` of a graph that keeps its hierarchy is compared with SciPy's Dijkstra "
        "from each source, and with its own searches from both ends; A* by coordinates, a call for "
        "each pair, with NetworkX's.",
    ),
    "turns": (
        "Turns that cost something, or are forbidden",
        "`wg.sssp` of a graph with turns is compared with SciPy's Dijkstra on the graph of all "
        "edges, which was made before.",
    ),
    "within": (
        "What is near, and all shortest paths",
        "`wg.within`, `wg.accessibility` and `wg.nearest_facilities` are compared with SciPy's "
        "Dijkstra from some sources at a time, whose rows fit the memory, and "
        "`wg.shortest_path_dag` with igraph.",
    ),
    "hierarchy": (
        "Contraction hierarchies",
        "Searches with a prepared `wg.Hierarchy` are compared with searches without one; the rows "
        '"preparing" have the time of the preparation.',
    ),
    "customize": (
        "New weights on a kept hierarchy",
        "`wg.Hierarchy.customize` is compared with a hierarchy that is made anew, and with "
        "RoutingKit by the same order of contraction; queries with those of a hierarchy that was "
        "made for its weights.",
    ),
    "apsp": (
        "Shortest paths between all vertices",
        "`wg.apsp` is compared with SciPy's Floyd-Warshall, with ECL-APSP on a GPU, and with the "
        "same call without predecessors.",
    ),
    "bfs": (
        "Breadth-first search",
        "`wg.bfs` is compared with SciPy's breadth-first order and unweighted Dijkstra, and with "
        "GAP.",
    ),
    "connected_components": (
        "Connected components",
        "`wg.connected_components` (weak and strong components) is compared with SciPy and GAP.",
    ),
    "pagerank": (
        "PageRank",
        "`wg.pagerank` is compared with NetworkX's iteration on SciPy matrices and with GAP; all "
        "end with the same bound on the error.",
    ),
    "betweenness": (
        "Betweenness",
        "`wg.betweenness_centrality` is compared with NetworkX and igraph, and with NetworKit and "
        "GAP on cores. GAP draws its own sources.",
    ),
    "communities": (
        "Dense parts and communities",
        "`wg.leiden_communities`, `wg.louvain_communities`, `wg.core_numbers` and "
        "`wg.clustering_coefficients` are compared with igraph, leidenalg, NetworkX, NetworKit "
        "and GVE-Leiden, whose graphs are made beforehand. The modularity of theirs is higher by "
        "0.01 at most.",
    ),
    "mst": (
        "Spanning forests",
        "`wg.minimum_spanning_forest` is compared with SciPy, with PBBS on cores, and with ECL-MST "
        "on a GPU.",
    ),
    "trees": (
        "Steiner trees, arborescences and bottleneck paths",
        "`wg.steiner_tree`, `wg.minimum_arborescence` and `wg.bottleneck_paths` are compared with "
        "NetworkX, whose graphs are made beforehand. The pairs of `wg.bottleneck_paths` include "
        "the search for the forest.",
    ),
    "emst": (
        "Spanning trees of points",
        "`wg.cluster.euclidean_mst` is compared with other programs that find an exact tree.",
    ),
    "knn": (
        "Nearest neighbours",
        "`wg.cluster.kneighbors_graph` and `core_distances` are compared with SciPy's and "
        "scikit-learn's k-d trees and with warpgraph on cores.",
    ),
    "metrics": (
        "Other metrics, and many dimensions",
        "`wg.cluster.nearest_neighbors` and `mst_of_points` are compared with scikit-learn's trees "
        "and its comparison of all pairs, with FAISS's flat index, and with hdbscan's tree.",
    ),
    "metric_functions": (
        "Functions as metrics",
        "`wg.cluster.mst_of_points` by a function of Python, of NumPy's operations and of numba is "
        "compared with SciPy's `pdist` and `linkage`, and with the same metric by name.",
    ),
    "cluster": (
        "Single linkage and clusters by a spanning tree",
        "`wg.cluster.MSTClustering` and `single_linkage` are compared with scikit-learn, SciPy and "
        "fast_hdbscan.",
    ),
    "hdbscan": (
        "HDBSCAN",
        "`wg.cluster.HDBSCAN` is compared with hdbscan and fast_hdbscan on cores, and with "
        "warpgraph on cores where it runs on a GPU.",
    ),
    "kmeans": (
        "k-means",
        "`wg.cluster.KMeans` is compared with scikit-learn: both make ten iterations from the same "
        "start unless the case says otherwise.",
    ),
    "transform": (
        "Transformations of graphs",
        "The functions of `wg.transform` are compared with NumPy, and the search for a spanning "
        "forest of the transformed graph with that of the untransformed one.",
    ),
    "predicate_filter": (
        "Filtering an array",
        "`wg.predicate_filter` is compared with NumPy's boolean index and with itself on fewer "
        "threads or endpoints.",
    ),
    "nx_backend": (
        "Functions of NetworkX",
        "Functions of NetworkX with the backend are compared with NetworkX's own. In cases "
        '"converted", the conversion of the graph is part of the time; in cases "kept", an earlier '
        'call has converted it. "Containers alone" is the time of making the dictionaries and '
        "lists of the result.",
    ),
    "distributed": (
        "Several machines",
        "`warpgraph.distributed` on workers of one machine is compared with one process that has "
        "the whole graph.",
    ),
    "install": (
        "Installation",
        "The CPU-seconds of a clean build of the wheel from the source distribution, with the "
        "default options and without a cache of compilations.",
    ),
    "import": (
        "Import",
        "The time of `import warpgraph` after NumPy and SciPy is compared with the import of these "
        "two.",
    ),
    "first_call": (
        "First calls",
        "A call of a SciPy matrix, whose arrays are checked and, on a GPU, copied there, is "
        "compared with the same call of a kept `wg.Graph`, and with a copy of as many bytes as it "
        "reads from page-locked memory to the GPU.",
    ),
    "runtime": (
        "Several GPUs, and the runtime",
        "A call on all GPUs of the machine is compared with the same call on fewer. Links, "
        "broadcasts and worklists of `wg.runtime` are compared with plain calls of CUDA and with "
        'other ways to do the same. A worklist runs in one kernel for all rounds ("fused") '
        'or with a launch for each round ("separate").',
    ),
}

#: Names of contestants in files of results, and what the page calls them.
_NAMES = {
    "GPU over the bus": "GPU that reads the rest over the bus",
    "NetworkX's rule": "with NetworkX's rule for the end",
    "as it came": "untransformed graph",
    "cores": "warpgraph on cores",
    "both off": "without segments and read-only loads",
    "equal split": "equal ranges of vertices",
    "importing those": "importing NumPy and SciPy",
    "in memory": "whole matrix in memory",
    "kept graph": "the call of a kept graph",
    "one by one": "one search after the other",
    "one call": "one process",
    "pinned copy": "a copy from page-locked memory",
    "read-only loads off": "without read-only loads",
    "result again": "containers alone",
    "scipy Delaunay": "SciPy, Delaunay",
    "scipy breadth_first_order": "SciPy, breadth_first_order",
    "scipy dijkstra": "SciPy, dijkstra",
    "scipy pdist, linkage": "SciPy",
    "scipy, graph of edges": "SciPy, graph of edges",
    "scipy, one triangle": "SciPy, upper triangle only",
    "scipy_strong": "SciPy, strong components",
    "scipy_undirected": "SciPy, undirected",
    "scipy_weak": "SciPy, weak components",
    "segments off": "without segments",
    "sklearn": "scikit-learn",
    "sklearn elkan": "scikit-learn, Elkan",
    "sklearn lloyd": "scikit-learn, Lloyd",
    "static": "shares fixed before",
    "tarjan": "Tarjan's algorithm",
    "the other alone": "the other endpoint alone",
    "32 at a time": "32 sources at a time",
    "way back": "the way back",
    "without": "without predecessors",
}


#: Parts of the names of cases in files of results, and what the page has in their place.
_PARTS_OF_CASES = (
    (r", (resident|kept graph)$", ""),
    (r", (resident|kept graph),", ","),
    (r"(distances|labels|scores) stay on the device", r"\1 stay on the GPU"),
    (r"edge ids on the device", "positions of edges on the GPU"),
    (r"all on the device", "all on the GPU"),
    (r"\b(rmat|R-MAT scale) (\d)", r"R-MAT \2"),
    (r"\bssca2 (\d)", r"SSCA2 \1"),
)


def shown_case(case: str) -> str:
    """Return what the page calls a case."""
    for pattern, shown in _PARTS_OF_CASES:
        case = re.sub(pattern, shown, case)
    return case


def is_of_kept_graph(measurement: dict[str, Any]) -> bool:
    """Return whether a call has a graph that an earlier call has prepared."""
    case = str(measurement["case"])
    if re.search(r", (resident|kept graph)\b", case):
        return True
    prepared = measurement["resident"] or case.startswith("article's forest")
    return bool(prepared) and measurement["device"] != "cpu"


def shown_name(contestant: str) -> str:
    """Return what the page calls a contestant."""
    on_cores = re.sub(r"^warpgraph cpu(, |$)", r"warpgraph on cores\1", contestant)
    return _NAMES.get(contestant) or OTHERS.get(contestant, on_cores)


def wrapped(text: str) -> str:
    """Return a paragraph in lines of at most 118 columns."""
    return textwrap.fill(text, 118, break_long_words=False, break_on_hyphens=False)


def section_heading(benchmark: str) -> str:
    """Return the heading of a benchmark and what it compares."""
    if benchmark not in SECTIONS:
        return f"## {benchmark}"
    title, sentence = SECTIONS[benchmark]
    return f"## {title}\n\n{wrapped(sentence)}"


def section_place(benchmark: str) -> int:
    """Return the position of a benchmark on the page."""
    order = list(SECTIONS)
    return order.index(benchmark) if benchmark in order else len(order)


def marks(rival: str, measurement: dict[str, Any]) -> str:
    """Return the marks of a contestant's time."""
    if rival in OUTSIDE:
        return OUTSIDE_MARK
    return ONCE_MARK if ran_once(rival, measurement) else ""


def without_unversioned(measurement: dict[str, Any], versions: dict[str, str]) -> dict[str, Any]:
    """Return a measurement without the programs whose version its file does not say."""
    named = measurement["ratios"].keys() & (OUTSIDE | {"quitefastmst", "fast_hdbscan", "hdbscan"})
    left_out = {r for r in named if _version_key(r, measurement["case"]) not in versions}
    ratios = {r: ratio for r, ratio in measurement["ratios"].items() if r not in left_out}
    return {**measurement, "ratios": ratios}


def _version_key(rival: str, case: str) -> str:
    """Return the name of a rival's version in a file of results."""
    if rival in HEAPS_OF_OTHERS:
        return "heaps"
    if rival == "gap":
        kinds = {"sssp": "gap_sssp", "bfs": "gap_bfs", "pagerank": "gap_pr"}
        return kinds.get(case.split(",")[0].split(" ")[0], "gap_cc")
    programs = {
        "adds": "adds_sssp",
        "gardenia": "gardenia_sssp",
        "Groute": "groute",
        "GVE-Leiden": "gve_leiden",
        "GVE-Louvain": "gve_leiden",
        "parallel hdbscan*": "parallel_hdbscan",
        "pbbs filter-kruskal": "pbbs_mst",
        "routingkit": "routingkit_cch",
        "routingkit, perfect": "routingkit_cch",
    }
    return programs.get(rival, rival.replace("-", "_"))


def ran_once(rival: str, measurement: dict[str, Any]) -> bool:
    """Return whether a rival ran once only, in the process of the benchmark."""
    return rival not in OUTSIDE and len(set(measurement["runs"][rival])) == 1


def place(rival: str, measurement: dict[str, Any]) -> str:
    """Return where a rival ran, unless it is where warpgraph did: "1 core", "16 threads"."""
    device, threads = measurement["device"], measurement["threads"]
    if rival in _FOR_A_GPU or (device == "cpu" and threads == 1):
        return ""
    if rival in _ON_ONE_CORE or OTHERS.get(rival) == "SciPy":
        return "1 core"
    if device == "cpu":
        return ""
    on_cores = rival in {"dijkstra", "bellman_ford", "batched", *_HEAPS}
    if on_cores and _METHODS_ON_CORES.match(measurement["case"]):
        return (
            "1 core" if (rival, measurement["case"][:4]) == ("dijkstra", "sssp") else _of(threads)
        )
    return _of(threads) if rival in _ON_ALL_THREADS else ""


def _of(threads: int) -> str:
    return "1 thread" if threads == 1 else f"{threads} threads"


def ratios_of_others(measurement: dict[str, Any]) -> dict[str, float]:
    """Return how many times longer the programs of others took; of several names, the least."""
    found: dict[str, float] = {}
    for rival, ratio in measurement["ratios"].items():
        name = OTHERS.get(rival)
        if name is not None:
            found[name] = min(ratio, found.get(name, ratio))
    return found
