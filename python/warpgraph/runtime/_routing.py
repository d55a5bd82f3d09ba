"""Endpoints and routing policies of `warpgraph.runtime`."""

from __future__ import annotations

import weakref
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from warpgraph._arguments import validate
from warpgraph.runtime._segments import Segment

if TYPE_CHECKING:
    from warpgraph.runtime import Context


@dataclass(frozen=True)
class Endpoint:
    """An entity that communicates: the host, a device, or a router.

    Attributes
    ----------
    id : int
        Its number; those of devices are 0, 1, ...

    Examples
    --------
    >>> import warpgraph as wg
    >>> context = wg.runtime.Context(["cpu"] * 2)
    >>> [endpoint.name for endpoint in context.endpoints]
    ['endpoint 0 (cpu)', 'endpoint 1 (cpu)']
    """

    _context: Context = field(repr=False)
    id: int

    @property
    def name(self) -> str:
        """What error messages call it."""
        return str(self._context._core.name(self.id))

    @property
    def device(self) -> str:
        """The device that it is on; ``"cpu"`` for the host and for routers."""
        return self._context._core.device(self.id)

    def _of_same_context(self, id: int) -> Endpoint:
        return Endpoint(self._context, id)

    def __str__(self) -> str:
        return self.name


@dataclass(frozen=True)
class RoutingPolicy:
    """Which outputs of a router a segment may go to.

    The policies of this module are `any_available`, `scatter`, `gather`, `broadcast`, `ring`,
    `all_to_all`, `one_way_reduce` and `tree_reduce`; `table` makes others. A `Router` also takes a
    function.

    Attributes
    ----------
    name : str
        What error messages call it.

    Examples
    --------
    >>> from warpgraph import runtime
    >>> runtime.ring
    RoutingPolicy(name='ring')
    """

    name: str
    _given: Any = field(default=None, repr=False)
    _to_all: bool = field(default=False, repr=False)

    def _given_to_core(self, context: Context) -> Any:
        """Return what the core needs beside the name: a table of numbers, or a function."""
        if not isinstance(self._given, Mapping):
            return self._given
        return {
            context._id(source, "an input of the policy table"): [
                context._id(output, "an output of the policy table") for output in outputs
            ]
            for source, outputs in self._given.items()
        }


#: Every output, the first one that is available: balances load.
any_available = RoutingPolicy("any_available")
#: Segment i of a message goes to output i mod n.
scatter = RoutingPolicy("scatter")
#: All inputs send to the only output.
gather = RoutingPolicy("gather")
#: Each output except the source gets every segment.
broadcast = RoutingPolicy("broadcast")
#: Each output sends to the next one, the last one to the first; other sources to any of them.
ring = RoutingPolicy("ring")
#: A segment goes to the output whose rank among the outputs is the segment's metadata.
all_to_all = RoutingPolicy("all_to_all")
#: Input i sends to any of lower rank; input 0 to outputs that are no inputs, such as the host.
one_way_reduce = RoutingPolicy("one_way_reduce")
#: The same along a binomial tree.
tree_reduce = RoutingPolicy("tree_reduce")


def table(routes: Mapping[Endpoint, Sequence[Endpoint]], *, to_all: bool = False) -> RoutingPolicy:
    """Return a policy that a table gives.

    Parameters
    ----------
    routes : dict
        For each input, the outputs that its segments may go to.
    to_all : bool
        Whether each of them gets a segment, or the first one that is available.

    Returns
    -------
    RoutingPolicy

    Examples
    --------
    >>> from warpgraph import runtime
    >>> context = runtime.Context(["cpu"] * 3)
    >>> first, second, third = context.endpoints
    >>> policy = runtime.table({first: [second, third], second: [third]})
    >>> router = runtime.Router(context, 2, 2, policy)
    """
    if not isinstance(routes, Mapping):
        raise TypeError(
            f"routes must be a dict of lists of endpoints, got {validate.shown(routes)}"
        )
    given = {}
    for source, outputs in routes.items():
        _require_endpoint(source, "a key of routes")
        _refuse_no_list(outputs, f"routes[{source}]")
        given[source] = list(outputs)
        for output in given[source]:
            _require_endpoint(output, f"an item of routes[{source}]")
    return RoutingPolicy("table", given, validate.flag(to_all, "to_all"))


def chooser(context: Context, policy: Any) -> Callable[..., list[int]]:
    """Return a user's function as the core calls it."""
    if not callable(policy):
        raise TypeError(
            f"policy must be a RoutingPolicy or a function, got {validate.shown(policy)}"
        )
    # The core keeps this function. The garbage collector cannot look into the core, so the function
    # must not keep the context, nor the policy, which may refer to the context.
    find_context = weakref.ref(context)
    index = len(context._policies)
    context._policies.append(policy)

    def choose(offset: int, n: int, metadata: int, source: int, outputs: list[int]) -> list[int]:
        here = find_context()
        assert here is not None  # it is running
        sender = Endpoint(here, source)
        segment = Segment(None, offset, n, metadata, sender)
        policy = here._policies[index]
        chosen = policy(segment, sender, [Endpoint(here, output) for output in outputs])
        _refuse_no_list(chosen, f"what policy {getattr(policy, '__name__', policy)} returns")
        return [here._id(endpoint, "what the policy returns") for endpoint in chosen]

    return choose


def _refuse_no_list(values: Any, what: str) -> None:
    if isinstance(values, str) or not isinstance(values, Iterable):
        raise TypeError(f"{what} must be a list of endpoints, got {validate.shown(values)}")


def _require_endpoint(value: Any, what: str) -> None:
    if not isinstance(value, Endpoint):
        raise TypeError(f"{what} must be an endpoint, got {validate.shown(value)}")
