"""Properties of correct results of all algorithms."""

from __future__ import annotations

import contextlib
import os
import re
import warnings

import numpy as np
import pytest

import oracles
import warpgraph as wg

#: CUDA kernels run on CPU threads (see tests/emulator): slowly, so large graphs are made smaller.
EMULATED = len(wg.devices()) > 1 and not wg._core.cuda_driver_version()

#: The address sanitizer adds memory of its own to that of the process, which then says little about
#: a call.
SANITIZED = "libasan" in os.environ.get("LD_PRELOAD", "")
reads_memory_of_process = pytest.mark.skipif(SANITIZED, reason="a sanitizer has memory of its own")


@contextlib.contextmanager
def possible_numbers_of_clusters():
    """Without the warning that `n_clusters` would remove some of several equally heavy edges."""
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", message="n_clusters=.* equally heavy edges")
        yield


def assert_labels_canonical(labels, n_labels=None):
    """Labels are int32 and numbered from 0 in the order of their smallest members."""
    labels = np.asarray(labels)
    assert labels.dtype == np.int32
    values, first_seen = np.unique(labels, return_index=True)
    assert (values == np.arange(len(values))).all()
    assert (np.diff(first_seen) > 0).all()
    assert n_labels is None or n_labels == len(values)


def assert_same_bits(found, expected):
    """Two tuples of arrays are equal in dtypes, shapes and every bit."""
    assert len(found) == len(expected)
    for left, right in zip(found, expected, strict=True):
        assert left.dtype == right.dtype
        assert left.shape == right.shape
        assert left.tobytes() == right.tobytes()


def same_partition(a, b):
    """Return whether two labellings differ in the names of the labels only."""
    pairs = {*zip(a, b, strict=True)}
    return len(pairs) == len({*a}) == len({*b})


def assert_shortest_path_tree(graph, source, distances, predecessors, *, directed=True):
    """Every predecessor ends a shortest path, is canonical, and following them leads to the source.

    Exact: distances must be the sums along the tree, rounded from the source on.
    """
    far = oracles.unreachable(distances.dtype)
    reached = distances != far
    assert distances[source] == 0
    assert (predecessors[~reached] < 0).all()
    assert predecessors[source] < 0
    tail, head, weight = oracles.arcs(graph, directed)
    weight = weight.astype(distances.dtype)
    usable = reached[tail]
    tail, head, weight = tail[usable], head[usable], weight[usable]
    tight = distances[tail] + weight == distances[head]
    ends_shortest_path = set(zip(tail[tight].tolist(), head[tight].tolist(), strict=True))
    for v in np.flatnonzero(reached):
        assert v == source or (predecessors[v], v) in ends_shortest_path
    # A strictly closer vertex cannot close a cycle, so no smaller one may be omitted.
    closer = tight & (distances[tail] < distances[head])
    smallest = np.full(graph.shape[0], graph.shape[0])
    np.minimum.at(smallest, head[closer], tail[closer])
    others = np.flatnonzero(reached & (np.arange(graph.shape[0]) != source))
    assert (predecessors[others] <= smallest[others]).all()
    _assert_leads_to(source, predecessors, others)


def _assert_leads_to(source, predecessors, vertices):
    at = np.array(vertices)
    for _ in range(len(predecessors)):
        at = np.where(at == source, source, predecessors[at])
    assert (at == source).all()


def assert_all_distances(distances, exact, *, negative=False):
    """Equal to the exact distances up to one rounding per edge of a path; integers are equal."""
    distances, kind = np.asarray(distances), np.dtype(distances.dtype)
    assert distances.shape == exact.shape
    reached = np.isfinite(exact)
    assert (distances[~reached] == oracles.unreachable(kind)).all()
    found, wanted = distances[reached].astype(np.longdouble), exact[reached]
    if kind.kind == "i" or wanted.size == 0:
        assert (found == wanted).all()
        return
    unit = np.finfo(kind).eps / 2
    scale = np.abs(wanted).max() if negative else wanted
    assert (np.abs(found - wanted) <= len(exact) * unit * scale).all()


def assert_tree_within_rounding(graph, source, distances, predecessors, *, directed=True):
    """A tree of all reached vertices, of edges that end shortest paths up to rounding."""
    reached = distances != oracles.unreachable(distances.dtype)
    assert (predecessors[~reached] == -1).all()
    assert predecessors[source] == -1
    others = np.flatnonzero(reached & (np.arange(len(distances)) != source))
    assert (predecessors[others] >= 0).all()
    _assert_leads_to(source, predecessors, others)
    tail, head, weight = oracles.arcs(graph, directed)
    lightest = {}
    for edge in zip(tail.tolist(), head.tolist(), weight.astype(distances.dtype), strict=True):
        lightest[edge[:2]] = min(edge[2], lightest.get(edge[:2], np.inf))
    scale = np.abs(distances[reached]).max()
    bound = 8 * len(distances) * np.finfo(distances.dtype).eps * scale
    for v in others.tolist():
        through = distances[predecessors[v]] + lightest[predecessors[v], v]
        assert through - distances[v] <= bound


def assert_spanning_forest(graph, forest):
    """The edges are from the graph, have no cycle, span its components, and have minimum weight."""
    tail, head, weight = oracles.arcs(graph)
    ids = forest.edge_ids
    assert len(np.unique(ids)) == len(ids)
    ends = np.sort(np.c_[tail[ids], head[ids]], axis=1)
    assert (np.sort(forest.edges, axis=1) == ends).all()
    assert (forest.weights == weight[ids]).all()
    sets = oracles.Sets(graph.shape[0])
    assert all(sets.join(u, v) for u, v in forest.edges.tolist())
    assert (sets.labels() == oracles.components(graph)).all()
    # All lightest forests have the same weights.
    assert np.array_equal(np.sort(weight[ids]), np.sort(weight[oracles.kruskal(graph)]))
    assert_labels_canonical(forest.labels, forest.n_trees)
    assert (forest.labels == sets.labels()).all()


@contextlib.contextmanager
def raises_sentence(error, *parts):
    """Expect an error whose message is one readable sentence.

    `parts` are substrings of the message: the value that was given, what was expected.
    """
    with pytest.raises(error) as caught:
        yield caught
    message = str(caught.value)
    assert "\n" not in message
    assert len(re.findall(r"\w+", message)) >= 4, f"not a sentence: {message!r}"
    for part in parts:
        assert str(part) in message, f"{message!r} does not mention {part!r}"


def check_renumbered(graph, made):
    """`made` is a `ReorderedGraph` of `graph`."""
    graph = wg.Graph(graph)
    n = graph.n_vertices
    assert made.order.dtype == made.inverse.dtype == np.int32
    assert made.inverse[made.order].tolist() == list(range(n))
    tail, head, weight = oracles.arcs(graph.to_csr())
    new_tail, new_head, new_weight = oracles.arcs(made.graph.to_csr())
    ids = made.edge_ids
    assert new_weight.tolist() == weight[ids].tolist()
    assert new_tail.tolist() == made.inverse[tail[ids]].tolist()
    assert new_head.tolist() == made.inverse[head[ids]].tolist()
    # The entries of a row keep their order.
    assert (np.diff(ids)[np.diff(new_tail) == 0] == 1).all()


def on_one_thread(call):
    """Return what a call returns where it has one CPU thread."""
    before = wg.get_num_threads()
    wg.set_num_threads(1)
    try:
        return call()
    finally:
        wg.set_num_threads(before)
