"""The scripts of docs/guide/dask_ray.md, run as a reader would run them."""

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

import warpgraph as wg

pytestmark = pytest.mark.cluster

PAGE = Path(__file__).parents[2] / "docs" / "guide" / "dask_ray.md"


def scripts():
    text = PAGE.read_text(encoding="utf-8")
    return re.findall(r"^```python\n(.*?)^```", text, re.DOTALL | re.MULTILINE)


def run(script, name, folder):
    (folder / name).write_text(script, encoding="utf-8")
    environment = {**os.environ, "PYTHONPATH": str(Path(wg.__file__).parents[1])}
    done = subprocess.run(
        [sys.executable, name],
        cwd=folder,
        env=environment,
        capture_output=True,
        text=True,
        check=False,
        timeout=250,
    )
    assert done.returncode == 0, done.stderr[-2000:]
    return done.stdout


def test_the_scripts_have_guards():
    dask, ray = scripts()
    for script in (dask, ray):
        assert script.rstrip().endswith('if __name__ == "__main__":\n    main()')


def test_the_scripts_run(tmp_path):
    for module in ("distributed", "pyarrow"):
        pytest.importorskip(module)
    dask, ray = scripts()
    shown = run(dask, "components.py", tmp_path)
    assert re.search(r"^\d+ vertices in the largest$", shown, re.MULTILINE)
    pytest.importorskip("ray")
    assert "the forest of 36,000 edges" in run(ray, "forest.py", tmp_path)
    assert list((tmp_path / "forest").glob("*.parquet"))
