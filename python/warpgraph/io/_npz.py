"""The .npz files of ``scipy.sparse.save_npz``; an array ``ids`` beside the matrix's is kept."""

from __future__ import annotations

import zipfile
from typing import IO

import numpy as np
import scipy.sparse as sp

from warpgraph._graph import Graph
from warpgraph.io._text import BROKEN, Array


def read(path: str, file: IO[bytes]) -> tuple[Graph, Array | None]:
    """Read a matrix in any of SciPy's formats."""
    try:
        graph = Graph(sp.load_npz(file))
        file.seek(0)
        with np.load(file, allow_pickle=False) as arrays:
            ids = arrays.get("ids", None)
    except (zipfile.BadZipFile, KeyError, NotImplementedError, OSError, *BROKEN) as problem:
        raise ValueError(f"expected the arrays of a SciPy sparse matrix ({problem})") from None
    if ids is not None and ids.shape != (graph.n_vertices,):
        raise ValueError(f"expected ids of {graph.n_vertices} vertices, got shape {ids.shape}")
    return graph, ids


def write(file: IO[bytes], graph: Graph, ids: Array | None) -> None:
    """Write CSR arrays uncompressed: compressing takes longer than everything else together."""
    names = {} if ids is None else {"ids": ids}
    np.savez(
        file,
        format=np.array(b"csr"),
        shape=np.array([graph.n_vertices, graph.n_vertices]),
        indptr=graph.indptr,
        indices=graph.indices,
        data=graph.data,
        _is_array=np.array(True),
        **names,  # type: ignore[arg-type]
    )
