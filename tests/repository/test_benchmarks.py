"""The harness, its files and rivals, and every benchmark on its smallest cases."""

import copy
import json
import os
import re
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
import scipy.sparse as sp
from scipy.sparse import csgraph

import networkx_support
import warpgraph as wg
from benchmark_support import BENCHMARKS, ROOT, load, run

result_format = load("result_format")
report = load("report")
cases = load("page.cases")
compare = load("compare")


@pytest.fixture(scope="module")
def results(tmp_path_factory):
    """Results of the smoke suite, by benchmark; computed at first use."""
    folder = tmp_path_factory.mktemp("results")
    environment = networkx_support.environment(
        tmp_path_factory.mktemp("backend"), WARPGRAPH_COMMIT="0123abc+dirty"
    )
    made = {}

    def result_of(name):
        if name not in made:
            options = ["--suite", "smoke", "--repeat", "2", "--output", folder / name]
            run(name, *options, env=environment)
            (made[name],) = (folder / name).glob("*.json")
        return made[name]

    return result_of


@pytest.mark.parametrize("path", sorted(BENCHMARKS.glob("*/bench_*.py")), ids=lambda p: p.stem)
def test_smoke_suite_runs_and_its_answers_agree(path, results):
    result = result_format.load(results(f"{path.parent.name}.{path.stem}"))
    assert result["benchmark"] == path.stem.removeprefix("bench_")
    assert result["commit"] == "0123abc"
    assert result["dirty"]
    for measurement in result["measurements"]:
        assert all(len(times) == 2 for times in measurement["runs"].values())


def test_summarise_takes_medians_and_divides_the_rival_by_ours():
    runs = {"ours": [3.0, 1.0, 2.0], "rival": [10.0, 30.0, 20.0], "other": [1.0, 1.0, 1.0]}
    medians, ratios = result_format.summarise(runs, "ours")
    assert medians == {"ours": 2.0, "rival": 20.0, "other": 1.0}
    assert ratios == {"rival": 10.0, "other": 0.5}


def missing_key(result):
    del result["machine"]


def unknown_commit(result):
    result["commit"] = "unknown"


def no_measurements(result):
    result["measurements"] = []


def embellished_median(result):
    measurement = result["measurements"][0]
    measurement["medians"][measurement["ours"]] /= 2


def negative_time(result):
    measurement = result["measurements"][0]
    measurement["runs"][measurement["ours"]][0] = -1.0


def mistyped_key(result):
    result["measurements"][0]["threads"] = "two"


def counts(name, values):
    return lambda result: result["measurements"][0].update(counts={name: {"rounds": values}})


@pytest.mark.parametrize(
    ("spoil", "complaint"),
    [
        (missing_key, "lacks 'machine'"),
        (unknown_commit, "commit is 'unknown'"),
        (no_measurements, "no measurements"),
        (embellished_median, "not those of its runs"),
        (negative_time, "without positive times"),
        (mistyped_key, "'threads' of measurement"),
        (counts("warpgraph", [1]), "not one count of 'rounds' for each run of 'warpgraph'"),
        (counts("warpgraph", [1, 2.5]), "not one count of 'rounds'"),
        (counts("nobody", [1, 2]), "for each run of 'nobody'"),
    ],
)
def test_malformed_results_are_named(spoil, complaint, results, tmp_path):
    path = results("search.bench_connected_components")
    result = json.loads(path.read_text())
    assert result_format.problems(result) == []
    spoilt = copy.deepcopy(result)
    spoil(spoilt)
    (tmp_path / "spoilt.json").write_text(json.dumps(spoilt))
    with pytest.raises(ValueError, match=complaint):
        result_format.load(tmp_path / "spoilt.json")


def test_a_rival_that_disagrees_ends_the_benchmark(tmp_path):
    script = tmp_path / "bench_liar.py"
    script.write_text(
        f"import sys; sys.path.insert(0, {str(ROOT)!r})\n"
        "from benchmarks.harness import Case, main\n"
        "case = Case('sum', lambda: 3, lambda x: 3, {'liar': lambda x: 4}, agree=int.__eq__)\n"
        "main(__file__, [case])\n"
    )
    done = subprocess.run([sys.executable, script], check=False, capture_output=True, text=True)
    assert done.returncode == 1
    assert "warpgraph and liar do not agree" in done.stderr


def test_a_rival_that_does_not_end_is_left_out(tmp_path):
    script = tmp_path / "bench_waiter.py"
    script.write_text(
        f"import sys; sys.path.insert(0, {str(ROOT)!r})\n"
        "from benchmarks.harness import Case, TimeLimitError, main\n"
        "def hangs(x):\n"
        "    raise TimeLimitError(10)\n"
        "rivals = {'hangs': hangs, 'ends': lambda x: 3}\n"
        "main(__file__, [Case('sum', lambda: 3, lambda x: 3, rivals, agree=int.__eq__)])\n"
    )
    environment = {**os.environ, "WARPGRAPH_COMMIT": "0123abc"}
    command = [sys.executable, script, "--output", tmp_path / "r"]
    done = subprocess.run(command, check=True, capture_output=True, text=True, env=environment)
    assert "hangs is left out: it was stopped after 10 s" in done.stderr
    assert re.search(r"hangs +> 10000", done.stdout)
    (path,) = (tmp_path / "r").glob("*.json")
    (kept,) = result_format.load(path)["measurements"]
    assert set(kept["runs"]) == {"warpgraph", "ends"}
    assert kept["checked"]
    assert kept["unfinished"] == {"hangs": 10}


def test_counts_of_every_run_are_kept_and_shown(tmp_path):
    script = tmp_path / "bench_counter.py"
    script.write_text(
        f"import sys; sys.path.insert(0, {str(ROOT)!r})\n"
        "from itertools import count\n"
        "from benchmarks.harness import Case, Timed, main\n"
        "moved = count(1)\n"
        "def ours(x):\n"
        "    return Timed(0.5, 3, {'bytes moved': 10**6 * next(moved), 'rounds': 2})\n"
        "main(__file__, [Case('sum', lambda: 3, ours, {'rival': lambda x: 4})])\n"
    )
    environment = {**os.environ, "WARPGRAPH_COMMIT": "0123abc"}
    command = [sys.executable, script, "--repeat", "3", "--output", tmp_path / "r"]
    subprocess.run(command, check=True, capture_output=True, env=environment)
    (path,) = (tmp_path / "r").glob("*.json")
    (kept,) = result_format.load(path)["measurements"]
    moved = [2 * 10**6, 3 * 10**6, 4 * 10**6]
    assert kept["counts"] == {"warpgraph": {"bytes moved": moved, "rounds": [2, 2, 2]}}
    assert "; at most 4 MB moved, 2 rounds |" in cases.markdown(report.read(tmp_path / "r"))


def as_standard(path, folder, started, seconds):
    """Write the result in `path` as one of the standard suite with other times."""
    result = json.loads(path.read_text())
    result.update(suite="standard", started=started)
    for m in result["measurements"]:
        m["runs"] = {name: [seconds * (1 + i)] for i, name in enumerate(m["runs"])}
        m["medians"], m["ratios"] = result_format.summarise(m["runs"], m["ours"])
        sums = {"relaxations": 10**9, "relaxations_per_second": 1.6e10, "seconds": 0.0625}
        m["floor"] = sums if m["case"].startswith("weak") else None
    folder.mkdir(exist_ok=True)
    (folder / f"{started[:10]}.json").write_text(json.dumps(result))


def test_report_shows_the_newest_result_between_the_markers(results, tmp_path, monkeypatch):
    path = results("search.bench_connected_components")
    as_standard(path, tmp_path / "r", "2026-02-01T00:00:00+00:00", 0.125)
    as_standard(path, tmp_path / "r", "2026-01-01T00:00:00+00:00", 99.0)
    measured = json.loads(path.read_text())["measurements"][0]
    row = report.headlines.Row("components", measured["case"], False, "none")
    monkeypatch.setattr(report.headlines, "ROWS", (row,))
    monkeypatch.setattr(report.headlines, "_is_on", lambda line, on_gpu: not on_gpu)
    machine = report.read(tmp_path / "r")[0].machine
    bar = report.picture.Bar("components", measured["case"])
    monkeypatch.setattr(report.picture, "BARS", (bar,))
    monkeypatch.setattr(report.picture, "MACHINE", machine)
    monkeypatch.setattr(report.picture, "THREADS", measured["threads"])
    monkeypatch.setattr("benchmarks.page.speed.CHANGES", ())  # the dates are not of real results
    readme, page, picture = (tmp_path / name for name in ("README.md", "page.md", "picture.png"))
    for document in (readme, page):
        document.write_text(f"before\n{report.BEGIN}\nold\n{report.END}\nafter\n")
    options = ["--results", tmp_path / "r", "--readme", readme, "--page", page]
    options += ["--picture", picture, "--topics", tmp_path / "topics"]
    options = [str(option) for option in options]
    with pytest.raises(SystemExit, match="not those of results"):
        report.main([*options, "--check"])
    report.main(options)
    report.main([*options, "--check"])
    text = readme.read_text()
    assert text.startswith("before\n")
    assert text.endswith("after\n")
    shown = "components: 0.125 s, SciPy 0.25 s"
    assert f"![Times of {machine}. {shown}](picture.png)" in text
    assert report.picture.drawn(picture) == shown
    assert "old" not in text
    shown = page.read_text()
    assert "| none | SciPy matrix | 2 cores | 125 | SciPy (1 core)²: 250 |" in shown  # it ran once
    assert f"| {machine} | 2026-02-01 | " in shown
    assert "[All " in shown.partition("](topics/search.md)")[0].splitlines()[-1]
    (topic,) = (tmp_path / "topics").iterdir()
    assert topic.name == "search.md"
    shown = topic.read_text()
    assert "| 125² | SciPy (1 core)² 2 |" in shown
    assert "99" not in shown.split("| --- |")[1]
    assert "| strong" in shown
    rows = shown.split("of the bound |")[1].split("\n\n")[0].splitlines()[2:]
    assert rows[0].startswith("| weak")
    assert rows[0].endswith("| 8 | 50% |")
    assert all(row.startswith("| weak") for row in rows)
    assert picture.read_bytes().startswith(b"\x89PNG")
    report.picture.draw([report.picture.Measured("components", 1, 2, "SciPy", 2, 2)], picture)
    with pytest.raises(SystemExit, match="does not show the results"):
        report.main([*options, "--check"])


def test_documents_and_the_picture_show_the_results():
    report.main(["--check"])
    bars = report.picture.measured(report.read(BENCHMARKS / "results"))
    assert len(bars) == len(report.picture.BARS) <= 10


def test_ratios_of_the_sizes_of_a_function_share_a_row(results, tmp_path):
    path = results("interface.bench_csgraph")
    made = json.loads(path.read_text())
    first = made["measurements"][0]
    times = {10: 1.0, 100: 3.0, 1000: 1.05, 10**4: 1.2, 10**5: 140.0}
    made.update(suite="standard", measurements=[])
    for n, scipy in times.items():
        runs = {first["ours"]: [1.0], "scipy": [scipy]}
        medians, ratios = result_format.summarise(runs, first["ours"])
        case = {"case": f"csgraph.dijkstra, unweighted, sparse, {n} vertices", "threads": 1}
        made["measurements"].append(
            first | case | {"runs": runs, "medians": medians, "ratios": ratios}
        )
    (tmp_path / "made.json").write_text(json.dumps(made))
    tables = load("page.by_size").tables(report.read(tmp_path))
    assert "on 1 thread," in tables
    row = "| dijkstra, unweighted | sparse | 1 | 3 | 1.1 | 1.2 | 140 | 10,000 |"
    assert row in tables.splitlines()


def test_report_wants_markers(tmp_path):
    (tmp_path / "README.md").write_text("nothing here")
    with pytest.raises(SystemExit, match="no markers"):
        report.main(["--results", str(tmp_path), "--readme", str(tmp_path / "README.md")])


@pytest.mark.parametrize(
    ("old", "new", "is_slower"),
    [
        ([1.0] * 5, [1.0] * 5, False),
        ([1.0] * 5, [1.02] * 5, False),
        ([1.0] * 5, [1.1] * 5, True),
        ([1.0] * 5, [1.1, 1.1, 1.1, 0.9, 0.9], False),  # within the spread of the turns
        ([1.0] * 5, [0.5] * 5, False),
        ([1.0], [1.2], True),
    ],
)
def test_builds_are_slower_beyond_three_percent_and_their_spread(old, new, is_slower):
    runs = {"warpgraph": new, "the build before": old}
    _, ratios = result_format.summarise(runs, "warpgraph")
    measurement = {"case": "a", "ours": "warpgraph", "runs": runs, "ratios": ratios}
    assert compare.slower([measurement]) == ["a"] * is_slower


def test_suites_are_chosen_by_name_or_all_at_once():
    assert compare.is_in("large", "standard,large")
    assert not compare.is_in("smoke", "all")
    assert compare.is_in("seed-003", "all")
    assert not compare.is_in("large", "standard")


def measured(case, device, runs, *, threads=16, resident=True, checked=True):
    medians, ratios = result_format.summarise(runs, next(iter(runs)))
    return {
        "case": case,
        "size": {"vertices": 9},
        "device": device,
        "threads": threads,
        "resident": resident,
        "checked": checked,
        "ours": next(iter(runs)),
        "runs": runs,
        "medians": medians,
        "ratios": ratios,
        "floor": None,
    }


def test_tables_say_where_and_how_rivals_ran():
    runs = {
        "warpgraph cuda:0": [0.001, 0.002, 0.003],
        "warpgraph cuda:0, with the copy": [0.01, 0.02, 0.03],
        "scipy": [0.2, 0.2, 0.2],
        "gap": [0.003, 0.004, 0.005],
        "ecl-mst": [0.006, 0.006, 0.006],
    }
    there = measured("sssp, roads", "cuda:0", runs)
    on_cores = measured("sssp, roads", "cpu", {"warpgraph": [1.0, 2.0]}, checked=False)
    lines = [
        report.Line("sssp", "H200", versions, "2026-11-22", "0123abc", m)
        for versions, m in [
            ({"python": "3.12", "scipy": "1.18.1", "gap": "b5e3e19, sha256 0f"}, there),
            ({"warpgraph": "0.1", "scipy": "1.17.1"}, on_cores),
        ]
    ]
    table = cases.markdown(lines)
    row, unchecked = table.splitlines()[-2:]
    assert "| GPU, wg.Graph | 2 | 20 | SciPy (1 core)² 100, GAP (16 threads)¹ 2, " in row
    assert row.endswith("ECL-MST¹ 3 |")
    assert unchecked.startswith("| sssp, roads³ |")
    versions = "| H200 | 2026-11-22 | scipy 1.17.1 or 1.18.1, gap b5e3e19 |"
    assert versions in load("page.topics").machines(lines).splitlines()
    assert "ran once" in report.others.LEGEND


def test_results_have_the_versions_of_programs(tmp_path, monkeypatch):
    machine = load("machine")
    program = tmp_path / "bfs"
    program.write_bytes(b"program")
    monkeypatch.setenv("WARPGRAPH_GAP_BFS", str(program))
    assert machine.versions()["gap_bfs"] == "version not said, sha256 1310ca2c8932"
    monkeypatch.setenv("WARPGRAPH_GAP_BFS_VERSION", "b5e3e19")
    assert machine.versions()["gap_bfs"].startswith("b5e3e19, sha256 ")


def test_scipy_gets_its_own_types_and_one_triangle():
    inputs = load("inputs")
    dense = np.array([[0, 5, 0], [5, 0, 2], [0, 2, 0]], np.int32)
    matrix = sp.csr_array(dense)
    for one_triangle, entries in ((False, 4), (True, 2)):
        given = inputs.for_scipy(matrix, one_triangle=one_triangle)
        assert given is inputs.for_scipy(matrix, one_triangle=one_triangle)
        assert (given.dtype, given.indices.dtype, given.nnz) == (np.float64, np.int32, entries)
        assert csgraph.minimum_spanning_tree(given).sum() == 7


def test_a_rival_that_runs_once_runs_again_with_other_threads():
    harness = load("harness")
    calls = []
    once = harness.Once(lambda x: calls.append(x.threads) or x.threads)
    matrix = object()
    for threads in (1, 1, 2, 2):
        assert once(harness.Input(matrix, matrix, "cpu", threads)).result == threads
    assert calls == [1, 2]


@pytest.mark.skipif(not Path("/usr/include/boost/heap").exists(), reason="there is no Boost")
def test_heaps_of_others_find_the_same_distances(tmp_path, monkeypatch):
    source, program = BENCHMARKS / "rivals" / "heaps.cpp", tmp_path / "heaps"
    subprocess.run(["g++", "-O1", "-std=c++17", source, "-o", program], check=True)
    monkeypatch.setenv("WARPGRAPH_HEAPS", str(program))
    many = load("paths.bench_many_to_many")
    graph = wg.generators.grid(20, 30, seed=1, weights=(1, 1000), dtype=np.float64)
    matrix = load("inputs").matrix_of(graph)
    origins = np.arange(0, 600, 37)
    theirs = load("rivals.ecl").heaps_of_one_core(lambda _: origins, lambda m: range(m.shape[0]))
    assert len(theirs) == 4
    expected = wg.many_to_many(graph, origins, dtype=np.float32, method="dijkstra", device="cpu")
    x = load("harness").Input(matrix, graph, "cpu", 2)
    for name, search in theirs.items():
        found = search(x)
        assert many.agree_in_columns(expected.astype(np.float64), found.result), name
        assert not many.agree_in_columns(expected + 1, found.result)
        assert load("others").place(name, {"device": "cpu", "threads": 2}) == "1 core"
    assert set(theirs) == load("others").HEAPS_OF_OTHERS
    seed = load("experiments.seed_002")
    taken = {"case": "1024 origins, x, float32", "ours": "warpgraph", "threads": 2, "device": "cpu"}
    named = seed.contestants_of(taken | {"medians": dict.fromkeys(["warpgraph", *theirs], 1.0)})
    assert list(named) == ["buckets, 2 threads", *theirs]
