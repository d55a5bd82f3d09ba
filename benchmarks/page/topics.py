"""Topics of docs/benchmarks.md, and a page of all cases for each.

The first page has the question of each topic, how many times faster warpgraph is than each other
program, and the cases in which the other is ahead; the topic's own page has every case.
"""

from __future__ import annotations

import statistics
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from benchmarks import others
from benchmarks.page import by_size, cases
from benchmarks.page.measured import Line, cores_of, gpu_of, machine_place


@dataclass(frozen=True)
class Topic:
    """Benchmarks that answer one question."""

    stem: str  # of its page
    title: str
    question: str
    benchmarks: tuple[str, ...]
    pictures: tuple[tuple[str, str], ...] = ()  # file in docs/figures, and what it shows


TOPICS = (
    Topic(
        "paths",
        "Shortest paths",
        "How long does it take to find the shortest paths from a vertex to all others, or from "
        "many vertices?",
        ("sssp", "many_to_many"),
    ),
    Topic(
        "routes",
        "Routes, turns and what is near",
        "A network stays the same, and many questions are asked: how long does a route, a table of "
        "routes, or an isochrone take, with turns and with new weights?",
        ("pairs", "turns", "within", "hierarchy", "customize"),
    ),
    Topic(
        "all_pairs",
        "All pairs",
        "How long does the table of all distances take, and how much of what the processor can do "
        "is used?",
        ("apsp",),
    ),
    Topic(
        "search",
        "Breadth-first search and components",
        "How fast are all edges of a graph passed over once, to count hops or to find components?",
        ("bfs", "connected_components"),
    ),
    Topic(
        "ranks",
        "PageRank and betweenness",
        "How long does it take to rank the vertices of a graph?",
        ("pagerank", "betweenness"),
    ),
    Topic(
        "communities",
        "Communities and dense parts",
        "How long does it take to divide a graph into communities, and are these as good?",
        ("communities",),
    ),
    Topic(
        "trees",
        "Spanning forests and other trees",
        "How long does the lightest forest of a graph take, on cores, on a GPU, and if it does not "
        "fit there?",
        ("mst", "trees"),
    ),
    Topic(
        "points",
        "Neighbours and trees of points",
        "Points have no edges: what do exact neighbours and exact spanning trees cost, in few and "
        "in many dimensions, and with other metrics?",
        ("emst", "knn", "metrics", "metric_functions"),
    ),
    Topic(
        "clusters",
        "Clusters",
        "How long do the estimators take, from points to labels?",
        ("cluster", "hdbscan", "kmeans"),
    ),
    Topic(
        "programs",
        "Functions of NetworkX and SciPy",
        "What does a program that exists gain, whose calls stay as they are, and from which size "
        "of graph on?",
        ("nx_backend", "csgraph"),
    ),
    Topic(
        "starts",
        "Installation, import and first calls",
        "How long does one wait before the first result?",
        ("install", "import", "first_call"),
    ),
    Topic(
        "several",
        "Several GPUs and machines",
        "What do more GPUs, or more machines, gain?",
        ("runtime", "distributed"),
        (
            (
                "scaling-over-gpus.png",
                "Curves of the speed-up over one GPU with two and four, a panel for each algorithm",
            ),
        ),
    ),
    Topic(
        "arrays",
        "Filters and transformations",
        "What do the passes over arrays cost, that come before and after an algorithm?",
        ("transform", "predicate_filter"),
    ),
)


def topic_of(benchmark: str) -> Topic:
    """Return the topic that names a benchmark, else the one that others of its folder belong to."""
    for topic in TOPICS:
        if benchmark in topic.benchmarks:
            return topic
    folders = others.folders()
    for topic in TOPICS:
        if folders.get(benchmark, "") in {folders.get(name) for name in topic.benchmarks}:
            return topic
    return TOPICS[-1]


def lines_of(topic: Topic, lines: Sequence[Line]) -> list[Line]:
    """Return the lines of a topic, benchmark after benchmark."""
    here = [line for line in lines if topic_of(line.benchmark) == topic]
    places = {name: i for i, name in enumerate(topic.benchmarks)}
    return sorted(here, key=lambda line: places.get(line.benchmark, len(places)))


def overview(lines: Sequence[Line], figures: str, folder: str) -> str:
    """Return a section for each topic that has results, and the machines.

    `figures` and `folder` are where the pictures and the pages of the topics lie.
    """
    sections = [
        _section(topic, here, figures, folder)
        for topic in TOPICS
        if (here := lines_of(topic, lines))
    ]
    return "\n\n".join([*sections, machines(lines)])


def _section(topic: Topic, lines: Sequence[Line], figures: str, folder: str) -> str:
    parts = [f"## {topic.title}", others.wrapped(topic.question)]
    parts += [f"![{shown}]({figures}/{file})" for file, shown in topic.pictures]
    if compared := _compared(lines):
        parts += [compared, _ahead(lines)]
    parts.append(f"[All {len(lines):,} cases]({folder}/{topic.stem}.md)")
    return "\n\n".join(parts)


def page(topic: Topic, lines: Sequence[Line]) -> str:
    """Return the page with all cases of a topic."""
    by_case = [line for line in lines if not by_size.is_of_sizes(line)]
    about = (
        "Every number comes from `benchmarks/results/`, and `python -m benchmarks.report` writes "
        "this page."
    )
    parts = [
        f"# Benchmarks: {topic.title[0].lower()}{topic.title[1:]}",
        others.wrapped(topic.question),
        f"{others.wrapped(about)}\n[Benchmarks](../benchmarks.md) says how to read the tables.",
        others.wrapped(others.LEGEND),
        cases.markdown(by_case),
    ]
    text = "\n\n".join(part for part in parts if part)
    return f"{text}{cases.bounds(by_case)}{by_size.tables(lines)}\n"


@dataclass(frozen=True)
class Ratio:
    """A program of others in one case: its time, divided by that of warpgraph in the same run."""

    program: str
    ratio: float
    line: Line


def ratios(line: Line) -> Iterator[Ratio]:
    """Yield the ratio of each program of others in a case; those of earlier runs last."""
    for program, ratio in others.ratios_of_others(line.measurement).items():
        yield Ratio(program, ratio, line)
    for older in {id(older): older for older in line.earlier.values()}.values():
        for program, ratio in others.ratios_of_others(older.measurement).items():
            if any(others.OTHERS[rival] == program for rival in line.earlier):
                yield Ratio(program, ratio, older)


def _compared(lines: Sequence[Line]) -> str:
    """Return a table of the programs of others: the median, least and greatest ratio of each."""
    found: dict[tuple[str, str, str], list[float]] = {}
    for line in lines:
        title = others.title(line.benchmark)
        for one in ratios(line):
            found.setdefault((title, _kind(line), one.program), []).append(one.ratio)
    if not found:
        return ""
    several = len({title for title, _, _ in found}) > 1
    rows = [["work"] * several + ["on", "times faster than", "median", "least", "most", "cases"]]
    rows.append(["---"] * (several + 2) + ["--:"] * 4)
    for (title, *about), values in found.items():
        numbers = statistics.median(values), min(values), max(values)
        shown = [cases.number(value) for value in numbers]
        rows.append([title] * several + about + shown + [str(len(values))])
    return cases.written(rows)


def _kind(line: Line) -> str:
    """Return the machine that counts for a case: its cores, or its GPU."""
    on_cores = line.measurement["device"] == "cpu"
    return cores_of(line.machine) if on_cores else gpu_of(line.machine)


def _ahead(lines: Sequence[Line]) -> str:
    """Return a table of the cases in which a program of others took less time."""
    found = [one for line in lines for one in ratios(line) if one.ratio < 1]
    if not found:
        return "No other program was faster in any of these cases."
    rows = [["case", "on", "program", "its time, of warpgraph's"], ["---", "---", "---", "--:"]]
    for one in sorted(found, key=lambda one: one.ratio):
        m = one.line.measurement
        on = f"{_kind(one.line)}, {cases.where(m)}"
        rows.append([others.shown_case(m["case"]), on, one.program, cases.number(one.ratio)])
    return f"Others are ahead here:\n\n{cases.written(rows)}"


def machines(lines: Sequence[Line]) -> str:
    """Return a table of the machines: when they were measured, and with what."""
    rows = [["machine", "measured", "versions"], ["---"] * 3]
    for machine in sorted({line.machine for line in lines}, key=machine_place):
        here = [line for line in lines if line.machine == machine]
        rows.append([machine, cases.days(here), _versions(here)])
    return f"## Machines and versions\n\n{cases.written(rows)}"


def _versions(lines: Sequence[Line]) -> str:
    """Return "numpy 2.4.6 or 2.5.2, scipy 1.18.1": all but the library itself and Python.

    The hashes of programs, which the files have, are left out.
    """
    found: dict[str, set[str]] = {}
    for line in lines:
        for name, version in line.versions.items():
            found.setdefault(name, set()).add(version.partition(", sha256")[0])
    for own in ("python", "warpgraph"):
        found.pop(own, None)
    return ", ".join(f"{name} {' or '.join(sorted(found[name]))}" for name in found)


def documents(lines: Sequence[Any]) -> dict[str, str]:
    """Return the page of each topic that has results by its stem."""
    made = {topic.stem: lines_of(topic, lines) for topic in TOPICS}
    return {topic.stem: page(topic, made[topic.stem]) for topic in TOPICS if made[topic.stem]}
