"""Hints in errors: what somebody may have meant who writes names of other libraries, or misspells.

They are looked for when an error is raised, so calls that succeed do not pay for them.
"""

from __future__ import annotations

import difflib
import functools
import inspect
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, ParamSpec, TypeVar

P = ParamSpec("P")
R = TypeVar("R")

#: Least similarity of a word and a name that it may mean, from 0 to 1. The most names that are
#: compared in this way; among more, only names that differ in case are looked for.
_ALIKE, _MOST_NAMES = 0.7, 20_000

#: SciPy's and other names of methods.
_METHODS = {
    "BF": "bellman_ford",
    "CH": "hierarchy",
    "D": "dijkstra",
    "FW": "floyd_warshall",
    "J": "johnson",
    "contraction_hierarchies": "hierarchy",
    "contraction_hierarchy": "hierarchy",
    "delta": "delta_stepping",
}

#: Names of devices elsewhere.
_DEVICES = {"gpu": "cuda", "host": "cpu", "cores": "cpu", "nvidia": "cuda"}

#: Arguments of other libraries, and those of the same meaning here, in the order of preference.
_ARGUMENTS = {
    "G": ("graph",),
    "algorithm": ("method",),
    "columns": ("source",),
    "csgraph": ("graph",),
    "cut_off": ("limit",),
    "cutoff": ("limit", "limits"),
    "damping": ("alpha",),
    "damping_factor": ("alpha",),
    "depth_limit": ("limit",),
    "destination": ("target", "targets"),
    "destinations": ("targets",),
    "end": ("target", "targets"),
    "g": ("graph",),
    "index": ("source", "sources"),
    "indices": ("sources", "source"),
    "k": ("n_paths", "n_neighbors", "k"),
    "max_dist": ("limit", "limits"),
    "max_distance": ("limit", "limits"),
    "max_iterations": ("max_iter",),
    "maxiter": ("max_iter",),
    "n_neighbors": ("k",),
    "origin": ("source", "sources"),
    "origins": ("sources",),
    "palette": ("selection_palette",),
    "parallel": ("device",),
    "predecessors": ("return_predecessors",),
    "radius": ("limit", "limits"),
    "random_state": ("seed",),
    "return_predecessor": ("return_predecessors",),
    "root": ("source",),
    "root_node": ("source",),
    "seed": ("random_state",),
    "source": ("sources",),
    "source_vertex": ("source",),
    "sources": ("source",),
    "start": ("source", "sources"),
    "target": ("targets",),
    "targets": ("target",),
    "tolerance": ("tol",),
    "turns": ("corners",),
    "verbose": ("progress",),
    "weights": ("weight",),
}
_THREADS = "warpgraph.set_num_threads sets the number of threads of all calls"
_SEARCH = "leave it out: how points are searched follows from the data"
#: Sentences about arguments that no function here has.
_NO_ARGUMENTS = {
    "algorithm": "leave it out: the algorithm follows from the function and the data",
    "approx_min_span_tree": "leave it out: the tree is exact",
    "core_dist_n_jobs": _THREADS,
    "gen_min_span_tree": "leave it out: mst_ always exists",
    "leaf_size": _SEARCH,
    "match_reference_implementation": "leave it out: docs/from-hdbscan.md says what differs",
    "n_jobs": _THREADS,
    "n_threads": _THREADS,
    "num_threads": _THREADS,
    "overwrite": "nothing is overwritten; out= takes an array for the result",
    "prediction_data": "leave it out: approximate_predict needs no preparation",
    "return_predecessors": "sssp, many_to_many, apsp and bfs have it; shortest_path returns a path",
    "threads": _THREADS,
    "undirected": "pass directed=False",
}


def alike(word: Any, names: Iterable[Any]) -> str | None:
    """Return the name that a misspelled word is most like, or None."""
    if not isinstance(word, str):
        return None
    texts = [name for name in names if isinstance(name, str)]
    if len(texts) > _MOST_NAMES:
        folded = word.casefold()
        return next((name for name in texts if name.casefold() == folded), None)
    by_case = {name.casefold(): name for name in reversed(texts)}
    found = difflib.get_close_matches(word.casefold(), by_case, 1, _ALIKE)
    return by_case[found[0]] if found else None


def did_you_mean(word: Any, names: Iterable[Any]) -> str:
    """Return the end of a sentence that refuses a word: a name that it is like, if there is one."""
    names = list(names)
    meant = (_METHODS | _DEVICES).get(word) if isinstance(word, str) else None
    if meant not in names:
        meant = alike(word, names)
    return "" if meant is None else f"; did you mean {meant!r}?"


def hinted(function: Callable[P, R]) -> Callable[P, R]:
    """Make errors about arguments that a function does not take say what may have been meant."""

    @functools.wraps(function)
    def call(*args: P.args, **kwargs: P.kwargs) -> R:
        try:
            return function(*args, **kwargs)
        except TypeError as error:
            if (better := not_taken(error, function, args, kwargs)) is None:
                raise
            raise better from None

    return call


def not_taken(
    error: TypeError,
    function: Callable[..., Any],
    args: Sequence[Any],
    kwargs: Mapping[str, Any],
) -> TypeError | None:
    """Return a better error if the call has failed since the function does not take its arguments.

    These are unknown ones, and those passed by position that must be passed by name.
    """
    traceback = error.__traceback__
    if traceback is None or traceback.tb_next:
        return None  # of another call, within the function
    parameters = inspect.signature(function).parameters
    # The object of a method is none of the arguments that its caller wrote.
    own = [name for name in parameters if name not in ("self", "cls")]
    found = re.search(r"unexpected keyword argument '(\w+)'", str(error))
    if found is not None and found[1] in kwargs:
        return TypeError(
            f"{_name_of(function)} has no argument {found[1]!r}; {_meant(found[1], own)}"
        )
    if re.search(r" positional arguments? but \d+ ", str(error)) is None:
        return None
    named = [n for n in own if parameters[n].kind == inspect.Parameter.KEYWORD_ONLY]
    free = next((name for name in named if name not in kwargs), None)
    if free is None:
        return None
    placed = [name for name in own if name not in named]
    most = f"only {', '.join(placed)} as" if placed else "no"
    n_given = len(args) - (len(parameters) - len(own))
    return TypeError(
        f"{_name_of(function)} takes {most} positional arguments, got {n_given}; name the others, "
        f"as {free}="
    )


def _name_of(function: Callable[..., Any]) -> str:
    """Return the name by which callers know a function: that of the class of a constructor."""
    parts = function.__qualname__.split(".")
    return parts[-2] if parts[-1] == "__init__" else function.__name__


def _meant(word: str, known: list[str]) -> str:
    """Return the end of the sentence about an argument that a function does not have."""
    same = next((name for name in _ARGUMENTS.get(word, ()) if name in known), None)
    if same is None and word in _NO_ARGUMENTS:
        return _NO_ARGUMENTS[word]
    same = same or alike(word, known)
    return f"its arguments are {', '.join(known)}" if same is None else f"did you mean {same}=?"
