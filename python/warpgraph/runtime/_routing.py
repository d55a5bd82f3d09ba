"""Routers of `warpgraph.runtime` and their policies."""

from __future__ import annotations

import weakref
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from warpgraph._arguments import device as _device, validate
from warpgraph.runtime._context import Context, Endpoint, HasEndpoint
from warpgraph.runtime._segments import Segment


@dataclass(frozen=True)
class RoutingPolicy:
    """A rule that says which outputs of a router a segment may go to.

    The policies of this module are `any_available`, `scatter`, `gather`, `broadcast`, `ring`,
    `all_to_all`, `one_way_reduce` and `tree_reduce`; `table` makes others. A `Router` also takes a
    function.

    Attributes
    ----------
    name : str
        Name in error messages.

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
#: Inputs send to inputs of lower rank along a binomial tree; input 0 as by `one_way_reduce`.
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


class Router(HasEndpoint):
    """Connects several endpoints; a policy decides which outputs a segment may go to.

    Parameters
    ----------
    context : Context
        The application's context.
    n_inputs, n_outputs : int
        Numbers of links that enter and leave.
    policy : RoutingPolicy, or callable
        A function ``policy(segment, source, outputs)`` returns the list of those outputs that
        `segment` may go to; of `segment`, it has the offset, the number of items and the metadata.
        It is called for each segment, on the thread that sends.
    name : str, optional
        Name in error messages.

    Raises
    ------
    ValueError
        It has no inputs or no outputs.

    Examples
    --------
    >>> import warpgraph as wg
    >>> context = wg.runtime.Context(["cpu"] * 2)
    >>> wg.runtime.Router(context, 1, 2, wg.runtime.scatter, name="deal")
    <Router: router 'deal'>
    """

    def __init__(
        self,
        context: Context,
        n_inputs: int,
        n_outputs: int,
        policy: RoutingPolicy | Callable[[Segment, Endpoint, list[Endpoint]], Sequence[Endpoint]],
        *,
        name: str = "",
    ) -> None:
        most = _device._MAX_THREADS
        n_inputs = validate.count(n_inputs, "n_inputs", least=1, most=most)
        n_outputs = validate.count(n_outputs, "n_outputs", least=1, most=most)
        if not isinstance(policy, RoutingPolicy):
            policy = RoutingPolicy("function", _chooser(context, policy))
        given = policy._given_to_core(context)
        number = context._core.router(
            n_inputs, n_outputs, policy.name, given, policy._to_all, str(name)
        )
        self.endpoint = Endpoint(context, number)
        self._context = context

    def __repr__(self) -> str:
        return f"<Router: {self.endpoint.name}>"


def _chooser(context: Context, policy: Any) -> Callable[..., list[int]]:
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
