"""Pack a PACE .gr file of undirected edges into the format of python/warpgraph/data.

usage: pack_dataset.py IN.gr.xz OUT.xz
"""

import lzma
import sys
from pathlib import Path

import numpy as np


def read_pace(path: str) -> tuple[int, np.ndarray]:
    """Return (number of vertices, edges (m, 2) numbered from 0)."""
    with lzma.open(path, "rt") as file:
        n, m = map(int, file.readline().split()[2:])
        edges = np.array(file.read().split(), np.int64).reshape(-1, 2) - 1
    if len(edges) != m:
        raise ValueError(f"{path} announces {m} edges and has {len(edges)}")
    return n, edges


def pack(n: int, edges: np.ndarray) -> bytes:
    """Return the file's contents."""
    low, high = edges.min(axis=1), edges.max(axis=1)
    order = np.lexsort((high, low))
    low, high = low[order], high[order]
    counts = np.bincount(low, minlength=n)
    if counts.max(initial=0) > 255:
        raise ValueError("a vertex has more than 255 larger neighbours; the format has one byte")
    planes = (high - low).astype("<u4").view(np.uint8).reshape(-1, 4).T
    payload = b"".join(
        [
            np.array([n, len(edges)], "<i8").tobytes(),
            counts.astype(np.uint8).tobytes(),
            np.ascontiguousarray(planes).tobytes(),
        ]
    )
    # Four bits of literal context suit byte planes; the preset's three are meant for text.
    filters = [{"id": lzma.FILTER_LZMA2, "preset": 9 | lzma.PRESET_EXTREME, "lc": 4, "pb": 0}]
    return lzma.compress(payload, filters=filters)


if __name__ == "__main__":
    source, target = sys.argv[1:]
    Path(target).write_bytes(pack(*read_pace(source)))
