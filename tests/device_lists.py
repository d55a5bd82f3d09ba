"""Lists of devices: virtual ones on the host, and all CUDA devices in turns; plans for others."""

from itertools import cycle, islice
from types import SimpleNamespace

import numpy as np
import pytest

import warpgraph as wg
from checks import EMULATED
from warpgraph import _core
from warpgraph._arguments import device as _device
from warpgraph._graph import plan


def _lists():
    for kind, names in {"cpu": ["cpu"], "cuda": wg.devices()[1:]}.items():
        sizes = (1, 2, 3) if kind == "cuda" and EMULATED else (1, 2, 3, 5, 8)
        for n in sizes if names else ():
            yield pytest.param(list(islice(cycle(names), n)), id=f"{kind}-{n}")


over_lists = pytest.mark.parametrize("device", list(_lists()))

GIB = 1 << 30
_MEMBERS = [name for name in dir(_core.Plan) if not name.startswith("_")]


def machine(n_gpus=3, **facts):
    """Return a machine: GPUs that have 80 GiB free and share their memory."""
    gpus = [f"cuda:{i}" for i in range(n_gpus)]
    return {"n_threads": 16, "gpus": gpus, "free_memory": 80 * GIB, "share_memory": True} | facts


def plan_for(algorithm, facts, *, device="auto", on=None, dtype="float64", **request):
    """Return a plan; a fact that it asks for and that is not among these is a ValueError."""
    named = [] if isinstance(device, str) else device
    wanted = device if isinstance(device, str) else "named"
    asked = {"explains": True} | request
    return _core.plan_for(algorithm, facts, np.dtype(dtype), on or machine(), wanted, named, asked)


def device_of_auto(device="auto", n_edges=1 << 30):
    """Return the device of a function for which "auto" is a GPU if there are many edges."""
    return plan.device_for("rank_weights", _device.one_wanted(device), n_arcs=n_edges)


def change_plans(monkeypatch, change):
    """Let calls follow change(plan, wanted, graph), a dict of members that differ."""
    make = plan.make

    def changed(algorithm, graph, form, dtype, wanted, *args, **request):
        made = make(algorithm, graph, form, dtype, wanted, *args, **request)
        members = {name: getattr(made, name) for name in _MEMBERS}
        return SimpleNamespace(**members | change(made, wanted, graph))

    monkeypatch.setattr(plan, "make", changed)


def accelerate(monkeypatch):
    """Let PageRank of small graphs be accelerated, too."""
    change_plans(monkeypatch, lambda made, wanted, graph: {"accelerates": True})


def take_all_gpus(monkeypatch):
    """Let "cuda:all" be all GPUs in each plan."""
    change_plans(
        monkeypatch,
        lambda made, wanted, graph: (
            {"devices": _device.gpus()} if wanted.kind == "cuda:all" else {}
        ),
    )
