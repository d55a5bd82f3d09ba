"""Graph.read, Graph.write and the progress of reading; test_io*.py have the formats."""

import pickle
import subprocess
import sys

import numpy as np
import pytest

import warpgraph as wg
from checks import assert_same_bits, raises_sentence
from files import arcs

TOWNS = ["Rome", "Pisa", "Genoa"]


def towns(names=TOWNS):
    ends = [names[0], names[1]], [names[1], names[2]]
    if isinstance(names[0], str):
        return wg.Graph.from_edges(*ends, [355, 165], directed=False)
    numbers = wg.Graph.from_edges([0, 1], [1, 2], [355, 165], directed=False)
    return wg.Graph(numbers, names=names)


@pytest.mark.parametrize("ending", [".csv", ".txt.gz", ".npz", ".graphml", ".parquet"])
@pytest.mark.parametrize("names", [TOWNS, [7, 5, 2**40], [2, 1, 0]])
def test_names_are_kept(tmp_path, ending, names):
    if ending == ".parquet":
        pytest.importorskip("pyarrow")
    path = tmp_path / f"towns{ending}"
    graph = towns(names)
    graph.write(path)
    found = wg.Graph.read(path)
    assert type(found) is wg.Graph
    assert sorted(found.names.tolist()) == sorted(names)
    assert named_arcs(found) == named_arcs(graph)
    length, way = wg.shortest_path(found, names[0], names[2])
    assert (length, way.tolist()) == (520, names)
    with raises_sentence(ValueError, "source is 'Romee'" if names is TOWNS else "source is 3"):
        wg.sssp(found, "Romee" if names is TOWNS else 3)
    again = pickle.loads(pickle.dumps(found))
    assert again.names.tolist() == found.names.tolist()
    assert wg.sssp(again, names[2], targets=[names[0]]).tolist() == [520]
    part = found.subgraph(names[:2])
    assert part.names.tolist() == names[:2]
    tree = wg.minimum_spanning_forest(found)
    assert {*map(type, tree.to_networkx())} == {*map(type, names)}
    assert {*found.to_networkx()} == {*names}


def named_arcs(graph):
    return arcs(graph, np.array(graph.names.tolist()))


def test_files_that_number_vertices(tmp_path):
    grid = wg.generators.grid(2, 3, weights=(1, 9))
    grid.write(tmp_path / "grid.gr")
    assert wg.Graph.read(tmp_path / "grid.gr").names is None
    numbered = wg.Graph.read(tmp_path / "grid.gr", file_ids=True)
    assert numbered.names.tolist() == [1, 2, 3, 4, 5, 6]
    assert_same_bits(wg.sssp(numbered, 6), wg.sssp(grid, 5).astype(np.float64))


def test_options_are_those_of_io(tmp_path):
    towns().write(tmp_path / "towns", format="csv", ids=["c", "b", "a"])
    found = wg.Graph.read(tmp_path / "towns", format="csv", dtype="float32")
    assert (found.dtype, found.names.tolist()) == (np.float32, ["a", "b", "c"])
    with raises_sentence(TypeError, "read has no argument 'kolumns'", "did you mean columns=?"):
        wg.Graph.read(tmp_path / "towns", kolumns=(0, 1))


def test_edges_without_directions(tmp_path):
    rails = wg.Graph.from_edges(["Bern", "Basel"], ["Thun", "Bern"], [27.0, 95.0])
    rails.write(tmp_path / "rails.csv")
    found = wg.Graph.read(tmp_path / "rails.csv", directed=False)
    assert not found.is_directed()
    assert found.n_edges == 4
    assert found.names.tolist() == rails.names.tolist()
    assert wg.sssp(found, "Thun", targets=["Basel"]).tolist() == [122.0]
    found.write(tmp_path / "both.csv")
    again = wg.Graph.read(tmp_path / "both.csv", directed=False)
    assert (again.n_edges, again.is_directed()) == (4, False)
    with raises_sentence(TypeError, "directed"):
        wg.Graph.read(tmp_path / "rails.csv", directed="no")


def test_derived_classes(tmp_path):
    class Roads(wg.Graph):
        pass

    towns().write(tmp_path / "towns.csv")
    found = Roads.read(tmp_path / "towns.csv")
    assert type(found) is Roads
    assert found.names.tolist() == sorted(TOWNS)


def test_large_ids_are_found_without_a_dictionary():
    ids = np.arange(0, 3_000_000, 3)
    names = wg._arguments.names.Names.of_ids(ids)
    assert names.number(2_999_997, "source") == 999_999
    assert names.number(np.int64(3), "source") == 1
    np.testing.assert_array_equal(names.numbers(ids[::-1], "sources"), np.arange(999_999, -1, -1))
    assert names.numbers([3, 0], "sources").tolist() == [1, 0]
    for bad in (1, -3, 3_000_000, 2**63, -(2**70), True, 3.5, None):
        with raises_sentence(ValueError, "no vertex has that name; names are 0, 3, 6, ..."):
            names.number(bad, "source")
    for some in (np.array([3, 4]), [3, 4]):
        with raises_sentence(ValueError, "sources[1] is 4"):
            names.numbers(some, "sources")
    with raises_sentence(TypeError, "source must be the name of a vertex", "[3]"):
        names.number([3], "source")
    assert "_numbers" not in vars(names)


@pytest.mark.parametrize("ending", [".csv", ".csv.gz", ".csv.xz", ".csv.bz2", ".npz", ".gr"])
def test_progress(tmp_path, ending):
    path = tmp_path / f"grid{ending}"
    wg.generators.grid(120, 100, weights=(1, 9)).write(path)
    reports = []
    found = wg.Graph.read(path, progress=lambda *report: reports.append(report))
    assert found.n_edges == 47_560
    done, total = zip(*reports, strict=True)
    assert set(total) == {path.stat().st_size}
    assert list(done) == sorted(set(done))
    assert done[-1] <= total[0] < done[-1] + 100


def test_progress_of_a_pipe(tmp_path):
    code = "import warpgraph as wg; g = wg.Graph.read('-', format='csv', progress=print); print(g)"
    done = subprocess.run(
        [sys.executable, "-c", code], input="0,1\n", capture_output=True, text=True, check=True
    )
    assert done.stdout.startswith("<warpgraph.Graph: 2 vertices, 1 edges")


@pytest.mark.parametrize("error", [ValueError, TypeError, KeyboardInterrupt])
def test_an_error_of_progress_ends_the_call(tmp_path, error):
    def fail(done, total):
        raise error("enough")

    towns().write(tmp_path / "towns.csv.gz")
    with pytest.raises(error, match=r"^enough$"):
        wg.Graph.read(tmp_path / "towns.csv.gz", progress=fail)
