"""The base class of targets: drawing options, the call, and judging results."""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np

from fuzz import structures
from fuzz.cases import Raw, keywords

#: Some methods begin with 8 threads, and some with 16.
THREADS = (1, 1, 1, 1, 2, 2, 3, 4, 8, 16)
#: A progress callable that changes the number of threads.
PROGRESS = Raw("lambda done, total: wg.set_num_threads(1 + done % 8)")
DTYPES = ("float32", "float64", "int32", "int64")


class Target:
    """A public function. Subclasses draw arguments, turn them into code, and judge results."""

    #: Its name in the table of results.
    name: ClassVar[str]
    #: The kind of graph or points, see `fuzz.drawing`.
    subject: ClassVar[str] = "graph"
    #: The class of the largest graphs for which the oracle is fast enough.
    largest: ClassVar[int] = structures.HUGE
    #: Relative frequency among the targets of its kind.
    share: ClassVar[float] = 1.0
    #: Arguments that are vertices, or lists of them.
    vertices: ClassVar[tuple[str, ...]] = ("source", "target", "sources", "targets")
    #: Required arguments.
    needed: ClassVar[tuple[str, ...]] = ("source", "target", "sources", "device")

    def draw(self, rng, subject, device: str) -> dict[str, Any] | None:
        """Return arguments; None if the function does not accept the subject."""
        raise NotImplementedError

    def source(self, args: dict[str, Any], subject) -> str:
        """Return the code of the call, which assigns `result`."""
        raise NotImplementedError

    def judge(self, args, world, result, error) -> str | None:
        """Return what is wrong, in words; None if nothing is."""
        raise NotImplementedError

    def renumbered(self, args, new: dict[int, int]) -> dict[str, Any] | None:
        """Return the arguments for a graph whose vertices have new numbers, or None."""
        changed = dict(args)
        for name in self.vertices:
            value = args.get(name)
            if isinstance(value, list):
                changed[name] = [new[v] for v in value if v in new]
            elif value is not None:
                if value not in new:
                    return None
                changed[name] = new[value]
        return changed

    def simpler(self, args):
        """Yield simpler arguments, one step at a time."""
        for name, value in args.items():
            if name not in self.needed:
                yield {k: v for k, v in args.items() if k != name}
            if isinstance(value, list) and len(value) > 1:
                yield {**args, name: value[: len(value) // 2]}
                yield {**args, name: value[len(value) // 2 :]}
                if len(value) <= 8:
                    yield from (
                        {**args, name: value[:i] + value[i + 1 :]} for i in range(len(value))
                    )


def options(args: dict[str, Any], *without: str) -> str:
    """Return the arguments but for some as keywords in code."""
    return keywords({name: value for name, value in args.items() if name not in without})


def maybe(rng, args: dict[str, Any], probability: float, name: str, draw) -> None:
    """With a probability, add the result of `draw()` to the arguments."""
    if rng.random() < probability:
        args[name] = draw()


def perhaps_several(rng, device: str) -> str | list[str]:
    """Return the device, or with some probability a list of virtual ones on it."""
    return [device] * int(pick(rng, (2, 2, 3, 5, 8))) if rng.random() < 0.2 else device


def maybe_progress(rng, args: dict[str, Any]) -> None:
    """With some probability, pass a progress callable."""
    maybe(rng, args, 0.06, "progress", lambda: PROGRESS)


def pick(rng, values):
    """Return one of some values unchanged: a NumPy scalar prints differently."""
    return values[int(rng.integers(len(values)))]


def unexpected(error: Exception) -> str:
    """Return the message for an unexpected error."""
    return f"expected a result, got {type(error).__name__}: {error}"


def first_difference(found, expected, what: str) -> str | None:
    """Compare arrays bit for bit; name the first entry that differs."""
    found, expected = np.asarray(found), np.asarray(expected)
    if found.dtype != expected.dtype:
        return f"{what}: expected dtype {expected.dtype}, got {found.dtype}"
    if found.shape != expected.shape:
        return f"{what}: expected shape {expected.shape}, got {found.shape}"
    if found.tobytes() == expected.tobytes():
        return None
    unequal = found != expected
    if found.dtype.kind == "f":
        unequal |= np.signbit(found) != np.signbit(expected)
    if not unequal.any():
        return None
    at = tuple(int(i[0]) for i in np.nonzero(unequal))
    place = ", ".join(map(str, at))
    count = int(unequal.sum())
    return (
        f"{what}[{place}]: expected {expected[at]!r}, got {found[at]!r} "
        f"({count} of {found.size} differ)"
    )
