"""HDBSCAN* by its definition, on sets of points: slow, and without arrays of clusters.

Merges at one height are one merge of several parts. A cluster is the frozenset of its points at
birth; clusters of the same points do not occur twice.
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
    """Return the density at which parts that join at a height separate."""
    with np.errstate(all="ignore"):
        return float(1 / np.float64(height))


@dataclass
class Cluster:
    points: frozenset
    birth: float
    parent: Cluster | None = None
    children: list[Cluster] = field(default_factory=list)
    # The points that leave it, not to its children, and the densities at which they do; `birth`
    # and `death` are densities, too.
    leaves: dict[int, float] = field(default_factory=dict)

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


@dataclass(frozen=True, eq=False)
class Merge:
    """A node of the n-ary dendrogram: a point, or several parts that join at one height."""

    points: frozenset
    height: float = 0.0
    parts: tuple = ()


def merge_tree(n, pairs):
    """Return the root of single linkage's dendrogram of pairs ``(height, point, point)``.

    All pairs of one height join at once, so the order of pairs and points has no influence. What no
    pair joins is joined at height inf, in one merge.
    """
    part_of = [Merge(frozenset([p])) for p in range(n)]
    everything = [*pairs, *((math.inf, 0, p) for p in range(n))]
    for height, group in itertools.groupby(sorted(everything), key=lambda pair: pair[0]):
        joined = {}  # of each part: all that it joins with, as one set
        for _, first, second in group:
            sides = part_of[first], part_of[second]
            if sides[0] is not sides[1]:
                together = set().union(*(joined.get(side, {side}) for side in sides))
                joined.update(dict.fromkeys(together, together))
        for together in {id(parts): parts for parts in joined.values()}.values():
            points = frozenset().union(*(part.points for part in together))
            merge = Merge(points, height, tuple(together))
            for point in points:
                part_of[point] = merge
    return part_of[0]


def pairs_of(distances):
    """Return all pairs of a matrix of distances."""
    return [
        (d, i, j)
        for i, row in enumerate(np.asarray(distances).tolist())
        for j, d in enumerate(row[:i])
    ]


def pairs_of_linkage(linkage):
    """Return a pair of points for each row."""
    first = list(range(len(linkage) + 1))
    pairs = []
    for one, other, height in linkage[:, :3].tolist():
        pairs.append((height, first[int(one)], first[int(other)]))
        first.append(first[int(one)])
    return pairs


def condensed_tree(merge, min_size):
    """Return the root cluster of a dendrogram.

    Points at distance 0 never separate. Where two parts are large, the larger one gets the points
    of small parts, unless it is as large as the other.
    """
    root = Cluster(merge.points, 0.0)
    rest = [(merge, root)]
    for merge, cluster in rest:
        leaving = density(merge.height) if merge.parts else 0.0
        parts = sorted(merge.parts, key=lambda part: -len(part.points))
        large = [p for p in parts if len(p.points) >= min_size and leaving < math.inf]
        left = merge.points.difference(*(part.points for part in large))
        if len(large) == 1:
            rest.append((large[0], cluster))
        elif len(large) > 1:
            cluster.children = [Cluster(part.points, leaving, cluster) for part in large]
            rest += zip(large, cluster.children, strict=True)
            if len(large) == 2 and len(large[0].points) > len(large[1].points) and leaving > 0:
                cluster = cluster.children[0]
                cluster.points |= left
        cluster.leaves.update(dict.fromkeys(left, leaving))
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
    """Return the clusters that are selected; `stability` is that of each cluster, by its points."""
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
    alone = root.death if chosen == [root] else 0  # a root has the points that stay to its death
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
