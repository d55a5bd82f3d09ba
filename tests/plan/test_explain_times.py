"""The expected times of wg.explain are within a factor of three of committed benchmarks."""

import json
from pathlib import Path
from statistics import median

import pytest

from device_lists import machine, plan_for

RESULTS = Path(__file__).resolve().parents[2] / "benchmarks" / "results"
#: A factor of three, and a little for rounded rates.
FACTOR = 3.5


def _measured(name, ours="warpgraph"):
    """Return the cases of a file that this package has on CPU cores."""
    if not RESULTS.is_dir():
        pytest.skip("the benchmarks are not here")
    found = json.loads((RESULTS / f"{name}.json").read_text())["measurements"]
    return [
        (case["case"], case["size"], case["threads"], median(case["runs"][ours]))
        for case in found
        if ours in case["runs"]
    ]


def _check(algorithm, case, facts, threads, seconds, factor=FACTOR, **request):
    # Of vertices with few edges each, the graphs are roads and grids.
    n, m = facts["n_vertices"], facts.get("n_arcs", 0)
    facts = {"levels": 2 * n**0.5 if m < 5 * n else 10, "longest_row": 10} | facts
    on = machine(n_threads=threads)
    planned = plan_for(algorithm, facts, device=["cpu"], on=on, **request).seconds
    assert planned / factor < seconds < planned * factor, (case, threads, seconds, planned)


@pytest.mark.parametrize(
    ("name", "ours"),
    [
        ("kmeans-cpu-2-cores-2026-11-20", "warpgraph"),
        ("kmeans-nvidia-h100-80gb-hbm3-2026-11-25", "warpgraph cpu, 16 threads"),
    ],
)
def test_kmeans(name, ours):
    for case, size, threads, seconds in _measured(name, ours):
        starts = "start" in case
        facts = {"n_vertices": size["rows"], "n_dimensions": size["columns"]}
        facts |= {"n_centres": size["clusters"], "finds_start": starts}
        facts["n_iterations"] = 1 if starts else 10
        _check("kmeans", case, facts, threads, seconds)


@pytest.mark.parametrize(
    "name",
    ["mst-cpu-2-cores-2026-11-25", "mst-cpu-2-cores-2026-11-25-2", "mst-cpu-16-cores-2026-11-25"],
)
def test_forests(name):
    for case, size, threads, seconds in _measured(name):
        facts = {"n_vertices": size["vertices"], "n_arcs": size["edges"]}
        _check("minimum_spanning_forest", case, facts, threads, seconds)


def test_preparing_hierarchies():
    for case, size, threads, seconds in _measured("hierarchy-cpu-2-cores-2026-11-20"):
        if case.startswith("preparing"):
            facts = {"n_vertices": size["vertices"], "n_arcs": size["edges"]}
            request = {"method": "hierarchy", "n_sources": 1}
            _check("shortest_paths", case, facts, threads, seconds, **request)


@pytest.mark.parametrize(
    ("name", "ours"),
    [
        ("connected_components-cpu-2-cores-2026-11-25", "warpgraph"),
        ("connected_components-cpu-2-cores-2026-11-23-2", "warpgraph"),
        ("connected_components-cpu-2-cores-2026-11-23-3", "warpgraph"),
        ("connected_components-nvidia-h100-80gb-hbm3-2026-11-25", "warpgraph cpu, 16 threads"),
    ],
)
def test_components(name, ours):
    for case, size, threads, seconds in _measured(name, ours):
        both_ways = "random" not in case and "directed" not in case
        facts = {"n_vertices": size["vertices"], "n_arcs": size["edges"]}
        facts |= {"is_mirrored": both_ways, "is_known_mirrored": both_ways}
        method, factor = ("strong", 10) if case.startswith("strong") else ("weak", FACTOR)
        facts["is_used"] = "kept" in case
        _check("connected_components", case, facts, threads, seconds, factor, method=method)
