"""Helpers of the tests of wg.io."""

import bz2
import gzip
import io
import lzma
import re
import tempfile
import warnings
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp

import warpgraph as wg

OPENERS = {".gz": gzip.open, ".bz2": bz2.open, ".xz": lzma.open}

#: What Python says of a value in the wrong place, which tells no reader of a file what is wrong.
IN_WORDS_OF_PYTHON = re.compile(
    "'[a-z_]+' object |unhashable|not supported between|has no attribute '|argument must be|"
    "positional argument|indices must be integers or|invalid literal for|could not convert string"
)

#: For tests of edge lists of graphs that have vertices without an edge.
loses_vertices = pytest.mark.filterwarnings("ignore:.* lists edges only, so vertices without")

#: For tests of text that may be a table of something else, or with a header or without.
is_doubtful = pytest.mark.filterwarnings(
    "ignore:.* read as (an edge|a header|a comment|weights)",
    "ignore:.* has (numbers with fractions|times of Unix)",
)
#: For tests of tables that may have no rows.
may_have_no_edges = pytest.mark.filterwarnings("ignore:.* has no edges, so the graph has no vert")


def put(path, text):
    """Write a text, compressed according to the ending."""
    with OPENERS.get(path.suffix, open)(path, "wb") as file:
        file.write(text.encode())
    return path


def assert_same(read, graph):
    """Equal arrays; text has only int64 and float64."""
    np.testing.assert_array_equal(read.indptr, graph.indptr)
    np.testing.assert_array_equal(read.indices, graph.indices)
    np.testing.assert_array_equal(read.data, graph.data)
    assert read.data.dtype.kind == graph.data.dtype.kind


def arcs(graph, ids=None):
    """Return the edges as a sorted list of (tail, head, weight)."""
    row, col, data = graph.to_edges()
    if ids is not None:
        row, col = ids[row], ids[col]
    return sorted(zip(row.tolist(), col.tolist(), data.tolist(), strict=True))


def arcs_by_name(graph):
    """Return the edges as a sorted list of (tail, head, weight), with the ends by name, as text."""
    names = range(graph.n_vertices) if graph.names is None else graph.names
    return arcs(graph, np.array(list(map(str, names))))


def damaged(path):
    """Return the errors of a file that is damaged in a hundred ways, and may be readable then."""
    whole, rng, errors = path.read_bytes(), np.random.default_rng(0), []
    for _ in range(100):
        content = bytearray(whole)
        first, value, extra = rng.integers(0, [len(content), 256, 9]).tolist()
        content[first : first + extra] = bytes([value])
        path.write_bytes(content)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            try:
                wg.io.read(path)
            except ValueError as error:
                errors.append(error)
    assert all(str(error).startswith(str(path)) for error in errors)
    assert not any(IN_WORDS_OF_PYTHON.search(str(error)) for error in errors)
    return errors


def samples():
    """Return valid files: the ending (or "hierarchy") -> their bytes, as this library writes them.

    They contain the difficult cases: names in quotes, loops, parallel edges, comments.
    """
    mirrored = wg.generators.grid(4, 5, seed=1, weights=(1, 9))
    unweighted = wg.Graph.from_edges(*mirrored.to_edges()[:2], n_vertices=mirrored.n_vertices)
    directed = wg.Graph.from_edges([0, 0, 2, 2, 3], [1, 1, 2, 0, 3], [5, 7, 0, 2, 1], n_vertices=5)
    listed = wg.Graph.from_edges(*directed.to_edges())  # without the vertex that has no edge
    names = np.array(["Ulm, BW", 'x "y"', "a\nb", "ß", "7"])
    head = b"%%MatrixMarket matrix "
    found = {
        ".gr": [written(directed, ".gr"), written(unweighted, ".gr", format="pace")],
        ".graph": [written(mirrored, ".graph"), b"% c\n3 1 011 2\n9 9 2 5\n9 9 1 5\n9 9\n"],
        ".mtx": [
            written(directed, ".mtx"),
            head + b"array integer skew-symmetric\n3 3\n1\n2\n3\n",
            head + b"coordinate pattern symmetric\n% c\n3 3 2\n2 1\n3 3\n",
        ],
        ".csv": [written(listed, ".csv", ids=names[:4]), b"# c\na;b;0.5\r\n\r\nb;c;inf\r\n"],
        ".txt": [written(mirrored, ".txt"), b"\xef\xbb\xbfu\tv\nNew York\tx\n1\t2\n"],
        ".npz": [written(directed, ".npz", ids=names)],
        "hierarchy": [],
    }
    for form in ("csc", "coo", "bsr", "dia"):
        file = io.BytesIO()
        sp.save_npz(file, mirrored.to_csr().asformat(form))
        found[".npz"].append(file.getvalue())
    found[".txt.gz"] = [gzip.compress(text) for text in found[".txt"]]
    for unweighted in (False, True):
        with tempfile.NamedTemporaryFile() as file:
            wg.Hierarchy(HIERARCHY_GRAPH, unweighted=unweighted).save(file.name)
            found["hierarchy"].append(Path(file.name).read_bytes())
    return found


HIERARCHY_GRAPH = wg.Graph(wg.generators.grid(4, 5, seed=1, weights=(1, 9)))


def written(graph, ending, **options):
    """Return the bytes of the file of a graph."""
    with tempfile.NamedTemporaryFile(suffix=ending) as file:
        wg.io.write(file.name, graph, **options)
        return Path(file.name).read_bytes()


def read_or_refuse(path, kind):
    """Read an arbitrary file: the result is a graph, or a ValueError that names the file."""
    graph, ids = wg.Graph(HIERARCHY_GRAPH), None
    try:
        if kind == "hierarchy":
            wg.Hierarchy.load(path, graph)
            wg.many_to_many(graph, [0, 7], method="hierarchy", device="cpu")
        else:
            with warnings.catch_warnings():
                # Of what may be a header or none.
                warnings.simplefilter("ignore", UserWarning)
                graph, ids = wg.io.read(path)
    except ValueError as problem:
        refusal = str(problem)
    else:
        assert ids is None or (len(ids) == graph.n_vertices and ids.dtype.kind in "iuUO")
        assert graph.n_vertices == len(graph.indptr) - 1 < 1 << 21
        return graph
    assert str(path) in refusal, refusal
    assert not IN_WORDS_OF_PYTHON.search(refusal.replace(str(path), "")), refusal
    return None


def read_csv(path):
    """Return a data frame with the numbers of a file: pandas before version 4 may round them."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # from the version on in which no argument is needed
        return pd.read_csv(path, float_precision="round_trip")
