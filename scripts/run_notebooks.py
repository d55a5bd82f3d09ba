"""Runs the notebooks and stores what they print and draw: ``make notebooks``.

The outputs of cells with the tag "varies", such as times, may change from run to run. Those of all
others are compared with what is stored by tests/repository/test_notebooks.py, except figures.
"""

from __future__ import annotations

import base64
import io
import sys
import tempfile
from pathlib import Path
from typing import Any

import nbclient
import nbformat
from PIL import Image

NOTEBOOKS = Path(__file__).parent.parent / "notebooks"
#: Colours of a stored figure: a third of the bytes, and no difference that the eye sees.
COLOURS = 128


def run(notebook: Any, folder: Path | str) -> None:
    """Run all cells in a folder; their outputs are in the notebook then."""
    client = nbclient.NotebookClient(
        notebook,
        timeout=120,
        kernel_name="python3",
        record_timing=False,
        resources={"metadata": {"path": str(folder)}},
    )
    client.execute()


def code_cells(notebook: Any) -> list[Any]:
    """Return the cells that have outputs."""
    return [cell for cell in notebook.cells if cell.cell_type == "code"]


def compared(cell: Any) -> list[dict[str, str]]:
    """Return what a cell prints and returns, without figures and warnings."""
    if "varies" in cell.metadata.get("tags", ()):
        return []
    found: list[dict[str, str]] = []
    for output in cell.outputs:
        if output.output_type == "stream":
            if output.name == "stdout" and found and "stdout" in found[-1]:
                found[-1]["stdout"] += output.text
            elif output.name == "stdout":
                found.append({"stdout": output.text})
        elif "image/png" not in output.data:
            found.append({kind: "".join(text) for kind, text in output.data.items()})
    return found


def _shrink(png: str) -> str:
    """Return a figure with fewer colours."""
    image = Image.open(io.BytesIO(base64.b64decode(png))).convert("RGB")
    file = io.BytesIO()
    image.quantize(COLOURS, dither=Image.Dither.NONE).save(file, "PNG", optimize=True)
    return base64.b64encode(file.getvalue()).decode()


def store(path: Path) -> None:
    """Run a notebook and write it with its outputs."""
    notebook = nbformat.read(path, as_version=4)
    metadata = dict(notebook.metadata)
    with tempfile.TemporaryDirectory() as folder:
        run(notebook, folder)
    notebook.metadata = nbformat.from_dict(metadata)  # running adds the version of Python
    for cell in code_cells(notebook):
        cell.outputs = [o for o in cell.outputs if o.get("name") != "stderr"]
        for output in cell.outputs:
            if "image/png" in output.get("data", {}):
                output.data["image/png"] = _shrink(output.data["image/png"])
    nbformat.write(notebook, path)


if __name__ == "__main__":
    for file in map(Path, sys.argv[1:] or sorted(NOTEBOOKS.glob("*.ipynb"))):
        store(file)
        print(f"{file.name}: {file.stat().st_size / 1024:.0f} KiB")
