"""wg.io and wg.Hierarchy: a damaged file is a graph, or a ValueError that names it."""

import io
import os
import zipfile

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st

import graphs
import warpgraph as wg
from files import HIERARCHY_GRAPH, read_or_refuse, samples

SAMPLES = [(kind, text) for kind, texts in samples().items() for text in texts]


@st.composite
def damaged(draw, text):
    """Return a text after some cuts, flips of a byte, insertions and repetitions."""
    text = bytearray(text)
    for _ in range(draw(st.integers(1, 4))):
        at = draw(st.integers(0, len(text)))
        some = draw(st.binary(min_size=1, max_size=4) | st.sampled_from(TOKENS))
        how = draw(st.sampled_from(["cut", "flip", "insert", "replace", "delete", "repeat"]))
        if how == "cut":
            del text[at:]
        elif how == "flip" and at < len(text):
            text[at] ^= 1 << draw(st.integers(0, 7))
        elif how == "insert":
            text[at:at] = some
        elif how == "replace":
            text[at : at + len(some)] = some
        elif how == "delete":
            del text[at : at + draw(st.integers(1, 9))]
        else:
            text[at:at] = text[max(at - 8, 0) : at] * draw(st.integers(1, 5))
    return bytes(text)


#: Texts that are difficult for readers.
TOKENS = [b"-1", b"0", b"99999999999", b"9" * 25, b"nan", b"inf", b"1e999", b"0x1", b" ", b"\t"]
TOKENS += [b"\n", b"\r", b'"', b'""', b",", b";", b"%", b"#", b"\0", b"\xff", b"\xef\xbb\xbf", b"+"]


@settings(max_examples=60)
@pytest.mark.parametrize(
    ("kind", "text"), SAMPLES, ids=[f"{k}{i}" for i, (k, _) in enumerate(SAMPLES)]
)
@given(data=st.data())
def test_damaged_files(tmp_path, kind, text, data):
    path = tmp_path / f"a{kind if kind[0] == '.' else '.npz'}"
    path.write_bytes(data.draw(damaged(text)))
    read_or_refuse(path, kind)


@pytest.mark.parametrize(
    ("ending", "head"),
    [
        (".gr", b"p sp 12 5\n"),
        (".mtx", b"%%MatrixMarket matrix coordinate pattern symmetric\n3 3 2\n3 3\n"),
        (".csv", b"a,b\n"),
        (".graph", b"2 1\n"),
    ],
)
@pytest.mark.parametrize("blank", ["\x1c", "\x1e", "\x85", "\xa0", "\u2003", "\x0b\x0c"])
def test_lines_of_characters_that_only_unicode_calls_blank(tmp_path, ending, head, blank):
    path = tmp_path / f"a{ending}"
    path.write_bytes(head + (3 * blank).encode() + b"\n")
    read_or_refuse(path, ending)


def test_whole_files_are_read(tmp_path):
    for kind, text in SAMPLES:
        path = tmp_path / f"a{kind if kind[0] == '.' else '.npz'}"
        path.write_bytes(text)
        assert read_or_refuse(path, kind) is not None


@settings(max_examples=150)
@given(
    text=st.sampled_from([text for kind, text in SAMPLES if kind in (".npz", "hierarchy")]),
    position=st.floats(0, 1, exclude_max=True),
    item=st.floats(0, 1, exclude_max=True),
    value=st.sampled_from(
        [-(2**63), -1, 0, 1, 2, 19, 20, 2**31 - 1, 2**62, 2**63 - 1, np.nan, np.inf]
    ),
    change=st.sampled_from(["set", "shorten", "lengthen", "cast", "reshape"]),
    dtype=st.sampled_from(["i4", "i8", "f8", "f4", "u8", "b1", "U3", "S2", ">i4", "c16"]),
)
@pytest.mark.filterwarnings("ignore:invalid value encountered in cast")
def test_inconsistent_archives(tmp_path, text, position, item, value, change, dtype):
    """Checksums and headers are right, and one array is not."""
    with np.load(io.BytesIO(text)) as loaded:
        arrays = dict(loaded)
    name = sorted(arrays)[int(position * len(arrays))]
    array = np.array(arrays[name])
    if change == "set" and array.size and array.dtype.kind in "if":
        if (
            array.dtype.kind == "f"
            or np.iinfo(array.dtype).min <= value <= np.iinfo(array.dtype).max
        ):
            array.reshape(-1)[int(item * array.size)] = value
    elif change == "shorten":
        array = array.reshape(-1)[:-1]
    elif change == "lengthen":
        array = np.concatenate([array.reshape(-1), array.reshape(-1)[:1]])
    elif change == "cast":
        array = array.astype(dtype) if array.dtype.kind in "iufb" else np.zeros(3, dtype)
    else:
        array = array.reshape(1, -1)
    path = tmp_path / "a.npz"
    np.savez(path, **{**arrays, name: array})
    read_or_refuse(path, "hierarchy" if "graph" in arrays else ".npz")


def test_archives_that_zipfile_does_not_read(tmp_path):
    """Encrypted, or packed by an unknown method: zipfile raises errors of its own for these."""
    for kind, text in SAMPLES:
        if kind not in (".npz", "hierarchy"):
            continue
        path = tmp_path / "a.npz"
        for offset, value in [(6, 1), (6, 0x20), (8, 99), (4, 200)]:
            changed = bytearray(text)
            for mark, shift in [(b"PK\3\4", 0), (b"PK\1\2", 2)]:
                at = changed.find(mark)
                while at >= 0:
                    changed[at + offset + shift] |= value
                    at = changed.find(mark, at + 1)
            path.write_bytes(changed)
            if value != 200:
                with pytest.raises(ValueError, match=str(path)):
                    wg.io.read(path) if kind == ".npz" else wg.Hierarchy.load(path, HIERARCHY_GRAPH)
            else:
                read_or_refuse(path, kind)


@pytest.mark.parametrize(
    ("header", "sentence"),
    [
        (b"{'descr': '|O', 'fortran_order': False, 'shape': (2,), }", "holds pickled objects"),
        (b"{'descr': '<i8', 'fortran_order': False, 'shape': (2,", "a header that NumPy does not"),
        (b"((((((((" * 100, "a header that NumPy does not"),
        (b"{'descr': '<i8', 'fortran_order': False, 'shape': (-2,), }", "a header that NumPy"),
        (b"{'descr': '<i3', 'fortran_order': False, 'shape': (2,), }", "data type|expected a .npz"),
        (b"{'descr': '<U0', 'fortran_order': False, 'shape': (9,), }", "no numbers or strings"),
        (
            b"{'descr': [('a', '<i8')], 'fortran_order': False, 'shape': (2,), }",
            "a header that NumPy",
        ),
        (b"{'descr': '<M8', 'fortran_order': False, 'shape': (2,), }", "no numbers or strings"),
    ],
)
def test_headers_of_arrays(tmp_path, header, sentence):
    path = tmp_path / "a.npz"
    array = b"\x93NUMPY\1\0" + len(header).to_bytes(2, "little") + header + b"\0" * 16
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("format.npy", array)
    with pytest.raises(ValueError, match=sentence) as caught:
        wg.io.read(path)
    assert str(caught.value).startswith(str(path))


def test_a_hierarchy_is_saved_wholly_or_not_at_all(tmp_path, monkeypatch):
    path = tmp_path / "a.npz"
    hierarchy = wg.Hierarchy(graphs.SAMPLES["grid"])
    hierarchy.save(path)
    before = path.read_bytes()

    def fail(file, **arrays):
        file.write(before[:100])
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(np, "savez", fail)
    with pytest.raises(OSError, match="No space left"):
        hierarchy.save(path)
    with pytest.raises(OSError, match="No space left"):
        hierarchy.save(tmp_path / "b.npz")
    assert path.read_bytes() == before
    assert os.listdir(tmp_path) == ["a.npz"]
    monkeypatch.undo()
    hierarchy.save(tmp_path / "a.gz")  # not compressed in spite of the ending, so it can be loaded
    assert wg.Hierarchy.load(tmp_path / "a.gz", graphs.SAMPLES["grid"]).n_vertices == 64


def test_metis_reads_the_largest_weight_it_writes(tmp_path):
    path = tmp_path / "a.graph"
    for weight in (2**63 - 1, 2**62, 10**18):
        path.write_text(f"2 1 1\n2 {weight}\n1 {weight}\n")
        assert wg.io.read(path)[0].data.tolist() == [weight, weight]
        graph = wg.Graph.from_edges([0, 1], [1, 0], np.array([weight] * 2), n_vertices=2)
        wg.io.write(path, graph)
        assert wg.io.read(path)[0].data.tolist() == [weight, weight]
    path.write_text(f"2 1 1\n2 {2**63}\n1 {2**63}\n")
    with pytest.raises(ValueError, match=f"line 2: expected integers, got '{2**63}'"):
        wg.io.read(path)


@pytest.mark.parametrize("size", [3, 7, 64, 1 << 21])
def test_metis_lines_longer_than_a_block(tmp_path, monkeypatch, size):
    monkeypatch.setattr("warpgraph._files.text._BLOCK_BYTES", size)
    monkeypatch.setattr("warpgraph.io._metis.LONGEST_LINE", 12)
    path = tmp_path / "a.graph"
    star = [" ".join(f"{k} 5" for k in range(2, 40)), *["% c", "1 5"] * 38]
    path.write_text("39 38 1\n" + "\n".join(star))
    graph = wg.io.read(path)[0]
    assert graph.n_edges == 76
    assert graph.indices.tolist() == [*range(1, 39), *[0] * 38]
    assert set(graph.data) == {5}
    path.write_text("39 38 1\n" + "\n".join(star).replace("39 5", "39 x"))
    with pytest.raises(ValueError, match="line 2: expected integers, got 'x'"):
        wg.io.read(path)
    path.write_text("39 38 1\n" + "\n".join(star).replace("39 5", "40 5"))
    with pytest.raises(ValueError, match=r"line 2: expected neighbours in 1\.\.39, got '40'"):
        wg.io.read(path)
    path.write_text("39 38 1\n" + "\n".join(star)[:-1] + "x")
    with pytest.raises(ValueError, match=r"line 78: expected integers, got 'x'"):
        wg.io.read(path)
    path.write_text("39 38 1\n2 " + "5" * 200)
    with pytest.raises(ValueError, match=r"line 2: (the line is longer than|expected integers)"):
        wg.io.read(path)
