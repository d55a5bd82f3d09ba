"""The experiments on links of the article behind the runtime [1 in predicate_filter.hpp].

Figure 2: direct access by distance (a), packets of several sizes (b), ways between GPUs (c), and
broadcasts (d); the latency of segments; links from the host; and table 6, endpoints of different
speed. The program of benchmarks/runtime measures them.

make experiments SEED=004 EXPERIMENT='--device cuda --sizes article'

A ceiling is what plain calls of CUDA reach in the same run, or a rate that was measured before.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from benchmarks import picture, report

Measurement = dict[str, Any]

PLAIN = "one cudaMemcpyPeerAsync"
#: The upper bound of a broadcast, which is none itself.
TO_ONE = "one cudaMemcpyPeerAsync to one GPU"


@dataclass(frozen=True)
class Target:
    """A value that a case is to reach; `value` computes it from the measurement."""

    case: str  # a regular expression
    text: str
    value: Callable[[Measurement], float]
    limit: float
    is_most: bool = False

    def cells(self, m: Measurement) -> list[str]:
        """Return the case, what is measured, its value, the target, and whether that is met."""
        value = self.value(m)
        is_met = value <= self.limit if self.is_most else value >= self.limit
        sign = "<=" if self.is_most else ">="
        verdict = "yes" if is_met else "no"
        return [m["case"], self.text, f"{value:.3g}", f"{sign} {self.limit:g}", verdict]


def ours(m: Measurement) -> float:
    return float(m["medians"][m["ours"]])


def of_floor(m: Measurement) -> float:
    return float(m["floor"]["seconds"]) / ours(m)


def share_of(rival: str) -> Callable[[Measurement], float]:
    """Return the rate of ours as a fraction of the rival's."""
    return lambda m: float(m["medians"][rival]) / ours(m)


def share_of_plain_sum(m: Measurement) -> float:
    (plain,) = (name for name in m["medians"] if name.startswith("cudaMemcpyAsync"))
    return float(m["medians"][plain]) / ours(m)


def least_latency(m: Measurement) -> float:
    return 1e6 * min(m["medians"][name] for name in ("forwarded at once", "threads wait"))


def best_broadcast(m: Measurement) -> float:
    best = min(m["medians"][name] for name in ("chain of links", "policy broadcast"))
    return float(best / m["medians"][TO_ONE])


def of_both(m: Measurement) -> float:
    """Return the time relative to that of two endpoints that share the work by their speeds."""
    alone = [m["medians"][name] for name in ("the GPU alone", "the other alone")]
    return ours(m) * sum(1 / seconds for seconds in alone)


TARGETS = (
    Target(r"^direct access, random atomic .* peer", "of 6.6 G/s", of_floor, 0.8),
    Target(r"^link between GPUs, 64 MB", f"of {PLAIN}", share_of(PLAIN), 0.9),
    Target(r"^broadcast to", "times one copy", best_broadcast, 1.3, is_most=True),
    Target(r"^latency of 4 bytes, GPU and GPU", "us", least_latency, 12, is_most=True),
    Target(r"^host to .* page-locked$", "of plain copies", share_of_plain_sum, 0.9),
    Target(r"^runtime, predicate_filter on", "of plain copies", share_of_plain_sum, 0.9),
    Target(r"^filter on a GPU", "times the ideal share", of_both, 1.2, is_most=True),
)


def rate(m: Measurement, name: str) -> float:
    """Return 10^9 bytes a second of a contestant; accesses a second if they are random."""
    ((_, amount),) = [(key, n) for key, n in m["size"].items() if key.startswith("bytes")]
    operations = amount / 4 if "random" in m["case"] else amount
    return float(operations / m["medians"][name] / 1e9)


def quantity(m: Measurement, name: str) -> str:
    seconds = m["medians"][name]
    if m["case"].startswith("latency"):
        return f"{1e6 * seconds:.3g} us"
    if any(key.startswith("bytes") for key in m["size"]):
        unit = "G/s" if "random" in m["case"] else "GB/s"
        return f"{1e3 * seconds:.3g} ms, {shown(rate(m, name))} {unit}"
    return f"{1e3 * seconds:.3g} ms"


def megabytes(text: str) -> float:
    """Return 0.0625 of "64 KB packets"."""
    found = re.search(r"(\d+) (KB|MB) packets", text)
    if found is None:
        raise ValueError(f"{text!r} names no size of packets")
    return float(found[1]) / (1024 if found[2] == "KB" else 1)


def chosen(measurements: Sequence[Measurement], pattern: str) -> list[Measurement]:
    return [m for m in measurements if re.search(pattern, m["case"])]


def shown(value: float) -> str:
    return f"{value:,.0f}" if value >= 100 else f"{value:.3g}"


def draw_accesses(axes: Any, measurements: Sequence[Measurement]) -> None:
    """Draw bars of bytes a second, by order, access and memory."""
    drawn = [m for m in chosen(measurements, "^direct access") if "atomic" not in m["case"]]
    for m in drawn:
        name = m["case"].removeprefix("direct access, ")
        gigabytes = m["size"]["bytes accessed"] / ours(m) / 1e9
        colour = picture.ORANGE if "random" in name else picture.BLUE
        bars = axes.barh(name, gigabytes, color=colour)
        axes.bar_label(bars, [f" {shown(gigabytes)}"], fontsize=8)
    axes.invert_yaxis()
    axes.set_xscale("log")
    axes.margins(x=0.15)
    axes.tick_params(axis="y", labelsize=8)
    axes.set_xlabel("GB/s in words of 4 bytes")
    axes.set_title("a: direct access; in orange, random")


def draw_by_packet(
    axes: Any, measurements: Sequence[Measurement], pattern: str, title: str
) -> None:
    """Draw a curve of GB/s over the size of packets for each contestant."""
    curves: dict[str, list[tuple[float, float]]] = {}
    for m in chosen(measurements, pattern):
        for name in m["runs"]:
            curves.setdefault(name, []).append((megabytes(m["case"]), rate(m, name)))
    for name, points in curves.items():
        style = "--" if name == TO_ONE else "o-"
        axes.plot(*zip(*sorted(points), strict=True), style, label=name)
    axes.set_xscale("log", base=2)
    axes.set_ylim(bottom=0)
    axes.set_xlabel("MB in a packet")
    axes.set_ylabel("GB/s")
    axes.set_title(title)
    axes.legend(loc="upper right", bbox_to_anchor=(1, -0.18))


def draw_bars(
    axes: Any, measurements: Sequence[Measurement], pattern: str, title: str, value: Any
) -> None:
    """Draw a bar for each contestant of the cases, named by what the pattern leaves of the case."""
    cases = chosen(measurements, pattern)
    for m in cases:
        for name in m["runs"]:
            label = name if len(cases) == 1 else f"{re.sub(pattern, '', m['case'])}: {name}"
            bars = axes.barh(label, value(m, name), color=picture.BLUE)
            axes.bar_label(bars, [f" {shown(value(m, name))}"], fontsize=8)
    axes.invert_yaxis()
    axes.margins(x=0.15)
    axes.tick_params(axis="y", labelsize=8)
    axes.set_title(title)


def n_broadcast(result: dict[str, Any]) -> int:
    """Return the most GPUs that a broadcast of a result reaches; 0: it has none."""
    cases = [m["case"] for m in result["measurements"]]
    return max((int(c.split()[2]) for c in cases if c.startswith("broadcast to ")), default=0)


def draw(results: Sequence[dict[str, Any]], path: Path) -> None:
    """Draw the parts of figure 2, the latency, and table 6, of the machine with most GPUs."""
    plt = report.pyplot()
    result = max(results, key=n_broadcast)
    measurements = result["measurements"]
    n = n_broadcast(result)
    figure, axes = plt.subplots(3, 2, figsize=(12, 13), layout="constrained")
    draw_accesses(axes[0, 0], measurements)
    draw_by_packet(axes[0, 1], measurements, "^link between GPUs", "b: packets, GPU to GPU")
    draw_bars(axes[1, 0], measurements, "^ways between GPUs", "c: ways between GPUs", rate)
    axes[1, 0].set_xlabel("GB/s")
    title = f"d: broadcast to {n} GPUs"
    draw_by_packet(axes[1, 1], measurements, f"^broadcast to {n} ", title)
    draw_bars(
        axes[2, 0],
        measurements,
        "^latency of 4 bytes, (?=.* and )",
        "latency of a segment of 4 bytes",
        lambda m, name: 1e6 * m["medians"][name],
    )
    axes[2, 0].set_xlabel("microseconds, half of the way there and back")
    draw_bars(
        axes[2, 1],
        measurements,
        "^filter on a GPU and ",
        "table 6: a GPU and another endpoint",
        lambda m, name: 1e3 * m["medians"][name],
    )
    axes[2, 1].set_xlabel("ms to filter an array of the host")
    report.save(figure, path)
