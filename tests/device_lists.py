"""Lists of devices: virtual ones on the host, and all CUDA devices in turns."""

from itertools import cycle, islice

import pytest

import warpgraph as wg


def _lists():
    kinds = {"cpu": ["cpu"], "cuda": wg.devices()[1:]}
    for kind, names in kinds.items():
        for n in (1, 2, 3, 5, 8) if names else ():
            yield pytest.param(list(islice(cycle(names), n)), id=f"{kind}-{n}")


over_lists = pytest.mark.parametrize("device", list(_lists()))
