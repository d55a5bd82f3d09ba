"""wg.io: edge lists and tables, the same by every parser."""

import csv
import io

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st

import graphs
import warpgraph as wg
from files import arcs, is_doubtful, loses_vertices, may_have_no_edges, put
from warpgraph._tables import parsers

PARSERS = ["numpy", "csv"]


def use(parser, patch):
    """Leave one of the parsers: NumPy, which falls back to Python's csv, or that alone."""
    if parser == "csv":
        patch.setattr(parsers, "_in_numpy", lambda *args: None)


@pytest.fixture(params=PARSERS)
def parser(request, monkeypatch):
    """One of the parsers."""
    use(request.param, monkeypatch)
    return request.param


def read(tmp_path, text, name="a.csv", **options):
    path = tmp_path / name
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    graph, ids = wg.io.read(path, **options)
    assert len(ids) == graph.n_vertices
    assert (ids[:-1] < ids[1:]).all()
    return arcs(graph, ids)


# Fields.


@pytest.mark.parametrize(
    ("name", "text", "expected"),
    [
        (
            "a.csv",
            '"Springfield, Mass","Springfield, Miss",7\n',
            [("Springfield, Mass", "Springfield, Miss", 7)],
        ),
        (
            "a.csv",
            'from,to\n"Springfield, Mass","Springfield, Miss"\n',
            [("Springfield, Mass", "Springfield, Miss", 1.0)],
        ),
        ("a.csv", '"a ""b""",c,1\n', [('a "b"', "c", 1)]),
        ("a.csv", '"a\nb",c,1\nd,"e\r\n\r\nf",2\n', [("a\nb", "c", 1), ("d", "e\r\n\r\nf", 2)]),
        ("a.csv", '" a ", b ,1\n', [(" a ", "b", 1)]),
        ("a.csv", '  a , "b"  ,  1  \r\n', [("a", "b", 1)]),
        ("a.csv", "a,b,1\n\tb\t,c,1\n", [("a", "b", 1), ("b", "c", 1)]),
        ("a.csv", 'a,b,"0.5"\n', [("a", "b", 0.5)]),
        ("a.csv", 'a,b,"5"\n', [("a", "b", 5)]),
        ("a.csv", 'a,b," 5 "\n', [("a", "b", 5)]),
        ("a.csv", "a,NA,1\nnull,NaN,2\n", [("a", "NA", 1), ("null", "NaN", 2)]),
        ("a.csv", "None,nan\nN/A,True\n", [("N/A", "True", 1.0), ("None", "nan", 1.0)]),
        ("a.csv", "a;b;7\n", [("a", "b", 7)]),
        ("a.csv", '"a;b",c,7\n', [("a;b", "c", 7)]),
        ("a.csv", '"a,b";c;7\n', [("a,b", "c", 7)]),
        ("a.txt", "New York\tSan Jose\t7\n", [("New York", "San Jose", 7)]),
        ("a.txt", " New York \t San Jose \t7\n", [("New York", "San Jose", 7)]),
        ("a.txt", "a, b\tc\t7\n", [("a, b", "c", 7)]),
        ("a.txt", "1 2\t\n2  3 \t\n", [(1, 2, 1.0), (2, 3, 1.0)]),
        ("a.txt", '"10 20"\t5\n30 40\t6\n', [("10 20", "5", 1.0), ("30 40", "6", 1.0)]),
        ("a.txt", "1 2\tx\n", [("1 2", "x", 1.0)]),
        ("a.txt", " a   b 1 \nc\td 2\n", [("a", "b", 1), ("c", "d", 2)]),
        ("a.txt", '"a b"  "c\td" 7\n', [("a b", "c\td", 7)]),
        ("a.txt", '"#a" "%b" 7\n', [("#a", "%b", 7)]),
        ("a.txt", "a#b c%d 7\n", [("a#b", "c%d", 7)]),
        ("a.txt", '# it\'s "odd\na "b\n#c" 7\n', [("a", "b\n#c", 7)]),
        ("a.txt", ' \n  # a "comment\n"a" b 7\nb c 8\n', [("a", "b", 7), ("b", "c", 8)]),
        ("a.csv", b"\xef\xbb\xbf1,2\n2,3\n", [(1, 2, 1.0), (2, 3, 1.0)]),
        ("a.csv", b"\xef\xbb\xbffrom,to\na,b\n", [("a", "b", 1.0)]),
        ("a.csv", b"# \xe9 in Latin-1\na,b\n", [("a", "b", 1.0)]),
        ("a.csv", "ä,ß,1\n\u00a0,\u2028,2\n", [("\u00a0", "\u2028", 2), ("ä", "ß", 1)]),
        ("a.csv", "a,b,1\n\ufeffa,b,2\n", [("a", "b", 1), ("\ufeffa", "b", 2)]),
        ("a.csv", "a,b\n\n   \n\t\nc,d", [("a", "b", 1.0), ("c", "d", 1.0)]),
    ],
)
def test_fields(parser, tmp_path, name, text, expected):
    assert read(tmp_path, text, name) == sorted(expected)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("1,2\n2,-3\n", [(1, 2, 1.0), (2, -3, 1.0)]),
        ("01234,5\n5,02134\n", [("01234", "5", 1.0), ("5", "02134", 1.0)]),
        ("+1,2\n", [("+1", "2", 1.0)]),
        ('"1","2",5\n"2","x",6\n', [("1", "2", 5), ("2", "x", 6)]),
        ('1,2,5\n"2","3",6\n', [(1, 2, 5), (2, 3, 6)]),
        ("9223372036854775807,-9223372036854775808\n", [(2**63 - 1, -(2**63), 1.0)]),
        ("9223372036854775808,1\n", [("9223372036854775808", "1", 1.0)]),
        ("1_0,2\n", [("1_0", "2", 1.0)]),
        ("0x10,2,1\n", [("0x10", "2", 1)]),
        ("\uff11,\uff12\n", [("\uff11", "\uff12", 1.0)]),
        ("1.0,2e0,3\nx,1,4\n", [("1.0", "2e0", 3), ("x", "1", 4)]),
        ("1e3,x\n", [("1e3", "x", 1.0)]),
        ("-0,1,2\n", [("-0", "1", 2)]),
    ],
)
def test_what_is_an_integer_id(parser, tmp_path, text, expected):
    assert read(tmp_path, text) == sorted(expected)


def test_ids_are_of_the_dtype_asked_for(parser, tmp_path):
    mixed = "10001,10002\n02134,A\n"
    assert read(tmp_path, mixed, id_dtype="str") == [
        ("02134", "A", 1.0),
        ("10001", "10002", 1.0),
    ]
    assert read(tmp_path, '"1","2"\n', id_dtype=int) == [(1, 2, 1.0)]
    assert read(tmp_path, "u,v\n1,2\n", id_dtype=str) == [("1", "2", 1.0)]
    for text, word in [
        (mixed, "02134"),
        ("1,2\n1,-0\n", "-0"),
        ("1,2\n+3,1\n", r"\+3"),
        ("1,2,-0.5\n007,2,1", "007"),
    ]:
        with pytest.raises(ValueError, match=rf"line 2: .*'{word}' is no such integer; id_dtype="):
            read(tmp_path, text)
    with pytest.raises(ValueError, match=r"line 1: .*'x' is no such integer"):
        read(tmp_path, "x,1,5\n", id_dtype="int64")
    with pytest.raises(TypeError, match="id_dtype must be int or str, got 'float64'"):
        read(tmp_path, "1,2\n", id_dtype="float64")


def test_a_word_after_many_integers_is_named(parser, tmp_path):
    text = "1,2,5\n" * 200_000 + "1,x,5\n" + "1,2,5\n" * 1000
    with pytest.raises(ValueError, match=r"line 200001: .*got '1,x,5': 'x' is no such integer"):
        read(tmp_path, text)


@pytest.mark.parametrize(
    ("words", "dtype", "expected"),
    [
        (["1", "+2", "-3", "007", "-0"], np.int64, [1, 2, -3, 7, 0]),
        (["1", "2.0"], np.float64, [1, 2]),
        (["1.", ".5", "1e3", "2E-3", "+5"], np.float64, [1, 0.5, 1000, 0.002, 5]),
        (["inf", "-Inf", "Infinity", "+INF"], np.float64, [np.inf, -np.inf, np.inf, np.inf]),
        (["9223372036854775807"], np.int64, [2**63 - 1]),
        (["9223372036854775808.", "1"], np.float64, [2.0**63, 1]),
        (
            ["0.1", "5e-324", "1.7976931348623157e308"],
            np.float64,
            [0.1, 5e-324, 1.7976931348623157e308],
        ),
        (["-1e308", "9" * 308 + ".0"], np.float64, [-1e308, 1e308]),
    ],
)
def test_weights(parser, tmp_path, words, dtype, expected):
    for ends in ("a,b", "1,2"):
        path = put(tmp_path / "a.csv", "".join(f"{ends},{word}\n" for word in words))
        data = wg.io.read(path)[0].data
        assert data.dtype == dtype
        np.testing.assert_array_equal(data, expected)


@pytest.mark.parametrize("words", [["9223372036854775808", "1"], ["-1e308", "9" * 308], ["1" * 20]])
def test_an_integer_beyond_int64_is_no_weight(parser, tmp_path, words):
    for ends in ("a,b", "1,2"):
        path = put(tmp_path / "a.csv", "".join(f"{ends},{word}\n" for word in words))
        with pytest.raises(ValueError, match=r"line [12]: .*, beyond the largest int64"):
            wg.io.read(path)


# Headers.


@may_have_no_edges
@pytest.mark.parametrize(
    ("text", "expected"),
    [
        # Words above words are an edge ...
        ("Anna,Bert\n", [("Anna", "Bert", 1.0)]),
        ("Anna,Bert\nCarl,Bert\n", [("Anna", "Bert", 1.0), ("Carl", "Bert", 1.0)]),
        ("Anna Bert\nBert 7\n", [("Anna", "Bert", 1.0), ("Bert", "7", 1.0)]),
        ("Anna,Bert\n7,8\nCarl,8\n", None),
        # ... unless they are known header words and no vertices.
        ("u v\n", []),
        ("u v\nw x\n", [("w", "x", 1.0)]),
        ("U;V\nw;x\n", [("w", "x", 1.0)]),
        ("Source,Target\nx,y\n", [("x", "y", 1.0)]),
        ("FromNodeId ToNodeId\n1 2\n", [(1, 2, 1.0)]),
        ("i,i\nx,y\n", [("i", "i", 1.0), ("x", "y", 1.0)]),
        # Words above integers alone.
        ("id_1,id_2\n7,8\n9,7\n", [(7, 8, 1.0), (9, 7, 1.0)]),
        ("node other\n7 8\n", [(7, 8, 1.0)]),
        # A word for a weight, but not one for a missing weight.
        ("person,friend,rate\nAnn,Bob,7\n", [("Ann", "Bob", 7)]),
        ("a,b,weight\n7,8,1\n", [(7, 8, 1)]),
        ("a b weight\n7 8 1\n", [(7, 8, 1)]),
        ("Anna,Bert,\nCarl,Dora,5\n", None),
        ("Anna,Bert,NA\nCarl,Dora,5\n", None),
        ("Anna,Bert,nan\nCarl,Dora,5\n", None),
        # A number is no name of a column.
        ("u,v,5\nw,x,6\n", [("u", "v", 5), ("w", "x", 6)]),
        ('"from","to"\n"a,b","c"\n', [("a,b", "c", 1.0)]),
    ],
)
def test_headers(parser, tmp_path, text, expected):
    if expected is None:
        with pytest.raises(ValueError, match=r"line [13]: expected two vertex"):
            read(tmp_path, text)
    else:
        assert read(tmp_path, text) == sorted(expected)


def test_headers_in_blocks_of_their_own(parser, tmp_path, monkeypatch):
    monkeypatch.setattr("warpgraph._files.text._BLOCK_BYTES", 2)
    assert read(tmp_path, "# x\n\n# y\nu,v\n\nw,x\n") == [("w", "x", 1.0)]
    assert read(tmp_path, "# x\nu,v\n\n# y\nw,x\n", comment="#") == [("w", "x", 1.0)]
    assert read(tmp_path, "u,x\n\nw,u\n") == [("u", "x", 1.0), ("w", "u", 1.0)]
    assert read(tmp_path, "a,b\n\n1,2\n3,4") == [(1, 2, 1.0), (3, 4, 1.0)]
    assert read(tmp_path, '"a\n\n""b",c,1\n"#",d,2') == [("#", "d", 2), ('a\n\n"b', "c", 1)]


# Columns.


def test_columns_by_name_and_position(parser, tmp_path):
    text = 'id,from,to,km,"a, b"\n1,Ulm,"Bad Urach",70,x\n2,Ulm,Aalen,69.5,y\n'
    expected = [("Ulm", "Aalen", 69.5), ("Ulm", "Bad Urach", 70.0)]
    assert read(tmp_path, text, columns=("from", "to", "km")) == expected
    assert read(tmp_path, text, columns=(1, 2, 3)) == expected
    assert read(tmp_path, text, columns=["from", 2, "km"]) == expected
    assert read(tmp_path, text, columns=("to", "from")) == [
        ("Aalen", "Ulm", 1.0),
        ("Bad Urach", "Ulm", 1.0),
    ]
    assert read(tmp_path, text, columns=("a, b", "id", "id")[:2]) == [
        ("x", "1", 1.0),
        ("y", "2", 1.0),
    ]
    numbers = "1,2,0.5,9\n2,3,1.5,8\n"
    assert read(tmp_path, numbers, columns=(0, 1)) == [(1, 2, 1.0), (2, 3, 1.0)]
    assert read(tmp_path, numbers, columns=(1, 0, 3)) == [(2, 1, 9), (3, 2, 8)]
    assert read(tmp_path, "1,2,\n2,3,\n", columns=(0, 1)) == [(1, 2, 1.0), (2, 3, 1.0)]


@pytest.mark.parametrize(
    ("columns", "error", "sentence"),
    [
        (("from", "miles"), ValueError, "line 1: there is no column 'miles'; the columns are "),
        (
            ("from", "x"),
            ValueError,
            "line 1: there are two columns of that name; the columns are .*'x', ",
        ),
        ((0, 9), ValueError, "line 1: expected at least 10 columns, of which 5 are there"),
        (("from", "from"), ValueError, "columns must differ"),
        (("from", 0), ValueError, "columns must differ"),
        ((0,), ValueError, "columns must be source, target and perhaps weight"),
        ("from", ValueError, "columns must be source, target and perhaps weight"),
        ((0, -1), ValueError, r"columns\[1\] must be in"),
        ((0, 1.5), TypeError, r"columns\[1\] must be an integer"),
        ({"from", "to"}, TypeError, "columns must be an array or a sequence, got a set"),
    ],
)
def test_columns_that_are_not_there(tmp_path, columns, error, sentence):
    with pytest.raises(error, match=sentence):
        read(tmp_path, "from,to,km,x,x\nUlm,Aalen,70,1,2\n", columns=columns)


def test_columns_are_for_tables(tmp_path):
    wg.io.write(tmp_path / "a.gr", graphs.csr(2, [(0, 1, 1.0)]))
    with pytest.raises(ValueError, match=r"columns= is for tables, and .* is read as 'dimacs'"):
        wg.io.read(tmp_path / "a.gr", columns=(0, 1))
    with pytest.raises(ValueError, match="id_dtype= is for tables"):
        wg.io.read(tmp_path / "a.gr", id_dtype=str)


# Errors name the line.


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("a,b,1\na,,2\n", r"line 2: .*got 'a,,2': the name of a vertex is empty"),
        ('a,b,1\n"",b,2\n', r"line 2: .*: the name of a vertex is empty"),
        ("a,b,1\na,b,\n", r"line 2: .*got 'a,b,': the weight is missing"),
        ("a,b,1\na,b,NaN\n", r"line 2: .*: the weight is 'NaN'"),
        ("1,2,1\n1,2,nan\n", r"line 2: .*: the weight is 'nan'"),
        ("a,b,1\na,b,0x10\n", r"line 2: .*: the weight is '0x10'"),
        ("a,b,1\na,b,True\n", r"line 2: .*: the weight is 'True'"),
        ("a,b,1\na,b,1_0\n", r"line 2: .*: the weight is '1_0'"),
        ("a,b,1\na,b,\uff11\n", r"line 2: .*: the weight is"),
        ("a,b,inf\na,b,1e400\n", r"line 2: .*: the weight is '1e400', beyond the largest float64"),
        ("inf,b,1\n1,2,-2e308\n", r"line 2: .*: the weight is '-2e308', beyond the largest"),
        ("1,2,0\n1,2," + "9" * 5000, r"line 2: .*: the weight is '999.*, beyond the largest"),
        ("1,2,0\n1,2," + "9" * 100_000 + "x", r"line 2: .*: the weight is '999"),
        ("10 20\t5\n30 40\t6\n", r"line 1: expected fields separated by tabs or by blanks, not bo"),
        ("a,b\na,b,c\n", r"line 2: expected two vertex ids as on the first line"),
        ("a,b,1\n\n\na,b\nc,d,e,f\n", r"line 4: expected two vertex ids and a weight.*'a,b'"),
        ('"a\n\nb",c,1\nd,e\n', r"line 4: .*got 'd,e'"),
        ("a,b,c,d\n", r"line 1: .*: choose with columns=\('a', 'b'\)"),
        ("1;2;0,5\n", r"line 1: expected fields separated by commas or by semicolons, not both"),
        ('a,b,1\n5" pipe,x,2\n', r"line 2: expected a quote to be closed .*got '5\" pipe,x"),
        ('a,b,1\n5" pipe,6" pipe,2\n', r"line 2: expected quotes around whole fields.*got '5\" p"),
        ('a,b,1\n"x"y,z,2\nc"",d,3\n', r"line 2: expected quotes around whole fields"),
        ('a,b,1\nx"y"",z,2\n', r"line 2: expected a quote to be closed"),
        ('a,b,1\n"x,z,2\nc,d,3\n', r"line 2: expected a quote to be closed"),
        ("a,b\rc,d\r", r"line 1: expected lines that end in LF or CR LF"),
        ("a,b\r" * 50_000, r"line 1: expected lines that end in LF or CR LF"),
        ("a,b\n" + "a,b\r" * 50_000 + "\n", r"line 2: expected lines that end in LF or CR LF"),
        ('"a","b"\r' * 50_000, r"line 1: expected lines that end in LF or CR LF"),
        (b"a,b\nc\xe9,d\n", r"line 2: expected text in UTF-8, got the byte 0xe9; is the file in L"),
        (b"a,b\n\n\x00,d\n", r"line 3: expected text, got the byte 0x00"),
        ("a,b\n".encode("utf-16"), r"expected text in UTF-8, got a file in UTF-16"),
        ("a,b\n" + "x" * 200_000 + ",c\n", r"line 2: the line is longer than 131072 bytes"),
        ("a,b\n" + "x" * 9_000_000, r"line 2: the line is longer than 131072 bytes"),
        ("a,b\nc" + " " * 1_000_000 + "x,d\n", r"line 2: the line is longer than 131072 bytes"),
        ("a,b\n#" + "x" * 9_000_000, r"line 2: the line is longer than 131072 bytes"),
        ('a,b\n"' + "x" * 9_000_000, r"line 2: expected a quote to be closed within"),
    ],
)
def test_what_is_refused(parser, tmp_path, text, sentence):
    path = tmp_path / "a.csv"
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    with pytest.raises(ValueError, match=sentence) as caught:
        wg.io.read(path)
    assert str(caught.value).startswith(str(path))
    assert len(str(caught.value)) < len(str(path)) + 300


# Round trips.
#: Names with characters that could end a field or a line, or slow down a parser.
names = st.text(
    st.one_of(
        st.sampled_from(" \t\r\n\",;#%\\'17-+.eNA\ufeff\u00a0\u2028ß"), st.characters(codec="utf-8")
    ),
    min_size=1,
    max_size=6,
).filter(lambda name: "\0" not in name)


@is_doubtful
@may_have_no_edges
@loses_vertices
@settings(max_examples=150)
@given(
    some=st.lists(names, min_size=1, max_size=8, unique=True),
    ends=st.lists(st.tuples(st.integers(0, 7), st.integers(0, 7)), max_size=12),
    weights=st.sampled_from([[1, 2, -(2**62) - 1], [0.1, 5e-324, np.inf]]),
    ending=st.sampled_from([".csv", ".txt", ".npz"]),
    size=st.sampled_from([1, 8, 1 << 21]),
)
def test_names_come_back(tmp_path_factory, parser, some, ends, weights, ending, size):
    ids = np.array(some, object)
    edges = [(u % len(some), v % len(some), weights[k % 3]) for k, (u, v) in enumerate(ends)]
    graph = wg.Graph(graphs.csr(len(some), edges, np.array(weights).dtype))
    path = tmp_path_factory.mktemp("io") / f"a{ending}"
    wg.io.write(path, graph, ids=ids)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("warpgraph._files.text._BLOCK_BYTES", size)
        read, back = wg.io.read(path)
    assert arcs(read, back) == arcs(graph, ids)
    if edges and ending != ".npz":
        assert back.dtype.kind == "U"


@settings(max_examples=100)
@given(
    rows=st.lists(
        st.tuples(
            names, names, st.one_of(st.floats(allow_nan=False), st.integers(-(2**63), 2**63 - 1))
        ),
        min_size=1,
        max_size=8,
    ),
    dialect=st.sampled_from(["excel", "excel-tab", "unix"]),
)
def test_tables_of_pythons_csv(tmp_path_factory, parser, rows, dialect):
    """Written by another library; blanks around fields do not count unless in quotes."""
    text = io.StringIO(newline="")
    quoting = csv.QUOTE_NONNUMERIC
    csv.writer(text, dialect, quoting=quoting).writerows([("x", "y", "weight"), *rows])
    path = tmp_path_factory.mktemp("io") / "a.csv"
    path.write_bytes(text.getvalue().encode())
    graph, ids = wg.io.read(path)
    assert arcs(graph, ids) == sorted((u, v, type(graph.data[0])(w)) for u, v, w in rows)


@may_have_no_edges
@is_doubtful
@settings(max_examples=200)
@given(text=st.text('ab17-+.e,; \t\n\r"#ßNA', max_size=60), id_dtype=st.sampled_from([None, str]))
def test_all_parsers_agree(tmp_path_factory, text, id_dtype):
    path = tmp_path_factory.mktemp("io") / "a.txt"
    path.write_bytes(text.encode())
    answers = []
    for name in PARSERS:
        with pytest.MonkeyPatch.context() as patch:
            use(name, patch)
            try:
                graph, ids = wg.io.read(path, id_dtype=id_dtype)
                answers.append((arcs(graph, ids), ids.dtype.kind, graph.dtype))
            except ValueError as problem:
                answers.append(str(problem))
    assert answers.count(answers[0]) == len(answers)


def test_a_long_name_does_not_widen_all_others(tmp_path):
    text = "".join(f"a{k},a{k + 1},1\n" for k in range(20_000)) + f"a0,{'x' * 100_000},1\n"
    path = put(tmp_path / "a.csv", text)
    graph, ids = wg.io.read(path)
    assert ids.dtype == object
    assert len(ids[-1]) == 100_000
    assert graph.n_vertices == 20_002
    wg.io.write(tmp_path / "b.csv", graph, ids=ids)
    assert arcs(*wg.io.read(tmp_path / "b.csv")) == arcs(graph, ids)


def test_blanks_without_end_take_no_time(parser, tmp_path):
    line = "a,b" + " " * 120_000 + "x,1\n"
    found = read(tmp_path, 40 * line)
    assert found == 40 * [("a", "b" + " " * 120_000 + "x", 1)]


@pytest.mark.parametrize(
    "text",
    [
        "1,2,5\n2,3,6\n",
        "a,b,5\nb,c,0.5\n",
        '"a ""b""",c,5\nc,"d,e",inf\n',
        "\ufeffa,\u00df,5\nb,c,+7\n",
        f"a,{'x' * 100_000},5\n",
    ],
)
def test_tables_are_parsed_by_numpy(tmp_path, monkeypatch, text):
    monkeypatch.setattr(parsers, "_in_python", None)
    assert len(read(tmp_path, text)) == text.count("\n")


@pytest.mark.parametrize("blank", "\r\n\v\f\x1c\x1f\u0085\u00a0\u2003")
@pytest.mark.parametrize("name", ["b", "b" * 70])
def test_odd_blanks_beside_a_weight_are_refused(parser, tmp_path, blank, name):
    """NumPy would ignore them."""
    for weight in (f"5{blank}", f"{blank}5"):
        with pytest.raises(ValueError, match=r"line 2: .*: the weight is "):
            read(tmp_path, f'a,b,1\na,{name},"{weight}"\n')
