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
    return 1 / height if height > 0 else math.inf


@dataclass
class Cluster:
    points: frozenset
    birth: float
    parent: Cluster | None = None
    children: list[Cluster] = field(default_factory=list)
    leaves: dict[int, float] = field(default_factory=dict)  # points that leave it, and where

    @property
    def stability(self):
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
    """Return the root. Heights of inf and 0 are not among the linkage's."""
    n = len(linkage) + 1
    members = [frozenset([p]) for p in range(n)]
    for first, second in linkage[:, :2].astype(int):
        members.append(members[first] | members[second])
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
        large = [side for side in sides if len(members[side]) >= min_size]
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


def glosh(root):
    """Return the outlier score of each point."""
    scores = {}
    for cluster in root.below():
        most = max(below.death for below in cluster.below())
        for point, leaving in cluster.leaves.items():
            scores[point] = 1 - leaving / most if leaving < math.inf else 0.0
    return np.array([scores[p] for p in range(len(root.points))])


def medoid_sums(points, weights):
    """Return the weighted sum of the distances from each point to all."""
    apart = points[:, None, :].astype(np.float64) - points[None, :, :]
    return (np.sqrt((apart**2).sum(axis=2)) * weights).sum(axis=1)
