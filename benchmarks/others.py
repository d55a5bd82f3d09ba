"""Programs of others among the contestants of results, by the name that readers know.

All other contestants are variants of warpgraph.
"""

from __future__ import annotations

import re
from typing import Any

OTHERS = {
    "adds": "ADDS",
    "cupq": "CUPQ",
    "ecl-apsp": "ECL-APSP",
    "ecl-mst": "ECL-MST",
    "fast_hdbscan": "fast_hdbscan",
    "gap": "GAP",
    "gardenia": "Gardenia",
    "hdbscan": "hdbscan",
    "networkx": "NetworkX",
    "numpy": "NumPy",
    "parallel hdbscan*": "HDBSCAN* of SIGMOD'21",
    "pbbs filter-kruskal": "PBBS",
    "quitefastmst": "quitefastmst",
    "scipy": "SciPy",
    "SciPy": "SciPy",
    "scipy Delaunay": "SciPy",
    "scipy breadth_first_order": "SciPy",
    "scipy dijkstra": "SciPy",
    "scipy, one triangle": "SciPy",
    "scipy_strong": "SciPy",
    "scipy_undirected": "SciPy",
    "scipy_weak": "SciPy",
    "sklearn": "scikit-learn",
    "sklearn elkan": "scikit-learn",
    "sklearn lloyd": "scikit-learn",
}

#: Programs that run in processes of their own, whose own clocks count, and those for a GPU.
OUTSIDE = {
    *("adds", "cupq", "ecl-apsp", "ecl-mst", "gap", "gardenia"),
    *("parallel hdbscan*", "pbbs filter-kruskal"),
}
_FOR_A_GPU = {"adds", "cupq", "ecl-apsp", "ecl-mst", "gardenia"}
#: Rivals that use all threads of the run; those below use one core, whatever the number is.
_ON_ALL_THREADS = {
    *("gap", "pbbs filter-kruskal", "quitefastmst", "fast_hdbscan", "hdbscan"),
    "parallel hdbscan*",
    *("sklearn elkan", "sklearn lloyd", "cores", "warpgraph cpu"),
}
_ON_ONE_CORE = {"numpy", "networkx", "sklearn", "tarjan"}
#: Methods of warpgraph that run on cores although the row is of a GPU, in these cases.
_METHODS_ON_CORES = re.compile(r"many_to_many, |\d+ origins, |(sssp, (?!.* on the device))")
_HEAPS = {"std::priority_queue", "4-ary heap", "radix heap"}  # of an earlier version

#: What follows the name of warpgraph where the call starts from the matrix instead of a graph that
#: lies on the device.
WITH_COPY = ", with the copy"

OUTSIDE_MARK, ONCE_MARK, UNCHECKED_MARK = "¹", "²", "³"
LEGEND = (
    f"{OUTSIDE_MARK} in a process of its own, whose own clock counts: the median of several "
    "solves, without reading\nthe graph. "
    f"{ONCE_MARK} ran once; that time stands for all turns. "
    f"{UNCHECKED_MARK} no answers were compared in that run; elsewhere all rivals'\nanswers were, "
    "those of processes of their own by a count or a sum. "
    "Programs whose version\na file does not say are left out."
)


def in_legend(program: str) -> str:
    """Return a program's name with its mark and where it runs: "GAP¹ (cores)"."""
    (rival, *_) = (rival for rival, name in OTHERS.items() if name == program)
    where = "GPU" if rival in _FOR_A_GPU else "cores" if rival in _ON_ALL_THREADS else "1 core"
    if program == "scikit-learn":
        where = "cores; clusters: 1 core"
    return f"{program}{OUTSIDE_MARK if rival in OUTSIDE else ''} ({where})"


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
    if rival == "gap":
        kinds = {"sssp": "gap_sssp", "bfs": "gap_bfs", "pagerank": "gap_pr"}
        return kinds.get(case.split(",")[0].split(" ")[0], "gap_cc")
    programs = {
        "adds": "adds_sssp",
        "gardenia": "gardenia_sssp",
        "parallel hdbscan*": "parallel_hdbscan",
        "pbbs filter-kruskal": "pbbs_mst",
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
