"""Modules of the package benchmarks, which is not installed."""

import importlib
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[2]
BENCHMARKS = ROOT / "benchmarks"
sys.path.insert(0, str(ROOT))


def load(name):
    return importlib.import_module(f"benchmarks.{name}")


def run(name, *options, env=None):
    """Run a module of the package, and return what it prints."""
    command = [sys.executable, "-m", f"benchmarks.{name}", *options]
    done = subprocess.run(command, check=True, capture_output=True, text=True, env=env, cwd=ROOT)
    return done.stdout


def made(suite, measurements, started="2026-01-02T00:00:00+00:00", name="made"):
    """Return a result of made-up measurements: case, ours, runs, and what is no default."""
    listed = []
    for case, ours, taken, changes in measurements:
        medians, ratios = load("result_format").summarise(taken, ours)
        about = {"case": case, "size": {"vertices": 4, "edges": 9}, "device": "cpu", "threads": 2}
        about |= {"resident": True, "checked": True, "ours": ours, "runs": taken, "floor": None}
        listed.append(about | {"medians": medians, "ratios": ratios} | changes)
    machine = {"device_name": "", "cpu": "Some(R) CPU", "cores": 2, "memory_bytes": 1}
    return {
        "file": f"{name}.json",
        "suite": suite,
        "started": started,
        "commit": "0123456789abcdef",
        "machine": machine | {"platform": "Linux"},
        "benchmark": "made",
        "measurements": listed,
    }


def cells(text):
    """Return the rows of tables as lists of cells."""
    lines = [line for line in text.splitlines() if line.startswith("| ")]
    return [[cell.strip() for cell in line.strip("|").split("|")] for line in lines]
