"""Routing policies of `warpgraph.runtime`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from warpgraph import _validate

if TYPE_CHECKING:
    from warpgraph.runtime import Endpoint


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
    ids = {source.id: [output.id for output in outputs] for source, outputs in routes.items()}
    return RoutingPolicy("table", ids, _validate.flag(to_all, "to_all"))
