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
