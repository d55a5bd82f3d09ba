"""A table and a picture of CUPQ's experiment, from a result of bench_many_to_many.py.

python -m benchmarks.paths.bench_many_to_many --suite seed-002
python -m benchmarks.experiments.seed_002 benchmarks/results/many_to_many-seed-002-*.json
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from benchmarks import report
from benchmarks.others import OTHERS

THEIRS = "The article has a picture of its times on laptop GPUs and one core, but no numbers."

Bars = dict[str, dict[str, float]]  #: seconds by network and by contestant


def contestants_of(measurement: dict[str, Any]) -> dict[str, float]:
    """Return seconds by the contestants' names in the picture: "batched, 1 thread"."""
    if measurement["case"].startswith("many_to_many on the device"):
        medians = dict(measurement["medians"])
        named = {
            "a heap a warp, GPU, rows stay there": medians.pop("dijkstra"),
            "batched, GPU, rows stay there": medians.pop(measurement["ours"]),
        }
        others = {f"{OTHERS[name]}, rows stay there": t for name, t in medians.items()}
        return named | others
    threads = report.threads(measurement["threads"])
    named = {}
    for name, seconds in measurement["medians"].items():
        if name == measurement["ours"]:
            on_gpu = measurement["device"] != "cpu"
            named["a heap a warp, GPU" if on_gpu else f"buckets, {threads}"] = seconds
        elif name.startswith("warpgraph cpu") or name == "buckets, all cores":
            named[f"buckets, {threads}"] = seconds
        elif name == "buckets, 1 core":
            named["buckets, 1 thread"] = seconds
        else:
            named[f"{name}, {threads}"] = seconds
    return named


def collect(results: Sequence[dict[str, Any]]) -> Bars:
    """Return the newest seconds of each contestant on each network."""
    bars: Bars = {}
    for result in sorted(results, key=lambda result: str(result["started"])):
        for measurement in result["measurements"]:
            network = measurement["case"].split(", ")[1]
            bars.setdefault(network, {}).update(contestants_of(measurement))
    return bars


def markdown(bars: Bars) -> str:
    """Return a table of milliseconds an origin, a row for each contestant."""
    names = list(dict.fromkeys(name for row in bars.values() for name in row))
    lines = [f"| ms an origin | {' | '.join(bars)} |", "|---|" + "--:|" * len(bars)]
    for name in names:
        cells = [f"{row[name] / 1.024:.3g}" if name in row else "-" for row in bars.values()]
        lines.append(f"| {name} | {' | '.join(cells)} |")
    return "\n".join(lines)


def draw(bars: Bars, path: Path) -> None:
    """Draw a panel of bars for each network: seconds for all origins, on a logarithmic scale."""
    plt = report.pyplot()
    names = list(dict.fromkeys(name for row in bars.values() for name in row))
    colours = {name: f"C{k}" for k, name in enumerate(names)}
    heights = [len(row) for row in bars.values()]
    figure, panels = plt.subplots(
        len(bars),
        1,
        figsize=(8, 1 + 0.32 * sum(heights)),
        height_ratios=heights,
        sharex=True,
        squeeze=False,
        layout="constrained",
    )
    for axes, (network, row) in zip(panels.flat, bars.items(), strict=True):
        drawn = axes.barh(list(row), list(row.values()), color=[colours[name] for name in row])
        axes.bar_label(drawn, [f" {seconds:.2g}" for seconds in row.values()], fontsize=8)
        axes.invert_yaxis()
        axes.set_title(network)
    axes.set_xscale("log")
    axes.margins(x=0.12)
    axes.set_xlabel("seconds, 1024 origins to all vertices")
    report.save(figure, path)


def main(arguments: Sequence[str] | None = None) -> None:
    """Print the table and draw the picture."""
    results, picture = report.read_experiment("seed-002", arguments)
    bars = collect(results)
    if all(m["device"] == "cpu" for result in results for m in result["measurements"]):
        print("There are rows of cores only: the results are of machines without a GPU.\n")
    print(markdown(bars))
    print(f"\n{THEIRS}")
    draw(bars, picture)
    print(f"\n{picture}")


if __name__ == "__main__":
    main()
