"""The notebooks run from top to bottom, and print what is stored in them."""

import importlib.util
import json
import os
import pathlib
import subprocess
import sys

import pytest

import warpgraph as wg

NOTEBOOKS = sorted((pathlib.Path(__file__).parents[2] / "notebooks").glob("*.ipynb"))

every_notebook = pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)


def test_there_are_notebooks():
    assert [path.stem for path in NOTEBOOKS] == [
        "01_quickstart",
        "02_spanning_tree_by_hand",
        "03_spanning_tree_or_kmeans",
        "04_several_devices",
        "05_city_on_foot",
        "06_tables_in_and_out",
        "07_networkx_backend",
    ]


@pytest.fixture
def notebooks():
    """The functions of scripts/run_notebooks.py."""
    for name in ("nbclient", "nbformat", "PIL"):
        pytest.importorskip(name)
    file = NOTEBOOKS[0].parents[1] / "scripts" / "run_notebooks.py"
    spec = importlib.util.spec_from_file_location("run_notebooks", file)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@every_notebook
def test_stored_as_run_from_top_to_bottom(path):
    code = [c for c in json.loads(path.read_text("utf-8"))["cells"] if c["cell_type"] == "code"]
    assert [cell["execution_count"] for cell in code] == list(range(1, len(code) + 1))
    outputs = [output for cell in code for output in cell["outputs"]]
    assert any("image/png" in output.get("data", {}) for output in outputs)
    assert not any(output.get("name") == "stderr" for output in outputs)
    assert path.stat().st_size < 300_000


@every_notebook
def test_runs_and_prints_what_is_stored(path, notebooks, tmp_path, monkeypatch):
    import nbformat

    if "backend" in path.stem:
        networkx = pytest.importorskip("networkx")
        if "warpgraph" not in networkx.utils.backends.backends:
            pytest.skip("the backend is not installed")
    # The kernel shall import what the tests import, installed or not.
    package = pathlib.Path(wg.__file__)
    monkeypatch.setenv("PYTHONPATH", str(package.parents[1]))
    stored = nbformat.read(path, as_version=4)
    notebook = nbformat.read(path, as_version=4)
    last = nbformat.v4.new_code_cell("import sys; print(sys.executable, wg.__file__)")
    notebook.cells.append(last)
    notebooks.run(notebook, tmp_path)
    cells = notebooks.code_cells(notebook)
    assert notebooks.compared(cells.pop())[0]["stdout"].split() == [sys.executable, str(package)]
    for cell, kept in zip(cells, notebooks.code_cells(stored), strict=True):
        assert notebooks.compared(cell) == notebooks.compared(kept), cell.source


def test_the_script_filters_and_reduces():
    folder = NOTEBOOKS[0].parent
    environment = {**os.environ, "PYTHONPATH": str(pathlib.Path(wg.__file__).parents[1])}
    script = [sys.executable, str(folder / "filter_and_reduce.py")]
    done = subprocess.run(script, env=environment, capture_output=True, text=True, check=True)
    assert "7996276 of 32000000 values pass" in done.stdout, done.stdout
    assert "endpoint 1 (cpu)" in done.stdout
