"""docs/experiments.md and the command that repeats an article."""

import argparse
import json
import os
import re
from functools import partial
from pathlib import Path

import numpy as np
import pytest

import warpgraph as wg
from benchmark_support import BENCHMARKS, ROOT, cells, load, made, run

all_reduce = load("experiments.all_reduce")
articles = load("experiments.page.articles")
clustering = load("experiments.clustering")
document = load("experiments.page.document")
experiments = load("experiments.run")
links = load("experiments.page.links")
numbers = load("experiments.page.numbers")
paths = load("experiments.page.paths")
result_format = load("result_format")
runs = load("experiments.page.runs")
runtime = load("experiments.page.runtime")
seed_004 = load("experiments.seed_004")
steps = load("experiments.seed_004_steps")

PAGE = (ROOT / "docs" / "experiments.md").read_text(encoding="utf-8")
RESULTS = document.committed(BENCHMARKS / "results")


def test_each_article_is_named_linked_and_cited():
    cited = (ROOT / "docs" / "references.md").read_text(encoding="utf-8")
    assert sorted(articles.ARTICLES) == ["000", "001", "002", "003", "004"]
    for number, article in articles.ARTICLES.items():
        assert f"[*{article.title}*]({article.link})" in PAGE, number
        assert article.title in re.sub(r"\s+", " ", cited).replace("GPU*, in", "GPU*, in"), number
        assert f"Document {number}." in PAGE
        assert articles.QUOTES[number]


def test_every_row_of_measurements_names_a_run():
    named = set(re.findall(r"\| (R\d+) \|", PAGE))
    listed = {row[0] for row in cells(PAGE.split("## Runs")[1])[2:]}
    assert named == listed
    for table in re.split(r"\n\n", PAGE.split("## Runs")[0]):
        header = table.splitlines()[0] if table.startswith("| ") else ""
        if (
            header
            and "article" not in header
            and "document" not in header
            and "nodes" not in header
        ):
            assert " run |" in header, header


def test_a_number_that_stands_nowhere_is_found():
    assert numbers.unknown("It takes 32 sources, and reports about 1100 million on a GPU.") == []
    assert (
        numbers.unknown("A `12 ms` call, [x](y#77), table 5 and figures 10 to 12\n\n    99\n") == []
    )
    (found,) = numbers.unknown("one\n\nSixteen cores find 13.3 of them")
    assert found.startswith("line 3: 13.3 stands in no table")
    assert len(numbers.unknown("55 GB/s from one, 159 from four")) == 2
    report = load("report")
    with pytest.raises(SystemExit, match="138 stands in no table"):
        report.write_experiments(changed(PAGE.replace("## Runs", "from 138 ms\n\n## Runs", 1)))


class changed:  # noqa: N801
    """The options of report.py with another text for the page."""

    results, check = BENCHMARKS / "results", True

    def __init__(self, text):
        self.experiments = self
        self.text = text

    def read_text(self, encoding):
        return self.text


def test_a_changed_cell_is_found():
    report = load("report")
    with pytest.raises(SystemExit, match="are not those of results"):
        report.write_experiments(changed(re.sub(r"\| 1,799 \(", "| 1,798 (", PAGE, count=1)))


def test_markers_that_differ_from_the_tables_are_named():
    blocks = document.blocks(RESULTS)
    with pytest.raises(SystemExit, match="markers and tables differ: 000 prices, 000 rates"):
        document.insert(PAGE.replace("000 rates", "000 prices"), blocks)


def test_times_of_the_article_are_those_of_its_table():
    rows = {row[0]: row[1:] for row in cells(runtime.quoted()["004 article, table 3"])}
    at = dict(zip(rows["article, ms"], rows["kron21.sym"], strict=True))
    assert at["sssp, Gunrock"] == "208.43 (2)"
    assert at["sssp, Groute"] == "213.92 (8)"


def test_a_row_is_of_one_run():
    old = made("seed-003", [("c", "a", {"a": [1.0], "b": [2.0]}, {})], "2026-01-01", "old")
    new = made("seed-003", [("c", "a", {"a": [3.0]}, {})], "2026-01-02", "new")
    newer_first = [new, old]
    found = runs.newest(newer_first)
    assert [(row.result["file"], sorted(row.named)) for row in found] == [
        ("new.json", ["a"]),
        ("old.json", ["a", "b"]),
    ]
    without = made("seed-003", [("c", "a", {"a": [3.0], "b": [1.0]}, {})], "2026-01-02", "new")
    assert [row.result["file"] for row in runs.newest([without, old])] == ["new.json"]


def test_speed_ups_are_of_the_same_sources():
    """The range is of quotients by source, the mean the quotient of the means."""
    gpu = {"warpgraph cuda:0": [1.0, 2.0], "Dijkstra, 1 core": [10.0, 60.0]}
    size = {"size": {"vertices": 16384, "edges": 524288}, "device": "cuda:0"}
    result = made("seed-000", [("article's sssp, rmat 14, float64", "warpgraph cuda:0", gpu, size)])
    text = paths.bellman_ford([result], runs.Runs())["000 speed-ups"]
    assert cells(text)[-1] == ["14", "R1", "23.3 (10 to 30)", "-", "-", "-", "67 %", "143 %"]


def test_speed_ups_over_a_core_are_of_one_host():
    """A core that was measured apart counts if it is of the GPU's host and commit."""
    gpu = {"warpgraph cuda:0": [1.0], "GPU, naive": [3.0]}
    core = {"warpgraph": [0.5], "1 core, plain loops": [8.0]}
    size = {"size": {"vertices": 10, "edges": 9}}
    case = "article's apsp, n = 10, int32"
    about = (case, "warpgraph cuda:0", gpu, size | {"device": "cuda:0"})
    on_gpu = made("seed-001", [about], name="gpu")
    apart = made("seed-001", [(case, "warpgraph", core, size)], name="core")
    found = {}
    for commit, cores in ((apart["commit"], 2), ("fedcba98", 2), (apart["commit"], 64)):
        other = apart | {"commit": commit, "machine": apart["machine"] | {"cores": cores}}
        for results in ([on_gpu, other], [other, on_gpu]):
            blocks = paths.floyd_warshall(results, runs.Runs())
            row = next(row for row in cells(blocks["001 speed-ups"]) if row[0] == "10")
            found.setdefault((commit, cores), set()).add((row[3], row[5], row[7]))
            assert blocks["001 times"].count("| 10 |") == 2
    assert list(found.values()) == [{("2.67", "8", "3")}, {("-", "-", "3")}, {("-", "-", "3")}]


def test_heaps_are_compared_with_one_core_of_their_run():
    both = {"warpgraph cuda:0": [1.024], "buckets, 1 core": [8.192], "batched": [2.048]}
    case = ("1024 origins, ny-road, float32", "warpgraph cuda:0", both, {"device": "cuda:0"})
    block = paths.heaps([made("seed-002", [case])], runs.Runs())["002 times"]
    assert [row[3:] for row in cells(block)[2:]] == [["1", "8"], ["8", "1"], ["2", "4"]]


def test_orders_and_overheads_are_quotients():
    """4 GB coalesced in 1 s, 1 GB at random in 5 s; packets take twice and thrice a copy."""
    message = {"size": {"bytes of message": 1 << 30}}
    link = {"link": [0.2], "one cudaMemcpyPeerAsync": [0.1]}
    link["a cudaMemcpyPeerAsync for each packet"] = [0.3]
    accesses = {"coalesced": (1.0, 4 * 10**9), "random": (5.0, 10**9)}
    cases = [
        (f"direct access, {o} reads", "kernel", {"kernel": [t]}, {"size": {"bytes accessed": n}})
        for o, (t, n) in accesses.items()
    ]
    cases += [
        ("direct access, random atomic additions", "kernel", {"kernel": [1.0]}, message),
        ("link between GPUs, 1 MB packets", "link", link, message),
    ]
    found = links.links([made("seed-004-links", cases)], runs.Runs())
    assert cells(found["004 orders"])[2:] == [["reads", "R1", "4", "0.2", "20"]]
    assert cells(found["004 overheads"])[2:] == [["1 MB", "R1", "100 %", "200 %"]]


def test_a_launch_lasts_the_time_of_a_worker_by_its_launches():
    taken = {mode: [0.02] for mode in runtime.MODES}
    size = {"vertices": 262_144, "arcs": 941_706}
    size |= {f"work items, {mode}": 10**6 for mode in runtime.MODES}
    size |= {"launches, separate": 4000, "launches, fused": 4}
    case = "worklist, shortest paths in a grid of 512 x 512, 4 workers"
    case = (case, "fused", taken, {"size": size, "device": "cuda:0"})
    found = runtime.worklists([made("seed-004-worklists", [case])], runs.Runs())["004 launches"]
    assert cells(found)[-1] == ["512 x 512", "4 on 1 GPU", "R1", "4,000", "20", "4", "20"]


def test_graphs_of_an_article_have_the_size_of_its_files():
    """8 bytes for a node, 8 for an arc, and the largest degree where a result has it."""
    size = {"size": {"vertices": 10**6, "edges": 3 * 10**6, seed_004.LARGEST_DEGREE: 1234}}
    older = {"size": {"vertices": 2 * 10**6, "edges": 10**7}, "device": "cuda:0"}
    taken = {"warpgraph": [1.0], "2 virtual members on the cores": [2.0]}
    beside = {"warpgraph cuda:0": [1.0], "Groute": [2.0]}
    cases = [
        ("bfs on all GPUs, ours", "warpgraph", taken, size),
        ("bfs beside Groute, kron 21, 1 GPU", "warpgraph cuda:0", beside, older),
    ]
    found = runtime.scaling([made(seed_004.SUITE, cases)], runs.Runs())["004 graphs"]
    assert cells(found)[2:] == [
        ["ours", "1", "3", "3.00", "1,234", "0.032"],
        ["kron 21", "2", "10", "5.00", "-", "0.096"],
    ]


def test_a_program_of_the_authors_that_was_stopped_has_its_limit():
    ended = {"warpgraph cuda:0": [1e-3], "Groute": [2e-3]}
    stopped = {"device": "cuda:0", "unfinished": {"Groute": 12.4}}
    cases = [
        ("sssp beside Groute, wiki-Vote, 2 GPUs", "warpgraph", {"warpgraph": [1e-3]}, stopped),
        ("bfs beside Groute, wiki-Vote, 2 GPUs", "warpgraph cuda:0", ended, {"device": "cuda:0"}),
    ]
    found = runtime.groute([made(seed_004.SUITE, cases)], runs.Runs())["004 groute"]
    assert cells(found)[2:] == [
        ["bfs", "wiki-Vote", "2 GPUs", "R1", "1", "2", "2.00"],
        ["sssp", "wiki-Vote", "2 GPUs", "R1", "1", "stopped after 12 s", "-"],
    ]


def test_steps_are_no_calls():
    counts = {"4 GPUs": {"microseconds of levels": [700, 600, 800]}}
    taken = {"warpgraph cuda:0": [4e-3], steps.STAYS: [2e-3], "2 GPUs": [3e-3], "4 GPUs": [1.6e-3]}
    case = ("bfs, steps, rmat 24", "warpgraph cuda:0", taken, {"counts": counts})
    found = runtime.steps([made(steps.SUITE, [case])], runs.Runs())
    assert cells(found["004 calls"])[-1] == ["bfs", "rmat 24", "R1", "4", "2", "3", "1.6"]
    assert cells(found["004 steps"])[-1] == ["bfs", "rmat 24", "levels", "R1", "-", "0.7"]


def test_the_newest_result_is_drawn_whatever_the_order_of_files():
    def of(seconds, started):
        taken = {"warpgraph cuda:0": [seconds], "1 GPU": [1.0], "2 GPUs": [seconds]}
        return made(seed_004.SUITE, [("sssp on all GPUs, rmat 22", "1 GPU", taken, {})], started)

    for results in ([of(1.0, "2026-01-01"), of(2.0, "2026-01-02")],) * 2:
        for order in (results, results[::-1]):
            (drawn,) = seed_004.scaling_of(order)
            assert drawn["medians"]["2 GPUs"] == 2.0


def test_targets_that_are_missed_are_told(tmp_path):
    link = {"link": [0.004, 0.002, 0.003], "one cudaMemcpyPeerAsync": [0.0024, 0.0027, 0.003]}
    message = {"size": {"bytes of message": 1 << 30}}
    latency = {"forwarded at once": [9e-6], "threads wait": [1.5e-5]}
    cases = [
        ("link between GPUs, 64 MB packets", "link", link, message),
        ("link between GPUs, 256 KB packets", "link", link, message),
        ("broadcast to 3 GPUs, 8 MB packets", "chain of links", broadcast(1.4), message),
        ("latency of 4 bytes, GPU and GPU", "threads wait", latency, {"size": {"bytes": 4}}),
    ]
    result = made("seed-004-links", cases)
    found = links.links([result], runs.Runs())
    rows = [row[2:] for row in cells(found["004 targets"])[2:]]
    assert rows == [
        ["of one cudaMemcpyPeerAsync", "0.9", ">= 0.9", "yes"],
        ["times one copy", "1.4", "<= 1.3", "no"],
        ["us", "9", "<= 12", "yes"],
    ]
    picture = load("experiments.page.pictures").draw_all([result], tmp_path)
    assert [path.name for path in picture] == ["links-between-gpus.png"]
    assert "(?!1 )" in links.CASES["004 figure 2d"]  # a broadcast to one GPU is a copy


def broadcast(seconds):
    names = ("chain of links", "policy broadcast", "one cudaMemcpyPeerAsync to one GPU")
    return {name: [s] for name, s in zip(names, (seconds, 3.0, 1.0), strict=True)}


def test_the_three_targets_that_committed_results_miss_are_on_the_page():
    rows = cells(document.blocks(RESULTS)["004 targets"])[2:]
    missed = [row[0] for row in rows if row[-1] == "no"]
    assert len(missed) == 3
    assert "Those that were missed: broadcasts to three GPUs" in PAGE


def test_the_readme_quotes_whole_calls_on_one_and_on_four_gpus():
    """The line of the README has the speed-ups of the page, not those of the suite of steps."""
    cases = [case for _, case in load("headlines").ON_FOUR_GPUS]
    assert all(seed_004.SCALING in case for case in cases)
    gains = {(row[0], row[1]): row[-1] for row in cells(document.blocks(RESULTS)["004 speed-ups"])}
    readme = " ".join((ROOT / "README.md").read_text(encoding="utf-8").split())
    for words, case in load("headlines").ON_FOUR_GPUS:
        gain = float(gains[tuple(case.split(seed_004.SCALING))])
        (shown,) = re.findall(rf"{words} ([\d.]+)[,.]", readme.split("Four H100s")[1])
        assert float(shown.rstrip(".")) == pytest.approx(gain, abs=0.06), words


@pytest.mark.parametrize("device", list(wg.devices()[:2]))
@pytest.mark.parametrize("n_endpoints", [2, 3, 5])
def test_every_endpoint_gets_the_sum_of_all(device, n_endpoints):
    if device != "cpu":
        pytest.importorskip("cupy")
    context = [device] * n_endpoints
    arrays = all_reduce.arrays_of(n_endpoints, 8 * 1003)
    expected = np.sum(arrays, axis=0)
    suite = [all_reduce.over_ring, *(partial(all_reduce.over_host, policy=p) for p in (0, 1))]
    x = load("harness").Input(arrays, None, device, 1)
    for how in suite:
        found = all_reduce.AllReduce(context, how)(x).result
        assert len(found) == n_endpoints
        assert all(np.array_equal(array, expected) for array in found)
    assert not np.array_equal(arrays[0], expected)  # the input is not changed
    assert all_reduce.agree(found, found)
    assert not all_reduce.agree(found, arrays)


def test_a_ring_that_ends_early_is_told():
    context = wg.runtime.Context(["cpu"])
    link = wg.runtime.Link(context.host, context.endpoints[0])

    def feed():
        link.send(np.ones(3))
        link.shutdown()

    def take(_):
        all_reduce.receive_into(link, np.zeros(5), adds=True)

    with pytest.raises(RuntimeError, match="2 items of a chunk are missing"):
        context.run(take, feed)


def environment():
    return {**os.environ, "WARPGRAPH_COMMIT": "0123abc+dirty"}


@pytest.mark.parametrize(
    ("article", "least", "told"),
    [
        ("000", ("| 14 | R1 |", "Bellman-Ford, all cores"), ""),
        ("001", ("| 500 | R1 |", "| 7000 | 74,032.00 | 453.14 | 37.73 |"), ""),
        ("003", ("| ssca2 16 | R", "| ribbons, 600 points | tree, K - 1 edges cut |"), "hybrid"),
    ],
)
def test_one_command_repeats_an_article(article, least, told, tmp_path, monkeypatch):
    """The sizes of the test are less than those of the command."""
    smaller = {"000": "rmat 14,", "001": "n = (10|500),", "003": " 16,|600 points"}
    small = [part for part in experiments.PARTS[article] if part.small is not None]
    parts = [part.__dict__ | {"small": smaller[article]} for part in small]
    monkeypatch.setitem(experiments.PARTS, article, [experiments.Part(**part) for part in parts])
    monkeypatch.setenv("WARPGRAPH_COMMIT", "0123abc+dirty")
    experiments.main([article, "--folder", str(tmp_path), "--repeat", "2"])
    shown = (tmp_path / "tables.md").read_text(encoding="utf-8")
    for text in least:
        assert text in shown
    assert all(name[:3] in (article, "run") for name in re.findall(r"^## (.+)", shown, re.M))
    results = [result_format.load(path) for path in tmp_path.glob("*.json")]
    assert {result["suite"][:8] for result in results} == {f"seed-{article}"}
    assert all(m["checked"] for result in results for m in result["measurements"])
    assert all(path.stat().st_size > 1000 for path in tmp_path.glob("*.png"))


def commands(article, device, sizes, suite="", only="", files=()):
    about = {"article": article, "device": device, "sizes": sizes, "suite": suite, "only": only}
    return experiments.commands(argparse.Namespace(**about, files=files, repeat=0), Path("x"))


def test_parts_for_gpus_are_left_out_on_cores(capsys):
    on_cores = commands("004", "cpu", "small")
    assert len(on_cores) == 1
    assert "seed-004-links is left out: it needs a GPU" in capsys.readouterr().err
    assert len(commands("003", "cpu", "small")) == 2
    said = capsys.readouterr().err
    assert said == "hybrid is left out: it needs a GPU (--device cuda)\n"  # no other part is
    commands("003", "cpu", "article")
    said = capsys.readouterr().err
    assert "seed-003, rmat 27 and ssca2 27, is left out" in said
    assert "seed-003 is left out" not in said
    on_gpus = commands("004", "cuda", "article")
    assert len(on_gpus) == len(experiments.PARTS["004"])
    # One core is measured apart, also on the machine of a GPU.
    both = commands("001", "cuda", "article")
    devices = [command[command.index("--device") + 1] for command in both]
    assert devices == ["cuda", "cpu"]
    (one,) = commands("004", "cuda", "article", "links$", "^broadcast")
    assert one[one.index("--only") + 1] == "^broadcast"
    with pytest.raises(SystemExit):
        experiments.main(["005"])


def test_files_are_measured_by_the_parts_that_read_graphs(capsys):
    given = [Path("/roads/USA-road-d.NY.gr.gz")]
    on_gpus = commands("004", "cuda", "small", files=given)
    assert [command[command.index("--suite") + 1] for command in on_gpus] == [
        "seed-004",
        "seed-004-worklists",
    ]
    for command in [*on_gpus, *commands("002", "cpu", "article", files=given)]:
        assert command[command.index("--only") + 1] == ""  # not the small cases of the suite
        assert str(given[0]) in command
    with pytest.raises(SystemExit):
        experiments.main(["001", "roads.gr"])
    assert "expected no file for 001, got roads.gr" in capsys.readouterr().err


def test_heaps_of_others_are_compiled_if_they_can_be(tmp_path, monkeypatch, capsys):
    monkeypatch.delenv("WARPGRAPH_HEAPS", raising=False)
    found = experiments.with_heaps(tmp_path)
    if Path("/usr/include/boost/heap").exists():
        assert Path(found["WARPGRAPH_HEAPS"]).exists()
        assert re.fullmatch(r"Boost 1\.\d+.*, GCC [\d.]+", found["WARPGRAPH_HEAPS_VERSION"])
    monkeypatch.setenv("PATH", str(tmp_path))  # without a compiler
    assert "WARPGRAPH_HEAPS" not in experiments.with_heaps(tmp_path)
    assert "left out: they need g++ and Boost" in capsys.readouterr().err


def test_sizes_of_the_articles_are_in_the_suites():
    scales = {
        int(case.name.split("rmat ")[1].split(",")[0])
        for case in load("experiments.seed_000").cases()
    }
    assert scales >= set(articles.SIZES_000)
    vertices = {
        int(case.name.split("n = ")[1].split(",")[0])
        for case in load("experiments.seed_001").cases()
    }
    assert vertices == set(articles.SECONDS_001)


def test_clusters_are_those_that_were_drawn():
    """The tree finds ribbons, and a background joins its clusters; k-means is the reverse."""
    labels = np.array([1, 1, 0, 0])
    drawn = (np.zeros((4, 2)), np.array([0, 0, 1, 1]))
    assert clustering.adjusted_rand(labels, drawn) == 1000
    assert (
        clustering.adjusted_rand(np.array([0, 0, 0, 1]), (drawn[0], np.array([0, 0, 1, -1]))) == 0
    )
    found = run_clusters()
    cut, means = clustering.CUT, "k-means from points far apart"
    assert found["condensations"][cut] == found["ribbons"][cut] == 1000
    assert found["condensations"][means] == 1000
    assert found["ribbons"][means] < 500
    assert found["a narrow bridge"][cut] < 900 < found["a narrow bridge"][means]
    assert found["a sparse background"][cut] < 900 < found["a sparse background"][means]


def run_clusters():
    found = {}
    for name, draw in clustering.DATA.items():
        x = load("harness").Input(draw(clustering.SMALL), None, "cpu", 1)
        found[name] = {clustering.CUT: clustering.cut(x).counts[clustering.INDEX]}
        for start, init in clustering.STARTS.items():
            found[name][start] = clustering.by_means(x, init).counts[clustering.INDEX]
    return found


def test_results_of_the_suite_say_the_commit(tmp_path):
    options = ["--suite", "seed-003-clusters", "--only", "ribbons, 600", "--repeat", "2"]
    run("cluster.bench_cluster", *options, "--output", tmp_path, env=environment())
    (path,) = tmp_path.glob("*.json")
    (measurement,) = json.loads(path.read_text())["measurements"]
    assert measurement["counts"]["k-means from random points"][clustering.INDEX][0] < 500
    assert "NetworkX, tree of the complete graph" in measurement["ratios"]
