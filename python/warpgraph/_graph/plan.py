"""Plans of the core: by which method a call is computed, and on which devices."""

from __future__ import annotations

import contextlib
import logging
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from typing import Any, TypeVar

import numpy as np

from warpgraph import _core
from warpgraph._arguments import device as _device, validate
from warpgraph._arguments.auto_device import is_of_progress
from warpgraph._graph import derived, weights
from warpgraph._graph.graph import Graph
from warpgraph._graph.methods.kept import ends_call as ends_call, planning as _planning

logger = logging.getLogger("warpgraph")

_T = TypeVar("_T")
_F = TypeVar("_F", bound=Callable[..., Any])

_NOTHING: dict[str, Any] = {}  # nobody writes to it
_REALS = np.dtype(np.float64)

#: The public names of the functions that `explain` plans, by their module and their name there.
PUBLIC_NAMES: dict[tuple[str, str], str] = {}


def planned(name: str) -> Callable[[_F], _F]:
    """Let `explain` plan the function that is decorated, under its public name.

    `explain` ends a call of it where the plan is made, so the function has to make one.
    """

    def note(function: _F) -> _F:
        PUBLIC_NAMES[function.__module__, function.__qualname__] = name
        return function

    return note


@dataclass
class Planning:
    """The plan of a call that is planned only, or of the first of several such calls."""

    plan: _core.Plan | None = None
    reasons: list[str] = field(default_factory=list)
    checks_weights: bool = True
    bytes_before: int = 0  # that the call takes before its plan, beside results
    fits: bool = True  # each weight of the caller's graph in the dtype of the distances

    def asked(
        self, graph: Graph | None, dtype: np.dtype[Any], request: dict[str, Any]
    ) -> dict[str, Any]:
        """Return the request of a plan, which explains itself unless one is there, or none fits."""
        request = request | {"is_only_planned": True}
        if self.plan is not None:
            return request
        if graph is not None:
            graph._handle.check()
            reads = self.checks_weights and not request.get("unweighted")
            self.fits = not reads or weights.fit(graph, dtype)
        request["bytes_before"] = self.bytes_before
        return request | {"explains": True, "asks_for_needs": True} if self.fits else request

    def take(self, plan: _core.Plan, is_of_graph: bool) -> None:
        """Take the plan, and let the call go on to where it makes something.

        Weights that do not fit are converted, in the form that is searched, to be refused.
        """
        self.plan = plan
        if not is_of_graph:
            raise _core.OnlyPlanned
        _core.end_calls_before("making" if self.fits else "launch")


def refuse_distances() -> None:
    """Refuse to plan a call whose points are given by their distances, which has no plan."""
    if ends_call():
        raise ValueError("plans are made for points, but X has distances")


def count(n_bytes: int) -> None:
    """Count what a call takes before its plan, beside results, in what `explain` tells."""
    if (found := _planning.get()) is not None:
        found.bytes_before += n_bytes


def has_entering(graph: Graph, directed: bool, *, reads_weights: bool) -> dict[str, bool]:
    """Return the fact whether a search along entering edges makes nothing, if calls end here."""
    if not ends_call():
        return {}
    return {"has_transposed": not directed or derived.has_transposed(graph, reads_weights)}


def only_planned(ledger: _core.Ledger) -> _core.Ledger:
    """Return the ledger for the plan of a call that ends there, and no limit for other plans.

    For calls that tell the ledger by themselves where they run.
    """
    return ledger if ends_call() else validate.NO_LIMIT


@contextlib.contextmanager
def only(*, checks_weights: bool = True) -> Iterator[Planning]:
    """Let calls in this thread be planned only: they end before they make something.

    What a call refuses before is refused in its own words. Its arguments come first, then the
    memory that it will ask for.
    """
    found = Planning(checks_weights=checks_weights)
    token = _planning.set(found)
    try:
        with contextlib.suppress(_core.OnlyPlanned):
            yield found
    finally:
        _core.end_calls_before("none")
        _planning.reset(token)
    if found.plan is not None and found.plan.refusal:
        raise MemoryError(found.plan.refusal)


def make(
    algorithm: str,
    graph: Graph | None,
    form: Graph | None,
    dtype: np.dtype[Any],
    wanted: _device.Wanted,
    request: dict[str, Any] = _NOTHING,
    known: dict[str, Any] = _NOTHING,
    *,
    ledger: _core.Ledger = validate.NO_LIMIT,
    logs: bool = True,
) -> _core.Plan:
    """Return the plan of a call, log its reasons, and tell the ledger where the call runs.

    `graph`: None for points, and what else is no graph; `known` then has all facts. `form` is the
    graph that is searched; None: with all edges both ways, which must be made. `request`: members
    of `Request` of csrc/plan/plan.hpp. `known`: facts that Python holds.
    """
    planning: Planning | None = _planning.get()
    explains = logger.isEnabledFor(logging.INFO)
    if planning is not None:
        request = planning.asked(graph, dtype, request)
    elif explains:
        request = request | {"explains": True}
    plan = _core.plan(
        algorithm,
        None if graph is None else graph._handle,
        None if form is None else form._handle,
        known,
        dtype,
        wanted.kind,
        wanted.named,
        _device.gpu_of_auto,
        _device.gpus,
        ledger,
        request,
    )
    if planning is None:
        if explains and logs:
            log(plan.reasons)
    elif planning.plan is None:
        planning.reasons += plan.reasons
        if not request.get("devices_only"):
            planning.take(plan, graph is not None)
    _device.note(algorithm, wanted, plan.devices)
    if graph is not None and plan.learns:
        _device.learn_from(algorithm, graph._handle, plan)
    return plan


def log(reasons: Iterable[str]) -> None:
    """Log why a call is computed as it is."""
    for reason in reasons:
        logger.info("%s", reason)


def devices_first(
    algorithm: str,
    graph: Graph,
    form: Graph | None,
    dtype: np.dtype[Any],
    wanted: _device.Wanted,
    request: dict[str, Any],
    known: dict[str, Any] = _NOTHING,
    *,
    ledger: _core.Ledger = validate.NO_LIMIT,
) -> _device.Wanted:
    """Return what is wanted with the devices that a plan chooses.

    The rest is planned once the form that is searched has been made, in the memory of these.
    """
    request = request | {"devices_only": not ends_call()}
    chosen = make(algorithm, graph, form, dtype, wanted, request, known, ledger=ledger)
    return wanted._replace(named=chosen.devices)


def device_for(
    algorithm: str,
    wanted: _device.Wanted,
    dtype: np.dtype[Any] = _REALS,
    ledger: _core.Ledger = validate.NO_LIMIT,
    **facts: float,
) -> str:
    """Return the device of a call whose input is no `Graph`."""
    limit = only_planned(ledger)
    return make(algorithm, None, None, dtype, wanted, known=facts, ledger=limit).devices[0]


def run(plan: _core.Plan, call: Callable[[str], _T]) -> _T:
    """Return `call(method)`, by the plan's other method where that lacks memory.

    Data that a graph keeps needs no memory again, and how much several devices need is known when
    they have begun: so memory is not known to lack before.
    """
    try:
        return call(plan.method)
    except MemoryError as error:
        if not plan.otherwise or is_of_progress(error):
            raise
        logger.info("%s instead of %s: %s", plan.otherwise, plan.method, error)
        return call(plan.otherwise)
