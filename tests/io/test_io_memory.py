"""wg.io: a small file takes little memory, a large one a few times its size.

Peaks are those of the process, as the kernel counts them.
"""

import bz2
import gzip
import io
import lzma
import subprocess
import sys
import zipfile
from pathlib import Path

import numpy as np
import pytest
import scipy.sparse as sp

import graphs
import warpgraph as wg
from checks import reads_memory_of_process
from files import put

#: Memory of a reader beside ten times the file: some blocks of text and their arrays.
MIB = 1 << 20
CONSTANT = 128 * MIB


def peak_of(call):
    """Return the growth of the process's memory in a call, in bytes, and the error of the call."""

    def in_bytes(field):
        return int(Path("/proc/self/status").read_text().split(f"{field}:")[1].split()[0]) << 10

    Path("/proc/self/clear_refs").write_text("5")  # resets the peak to the current use
    before, problem = in_bytes("VmRSS"), None
    try:
        call()
    except ValueError as caught:
        problem = str(caught)
    return in_bytes("VmHWM") - before, problem


MM = "%%MatrixMarket matrix"


@pytest.mark.parametrize(
    ("name", "text", "sentence"),
    [
        ("a.mtx", f"{MM} coordinate real general\n2000000000 2000000000 0\n", "max_vertices=20000"),
        ("a.mtx", f"{MM} coordinate pattern symmetric\n9999999 9999999 1\n1 1\n", "announces 9999"),
        ("a.mtx", f"{MM} coordinate real general\n9 9 {10**17}\n1 1 1\n", "announces 10000000000"),
        ("a.mtx", f"{MM} array real general\n100000 100000\n1\n2\n", "announces 10000000000 ent"),
        ("a.mtx", f"{MM} array real symmetric\n{10**9} {10**9}\n1\n2\n", "announces 5000000005000"),
        ("a.mtx", f"{MM} array real skew-symmetric\n{10**17} {10**17}\n1\n", "announces 4999999"),
        (
            "a.gr",
            "p sp 2000000000 0\n",
            "expected at most of 18 bytes; pass max_vertices=200000000",
        ),
        ("a.gr", "p tw 2000000000 1\n1 2\n", "announces 2000000000 vertices"),
        ("a.gr", f"p sp 9 {10**17}\na 1 2 3\n", "announces 100000000000000000 arcs and has 1"),
        ("a.graph", "2000000000 0\n", "announces 2000000000 vertices and has lines for 0"),
        ("a.graph", f"2 {10**17}\n2\n1\n", "announces 100000000000000000 edges"),
        ("a.graph", "1 0 010 999\n1\n", r"line 2: expected 999 number\(s\) of the vertex"),
    ],
)
def test_what_a_few_bytes_announce_is_not_allocated(tmp_path, name, text, sentence):
    path = put(tmp_path / name, text)
    peak, problem = peak_of(lambda: wg.io.read(path))
    assert problem.startswith(str(path))
    with pytest.raises(ValueError, match=sentence):
        wg.io.read(path)
    assert peak < 16 * MIB


@pytest.mark.parametrize("ending", [".gr", ".mtx", ".graph", ".csv", ".txt"])
@pytest.mark.parametrize("byte", [b"\0", b"1", b" ", b"\n", b'"', b"#", b"%", b"c", b"1 ", b"1\n"])
def test_compressed_repetition_takes_no_memory(tmp_path, ending, byte):
    """More megabytes of one byte than a reader may take, packed into some hundred kilobytes."""
    heads = {".gr": b"p sp 9 9\n", ".graph": b"9 9\n", ".csv": b"a,b,1\n", ".txt": b"1 2 3\n"}
    head = heads.get(ending, f"{MM} coordinate real general\n9 9 9\n".encode())
    path = tmp_path / f"a{ending}.gz"
    path.write_bytes(gzip.compress(head) + 10 * gzip.compress(byte * (16 * MIB // len(byte))))
    peak, _ = peak_of(lambda: wg.io.read(path))
    assert peak < CONSTANT


@pytest.mark.parametrize("packer", [lzma, bz2])
def test_other_compressions_take_no_memory(tmp_path, packer):
    path = tmp_path / f"a.csv.{packer.__name__[:2].replace('lz', 'xz').replace('bz', 'bz2')}"
    path.write_bytes(packer.compress(b"a,b,1\n") + 10 * packer.compress(b"\0" * (16 * MIB)))
    peak, problem = peak_of(lambda: wg.io.read(path))
    assert "line 2: " in problem
    assert peak < CONSTANT


def test_more_vertices_if_asked_for(tmp_path):
    path = put(tmp_path / "a.gr", "p sp 3000000 1\na 1 3000000 5\n")
    with pytest.raises(ValueError, match=r"announces 3000000 vertices.*pass max_vertices=3000000"):
        wg.io.read(path)
    assert wg.io.read(path, max_vertices=3000000)[0].n_vertices == 3000000
    with pytest.raises(ValueError, match="has 3000000 vertices, but max_vertices is 2999999"):
        wg.io.read(path, max_vertices=2999999)
    assert wg.io.read(put(path, "p sp 1048576 0\n"))[0].n_vertices == 1048576
    # A byte for each vertex is enough.
    assert wg.io.read(put(path, "p sp 1100000 0\n" + "c\n" * 550_000))[0].n_vertices == 1100000
    with pytest.raises(ValueError, match="max_vertices must be in"):
        wg.io.read(path, max_vertices=-1)


def text_of(ending, n_lines):
    """Return a file of many short lines."""
    rng = np.random.default_rng(1)
    rows = list(zip(*rng.integers(1000, 9999, (2, n_lines)).tolist(), strict=True))
    if ending == ".gr":
        return f"p sp 9999 {n_lines}\n" + "".join(map("a %d %d 7\n".__mod__, rows))
    if ending == ".mtx":
        head = f"{MM} coordinate integer general\n9999 9999 {n_lines}\n"
        return head + "".join(map("%d %d 7\n".__mod__, rows))
    if ending == ".graph":
        ring = [((k - 1) % n_lines + 1, (k + 1) % n_lines + 1) for k in range(n_lines)]
        return f"{n_lines} {n_lines}\n" + "".join(map("%d %d\n".__mod__, ring))
    if ending == "names":
        return "".join(f"n{k:07} m{k:07}\n" for k in range(n_lines))
    return "".join(map("%d %d 7\n".__mod__, rows))


@reads_memory_of_process
@pytest.mark.parametrize(
    ("ending", "parser"),
    [
        *((ending, "numpy") for ending in (".gr", ".mtx", ".graph", ".txt", "names")),
        *((ending, "csv") for ending in (".txt", "names")),
    ],
)
def test_a_file_takes_ten_times_itself_at_most(tmp_path, ending, parser):
    path = put(tmp_path / ("a.txt" if ending == "names" else f"a{ending}"), text_of(ending, 10**6))
    assert peak_of_reading(path, parser) < 10 * path.stat().st_size + CONSTANT // 2


def peak_of_reading(path, parser="numpy"):
    """Return the growth, in bytes, of a fresh process that reads a file."""
    script = f"""
import pathlib
import warpgraph as wg
from warpgraph._tables import parsers
if {parser == "csv"}:
    parsers._in_numpy = lambda *args: None
in_use = lambda field: int(status.read_text().split(field + ":")[1].split()[0]) << 10
status = pathlib.Path("/proc/self/status")
before = in_use("VmRSS")
wg.io.read({str(path)!r})
print(in_use("VmHWM") - before)
"""
    done = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, check=True
    )
    return int(done.stdout)


@reads_memory_of_process
@pytest.mark.parametrize(
    ("name", "head", "line", "n_lines", "ratio"),
    [
        ("a.mtx", f"{MM} array integer symmetric\n2000 2000\n", "1\n", 2000 * 2001 // 2, 16),
        ("a.mtx", f"{MM} array integer skew-symmetric\n2000 2000\n", "1\n", 1999 * 1000, 16),
        ("a.mtx", f"{MM} array integer general\n1600 1600\n", "1\n", 1600**2, 10),
        ("a.mtx", f"{MM} coordinate pattern symmetric\n2 2 2000000\n", "2 1\n", 2 * 10**6, 10),
        ("a.mtx", f"{MM} coordinate integer skew-symmetric\n2 2 1700000\n", "2 1 1\n", 1700000, 10),
        ("a.gr", "p tw 2 2500000\n", "1 2\n", 2500000, 10),
        ("a.graph", "12000000 0\n", "\n", 12 * 10**6, 10),
    ],
)
def test_the_shortest_lines_take_ten_times_the_file(tmp_path, name, head, line, n_lines, ratio):
    """Sixteen times where one number is two edges."""
    path = put(tmp_path / name, head + line * n_lines)
    assert peak_of_reading(path) < ratio * path.stat().st_size + CONSTANT // 2


N = 3000
BOTH = np.array([0, N * N])


@reads_memory_of_process
@pytest.mark.parametrize(
    ("form", "n", "arrays"),
    [
        ("bsr", N, {"data": (1, N, N), "indptr": np.arange(2), "indices": np.zeros(1, int)}),
        ("dia", N, {"data": (N, N), "offsets": np.arange(N) - N // 2}),
        ("csc", 1, {"data": N * N, "indptr": BOTH, "indices": np.zeros(N * N, np.int8)}),
        ("coo", 1, {"data": N * N} | dict.fromkeys(["row", "col"], np.zeros(N * N, np.int8))),
    ],
)
def test_archives_of_the_shortest_numbers(tmp_path, form, n, arrays):
    """Each entry becomes 8 bytes, and sorting takes up to 24 more."""
    path = tmp_path / "a.npz"
    arrays["data"] = np.ones(arrays["data"], bool)
    np.savez(path, format=np.array(form.encode()), shape=np.array([n, n]), **arrays)
    assert peak_of_reading(path) < 36 * N * N + 24 * MIB


# Archives.


def archive_of(path, compression=zipfile.ZIP_DEFLATED, **members):
    with zipfile.ZipFile(path, "w", compression) as archive:
        for name, content in members.items():
            archive.writestr(f"{name}.npy", content)
    return path


def npy(array, shape=None):
    """Return the bytes of an array whose header announces another shape."""
    file = io.BytesIO()
    np.save(file, array)
    text = file.getvalue()
    if shape is None:
        return text
    old = f"'shape': {array.shape}, }}".encode()
    new = f"'shape': {shape}, }}".encode()
    return text.replace(old + b" " * (len(new) - len(old)), new)


@pytest.mark.parametrize("shape", [(10**9,), (10**18,), (10**6, 10**6), (3, 0), (2,), (10**30,)])
def test_arrays_that_announce_more_than_there_is(tmp_path, shape):
    members = dict.fromkeys(["indptr", "indices", "data"], npy(np.arange(3), shape))
    path = archive_of(
        tmp_path / "a.npz", format=npy(np.array(b"csr")), shape=npy(np.array([2, 2])), **members
    )
    peak, problem = peak_of(lambda: wg.io.read(path))
    assert f"the array 'indptr' announces shape {shape} of int64, and has 24 bytes" in problem
    assert peak < 16 * MIB


def test_members_that_announce_more_than_there_is(tmp_path):
    path = tmp_path / "a.npz"
    wg.io.write(path, wg.Graph(graphs.SAMPLES["grid"]))
    whole = path.read_bytes()
    at = whole.rindex(b"PK\1\2", 0, whole.rindex(b"indptr.npy"))
    for offset in (20, 24):  # offsets of the packed and the unpacked size in the directory
        altered = bytearray(whole)
        altered[at + offset : at + offset + 4] = (2**31).to_bytes(4, "little")
        path.write_bytes(altered)
        peak, problem = peak_of(lambda: wg.io.read(path))
        assert "the array 'indptr' announces" in problem
        assert peak < 16 * MIB


def test_archives_without_what_is_needed(tmp_path):
    path, matrix = tmp_path / "a.npz", graphs.csr(3, [(0, 1, 1.0)])
    sp.save_npz(path, matrix)
    with np.load(path) as loaded:
        whole = dict(loaded)
    for name, value, sentence in [
        ("format", None, "the format is not there"),
        ("format", np.array(b"lil"), "got the format 'lil'"),
        ("format", np.zeros(3), "the format is not there"),
        ("shape", None, "the shape of a matrix, two integers"),
        ("shape", np.array([3]), "the shape of a matrix, two integers"),
        ("shape", np.array([3, 4]), r"must be square, got shape \(3, 4\)"),
        ("shape", np.array([-1, -1]), r"must be square"),
        ("shape", np.array([4, 4]), "expected an indptr of 5 entries"),
        ("data", None, "arrays of a SciPy csr matrix, not without data|but data is not there"),
        ("data", np.array([None]), "the array 'data' holds pickled objects, which are not loaded"),
        ("data", np.array([1j]), "weights must be real numbers"),
        ("data", np.array([np.nan]), "NaN"),
        ("ids", np.array(["a", None, 7]), "the array 'ids' holds pickled objects"),
        ("ids", np.zeros(3), "expected integers or strings as ids, got an array of float64"),
    ]:
        changed = {key: array for key, array in {**whole, name: value}.items() if array is not None}
        np.savez(path, **changed)
        with pytest.raises(ValueError, match=sentence) as caught:
            wg.io.read(path)
        assert str(caught.value).startswith(f"{path}: ")


@pytest.mark.parametrize("form", ["csr", "csc", "coo", "bsr", "dia"])
def test_every_format_of_scipy(tmp_path, form):
    rng = np.random.default_rng(3)
    for n, blocks in [(0, (1, 1)), (6, (2, 3)), (12, (3, 2))]:
        dense = rng.integers(1, 9, (n, n)) * (rng.random((n, n)) < 0.3)
        matrix = sp.csr_array(dense)
        matrix = matrix.tobsr(blocksize=blocks) if form == "bsr" else matrix.asformat(form)
        path = tmp_path / "a.npz"
        sp.save_npz(path, matrix)
        np.testing.assert_array_equal(wg.io.read(path)[0].to_csr().toarray(), dense)


@pytest.mark.parametrize(
    ("form", "name", "change"),
    [
        ("csc", "indices", lambda a: a + 5),
        ("csc", "indices", lambda a: -a),
        ("csc", "indptr", lambda a: a[::-1]),
        ("bsr", "indices", lambda a: a + 5),
        ("bsr", "indices", lambda a: a - 5),
        ("bsr", "indptr", lambda a: a[::-1]),
        ("bsr", "indptr", lambda a: a + 1),
        ("bsr", "data", lambda a: a[:, :, :0]),
        ("bsr", "data", lambda a: a[1:]),
        ("coo", "row", lambda a: a + 5),
        ("coo", "col", lambda a: a[1:]),
        ("dia", "offsets", lambda a: a[1:]),
        ("dia", "offsets", lambda a: a + 0.5),
        ("dia", "data", lambda a: a.ravel()),
    ],
)
def test_indices_of_every_format_are_checked(tmp_path, form, name, change):
    """SciPy would read and write outside its arrays."""
    path = tmp_path / "a.npz"
    sp.save_npz(path, sp.csr_array(np.arange(36).reshape(6, 6) % 5).asformat(form))
    with np.load(path) as loaded:
        arrays = dict(loaded)
    np.savez(path, **{**arrays, name: np.ascontiguousarray(change(arrays[name]))})
    with pytest.raises(ValueError, match=r"a\.npz: "):
        wg.io.read(path)


@pytest.mark.parametrize("offset", [2**62, -(2**62), 2**63 - 1, -(2**63), 6, -6])
def test_diagonals_outside_the_matrix_are_empty(tmp_path, offset):
    path = tmp_path / "a.npz"
    sp.save_npz(path, sp.dia_array((np.ones((1, 9)), [1]), shape=(6, 6)))
    with np.load(path) as loaded:
        arrays = dict(loaded)
    np.savez(path, **{**arrays, "offsets": np.array([offset])})
    assert wg.io.read(path)[0].n_edges == 0
