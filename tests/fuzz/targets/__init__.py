"""A target for each public function; `ALL` has them by name."""

from __future__ import annotations

from fuzz.targets import matrices, paths

ALL = {target.name: target for module in (paths, matrices) for target in module.TARGETS}
