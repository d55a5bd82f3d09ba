"""Errors of the core, which knows vertices by their numbers only, with the names of vertices."""

from __future__ import annotations

import functools
import re
from collections.abc import Callable
from typing import Any, ParamSpec, TypeVar

from warpgraph._arguments import hints
from warpgraph._core import NegativeCycleError
from warpgraph._graph.graph import names_of
from warpgraph._tables import no_edge

P = ParamSpec("P")
R = TypeVar("R")

#: Beginnings of the core's sentences; those that Python makes have names, which may be integers.
_OF_THE_CORE = re.compile(
    r"the (graph has a negative cycle|distance |length of a path |weight \S+ of entry .* 62 bits)"
)


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
        except (NegativeCycleError, OverflowError) as error:
            graph: Any = args[0] if args else kwargs["graph"]
            names = names_of(graph)
            sentence = str(error)
            if names is not None and _OF_THE_CORE.match(sentence):
                sentence = names.in_sentence(sentence)
            if isinstance(error, NegativeCycleError):
                sentence += no_edge.hint(graph)
            error.args = (sentence,)
            raise
        except TypeError as error:
            if (better := hints.not_taken(error, function, args, kwargs)) is None:
                raise
            raise better from None

    return call
