"""Warnings: what changes an answer is told by them, at the line of the call, not by the log."""

from pathlib import Path

import numpy as np
import pytest
import scipy.sparse as sp

import graphs
import warpgraph as wg
import warpgraph.csgraph as csgraph

SOURCES = Path(wg.__file__).parent
#: A call that is repeated on another device has the same answer.
TELLS_OF_TIME = "auto_device.py"

PLACED = wg.Graph(np.ones((3, 3)), names=list("abc"), coordinates=np.ones((3, 2)))
TWICE = sp.coo_array(([5, 3], np.array([[0, 0], [1, 1]], np.int32)), shape=(2, 2))
FAR = graphs.csr(3, [(0, 1, 2**60), (1, 2, 2**60)], np.int64)

CALLS = {
    "the COO matrix has 1 parallel": lambda path: wg.apsp(TWICE),
    "numbers its vertices; their ids": lambda path: PLACED.write(path / "a.gr"),
    "does not store coordinates": lambda path: wg.io.write(path / "a.csv", PLACED),
    "read from GraphML as integers": lambda path: wg.io.write(
        path / "a.graphml", PLACED, ids=["1", "2", "3"]
    ),
    "lists edges only": lambda path: wg.io.write(path / "a.csv", np.zeros((3, 3))),
    "integer weights add up to 2": lambda path: wg.sssp(FAR, 0),
    "Graph has negative weights": lambda path: csgraph.dijkstra([[0, -1], [0, 0]]),
}


@pytest.mark.filterwarnings("always")
@pytest.mark.parametrize("sentence", CALLS)
def test_a_warning_names_the_line_of_the_call(sentence, tmp_path, recwarn):
    if "GraphML" in sentence:
        pytest.importorskip("networkx")
    CALLS[sentence](tmp_path)
    (told,) = [warning for warning in recwarn if sentence in str(warning.message)]
    assert told.filename == __file__


def test_the_log_warns_of_nothing_that_changes_an_answer():
    for path in SOURCES.rglob("*.py"):
        text = path.read_text(encoding="utf-8")
        assert ("logger.warning(" in text) == (path.name == TELLS_OF_TIME), path
        # Others would name a line of this package.
        assert "warnings.warn(" not in text or path.name == "validate.py", path
