"""Landmarks of method="alt" of shortest_path, whose distances a Graph keeps."""

from __future__ import annotations

import logging
import numbers
import time
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from warpgraph import _core
from warpgraph._arguments import validate
from warpgraph._graph.graph import Graph
from warpgraph._graph.turns import TurnGraph

logger = logging.getLogger("warpgraph")

Array = npt.NDArray[Any]

_DEFAULT = 16
_NONE = np.empty(0, np.int32)


class Landmarks(NamedTuple):
    """The landmarks that a call asks for."""

    n: int
    vertices: Array  # in ascending order; empty: as many are chosen

    def key(self, graph: Graph, dtype: np.dtype[Any], unweighted: bool) -> str:
        """Return the name by which a graph keeps them, for distances of `dtype`."""
        which = self.vertices.tobytes().hex() if len(self.vertices) else "chosen"
        return f"{_beginning(graph, dtype, unweighted)}{self.n} {which}"

    def facts(self, form: Graph | None, dtype: np.dtype[Any], unweighted: bool) -> dict[str, Any]:
        """Return what plans may know of landmarks that the graph keeps."""
        has = form is not None and form._known(self.key(form, dtype, unweighted)) is not None
        return {"has_landmarks": has}


def _beginning(graph: Graph, dtype: np.dtype[Any], unweighted: bool) -> str:
    """Return what the names of all landmarks begin with that a graph keeps for these distances.

    The core adds float64 in any case. Other numbers are added only where the weights have been
    rounded to float32 before.
    """
    is_rounded = dtype == np.float32 and graph.dtype != np.float32
    summands = "hops" if unweighted else "float32" if is_rounded else "float64"
    return f"landmarks, {summands}, "


def kept_by(graph: Graph, dtype: np.dtype[Any], unweighted: bool) -> Landmarks | None:
    """Return the landmarks whose distances a graph keeps: the most of them; None if it has none."""
    beginning = _beginning(graph, dtype, unweighted)
    names = [key.removeprefix(beginning).split(" ") for key in graph._known_keys(beginning)]
    if not names:
        return None
    n, which = max(names, key=lambda name: int(name[0]))
    vertices = _NONE if which == "chosen" else np.frombuffer(bytes.fromhex(which), np.int32)
    return Landmarks(int(n), vertices)


def asked_for(graph: Graph, landmarks: Any, method: str) -> Landmarks | None:
    """Return the landmarks of a call, or None with methods that use none."""
    if method != "alt":
        if landmarks is not None:
            raise ValueError(
                f"landmarks are for method 'alt' alone, got landmarks={validate.shown(landmarks)} "
                f"and method {method!r}"
            )
        return None
    if landmarks is None:
        return Landmarks(_DEFAULT, _NONE)
    if _is_number(landmarks):
        number = validate.positive(landmarks, "landmarks")
        return Landmarks(min(number, max(graph.n_vertices, 1)), _NONE)
    vertices = np.unique(graph._find_vertices(landmarks, "landmarks"))
    if len(vertices) == 0:
        raise ValueError(
            "landmarks must be how many to choose, or at least one vertex, "
            f"got {validate.shown(landmarks)}"
        )
    return Landmarks(len(vertices), vertices)


def of_expanded(graph: TurnGraph, landmarks: Any) -> Any:
    """Return the landmarks for the graph that is searched, which has no names."""
    if landmarks is None or _is_number(landmarks):
        return landmarks
    return graph.graph._find_vertices(landmarks, "landmarks")


def distances(
    graph: Graph,
    back: Graph,
    landmarks: Landmarks,
    dtype: np.dtype[Any],
    unweighted: bool,
    ledger: _core.Ledger,
) -> tuple[Array, Array]:
    """Return the distances from landmarks and to them, which the graph keeps.

    The second ones are left out where `back`, the graph with all edges reversed, is the graph.
    """
    lengths = None if unweighted else dtype
    handle, entering = graph._handle_for(lengths, ledger), back._handle_for(lengths, ledger)

    def find() -> tuple[Array, Array, Array]:
        begin = time.perf_counter()
        given, how = landmarks.vertices, {"n_chosen": landmarks.n}
        found = _core.landmarks(handle, entering, dtype, unweighted, given, **how, ledger=ledger)
        ledger.charge(sum(array.nbytes for array in found))
        seconds = time.perf_counter() - begin
        logger.info("found the distances of %d landmarks in %.3g s", len(found[0]), seconds)
        return found

    kept: tuple[Array, Array, Array]
    kept = graph._derive(landmarks.key(graph, dtype, unweighted), find)
    return kept[1:]


def _is_number(landmarks: Any) -> bool:
    is_scalar = isinstance(landmarks, np.ndarray) and landmarks.ndim == 0
    return is_scalar or isinstance(landmarks, (numbers.Number, np.generic))
