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

#: Least similarity, from 0 to 1, of a word and a name that it may mean: of each of their words, as
#: "closeness_centrality" is like "betweenness_centrality" as a whole; and of texts of other numbers
#: of words.
_ALIKE, _ALIKE_AS_ONE = 0.75, 0.9
#: The most names that are compared in this way; among more, only names that differ in case are
#: looked for. How many names, the most similar ones, are compared word by word.
_MOST_NAMES, _NEAREST = 20_000, 5
#: The words of "min_cluster_size", "MSTClustering" and "route 66".
_WORDS = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[^\W\dA-Z_]+|\d+")

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
#: Those that mean something else in one function begin with its name.
_ARGUMENTS = {
    "G": ("graph",),
    "algorithm": ("method",),
    "betweenness_centrality.k": ("sources",),
    "center": ("sources",),
    "columns": ("source",),
    "create_using": ("directed",),
    "csgraph": ("graph",),
    "cut_off": ("limit",),
    "cutoff": ("limit", "limits"),
    "damping": ("alpha",),
    "damping_factor": ("alpha",),
    "depth_limit": ("limit",),
    "destination": ("target", "targets"),
    "destinations": ("targets",),
    "directed": ("direction",),
    "edge_attr": ("weight",),
    "edge_betweenness_centrality.k": ("sources",),
    "end": ("target", "targets"),
    "g": ("graph",),
    "gamma": ("resolution",),
    "index": ("source", "sources"),
    "indices": ("sources", "source"),
    "k": ("n_paths", "n_neighbors", "n_clusters", "k"),
    "max_dist": ("limit", "limits"),
    "max_distance": ("limit", "limits"),
    "max_iterations": ("max_iter",),
    "maxiter": ("max_iter",),
    "n_neighbors": ("k",),
    "objective_function": ("quality",),
    "origin": ("source", "sources"),
    "origins": ("sources",),
    "palette": ("selection_palette",),
    "parallel": ("device",),
    "predecessors": ("return_predecessors",),
    "radius": ("limit", "limits"),
    "random_state": ("seed",),
    "resolution_parameter": ("resolution",),
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
    "terminal_nodes": ("terminals",),
    "tolerance": ("tol",),
    "turns": ("corners",),
    "verbose": ("progress",),
    "weights": ("weight",),
}
_THREADS = "warpgraph.set_num_threads sets the number of threads of all calls"
_SEARCH = "leave it out: how points are searched follows from the data"
_NUMBER_FOLLOWS = "leave it out: their number follows from the data; MSTClustering takes one"
#: Sentences about arguments that no function here has, or, with its name, that one has not.
_NO_ARGUMENTS = {
    "DBSCANStar.n_clusters": _NUMBER_FOLLOWS,
    "HDBSCAN.n_clusters": _NUMBER_FOLLOWS,
    "MSTClustering.linkage": "leave it out: linkage is single",
    "algorithm": "leave it out: the algorithm follows from the function and the data",
    "approx_min_span_tree": "leave it out: the tree is exact",
    "core_dist_n_jobs": _THREADS,
    "gen_min_span_tree": "leave it out: mst_ always exists",
    "leaf_size": _SEARCH,
    "match_reference_implementation": "leave it out: docs/from-hdbscan.md says what differs",
    "n_jobs": _THREADS,
    "n_threads": _THREADS,
    "nearest_neighbors.radius": "cluster.radius_neighbors_graph has it",
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
    found = difflib.get_close_matches(word.casefold(), by_case, _NEAREST, _ALIKE)
    return next((by_case[text] for text in found if _may_mean(word, by_case[text])), None)


def _may_mean(word: str, name: str) -> bool:
    """Return whether a word may be a misspelt name: each of its words is like one of the name."""
    ours, theirs = (_WORDS.findall(text) or [text] for text in (word, name))
    if len(ours) != len(theirs):
        return _similarity("".join(ours), "".join(theirs)) >= _ALIKE_AS_ONE
    return all(
        _similarity(a, b) >= (1 if a.isdigit() or b.isdigit() else _ALIKE)
        for a, b in zip(ours, theirs, strict=True)
    )


def _similarity(a: str, b: str) -> float:
    return difflib.SequenceMatcher(None, a.casefold(), b.casefold()).ratio()


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
            f"{_name_of(function)} has no argument {found[1]!r}; "
            f"{_meant(found[1], own, _name_of(function))}"
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


def _meant(word: str, known: list[str], function: str) -> str:
    """Return the end of the sentence about an argument that a function does not have."""
    own = f"{function}.{word}"
    others = _ARGUMENTS.get(own, _ARGUMENTS.get(word, ()))
    same = next((name for name in others if name in known), None)
    if same is None and (sentence := _NO_ARGUMENTS.get(own, _NO_ARGUMENTS.get(word))):
        return sentence
    same = same or alike(word, known)
    return f"its arguments are {', '.join(known)}" if same is None else f"did you mean {same}=?"
