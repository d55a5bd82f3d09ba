"""A target for each public function; `ALL` has them by name."""

from __future__ import annotations

from fuzz.targets import (
    clusters,
    files,
    forests,
    generated,
    matrices,
    pagerank,
    paths,
    transforms,
)

_MODULES = (paths, matrices, forests, pagerank, clusters, transforms, files, generated)

ALL = {target.name: target for module in _MODULES for target in module.TARGETS}
