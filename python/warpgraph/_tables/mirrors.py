"""Edges that are stored both ways: which of them lack their mirror."""

from __future__ import annotations

from typing import Any

import numpy as np

from warpgraph._arguments import convert
from warpgraph._files.text import Array
from warpgraph._tables import directions as _directions
from warpgraph._tables.directions import Directions


def arrays_of(
    row: Array,
    col: Array,
    data: Any,
    n: int,
    *,
    directions: Directions | None = None,
    directed: bool = True,
) -> convert.CsrArrays:
    """Return the CSR arrays of the edges of a table; without data, each weighs 1.

    `directions` are what the table says; None: each edge leads from row to col. Unless `directed`,
    the graph is also stored backwards. An edge gets a mirror where it has none (`lacking`).
    """
    if directions is None and directed:
        return convert.from_edges(row, col, data, n)
    row, col, data = convert.checked_edges(row, col, data)
    if directions is None:
        return _with_mirrors(row, col, data, n, lacking(row, col, data, n))
    is_against = directions.codes == _directions.AGAINST
    row, col = np.where(is_against, col, row), np.where(is_against, row, col)
    are_both = directions.codes == _directions.BOTH
    lacks = lacking(row, col, data, n, among=are_both, lists_ways=directions.lists_ways)
    if directed:
        return _with_mirrors(row, col, data, n, lacks)
    row, col = np.concatenate([row, col[lacks]]), np.concatenate([col, row[lacks]])
    data = None if data is None else np.concatenate([data, data[lacks]])
    return arrays_of(row, col, data, n, directed=False)


def _with_mirrors(
    row: Array, col: Array, data: Array | None, n: int, lacks: Array
) -> convert.CsrArrays:
    if not lacks.any():
        return convert.from_edges(row, col, data, n)
    edges = [row, col, data]
    del row, col, data  # so that they are freed early
    return convert.from_undirected(edges, n, lacks=lacks)


def lacking(
    row: Array,
    col: Array,
    data: Array | None,
    n: int,
    *,
    among: Array | None = None,
    lists_ways: bool = False,
) -> Array:
    """Return which edges to mirror, so that as few as possible make all stored both ways.

    An edge from u to v is the mirror of one from v to u of the same weight, and of no other one:
    the result is the least multiset of (u, v, weight) that has as many of (v, u, weight). Loops
    are their own mirrors.

    Parameters
    ----------
    among : ndarray of bool, optional
        The edges to look at; the others are neither mirrored nor mirrors. By default all.
    lists_ways : bool
        If the pair u, v has as many edges from u to v as from v to u, whatever they weigh, each
        is a way of its own, and none is mirrored.

    Notes
    -----
    Takes a sort of the edges, unless all lead to the larger of their ends, or all to the smaller.
    """
    lacks: Array = row != col if among is None else (row != col) & among
    some = np.flatnonzero(lacks)
    is_up = (row < col)[some]
    if is_up.all() or not is_up.any():
        return lacks
    low, high = np.minimum(row, col)[some], np.maximum(row, col)[some]
    pair = low.astype(np.int64) * n + high
    del low, high
    order = np.argsort(pair, kind="stable")
    _, n_up, n_down = _counts([pair[order]], is_up[order])
    may_have = (n_up > 0) & (n_down > 0)
    if lists_ways:
        is_listed = np.repeat(may_have & (n_up == n_down), n_up + n_down)
        lacks[some[order[is_listed]]] = False
        may_have &= n_up != n_down
    order = order[np.repeat(may_have, n_up + n_down)]
    if not order.size:
        return lacks
    keys = [pair[order]]
    if data is not None:
        order, keys = _by_weight(order, keys[0], data[some[order]])
    lacks[some[order[_matched(keys, is_up[order])]]] = False
    return lacks


def _by_weight(order: Array, pair: Array, weight: Array) -> tuple[Array, list[Array]]:
    """Return edges in the order of pairs and weights, and both keys; `order` is that of pairs."""
    is_new = np.concatenate([[True], pair[1:] != pair[:-1]])
    lengths = np.diff(np.flatnonzero(is_new), append=len(pair))
    # In the order of pairs, those of two edges are in order by weight, too, if these are equal.
    some = np.flatnonzero(np.repeat(lengths > 2, lengths))
    moved = some[np.lexsort((weight[some], pair[some]))]
    order[some], weight[some] = order[moved], weight[moved]
    return order, [pair, weight]


def _counts(keys: list[Array], is_up: Array) -> tuple[Array, Array, Array]:
    """Return where runs of equal keys start, and how many edges of each lead up and down."""
    is_new = np.zeros(len(is_up), bool)
    is_new[0] = True
    for key in keys:
        is_new[1:] |= key[1:] != key[:-1]
    starts = np.flatnonzero(is_new)
    n_up = np.add.reduceat(is_up, starts, dtype=np.int64)
    return starts, n_up, np.diff(starts, append=len(is_up)) - n_up


def _matched(keys: list[Array], is_up: Array) -> Array:
    """Return which edges have a mirror: the first ones up and down in each run of equal keys."""
    starts, n_up, n_down = _counts(keys, is_up)
    lengths = n_up + n_down
    ups = np.cumsum(is_up)
    up_before = np.repeat(ups[starts] - is_up[starts], lengths)
    rank_up = ups - up_before - 1
    place = np.arange(len(is_up)) - np.repeat(starts, lengths)
    rank = np.where(is_up, rank_up, place - (ups - up_before))
    matched: Array = rank < np.repeat(np.minimum(n_up, n_down), lengths)
    return matched
