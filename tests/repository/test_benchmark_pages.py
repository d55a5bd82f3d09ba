"""Pages of benchmarks: the newest rows alone, a topic for each, and where others are ahead."""

import json
import re
import subprocess

import pytest

from benchmark_support import BENCHMARKS, ROOT, cells, load, made

measured = load("page.measured")
topics = load("page.topics")
cases = load("page.cases")
headlines = load("headlines")
others = load("others")
by_size = load("page.by_size")
picture = load("picture")
speed = load("page.speed")
RESULTS = BENCHMARKS / "results"


def files():
    """Return the results that pages may show by name."""
    found = {path.name: json.loads(path.read_text()) for path in RESULTS.glob("*.json")}
    hidden = {"smoke", "seed-003-clusters"}
    return {
        name: file
        for name, file in found.items()
        if file["suite"] not in hidden and file["benchmark"] not in measured.NOT_SHOWN
    }


def kind(machine, m):
    """Return what runs a case: the name of a GPU, or the number of cores and their maker."""
    if m["device"] != "cpu":
        return machine["device_name"]
    (maker,) = {"AMD", "Intel"} & set(re.findall(r"\w+", machine["cpu"]))
    return machine["cores"], maker, m["threads"]


def test_no_row_is_older_than_a_newer_measurement_of_its_case():
    """What the tables show is the newest of each case on each kind of machine, and all of these."""
    newest = {}
    for file in files().values():
        for m in file["measurements"]:
            key = kind(file["machine"], m), m["case"], m["device"]
            newest[key] = max(file["started"], newest.get(key, ""))
    shown = [(line.measurement["case"], line.started) for line in measured.read(RESULTS)]
    assert sorted(shown) == sorted((case, started) for (_, case, _), started in newest.items())


def test_no_result_is_kept_that_newer_ones_replace():
    """Comparisons of two builds are exempt; experiments name the results that they show."""
    lines = measured.read(RESULTS)
    shown = {line.started for line in lines}
    shown |= {older.started for line in lines for older in line.earlier.values()}
    experiments = (ROOT / "docs" / "experiments.md").read_text(encoding="utf-8")
    replaced = [
        name
        for name, file in files().items()
        if file["started"] not in shown and f"`{name.removesuffix('.json')}`" not in experiments
    ]
    assert replaced == []


def written(folder, *runs, benchmark="trees"):
    """Write a result for each of (machine, started, measurements), and read what is shown."""
    folder.mkdir()
    for i, (machine, started, measurements) in enumerate(runs):
        result = made("standard", measurements, started) | {"dirty": False, "format": 1}
        result |= {"benchmark": benchmark, "versions": {"hdbscan": "1"}, "protocol": {}}
        result["machine"] |= machine
        del result["file"]
        (folder / f"{i}.json").write_text(json.dumps(result))
    return measured.read(folder)


def case(seconds, rivals=(), name="a", **changes):
    runs = {"warpgraph": [seconds] * 3} | {rival: [t] * 3 for rival, t in dict(rivals).items()}
    return name, "warpgraph", runs, changes


def test_a_newer_row_replaces_older_ones_of_its_kind_of_machine(tmp_path):
    slow = {"cpu": "Intel(R) Xeon(R) Processor @ 2.50GHz"}
    fast = {"cpu": "Intel(R) Xeon(R) Processor @ 2.80GHz"}
    h200 = {"device_name": "NVIDIA H200", "cores": 16}
    beside = h200 | {"cores": 32}
    on_gpu = {"device": "cuda:0"}
    lines = written(
        tmp_path / "r",
        (fast, "2026-01-03", [case(3.0)]),
        (slow, "2026-01-02", [case(2.0), case(1.0, threads=1)]),
        (slow | {"cores": 16}, "2026-01-01", [case(5.0, threads=16)]),
        (h200, "2026-01-01", [case(0.5, **on_gpu)]),
        (beside, "2026-01-02", [case(0.25, threads=32, **on_gpu)]),
        ({"device_name": "NVIDIA H100"}, "2026-01-01", [case(0.75, **on_gpu)]),
    )
    times = [line.measurement["medians"]["warpgraph"] for line in lines]
    assert times == [3.0, 1.0, 5.0, 0.25, 0.75]


def test_a_program_that_only_an_older_row_has_keeps_its_ratio_and_its_day(tmp_path):
    lines = written(
        tmp_path / "r",
        ({}, "2026-01-02T01", [case(1.0, {"scipy": 2.0})]),
        ({}, "2026-01-01T01", [case(4.0, {"scipy": 4.0, "hdbscan": 80.0})]),
    )
    (line,) = lines
    table = cells(cases.markdown(lines))
    assert table[-1][3:5] == ["1,000²", "SciPy (1 core)² 2, hdbscan² 20 (2026-01-01)"]
    assert [(one.program, one.ratio) for one in topics.ratios(line)] == [
        ("SciPy", 2.0),
        ("hdbscan", 20.0),
    ]


def test_topics_have_medians_and_where_others_are_ahead(tmp_path):
    ratios = [0.5, 3.0, 4.0]
    lines = written(
        tmp_path / "r",
        ({}, "2026-01-01", [case(1.0, {"scipy": r}, f"case {r}") for r in ratios]),
    )
    text = topics.overview(lines, "figures", "pages")
    assert text.startswith("## Spanning forests and other trees\n\nHow long ")
    assert "| 2 cores of Some CPU | SciPy | 3 | 0.5 | 4 | 3 |" in text.splitlines()
    ahead = text.partition("Others are ahead here:")[2]
    assert "| case 0.5 | 2 cores of Some CPU, 2 threads | SciPy | 0.5 |" in ahead.splitlines()
    assert "case 3" not in ahead
    assert "[All 3 cases](pages/trees.md)" in ahead
    (rest,) = [line for line in lines if line.measurement["case"] == "case 4.0"]
    assert "No other program was faster" in topics.overview([rest], "figures", "pages")


def test_every_benchmark_has_a_heading_and_one_topic():
    written_ = {path.stem.removeprefix("bench_") for path in BENCHMARKS.rglob("bench_*.py")}
    written_.remove("headlines")  # its cases are of the other benchmarks
    assert written_ - measured.NOT_SHOWN == others.sections().keys(), "SECTION of bench_<name>.py"
    named = [name for topic in topics.TOPICS for name in topic.benchmarks]
    assert len(named) == len(set(named))
    assert set(named) <= written_


def test_a_benchmark_without_a_topic_goes_with_those_of_its_folder(monkeypatch):
    monkeypatch.setattr(others, "folders", lambda: {"walk": "rank", "pagerank": "rank"})
    assert topics.topic_of("walk").stem == "ranks"
    assert topics.topic_of("pagerank").stem == "ranks"
    assert topics.topic_of("of no folder") == topics.TOPICS[-1]


def test_pages_of_topics_show_every_case():
    lines = measured.read(RESULTS)
    pages = {path.stem: path.read_text("utf-8") for path in (ROOT / "docs/benchmarks").glob("*.md")}
    assert list(pages.keys() ^ {topic.stem for topic in topics.TOPICS}) == []
    for line in lines:
        if not by_size.is_of_sizes(line):
            text = pages[topics.topic_of(line.benchmark).stem]
            assert f"| {others.shown_case(line.measurement['case'])}" in text
    for text in pages.values():
        assert len(re.findall("^# ", text, re.MULTILINE)) == 1


def test_the_first_page_is_short_and_has_each_topic():
    text = (ROOT / "docs" / "benchmarks.md").read_text(encoding="utf-8")
    assert len(text.splitlines()) < 450
    for topic in topics.TOPICS:
        section = text.partition(f"## {topic.title}\n")[2].partition("\n## ")[0]
        assert topic.question.split(",")[0].split(":")[0].split(" or ")[0][:40] in section
        assert f"(benchmarks/{topic.stem}.md)" in section
        if "times faster than" in section:
            ahead = "Others are ahead here:" in section
            assert ahead != ("No other program was faster in any of these cases." in section)


def dtype_of(case):
    """Return the type of weights that the name of a case has, if it has one."""
    return (re.findall(r"\b(?:float|int)(?:32|64)\b", case) or [None])[0]


def test_rows_at_a_glance_say_input_type_and_place_as_the_fields_do():
    lines = measured.read(RESULTS)
    table = cells(headlines.table(lines))[1:]
    assert 20 <= len(table) == len(headlines.ROWS) <= 26
    for row, (work, _, numbers, given, on, ms, _) in zip(headlines.ROWS, table, strict=True):
        line = headlines._find(lines, row.case, row.on_gpu)
        m = line.measurement
        assert (work, numbers) == (row.work, row.numbers)
        assert dtype_of(m["case"]) in {numbers, None}
        assert (given == "`wg.Graph`") == (m["resident"] and "vertices" in m["size"])
        assert (given == "SciPy matrix") == ("vertices" in m["size"] and not m["resident"])
        assert on.startswith("H100") == (m["device"] == "cuda:0")
        assert on.startswith("2 cores") == ((m["device"], m["threads"]) == ("cpu", 2))
        assert line.machine.endswith(picture.MACHINE) or not on.startswith("2 cores")
        assert ("result stays there" in on) == ("on the device" in m["case"])
        seconds = m["medians"][m["ours"]]
        assert ms.endswith(others.OLDER_MARK) == speed.is_older(line)
        shown = ms.rstrip(others.OLDER_MARK).replace(",", "")
        assert float(shown) == pytest.approx(1e3 * seconds, rel=0.006)


def lines_of_the_readme():
    """Return the measurements of its picture's bars and of its table, by machine."""
    lines = measured.read(RESULTS)
    bars = [
        next(
            line
            for line in lines
            if line.machine == picture.MACHINE and picture._is_of(bar, line.measurement)
        )
        for bar in picture.BARS
    ]
    calls = {
        on_gpu: [
            headlines._newest(lines, f"{call}, {graph}, first call", on_gpu)
            for _, call in headlines.CALLS
            for _, graph in headlines.GRAPHS
        ]
        for on_gpu in (False, True)
    }
    return {"cores": bars + calls[False], "GPU": calls[True]}


def test_the_figures_of_the_readme_are_of_one_machine_and_commit_on_cores_and_on_a_gpu():
    for found in lines_of_the_readme().values():
        assert len({(line.machine, line.commit) for line in found}) == 1
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    about = " ".join(readme.partition("## How fast")[2].partition("<!--")[0].split())
    assert "two cores of an AMD EPYC" in about  # so "2 cores" in the table has one meaning
    assert picture.MACHINE == "2 cores of AMD EPYC"


def test_the_readme_has_no_figure_older_than_its_method():
    for found in lines_of_the_readme().values():
        assert [line.measurement["case"] for line in found if speed.is_older(line)] == []
    of_gpus = {case for _, case in headlines.ON_FOUR_GPUS}
    of_gpus |= {case.replace(headlines.LARGE, headlines.SMALL) for case in of_gpus}
    shown = [line for line in measured.read(RESULTS) if line.measurement["case"] in of_gpus]
    assert shown
    assert not any(map(speed.is_older, shown))


def test_rows_older_than_their_method_are_marked(tmp_path):
    change = next(change for change in speed.CHANGES if change.benchmark == "mst")
    day = change.when[:10]
    before, after = f"{day}T00:00:00+00:00", f"{day}T23:59:59+00:00"
    (old,) = written(tmp_path / "old", ({}, before, [case(1.0)]), benchmark="mst")
    (new,) = written(tmp_path / "new", ({}, after, [case(1.0)]), benchmark="mst")
    assert (speed.is_older(old), speed.is_older(new)) == (True, False)
    assert [cells(cases.markdown([line]))[-1][3] for line in (old, new)] == ["1,000²⁴", "1,000²"]
    assert others.OLDER_MARK in others.LEGEND


def test_changes_of_speed_are_of_commits_and_benchmarks_that_exist():
    names = [path.stem.removeprefix("bench_") for path in BENCHMARKS.rglob("bench_*.py")]
    assert {change.benchmark for change in speed.CHANGES} <= set(names)
    places = [(change.benchmark, change.on, change.cases) for change in speed.CHANGES]
    assert len(places) == len(set(places))
    commits = [change.commit for change in speed.CHANGES]
    command = ["git", "show", "-s", "--format=%H %cI", *commits]
    git = subprocess.run(command, capture_output=True, text=True, check=False, cwd=ROOT)
    if git.returncode:
        pytest.skip("this checkout has no git, or not all of the history")
    for change in speed.CHANGES:
        assert re.search(f"^{change.commit}[0-9a-f]+ {re.escape(change.when)}$", git.stdout, re.M)


def test_the_readme_says_input_type_and_place_as_the_fields_do():
    """Its table is of one benchmark: float64 weights, matrices beside kept graphs, host to host."""
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    heading, *rows = cells(readme.partition("](docs/figures/benchmarks.png)")[2].split("<!--")[0])
    places = [column.split(", ") for column in heading[1:]]
    inputs = ["SciPy matrix", "`wg.Graph`"]
    assert places == [[on, given] for on in ("2 cores", "H200") for given in inputs]
    assert heading[0].startswith("ms, ")
    by_case = {}
    for file in files().values():
        for m in file["measurements"]:
            key = m["case"], file["machine"]["device_name"][:11], m["device"], m["threads"]
            by_case.setdefault(key, []).append((file["started"], m))
    for row, (_, call) in zip(rows, headlines.CALLS, strict=True):
        for (on, given), shown in zip(places, row[1:], strict=True):
            for (_, graph), ms in zip(headlines.GRAPHS, shown.split(" / "), strict=True):
                where = (
                    ("", "cpu", 2) if on == "2 cores" else (headlines.GPU_OF_CALLS, "cuda:0", 16)
                )
                case = f"{call}, {graph}, first call"
                assert dtype_of(case) is None  # those of int32 say so
                assert "on the device" not in case
                _, m = max(by_case[(case, *where)], key=lambda found: found[0])
                assert not m["resident"]
                seconds = m["medians"][m["ours"] if given == "SciPy matrix" else "kept graph"]
                assert float(ms.replace(",", "")) == pytest.approx(1e3 * seconds, rel=0.006)
                sizes = [f"{m['size']['vertices'] / 1e6:.3g} M vertices", "M edges"]
                assert all(size in heading[0] for size in sizes)
    about = " ".join(readme.partition("## How fast")[2].partition("<!--")[0].split())
    assert "with float64 weights, default options and results in NumPy arrays" in about
    assert f"the same cores, and an {places[-1][0]} beside 16 others" in about


def test_the_weights_of_the_table_are_float64():
    first_call = load("graph.bench_first_call")
    build = {name: build for name, build, _ in first_call.GRAPHS}["R-MAT scale 12"]
    assert build().data.dtype == "float64"
    assert {graph for _, graph in headlines.GRAPHS} <= first_call.MATRICES.keys()
    assert {call for _, call in headlines.CALLS} == first_call.CALLS.keys()


def test_bars_of_the_readme_begin_with_what_a_user_has():
    lines = measured.read(RESULTS)
    for bar in picture.BARS:
        (m,) = [
            line.measurement
            for line in lines
            if line.machine == picture.MACHINE and picture._is_of(bar, line.measurement)
        ]
        assert not m["resident"]
        assert not re.search(r"\bkept\b|resident|on the device", m["case"])
        assert dtype_of(m["case"]) in {"float64", None}
    for bar in picture.measured(lines):
        assert bar.least <= bar.ratio <= bar.most
    one = picture.Measured("work", 1, 4, "SciPy", 0.9, 12.3)
    assert picture.description([one]) == (
        "work: 1 s, SciPy 4 s, of all inputs 0.9 to 12 times as long"
    )
    kmeans = load("cluster.bench_kmeans")
    points, _ = kmeans.uniform(10, 2, 2)()
    assert points.dtype == dtype_of(picture.BARS[-1].work) == "float32"
    about = (ROOT / "README.md").read_text(encoding="utf-8").partition("## How fast")[2]
    assert "(float64, unless a bar says float32)" in " ".join(about.split())


def test_logarithmic_axes_are_named(tmp_path):
    pytest.importorskip("matplotlib")
    plt = picture.pyplot()
    figure, (left, right, last) = plt.subplots(1, 3)
    left.set(xscale="log", xlabel="vertices", ylabel="seconds")
    right.set(yscale="log")
    figure.supylabel("rate")
    figure.supxlabel("GPUs")
    picture.save(figure, tmp_path / "p.png")
    assert (left.get_xlabel(), left.get_ylabel()) == ("vertices, logarithmic", "seconds")
    assert (right.get_ylabel(), last.get_xlabel()) == ("", "")
    assert figure.get_supylabel() == "rate, logarithmic"
    assert figure.get_supxlabel() == "GPUs"
