"""wg.explain: what a call would do."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from warpgraph._arguments import validate
from warpgraph._graph import plan

#: The functions that plans are made for, and their modules: others have the same names.
_PLANNED = {
    "sssp": "_paths.sssp",
    "many_to_many": "_paths.many_to_many",
    "apsp": "_paths.apsp",
    "bfs": "_paths.bfs",
    "connected_components": "_search.connected_components",
    "pagerank": "_rank.pagerank",
    "minimum_spanning_forest": "_trees.mst",
}


@dataclass(frozen=True)
class Plan:
    """How a call would be computed, as `explain` returns it.

    Attributes
    ----------
    function : str
        The name of the function.
    method : str
        By which method, as ``method=`` names it where the function has that argument.
    devices : list of str
        On which devices.
    bytes : int
        Memory that it takes on each of them at most, with the graph and the result; 0 if that is
        not known.
    seconds : float
        The expected time, by rates that were measured on other machines: of use within a factor of
        about three.
    reasons : tuple of str
        Why, as the log has it.

    Examples
    --------
    >>> import warpgraph as wg
    >>> plan = wg.explain(wg.bfs, wg.generators.grid(20, 30), 0, device="cpu")
    >>> print(plan)  # doctest: +ELLIPSIS
    bfs, by levels, on cpu
      expected time  ...
    """

    function: str
    method: str
    devices: list[str]
    bytes: int
    seconds: float
    reasons: tuple[str, ...]

    def __str__(self) -> str:
        size = f"{self.bytes / 1e9:.3g} GB" if self.bytes else "not known"
        lines = [
            f"{self.function}, {self.method}, on {', '.join(self.devices)}",
            f"  expected time  {self.seconds:.2g} s",
            f"  memory         {size}",
        ]
        return "\n".join(lines + [f"  because        {reason}" for reason in self.reasons])


def explain(function: Callable[..., Any], *args: Any, **kwargs: Any) -> Plan:
    """Return how a call would be computed, without computing it.

    Facts that decide are looked up, as in the call: so a `Graph` may be checked for negative
    weights, or searched from some vertices, and keeps what was found.

    Parameters
    ----------
    function : callable
        `sssp`, `many_to_many`, `apsp`, `bfs`, `connected_components`, `pagerank` or
        `minimum_spanning_forest`.
    *args, **kwargs
        The arguments of the call.

    Returns
    -------
    Plan
        The method, the devices, the memory, the expected time and the reasons. ``print`` shows it.

    Raises
    ------
    TypeError
        No plans are made for `function`.
    ValueError
        There is nothing to compute, as without sources.

    Examples
    --------
    >>> import warpgraph as wg
    >>> plan = wg.explain(wg.sssp, wg.generators.grid(20, 30), 0, device="cpu")
    >>> plan.method, plan.devices
    ('delta_stepping', ['cpu'])
    """
    name = getattr(function, "__name__", "")
    module = getattr(function, "__module__", "")
    if name not in _PLANNED or module != f"warpgraph.{_PLANNED[name]}":
        raise TypeError(
            f"function must be one of {', '.join('wg.' + known for known in _PLANNED)}, "
            f"got {validate.shown(function)}"
        )
    with plan.only():
        try:
            function(*args, **kwargs)
        except plan.Planned as planned:
            made = planned.plan
        else:
            raise ValueError(f"{name} has nothing to compute")
    return Plan(name, made.method, made.devices, made.bytes, made.seconds, tuple(made.reasons))
