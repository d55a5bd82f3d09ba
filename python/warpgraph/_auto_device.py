"""What ``device="auto"`` does if the GPU that it chose lacks memory."""

from __future__ import annotations

import functools
import logging
from collections.abc import Callable
from typing import ParamSpec, TypeVar

from warpgraph import _device

logger = logging.getLogger("warpgraph")

P = ParamSpec("P")
R = TypeVar("R")


def cores_if_memory_lacks(function: Callable[P, R]) -> Callable[P, R]:
    """Repeat a call on the cores if ``device="auto"`` chose a GPU for it, and memory lacked.

    The result is the same. A device that the caller names never falls back.
    """

    @functools.wraps(function)
    def call(*args: P.args, **kwargs: P.kwargs) -> R:
        with _device.noting_choices() as chosen:
            try:
                return function(*args, **kwargs)
            except MemoryError as error:
                if not chosen:
                    raise
                logger.warning("device='auto' takes cpu, not %s: %s", chosen[-1], error)
        with _device.gpus_chosen_by(lambda count: None):
            return function(*args, **kwargs)

    return call
