"""HDBSCAN* by its definition, on sets of points: slow, and without arrays of clusters.

A cluster is the frozenset of its points at birth; clusters of the same points do not occur twice.
"""

from __future__ import annotations

import itertools
import math
from dataclasses import dataclass, field

import numpy as np


def mutual_reachability(points, min_samples, alpha=1.0):
    """Return the matrix of distances; the point itself is the first of the samples."""
    apart = points[:, None, :].astype(np.float64) - points[None, :, :]
    distances = np.sqrt((apart**2).sum(axis=2))
    core = np.sort(distances, axis=1)[:, min_samples - 1]
    reach = np.maximum(distances / alpha, np.maximum(core[:, None], core[None, :]))
    np.fill_diagonal(reach, 0)
    return reach


def density(height):
    with np.errstate(all="ignore"):
        return float(1 / np.float64(height))


@dataclass
class Cluster:
    points: frozenset
    birth: float
    parent: Cluster | None = None
    children: list[Cluster] = field(default_factory=list)
    leaves: dict[int, float] = field(default_factory=dict)  # points that leave it, and where

    @property
    def stability(self):
        """The excess of mass."""
        own = sum(leaving - self.birth for leaving in self.leaves.values())
        return own + sum(len(c.points) * (c.birth - self.birth) for c in self.children)

    @property
    def death(self):
        return max([self.birth, *self.leaves.values(), *(c.birth for c in self.children)])

    def below(self):
        """Return the cluster and all below it."""
        found = [self]
        for cluster in found:
            found.extend(cluster.children)
        return found


def condensed_tree(linkage, min_size):
    """Return the root.

    Points at distance 0 never separate. Of trees that are joined at height inf, a side is large if
    it has a large tree.
    """
    n = len(linkage) + 1
    members = [frozenset([p]) for p in range(n)]
    is_large = [False] * n
    for first, second, height in linkage[:, :3].tolist():
        sides = int(first), int(second)
        members.append(frozenset().union(*(members[side] for side in sides)))
        of_trees = any(is_large[side] for side in sides)
        is_large.append(of_trees if height == math.inf else len(members[-1]) >= min_size)
    root = Cluster(members[-1], 0.0)
    if n == 1:
        root.leaves[0] = 0.0
    cluster_of = {2 * n - 2: root}
    for row in range(n - 2, -1, -1):
        cluster = cluster_of.get(n + row)
        if cluster is None:
            continue  # its points have left
        leaving = density(linkage[row, 2])
        sides = linkage[row, :2].astype(int).tolist()
        large = [side for side in sides if is_large[side] and leaving < math.inf]
        for side in sides:
            if len(large) == 2:
                cluster_of[side] = Cluster(members[side], leaving, cluster)
                cluster.children.append(cluster_of[side])
            elif side in large:
                cluster_of[side] = cluster
            else:
                cluster.leaves.update(dict.fromkeys(members[side], leaving))
    return root


def best_mass(root, allow_single_cluster=False):
    """Return the largest sum of stabilities of disjoint clusters, by trying all selections."""

    def selections(cluster):
        ways = [[cluster]]
        if cluster.children:
            parts = [selections(child) for child in cluster.children]
            ways += [[*itertools.chain(*choice)] for choice in itertools.product(*parts)]
        return ways

    ways = selections(root)
    if not allow_single_cluster:
        ways = [way for way in ways if root not in way] or [[]]
    return max(sum(cluster.stability for cluster in way) for way in ways)


def selected_by_mass(root, stability, allow_single_cluster=False):
    """Return the clusters that are selected; `stability` has those of clusters by their points."""
    clusters = root.below()
    best, selected = {}, {}
    for cluster in reversed(clusters):
        below = sum(best[id(child)] for child in cluster.children)
        may_be = cluster is not root or allow_single_cluster
        selected[id(cluster)] = may_be and not below > stability[cluster.points]
        best[id(cluster)] = stability[cluster.points] if selected[id(cluster)] else below
    chosen, rest = [], [root]
    while rest:
        cluster = rest.pop()
        if selected[id(cluster)]:
            chosen.append(cluster)
        else:
            rest.extend(cluster.children)
    return chosen


def labels_of(root, chosen):
    """Return labels in the order of first points, and probabilities."""
    n = len(root.points)
    labels, chances = np.full(n, -1, np.int32), np.zeros(n)
    alone = root.death if chosen == [root] else 0
    members = []
    for cluster in chosen:
        parts = [part.leaves.items() for part in cluster.below()]
        inside = {p: at for p, at in itertools.chain(*parts) if at > 0 and at >= alone}
        members.append((cluster.death, inside))
    members = sorted((m for m in members if m[1]), key=lambda m: min(m[1]))
    for label, (death, inside) in enumerate(members):
        for point, leaving in inside.items():
            labels[point] = label
            chances[point] = 1 if leaving == math.inf else min(1, leaving / death)
    return labels, chances


def glosh(root):
    """Return the outlier score of each point."""
    scores = {}
    for cluster in root.below():
        most = max(below.death for below in cluster.below())
        for point, leaving in cluster.leaves.items():
            inner = leaving == math.inf or most == 0
            scores[point] = 0.0 if inner else 1 - leaving / most
    return np.array([scores[p] for p in range(len(root.points))])


def medoid_sums(points, weights):
    """Return the weighted sum of the distances from each point to all."""
    apart = points[:, None, :].astype(np.float64) - points[None, :, :]
    return (np.sqrt((apart**2).sum(axis=2)) * weights).sum(axis=1)
