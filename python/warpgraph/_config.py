"""wg.show_config and wg.get_include."""

from __future__ import annotations

import platform
import sys
from pathlib import Path
from typing import Any, Literal

import numpy as np
import scipy

from warpgraph import _core, _rates
from warpgraph._arguments import validate
from warpgraph._arguments.device import devices
from warpgraph._version import __version__


def show_config(mode: Literal["stdout", "dicts"] = "stdout") -> dict[str, Any] | None:
    """Print what was built and what was found on this machine, or return it.

    ``warpgraph info`` prints the same, with ``--json`` as one JSON object.

    Parameters
    ----------
    mode : {"stdout", "dicts"}
        "stdout" prints a line for each entry, "dicts" returns them, as `numpy.show_config` does.

    Returns
    -------
    config : dict or None
        With "dicts". What is not there is None: the driver of a machine without one, the CUDA
        runtime of a module that was built without CUDA, the reason why no GPU can be used where
        one can. ``config["cuda_devices"]`` has a dict for each device.

    Examples
    --------
    >>> import warpgraph as wg
    >>> wg.show_config()  # doctest: +ELLIPSIS, +NORMALIZE_WHITESPACE
    warpgraph: ...
    python: ...
    >>> wg.show_config(mode="dicts")["threads"] == wg.get_num_threads()
    True
    """
    if validate.choice(mode, ("stdout", "dicts"), "mode") == "dicts":
        return _config()
    for key, value in lines().items():
        for line in value if isinstance(value, list) else [value]:
            print(f"{key.replace('_', ' '):>24}: {line}")
    return None


def get_include() -> str:
    """Return the folder of C++ and CUDA headers that other programs may include.

    They need no library: the warp-wide priority queue
    ``warpgraph/core/cuda/containers/warp_heap.cuh`` for kernels of CUDA, heaps in
    ``warpgraph/core/containers/heap.hpp`` and a concurrent union-find in ``union_find.hpp`` beside
    it. The same folder has a CMake package: with
    ``-Dwarpgraph_ROOT=<folder>``, ``find_package(warpgraph)`` makes the target
    ``warpgraph::headers``. The headers need C++20.

    Returns
    -------
    folder : str
        For the option ``-I`` of a compiler.

    Examples
    --------
    >>> import warpgraph as wg
    >>> from pathlib import Path
    >>> (Path(wg.get_include()) / "warpgraph/core/cuda/containers/warp_heap.cuh").exists()
    True
    """
    return str(Path(__file__).parent / "include")


def lines() -> dict[str, Any]:
    """Return the entries as people read them; a list has a line for each item."""
    entries = _config()
    entries["cuda_devices"] = [_describe(found) for found in entries["cuda_devices"]] or "none"
    entries["cuda_runtime"] = entries["cuda_runtime"] or "none: built without CUDA"
    without = "no driver" if entries["built_with_cuda"] else "not looked for: built without CUDA"
    entries["cuda_driver"] = entries["cuda_driver"] or without
    return {key: value for key, value in entries.items() if value is not None}


def _config() -> dict[str, Any]:
    return {
        "warpgraph": __version__,
        "python": sys.version.split()[0],
        "platform": platform.platform(),
        "numpy": np.__version__,
        "scipy": scipy.__version__,
        "threads": _core.num_threads(),
        "built_with_cuda": _core.built_with_cuda,
        "cuda_runtime": _core.cuda_runtime_version() or None,
        "cuda_driver": _core.cuda_driver_version() or None,
        "cuda_devices": [_core.device_properties(name) for name in devices()[1:]],
        "rates": _rates.described(),
        "plans": "learn from calls" if _core.is_learning() else "frozen",
        "cuda_unavailable_because": _core.cuda_unavailable_reason() or None,
    }


def _describe(properties: dict[str, Any]) -> str:
    """Return a one-line description of a CUDA device."""
    gib = 2**30
    return (
        f"{properties['device']}: {properties['name']}, compute capability "
        f"{properties['compute_capability'] / 10}, {properties['multiprocessors']} "
        f"multiprocessors, {properties['free_memory'] / gib:.1f} of "
        f"{properties['total_memory'] / gib:.1f} GiB free"
    )
