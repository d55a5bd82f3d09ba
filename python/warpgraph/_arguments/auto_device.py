"""Another device for a call if the GPUs that were chosen for it lack memory."""

from __future__ import annotations

import functools
import logging
import time
import traceback
from collections.abc import Callable
from typing import Any, ParamSpec, TypeVar

from warpgraph import _core
from warpgraph._arguments import device as _device, foreign, hints

logger = logging.getLogger("warpgraph")

P = ParamSpec("P")
R = TypeVar("R")


class WatchedProgress:
    """A caller's progress callable, whose errors `is_of_progress` finds."""

    def __init__(self, report: Callable[[int, int], Any]) -> None:
        self._report = report

    def __call__(self, done: int, total: int) -> Any:
        return self._report(done, total)


def is_of_progress(error: BaseException) -> bool:
    """Return whether a progress callable raised an error, which therefore must end the call.

    It may be of any type, also of those after which a call goes on in another way.
    """
    code = WatchedProgress.__call__.__code__
    return any(frame.f_code is code for frame, _ in traceback.walk_tb(error.__traceback__))


def falls_back_if_memory_lacks(function: Callable[P, R]) -> Callable[P, R]:
    """Repeat a call elsewhere if memory lacked on the GPUs that were chosen for it.

    The graph learns how long a call has taken, so that the next one like it takes the fastest way.

    ``device="auto"`` takes the cores then, and ``"cuda:all"`` one GPU: with a part of the graph,
    each of several may need more memory. The result is the same. A device that the caller names
    never falls back. Arguments that the function does not take have hints, as by `hints.hinted`.
    """

    @functools.wraps(function)
    def call(*args: P.args, **kwargs: P.kwargs) -> R:
        if (out := kwargs.get("out")) is not None:
            kwargs["out"] = views = foreign.view_of_out(out)
            if views is not out:
                found: R = foreign.given_back(call(*args, **kwargs), views, out)
                return found
        if callable(report := kwargs.get("progress")):
            kwargs["progress"] = WatchedProgress(report)
        notes = _device.Notes()
        token = _device.notes_of_call.set(notes)
        start = time.perf_counter()
        try:
            result = function(*args, **kwargs)
            if notes.planned is not None:
                _, handle, plan = notes.planned
                _core.remember(handle, plan, time.perf_counter() - start)
            return result
        except MemoryError as error:
            if is_of_progress(error) or (other := _other_device(notes.choices, error)) is None:
                raise
        except TypeError as error:
            if (better := hints.not_taken(error, function, args, kwargs)) is None:
                raise
            raise better from None
        finally:
            _device.notes_of_call.reset(token)
        if other != "cpu":
            kwargs["device"] = other
            return function(*args, **kwargs)
        with _device.gpus_chosen_by(lambda count: None):
            return function(*args, **kwargs)

    return call


def _other_device(choices: list[tuple[str, list[str]]], error: MemoryError) -> str | None:
    """Return the device that repeats a call, and log it; None: the call fails."""
    asked, gpus = choices[-1] if choices else ("", [])
    if asked == "auto":
        logger.warning("device='auto' takes cpu, not %s: %s", gpus[-1], error)
        return "cpu"
    if len(gpus) < 2:
        return None
    logger.info("device='cuda:all' chose %s: %s", gpus[:1], error)
    return gpus[0]
