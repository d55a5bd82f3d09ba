"""The pictures of docs/experiments.md, by the suite whose results they show."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from benchmarks.experiments import (
    clustering,
    seed_000,
    seed_001,
    seed_002,
    seed_003,
    seed_004,
    seed_004_links,
)
from benchmarks.experiments.page.runs import Result, of_suite

PICTURES = {
    "seed-000": ("bellman-ford-optimisations", seed_000.draw),
    "seed-001": ("floyd-warshall-naive-and-in-tiles", seed_001.draw),
    "seed-002": ("heaps-of-warps-and-threads", seed_002.draw),
    "seed-003": ("forests-of-transformed-graphs", seed_003.draw),
    "seed-003-clusters": ("clusters-by-a-spanning-tree", clustering.draw),
    "seed-004": ("scaling-over-gpus", seed_004.draw),
    "seed-004-links": ("links-between-gpus", seed_004_links.draw),
}


def draw_all(results: Sequence[Result], folder: Path) -> list[Path]:
    """Draw the pictures of the suites that have results, and return their paths."""
    drawn = []
    for suite, (name, draw) in PICTURES.items():
        if of := of_suite(results, suite):
            path = folder / f"{name}.png"
            draw(of, path)
            drawn.append(path)
    return drawn
