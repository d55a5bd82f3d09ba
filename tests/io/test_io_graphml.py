"""GraphML in other encodings, tags that do not end, and Ctrl-C while NetworkX parses."""

import bz2
import gzip
import lzma
import signal
import time

import networkx as nx
import pytest

import warpgraph as wg
from checks import raises_sentence

NAMESPACE = "http://graphml.graphdrawing.org/xmlns"
ROOT = f'<graphml xmlns="{NAMESPACE}">'
GRAPH = (
    '<graph edgedefault="directed"><node id="ä"/><node id="b"/><edge source="ä" target="b"/>'
    "</graph>"
)
DOCUMENT = f"{ROOT}{GRAPH}</graphml>"
LONGEST_TAG = 131072
LONGEST_TEXT = 4194304
#: The parser reads 65536 bytes at a time.
OFFSETS = (0, 1, 65535, 65536)


def assert_read(path):
    graph, ids = wg.io.read(path)
    assert ids.tolist() == ["ä", "b"]
    assert [ends.tolist() for ends in graph.to_edges()[:2]] == [[0], [1]]


@pytest.mark.parametrize(
    ("encoding", "declared"),
    [
        ("utf-8", None),
        ("utf-8", "UTF-8"),
        ("utf-8-sig", None),
        ("latin-1", "ISO-8859-1"),
        ("cp1252", "windows-1252"),
        ("utf-16", None),
        ("utf-16", "UTF-16"),
        ("utf-16-le", "UTF-16"),
        ("utf-16-be", "UTF-16"),
    ],
)
def test_encodings(tmp_path, encoding, declared):
    path = tmp_path / "a.graphml"
    declaration = f'<?xml version="1.0" encoding="{declared}"?>\n' if declared else ""
    path.write_bytes(f"{declaration}{DOCUMENT}".encode(encoding))
    assert list(nx.read_graphml(path)) == ["ä", "b"]
    assert_read(path)


@pytest.mark.parametrize(
    ("ending", "compress"), [(".gz", gzip.compress), (".bz2", bz2.compress), (".xz", lzma.compress)]
)
def test_compressed_files(tmp_path, ending, compress):
    path = tmp_path / f"a.graphml{ending}"
    comments = f"<!-- {'c' * 60_000} -->" * 5
    path.write_bytes(compress((comments + DOCUMENT).encode()))
    assert_read(path)
    path.write_bytes(compress(DOCUMENT.encode())[:-20])
    with raises_sentence(ValueError, str(path)):
        wg.io.read(path)
    path.write_bytes(b"x" + compress(DOCUMENT.encode()))
    with raises_sentence(ValueError, str(path)):
        wg.io.read(path)


@pytest.mark.parametrize(
    "prolog",
    [
        "",
        '<?xml version="1.0"?>\n',
        "\n<!-- <graphml> <a> - not the root -->\n<!-- > -->",
        '<!DOCTYPE graphml [<!ENTITY e "x"><!-- > -->]>\n',
        " \n" * 100_000,
    ],
    ids=["nothing", "declaration", "comments", "doctype", "blanks"],
)
def test_a_root_without_namespace(tmp_path, prolog):
    path = tmp_path / "a.graphml"
    for root in (ROOT, "<graphml>"):
        path.write_text(f"{prolog}{root}{GRAPH}</graphml>", encoding="utf-8")
        assert list(nx.read_graphml(path)) == ["ä", "b"]
        assert_read(path)


@pytest.mark.parametrize("content", ["<a/>", "<a><graphml></graphml></a>", f"{ROOT}</graphml>"])
def test_no_graph(tmp_path, content):
    path = tmp_path / "a.graphml"
    path.write_text(content)
    with raises_sentence(ValueError, str(path), "expected a <graph> within <graphml xmlns="):
        wg.io.read(path)


# Numbers.


def with_weights(path, kind, *weights, default="", more=""):
    """Write a file of edges from a to b0, b1, .. with these texts as weights."""
    edges = "".join(
        f'<edge source="a" target="b{k}"><data key="w">{text}</data></edge>'
        for k, text in enumerate(weights)
    )
    nodes = "".join(f'<node id="b{k}"/>' for k in range(len(weights)))
    key = f'<key id="w" for="edge" attr.name="weight" attr.type="{kind}">{default}</key>{more}'
    graph = f'<graph edgedefault="directed"><node id="a"/>{nodes}{edges}</graph>'
    path.write_text(f"{ROOT}{key}{graph}</graphml>", encoding="utf-8")
    return path


@pytest.mark.parametrize("kind", ["double", "float", "long", "int", "string"])
@pytest.mark.parametrize("text", ["1_0", "0x10", "5,0", "\u0663", "five", "", "1e"])
def test_text_that_is_no_number_is_refused_with_its_edge(tmp_path, kind, text):
    path = with_weights(tmp_path / "a.graphml", kind, "1", text)
    with raises_sentence(ValueError, str(path), "'weight' of edge ('a', 'b1') is ", repr(text)):
        wg.io.read(path)


@pytest.mark.parametrize("kind", ["double", "float", "long", "int", "string"])
@pytest.mark.parametrize("text", ["1e400", "-1e400", "9" * 400, "9" * 5000])
def test_numbers_beyond_their_type_are_refused_with_their_edge(tmp_path, kind, text):
    path = with_weights(tmp_path / "a.graphml", kind, "1", text)
    with raises_sentence(ValueError, str(path), "'weight' of edge ('a', 'b1') is ", "not hold"):
        wg.io.read(path)


@pytest.mark.parametrize(
    ("kind", "texts", "expected"),
    [
        ("double", ["5", "1e3", " .5 ", "INF"], [5.0, 1000.0, 0.5, float("inf")]),
        ("float", ["5", "6"], [5.0, 6.0]),
        ("double", ["9223372036854775808"], [2.0**63]),
        ("long", ["5", "-6", "9223372036854775807"], [5, -6, 2**63 - 1]),
        ("int", ["5"], [5]),
        ("string", ["5", "6"], [5, 6]),
        ("boolean", ["true", "0"], [True, False]),
    ],
)
def test_numbers_have_the_type_of_their_key(tmp_path, kind, texts, expected):
    data = wg.io.read(with_weights(tmp_path / "a.graphml", kind, *texts))[0].data
    assert data.tolist() == expected
    assert data.dtype.kind == {float: "f", int: "i"}.get(type(expected[0]), data.dtype.kind)


def test_defaults_are_numbers_by_the_same_rule(tmp_path):
    path = tmp_path / "a.graphml"
    edge = '<edge source="a" target="b"/>'
    for default, expected in (("", None), ("7", 7.0), ("1e400", None), ("1_0", None)):
        key = f'<key id="w" for="edge" attr.name="weight" attr.type="double"><default>{default}'
        path.write_text(
            f'{ROOT}{key}</default></key><graph edgedefault="directed">{edge}</graph></graphml>'
        )
        if expected is None:
            with raises_sentence(ValueError, str(path), "('a', 'b')", default):
                wg.io.read(path)
        else:
            assert wg.io.read(path)[0].data.tolist() == [expected]


@pytest.mark.parametrize("text", ["maybe", "2", ""])
def test_what_is_no_bool_is_refused_with_its_edge(tmp_path, text):
    path = with_weights(tmp_path / "a.graphml", "boolean", "true", f"{text}x")
    with raises_sentence(ValueError, str(path), "'weight' of edge ('a', 'b1') is ", f"{text}x"):
        wg.io.read(path)
    path = with_weights(path, "boolean", "true", default=f"<default>{text}</default>")
    assert wg.io.read(path)[0].data.tolist() == [True]


def test_two_values_of_an_edge_are_refused(tmp_path):
    path = with_weights(tmp_path / "a.graphml", "double", "1", '2</data><data key="w">3')
    with raises_sentence(ValueError, str(path), "the edge ('a', 'b1') has two values of 'weight'"):
        wg.io.read(path)
    assert wg.io.read(path, weight=None)[0].data.tolist() == [1, 1]


def test_two_keys_of_one_name_are_refused(tmp_path):
    other = '<key id="x" for="{}" attr.name="weight" attr.type="double"/>'
    path = with_weights(tmp_path / "a.graphml", "double", "1", more=other.format("edge"))
    with raises_sentence(ValueError, str(path), "the keys 'w' and 'x'", "both called 'weight'"):
        wg.io.read(path)
    assert wg.io.read(path, weight=None)[0].data.tolist() == [1]
    path = with_weights(path, "double", "3", more=other.format("node"))
    assert wg.io.read(path)[0].data.tolist() == [3]


# What does not end.


@pytest.mark.parametrize(
    ("content", "line", "got"),
    [
        ("1" * 30_000_000, 1, "'1111"),
        ("\ufeff\n \t\r\n graphml", 3, "'graphml'"),
        ("\n" * 70_000 + "x", 70_001, "'x'"),
        ("&lt;", 1, "'&lt;'"),
    ],
    ids=["digits", "BOM", "lines", "entity"],
)
def test_no_xml(tmp_path, content, line, got):
    path = tmp_path / "a.graphml"
    path.write_text(content, encoding="utf-8", newline="")
    started = time.perf_counter()
    with raises_sentence(ValueError, f"{path}, line {line}: expected XML", "begins with <", got):
        wg.io.read(path)
    assert time.perf_counter() - started < 1


@pytest.mark.parametrize(
    ("before", "kind"),
    [
        (f'{ROOT}\n\n<graph edgedefault="', "tag"),
        (f"{ROOT}\n\n<node ", "tag"),
        (f"{ROOT}\n\n<!-- ", "tag"),
        ("\n\n<!-- > ", "text"),
        (f"{ROOT}\n\n<a>", "text"),
    ],
    ids=["attribute", "name", "comment", "comment with >", "text"],
)
def test_what_does_not_end(tmp_path, before, kind):
    path = tmp_path / "a.graphml"
    path.write_text(before + "x" * 30_000_000)
    longest = LONGEST_TAG if kind == "tag" else LONGEST_TEXT
    started = time.perf_counter()
    with raises_sentence(ValueError, f"{path}, line 3: the {kind} is longer than {longest} bytes"):
        wg.io.read(path)
    assert time.perf_counter() - started < 1  # quadratic time would be half a minute


@pytest.mark.parametrize("offset", OFFSETS)
def test_the_longest_tag(tmp_path, offset):
    path = tmp_path / "a.graphml"
    blanks = " " * offset
    around = len('node id=""/')
    for name in ("n" * (LONGEST_TAG - around), "n" * (LONGEST_TAG - around + 1)):
        path.write_text(f'{ROOT}{blanks}<graph>\n<node id="{name}"/></graph></graphml>')
        if len(name) + around == LONGEST_TAG:
            assert wg.io.read(path)[1].tolist() == [name]
        else:
            with raises_sentence(ValueError, "line 2: the tag is longer than 131072 bytes"):
                wg.io.read(path)


@pytest.mark.parametrize("offset", OFFSETS)
def test_the_longest_text(tmp_path, offset):
    path = tmp_path / "a.graphml"
    for extra in (0, 1):
        text = "t" * (LONGEST_TEXT + extra)
        comment = f"<!--{'c' * offset}-->"
        path.write_text(f"{comment}{ROOT}\n<desc>{text}</desc>{GRAPH}</graphml>", encoding="utf-8")
        if extra == 0:
            assert_read(path)
        else:
            with raises_sentence(ValueError, "line 2: the text is longer than 4194304 bytes"):
                wg.io.read(path)


# Ctrl-C.


def seconds_until_interrupted(path, after):
    """Return how long a read takes that gets Ctrl-C `after` seconds."""

    def interrupt(*_):
        raise KeyboardInterrupt

    before = signal.signal(signal.SIGALRM, interrupt)
    started = time.perf_counter()
    try:
        signal.setitimer(signal.ITIMER_REAL, after)
        with pytest.raises(KeyboardInterrupt):
            wg.io.read(path)
        return time.perf_counter() - started
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)


@pytest.mark.usefixtures("no_gc_callbacks")
def test_ctrl_c_ends_a_long_parse(tmp_path):
    path = tmp_path / "a.graphml"
    comment = f"<!-- > {'c' * 4_000_000} -->"  # is scanned again with every piece
    path.write_text(comment * 10 + DOCUMENT, encoding="utf-8")
    started = time.perf_counter()
    assert_read(path)
    whole = time.perf_counter() - started
    # A busy machine may delay any program.
    taken = [seconds_until_interrupted(path, 0.1 * whole) for _ in range(3)]
    assert min(taken) < 0.5 * whole, f"{taken} of {whole} s"
    assert_read(path)


@pytest.mark.parametrize("words", [["10", "2"], ["10", "b"], ["007", "2"]])
def test_the_type_of_ids(tmp_path, words):
    path = tmp_path / "a.graphml"
    theirs = nx.DiGraph([tuple(words)])
    nx.write_graphml(theirs, path)
    graph, ids = wg.io.read(path, id_dtype=str)
    assert ids.tolist() == list(theirs) == wg.Graph(nx.read_graphml(path)).names.tolist()
    assert wg.sssp(wg.Graph(graph, names=ids), words[0]).tolist() == [0, 1]
    if words == ["10", "2"]:
        for id_dtype in (None, int):
            assert wg.io.read(path, id_dtype=id_dtype)[1].tolist() == [10, 2]
    else:
        assert wg.io.read(path)[1].tolist() == words
        odd = "b" if "b" in words else "007"
        with raises_sentence(ValueError, str(path), f"the node {odd!r} is no 64-bit integer"):
            wg.io.read(path, id_dtype=int)
    with raises_sentence(ValueError, "columns= is for tables"):
        wg.io.read(path, columns=(0, 1), id_dtype=str)
