"""The kernels of a call on a GPU, as PyTorch's profiler sees them."""

from __future__ import annotations

import sys
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class Kernel:
    """The launches of one kernel, and the time that they take together."""

    launches: int
    microseconds: float


def kernel_times(call: Callable[[], Any]) -> dict[str, Kernel]:
    """Call once and return kernels by name; none without PyTorch and a GPU.

    It counts the kernels of all libraries in the process. A profiler that fails is not worth the
    loss of what was measured before: it says so, and there are no kernels.
    """
    try:
        import torch
        from torch.profiler import ProfilerActivity, profile
    except ImportError:
        return {}
    # Starts of the names of copies and of calls of the CUDA API, which are no kernels.
    others = ("Memcpy", "Memset", "cuda", "cuLaunch", "cuCtx", "cuMem", "cuStream", "cuEvent")
    if not torch.cuda.is_available():
        return {}
    try:
        with profile(activities=[ProfilerActivity.CUDA]) as profiled:
            call()
            torch.cuda.synchronize()
        return {
            event.key: Kernel(event.count, event.self_device_time_total)
            for event in profiled.key_averages()
            if event.self_device_time_total > 0 and not event.key.startswith(others)
        }
    except (AttributeError, RuntimeError) as error:
        print(f"kernels were not profiled: {error}", file=sys.stderr)
        return {}
