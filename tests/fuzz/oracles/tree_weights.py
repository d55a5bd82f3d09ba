"""Plain weights of Steiner trees and arborescences, in Python's numbers."""

from __future__ import annotations

from fuzz.oracles.trees import Sets


def closure_weight(rows, terminals):
    """Return the weight of a minimum spanning tree of the distances between terminals.

    `rows`: the distances from each terminal. A Steiner tree by Mehlhorn's method weighs no more.
    None if two are not connected.
    """
    pairs = [
        (rows[s][t], s, t) for s in terminals for t in terminals if s < t and rows[s][t] is not None
    ]
    sets = Sets(len(rows[terminals[0]]))
    chosen = [d for d, s, t in sorted(pairs) if sets.join(s, t)]
    return sum(chosen) if len(chosen) == len(terminals) - 1 else None


def arborescence_weight(n, edges, root):
    """Return the least weight of an arborescence, by contracting cycles; None if there is none.

    `edges`: triples (tail, head, weight).
    """
    total = 0
    while True:
        lightest = {}
        for u, v, w in edges:
            if u != v and v != root and (v not in lightest or w < lightest[v][0]):
                lightest[v] = w, u
        if len(lightest) < n - 1:
            return None
        total += sum(w for w, _ in lightest.values())
        group, n_groups = _groups(n, lightest, root)
        if n_groups == n:
            return total
        edges = [
            (group[u], group[v], w - (lightest[v][0] if v != root else 0)) for u, v, w in edges
        ]
        n, root = n_groups, group[root]


def has_root(n, edges):
    """Return whether a vertex reaches all: the last that a search had to start from would."""
    out = [[] for _ in range(n)]
    for u, v, _ in edges:
        out[u].append(v)
    seen, last = set(), None
    for start in range(n):
        if start not in seen:
            last = start
            _search(out, start, seen)
    found = set()
    _search(out, last, found)
    return len(found) == n


def _search(out, start, seen):
    """Add what is reached to `seen`."""
    stack = [start]
    while stack:
        v = stack.pop()
        if v not in seen:
            seen.add(v)
            stack += out[v]


def _groups(n, lightest, root):
    """Return a number for each vertex, the same for those on a cycle, and the count."""
    group, n_groups, seen = [-1] * n, 0, [-1] * n
    for start in range(n):
        v = start
        while v != root and seen[v] < 0:
            seen[v] = start
            v = lightest[v][1]
        if v == root or seen[v] != start or group[v] >= 0:
            continue
        while group[v] < 0:
            group[v] = n_groups
            v = lightest[v][1]
        n_groups += 1
    for v in range(n):
        if group[v] < 0:
            group[v] = n_groups
            n_groups += 1
    return group, n_groups
