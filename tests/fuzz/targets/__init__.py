"""A target for each public function; `ALL` has them by name."""

from __future__ import annotations

from fuzz.targets import (
    clusters,
    files,
    filters,
    forests,
    generated,
    matrices,
    pagerank,
    paths,
    transforms,
)

_MODULES = (paths, matrices, forests, pagerank, clusters, transforms, filters, files, generated)

ALL = {target.name: target for module in _MODULES for target in module.TARGETS}
