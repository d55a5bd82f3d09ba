"""The command line and files: names of vertices, columns of tables, points."""

import csv
import json

import numpy as np
import pytest

from warpgraph.cli import main


def test_names_with_commas(run, tmp_path):
    path, output = tmp_path / "cities.csv", tmp_path / "out.csv"
    path.write_text('from,via,to,km\n"Ulm, BW",x,"Bonn, ""NRW""",300\n"Ulm, BW",y,Kiel,700\n')
    options = ("--columns", "from,to,km", "--output", output)
    report = run("sssp", path, "--source", "Ulm, BW", "--targets", '"Bonn, ""NRW""",Kiel', *options)
    assert [row["distance"] for row in report["targets"]] == [300, 700]
    with open(output, newline="") as file:
        rows = list(csv.DictReader(file))
    assert rows[0] == {"vertex": 'Bonn, "NRW"', "predecessor": "Ulm, BW", "distance": "300.0"}
    assert run("info", path, "--columns", "0, 2")["edges"] == 2


@pytest.mark.filterwarnings("default")
def test_convert_says_when_names_are_lost(capsys, tmp_path):
    path = tmp_path / "cities.csv"
    path.write_text("from,to,km\nUlm,Bonn,300\nKiel,Ulm,700\n")
    for ending, is_kept in [(".gr", False), (".mtx", False), (".tsv", True), (".npz", True)]:
        output = tmp_path / f"out{ending}"
        assert main(["convert", str(path), "--output", str(output), "--json"]) == 0
        out, err = capsys.readouterr()
        assert json.loads(out)["names_kept"] is is_kept
        assert err == (
            ""
            if is_kept
            else f"warpgraph: {output} does not keep the names of the vertices: its format numbers "
            "them, in the order of their names from 'Bonn' to 'Ulm'\n"
        )
    path.write_text("0,1\n1,2\n")
    assert main(["convert", str(path), "--output", str(tmp_path / "out.gr")]) == 0
    assert capsys.readouterr().err == ""
    assert main(["mst", str(tmp_path / "out.tsv"), "--output", str(tmp_path / "mst.gr")]) == 0
    assert "does not keep the names" in capsys.readouterr().err


def test_options_of_reading(run, capsys, tmp_path):
    path = tmp_path / "a.csv"
    path.write_text("1,2\n007,2\n")
    assert main(["info", str(path)]) == 2
    assert "'007' is no such integer; id_dtype='str' reads names" in capsys.readouterr().err
    assert run("info", path, "--id-dtype", "str")["vertices"] == 3
    assert main(["info", str(path), "--id-dtype", "str", "--max-vertices", "2"]) == 2
    assert "has 3 vertices, but max_vertices is 2" in capsys.readouterr().err
    assert main(["info", "ny-road", "--columns", "0,1"]) == 2
    assert "--columns is for files, and ny-road is a data set" in capsys.readouterr().err


@pytest.mark.parametrize("ending", [".npy", ".npz"])
def test_points_that_are_pickled_or_damaged(capsys, tmp_path, ending):
    path = tmp_path / f"points{ending}"
    save = np.save if ending == ".npy" else np.savez
    save(path, np.array([[1, "a"]], object))
    assert main(["cluster", str(path), "--points"]) == 2
    assert "holds pickled objects, which are not loaded" in capsys.readouterr().err
    save(path, np.zeros((50, 2)))
    path.write_bytes(path.read_bytes()[:600])
    assert main(["cluster", str(path), "--points"]) == 2
    assert str(path) in capsys.readouterr().err
