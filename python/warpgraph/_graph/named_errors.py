"""Errors of the core, which knows vertices by their numbers only, with the names of vertices."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any, ParamSpec, TypeVar

from warpgraph._arguments import hints, names
from warpgraph._core import NegativeCycleError
from warpgraph._graph.graph import names_of
from warpgraph._tables import no_edge

P = ParamSpec("P")
R = TypeVar("R")


def errors_by_name(function: Callable[P, R]) -> Callable[P, R]:
    """Name the vertices in the errors of a function, whose first parameter is the graph.

    The attribute `vertex` of a NegativeCycleError stays a number. Its sentence, too, says what a
    weight of -1 may mean. Arguments that the function does not take have hints, as by
    `hints.hinted`.
    """

    @functools.wraps(function)
    def call(*args: P.args, **kwargs: P.kwargs) -> R:
        try:
            return function(*args, **kwargs)
        except (ValueError, OverflowError) as error:
            graph: Any = args[0] if args else kwargs["graph"]
            if hasattr(error, "parts"):
                hidden = getattr(graph, "_names_in_errors", None)
                names.put_into(error, names_of(graph) or hidden)
            if isinstance(error, NegativeCycleError):
                hint = no_edge.hint(graph)
                error.args = (str(error).removesuffix(hint) + hint,)
            raise
        except TypeError as error:
            if (better := hints.not_taken(error, function, args, kwargs)) is None:
                raise
            raise better from None

    return call
