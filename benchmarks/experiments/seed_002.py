"""A table and a picture of CUPQ's experiment, from a result of bench_many_to_many.py.

make experiments SEED=002
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from benchmarks import report
from benchmarks.others import OTHERS

#: Origins of the searches.
N_ORIGINS = 1024

Bars = dict[str, dict[str, float]]  #: seconds by network and machine, by contestant


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
        elif name.endswith(", 1 core"):
            named[name] = seconds
        else:
            named[f"{name}, {threads}"] = seconds
    return named


def collect(results: Sequence[dict[str, Any]]) -> Bars:
    """Return the newest seconds of each contestant on each network and machine."""
    bars: Bars = {}
    for result in sorted(results, key=lambda result: str(result["started"]), reverse=True):
        for measurement in result["measurements"]:
            network = measurement["case"].split(", ")[1]
            panel = bars.setdefault(f"{network}: {report.machine_name(result['machine'])}", {})
            for name, seconds in contestants_of(measurement).items():
                panel.setdefault(name, seconds)
    return dict(sorted(bars.items(), key=lambda panel: panel[0].split(":")[0]))


def draw(results: Sequence[dict[str, Any]], path: Path) -> None:
    """Draw a panel of bars for each network and machine: seconds on a logarithmic scale."""
    plt = report.pyplot()
    bars = collect(results)
    names = list(dict.fromkeys(name for row in bars.values() for name in row))
    colours = {name: f"C{k}" for k, name in enumerate(names)}
    heights = [len(row) for row in bars.values()]
    figure, panels = plt.subplots(
        len(bars),
        1,
        figsize=(8, 1 + 0.2 * sum(heights) + 0.35 * len(heights)),
        height_ratios=heights,
        sharex=True,
        squeeze=False,
        layout="constrained",
    )
    for axes, (network, row) in zip(panels.flat, bars.items(), strict=True):
        drawn = axes.barh(list(row), list(row.values()), color=[colours[name] for name in row])
        axes.bar_label(drawn, [f" {seconds:.3g}" for seconds in row.values()], fontsize=7)
        axes.tick_params(axis="y", labelsize=7.5)
        axes.invert_yaxis()
        axes.set_title(network)
    axes.set_xscale("log")
    axes.margins(x=0.12)
    axes.set_xlabel("seconds, 1024 origins to all vertices")
    report.save(figure, path)
