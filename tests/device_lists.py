"""Lists of devices: virtual ones on the host, and all CUDA devices in turns."""

from itertools import cycle, islice

import pytest

import warpgraph as wg
from checks import EMULATED


def _lists():
    for kind, names in {"cpu": ["cpu"], "cuda": wg.devices()[1:]}.items():
        sizes = (1, 2, 3) if kind == "cuda" and EMULATED else (1, 2, 3, 5, 8)
        for n in sizes if names else ():
            yield pytest.param(list(islice(cycle(names), n)), id=f"{kind}-{n}")


over_lists = pytest.mark.parametrize("device", list(_lists()))
