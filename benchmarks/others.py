"""Names of benchmarks and contestants in the tables.

`OTHERS` has the programs of others; all other contestants are variants of warpgraph.
"""

from __future__ import annotations

import ast
import functools
import re
import textwrap
from pathlib import Path
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

OUTSIDE_MARK, ONCE_MARK, UNCHECKED_MARK, OLDER_MARK = "¹", "²", "³", "⁴"
LEGEND = (
    f"{OUTSIDE_MARK} The program ran in a process of its own and measured itself, without reading "
    f"the graph. {ONCE_MARK} The program ran once. {UNCHECKED_MARK} No answers were compared in "
    f"that run; in all others, the answers of all programs were. {OLDER_MARK} Measured before a "
    "change of the method's speed, which `benchmarks/page/speed.py` names."
)


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
    (r"\b(ssca2|SSCA2 scale) (\d)", r"SSCA2 \2"),
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


def is_prepared(measurement: dict[str, Any]) -> bool:
    """Return whether a call has what an earlier call has made: a graph, or a converted one."""
    return bool(measurement["resident"]) or re.search(r", kept\b", measurement["case"]) is not None


def input_of(measurement: dict[str, Any]) -> str:
    """Return what a call takes, as the fields of its measurement say."""
    if "vertices" not in measurement["size"]:
        return "array on the GPU" if stays(measurement) else "array"
    return "`wg.Graph`" if measurement["resident"] else "SciPy matrix"


def stays(measurement: dict[str, Any]) -> bool:
    """Return whether the result stays on the GPU."""
    return re.search(r"\bon the device\b", measurement["case"]) is not None


def shown_name(contestant: str) -> str:
    """Return what the page calls a contestant."""
    on_cores = re.sub(r"^warpgraph cpu(, |$)", r"warpgraph on cores\1", contestant)
    return _NAMES.get(contestant) or OTHERS.get(contestant, on_cores)


def wrapped(text: str) -> str:
    """Return a paragraph in lines of at most 118 columns."""
    return textwrap.fill(text, 118, break_long_words=False, break_on_hyphens=False)


@functools.cache
def sections() -> dict[str, tuple[str, str]]:
    """Return `SECTION` of each bench_<name>.py by name: its title, and what it compares.

    The files are read and not imported, since some import programs that may not be here.
    """
    found = {}
    for path in sorted(Path(__file__).parent.rglob("bench_*.py")):
        for node in ast.parse(path.read_text(encoding="utf-8")).body:
            if isinstance(node, ast.Assign) and ast.unparse(node.targets) == "SECTION":
                found[path.stem.removeprefix("bench_")] = ast.literal_eval(node.value)
    return found


def section_heading(benchmark: str) -> str:
    """Return the heading of a benchmark and what it compares."""
    _, sentence = sections().get(benchmark, ("", ""))
    heading = f"## {title(benchmark)}"
    return f"{heading}\n\n{wrapped(sentence)}" if sentence else heading


def title(benchmark: str) -> str:
    """Return the title of a benchmark, which is its name if there is none."""
    return sections()[benchmark][0] if benchmark in sections() else benchmark


@functools.cache
def folders() -> dict[str, str]:
    """Return the folder of each bench_<name>.py by name."""
    files = Path(__file__).parent.rglob("bench_*.py")
    return {path.stem.removeprefix("bench_"): path.parent.name for path in files}


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
