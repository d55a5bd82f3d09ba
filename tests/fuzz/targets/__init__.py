"""A target for each public function; `ALL` has them by name."""

from __future__ import annotations

from fuzz.targets import forests, matrices, paths

ALL = {target.name: target for module in (paths, matrices, forests) for target in module.TARGETS}
