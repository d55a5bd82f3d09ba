"""Devices of the tests, single ones and lists of them; plans for other machines."""

from itertools import cycle, islice
from types import SimpleNamespace

import numpy as np
import pytest

import warpgraph as wg
from checks import EMULATED
from warpgraph import _core
from warpgraph._arguments import device as _device
from warpgraph._graph import plan

GPUS = wg.devices()[1:]


def gpus_in_turns(*sizes):
    """Return lists of as many members, on all GPUs here in turns."""
    return [list(islice(cycle(GPUS), n)) for n in sizes if GPUS]


def on_one_gpu(*sizes):
    """Return lists of as many members, all on the first GPU, if there is one."""
    return [GPUS[:1] * n for n in sizes if GPUS]


#: One thread, more threads than a small machine has cores (so that races show), a GPU.
SINGLE = [("cpu", 1), ("cpu", 4), *((name, 0) for name in GPUS[:1])]
#: Workers of the host.
HOST = [["cpu"] * n for n in (1, 2, 3, 5, 8)]
LISTS = HOST + gpus_in_turns(*((1, 2, 3) if EMULATED else (1, 2, 3, 5, 8)))
#: Lists for functions that divide the work among cores and GPUs alike, and what stands for a list.
MIXED = HOST + on_one_gpu(2)
MIXED += [["cpu", GPUS[0], "cpu"], ("cuda:all", 0)] if GPUS else []


def device_id(param):
    """Return what the id of a test says of a parameter of the fixture `device`."""
    if isinstance(param, list):
        each = dict.fromkeys(param)
        return f"{len(param)} x {param[0]}" if len(each) == 1 else ",".join(param)
    name, threads = param
    return f"{name}-{threads}threads" if threads else name


def over(devices):
    """Run a test on these devices: lists of names, or pairs of a name and a number of threads."""
    return pytest.mark.parametrize("device", devices, ids=device_id, indirect=True)


def over_methods(ways):
    """Run a test on pairs of devices, as `over` takes them, and methods."""
    ids = lambda value: value if isinstance(value, str) else device_id(value)  # noqa: E731
    return pytest.mark.parametrize(("device", "method"), ways, ids=ids, indirect=["device"])


#: Methods of forests: sorted rows are for GPUs.
METHODS_OF_FORESTS = [
    (pair, method)
    for pair in SINGLE
    for method in (("filter",) if pair[0] == "cpu" else ("filter", "boruvka"))
]

over_lists = over(LISTS)
over_devices = over(SINGLE + LISTS)


def is_list(device):
    """Whether it is a list of devices, or stands for one."""
    return isinstance(device, list) or device == "cuda:all"


def is_several(device):
    """Whether it is a list of two devices or more."""
    return isinstance(device, list) and len(device) > 1


GIB = 1 << 30
_MEMBERS = [name for name in dir(_core.Plan) if not name.startswith("_")]


def machine(n_gpus=3, **facts):
    """Return a machine: GPUs that have 80 GiB free and share their memory."""
    gpus = [f"cuda:{i}" for i in range(n_gpus)]
    return {"n_threads": 16, "gpus": gpus, "free_memory": 80 * GIB, "share_memory": True} | facts


def plan_for(
    algorithm, facts, *, device="auto", on=None, dtype="float64", memory_limit=0, **request
):
    """Return a plan; a fact that it asks for and that is not among these is a ValueError."""
    named = [] if isinstance(device, str) else device
    wanted = device if isinstance(device, str) else "named"
    asked = {"explains": True, "ledger": _core.ledger(memory_limit)} | request
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
