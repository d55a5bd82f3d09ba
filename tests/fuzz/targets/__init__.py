"""A target for each public function; `ALL` has them by name."""

from __future__ import annotations

from fuzz.targets import (
    clusters,
    densities,
    estimators,
    explained,
    files,
    forests,
    matrices,
    neighbours,
    orders,
    pairs,
    paths,
    ranks,
    transforms,
)

_MODULES = (paths, pairs, orders, matrices, forests, ranks, clusters, transforms, files)
_MODULES += (neighbours, densities, estimators, explained)

ALL = {target.name: target for module in _MODULES for target in module.TARGETS}
