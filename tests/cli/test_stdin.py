"""Graphs from stdin and to stdout, as the path "-"."""

import subprocess
import sys

import pytest

import warpgraph as wg
from warpgraph._files.text import written_whole
from warpgraph.cli import main


def test_stdin_to_stdout():
    code = (
        "import warpgraph as wg\n"
        "graph, ids = wg.io.read('-', format='csv')\n"
        "wg.io.write('-', graph, ids=ids, format='edge-list')"
    )
    found = subprocess.run(
        [sys.executable, "-c", code], input=b"a,b,2\nb,c,3\n", capture_output=True
    )
    assert found.stdout == b"a b 2\nb c 3\n"
    found = subprocess.run([sys.executable, "-c", code], input=b"a,b,2\nb,c\n", capture_output=True)
    assert b"ValueError: standard input, line 2: expected" in found.stderr


@pytest.mark.parametrize("suffix", [".gz", ".bz2", ".xz", ".zst", ""])
@pytest.mark.parametrize("text", ["a,b,2\nb,c,3\n", "BZhou,b,2\n", ""])
def test_stdin_may_be_compressed(suffix, text, tmp_path):
    if suffix == ".zst":
        pytest.importorskip("zstandard")
    path = tmp_path / f"a.csv{suffix}"
    with written_whole(str(path)) as file:
        file.write(text.encode())
    code = "import warpgraph as wg; print(wg.io.read('-', format='csv')[1].tolist())"
    with path.open("rb") as file:
        found = subprocess.run([sys.executable, "-c", code], stdin=file, capture_output=True)
    names = list(dict.fromkeys(x for line in text.split() for x in line.split(",")[:2]))
    assert found.stdout.decode() == f"{names}\n", found.stderr


@pytest.mark.parametrize("suffix", [".gz", ".bz2", ".xz", ".zst"])
def test_compressed_stdin_that_is_cut_off(suffix, tmp_path):
    if suffix == ".zst":
        pytest.importorskip("zstandard")
    path = tmp_path / f"a.csv{suffix}"
    with written_whole(str(path)) as file:
        file.write(b"".join(b"%d,%d,1\n" % (i, i * i) for i in range(5000)))
    code = "import warpgraph as wg; wg.io.read('-', format='csv')"
    found = subprocess.run(
        [sys.executable, "-c", code], input=path.read_bytes()[:-40], capture_output=True
    )
    assert b"compressed data is cut off or damaged" in found.stderr


@pytest.mark.parametrize(
    ("words", "option"),
    [
        (["info", "-"], "--format"),
        (["convert", "ny-road", "--output", "-"], "--output-format"),
        (["sssp", "-", "--source", "0"], "--format"),
    ],
)
def test_the_cure_comes_first(words, option, capsys):
    assert main(words) == 2
    message = capsys.readouterr().err
    assert message.startswith(f"warpgraph: give {option}, such as {option} csv: standard input")


def test_the_cure_comes_first_in_python():
    with pytest.raises(ValueError, match=r"^pass format=, such as format='csv': standard input"):
        wg.Graph.read("-")
