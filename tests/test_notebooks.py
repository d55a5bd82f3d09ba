"""The notebooks run from top to bottom, and are stored without their outputs."""

import json
import os
import pathlib
import subprocess
import sys

import pytest

import warpgraph as wg

NOTEBOOKS = sorted((pathlib.Path(__file__).parents[1] / "notebooks").glob("*.ipynb"))

every_notebook = pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)


def test_there_are_notebooks():
    assert [path.stem for path in NOTEBOOKS] == [
        "01_quickstart",
        "02_spanning_tree_by_hand",
        "03_spanning_tree_or_kmeans",
        "04_several_devices",
    ]


@every_notebook
def test_stored_without_outputs(path):
    code = [c for c in json.loads(path.read_text())["cells"] if c["cell_type"] == "code"]
    assert all(cell["outputs"] == [] and cell["execution_count"] is None for cell in code)


@every_notebook
def test_runs(path, tmp_path, monkeypatch):
    nbclient = pytest.importorskip("nbclient")
    nbformat = pytest.importorskip("nbformat")
    # The kernel shall import what the tests import, installed or not.
    package = pathlib.Path(wg.__file__)
    monkeypatch.setenv("PYTHONPATH", str(package.parents[1]))
    notebook = nbformat.read(path, as_version=4)
    last = nbformat.v4.new_code_cell("import sys; print(sys.executable, wg.__file__)")
    notebook.cells.append(last)
    client = nbclient.NotebookClient(
        notebook,
        timeout=120,
        kernel_name="python3",
        resources={"metadata": {"path": str(tmp_path)}},
    )
    client.execute()
    assert notebook.cells[-1].outputs[0]["text"].split() == [sys.executable, str(package)]


def test_the_script_filters_and_reduces():
    folder = NOTEBOOKS[0].parent
    environment = {**os.environ, "PYTHONPATH": str(pathlib.Path(wg.__file__).parents[1])}
    script = [sys.executable, str(folder / "filter_and_reduce.py")]
    done = subprocess.run(script, env=environment, capture_output=True, text=True, check=True)
    assert "7996276 of 32000000 values pass" in done.stdout, done.stdout
    assert "endpoint 1 (cpu)" in done.stdout
