"""wg.io: comments of tables stand above the first row, or begin as `comment` says.

All else is data, or an error with its line.
"""

import gzip
import itertools
import subprocess
import sys

import pytest
from hypothesis import HealthCheck, given, settings, strategies as st

import warpgraph as wg
from checks import raises_sentence
from files import arcs, may_have_no_edges, put
from warpgraph.cli import main


def read(tmp_path, text, name="a.csv", **options):
    return arcs(*wg.io.read(put(tmp_path / name, text), **options))


HASHTAGS = [("#python", "#numpy", 12), ("#python", "scipy", 3)]


@pytest.mark.parametrize("name", ["a.csv", "a.txt", "a.csv.gz", "a.tsv"])
@pytest.mark.parametrize("above", ["", "# hashtags\n", '% a\n#,b\n\n  # "c\n'])
@pytest.mark.parametrize("separator", [",", ";", "\t", " "])
def test_lines_below_a_header_are_data(tmp_path, name, above, separator):
    rows = [("source", "target", "n"), *HASHTAGS]
    text = above + "".join(separator.join(map(str, row)) + "\n" for row in rows)
    assert read(tmp_path, text, name) == HASHTAGS


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("from,to\n#ff0000,#00ff00\n%20x,%41\n", [("#ff0000", "#00ff00"), ("%20x", "%41")]),
        ("a,b\n#b,c\n  #c,d\n", [("#b", "c"), ("#c", "d"), ("a", "b")]),
        ("a,b\n%b,a\n", [("%b", "a"), ("a", "b")]),
        ('a,b\n"#",a\n"%",b\n', [("#", "a"), ("%", "b"), ("a", "b")]),
        ("from,to\n#\u00e4,%\u00df\n", [("#\u00e4", "%\u00df")]),
        ("a b\nb #c\n#c a\n", [("#c", "a"), ("a", "b"), ("b", "#c")]),
    ],
)
def test_marks_begin_names(tmp_path, text, expected):
    assert read(tmp_path, text) == sorted((*ends, 1.0) for ends in expected)


@pytest.mark.parametrize(
    ("text", "line", "mark"),
    [
        ("a b\n# by hand\nb a\n", 2, "#"),
        ("a b\n\n## Nodes\nb a\n", 3, "#"),
        ("1 2\n2 3\n% end\n", 3, "%"),
        ("1\t2\n2\t3\n# end\n", 3, "#"),
        ("a,b,1\n#\nb,c,2\n", 2, "#"),
        ("a,b,1\n# by hand\nb,c,2\n", 2, "#"),
        ("a,b,1\n# by,hand,too\nb,c,2\n", 2, "#"),
        ("1,2\n#2,3\n", 2, "#"),
        ("1 Ann\n2 Bob\n#\n1 2\n", 3, "#"),
        ("a b 1\n%b c x\n", 2, "%"),
    ],
)
def test_what_may_be_a_comment_below_is_an_error_with_its_line(tmp_path, text, line, mark):
    path = tmp_path / "a.txt"
    with raises_sentence(ValueError, f"{path}, line {line}: ", f"comment={mark!r} leaves out"):
        read(tmp_path, text, "a.txt")
    rest = "".join(row for row in text.splitlines(True) if not row.startswith(mark))
    assert read(tmp_path, text, "a.txt", comment=mark) == read(tmp_path, rest, "b.txt")


def test_comments_above_the_first_row_stay(tmp_path):
    snap = "# Directed graph\n# Nodes: 3 Edges: 2\n# FromNodeId\tToNodeId\n1\t2\n2\t3\n"
    konect = "% asym unweighted\n% 2 3 3\n1 2\n2 3\n"
    for text in (snap, konect, snap.replace("\n", "\r\n"), "\n \n" + konect, "\ufeff" + snap):
        assert read(tmp_path, text, "a.txt") == [(1, 2, 1.0), (2, 3, 1.0)]


def test_comments_as_callers_say(tmp_path):
    text = '// by hand\nfrom,to,n\n  // a, "b\n#a,%b,1\n//c,d,2\n'
    assert read(tmp_path, text, comment="//") == [("#a", "%b", 1)]
    tags = "#python,#numpy,12\n#python,scipy,3\n"
    assert read(tmp_path, tags, comment="") == HASHTAGS
    assert read(tmp_path, tags, comment="%") == HASHTAGS
    assert read(tmp_path, "# b\n" + tags.replace("#", "%"), comment="#") == [
        ("%python", "%numpy", 12),
        ("%python", "scipy", 3),
    ]
    assert read(tmp_path, 'a,b\n"#b","c\n#d"\nb,c\n#e\n', comment="#") == [
        ("#b", "c\n#d", 1.0),
        ("a", "b", 1.0),
        ("b", "c", 1.0),
    ]
    assert wg.Graph.read(put(tmp_path / "a.csv", tags), comment="").n_edges == 2


@pytest.mark.parametrize(
    ("comment", "error", "sentence"),
    [
        (1, TypeError, "comment must be a string, got 1"),
        ("# ", ValueError, "without blanks around it"),
        ('"', ValueError, "got '\"'"),
        ("a\nb", ValueError, "ends of lines"),
    ],
)
def test_what_begins_no_comment(tmp_path, comment, error, sentence):
    with raises_sentence(error, sentence):
        read(tmp_path, "a,b\n", comment=comment)


def test_comment_is_for_tables_of_text(tmp_path):
    wg.io.write(tmp_path / "a.gr", wg.generators.grid(2, 2))
    with raises_sentence(ValueError, "comment= is for tables of text, and"):
        wg.io.read(tmp_path / "a.gr", comment="#")


def test_the_command_line(tmp_path, capsys):
    path = put(tmp_path / "a.csv", "source,target,n\n#python,#numpy,12\n")
    output = tmp_path / "b.npz"
    assert main(["convert", str(path), "--output", str(output)]) == 0
    assert arcs(*wg.io.read(output)) == HASHTAGS[:1]
    put(path, "a,b\n# c\n")
    assert main(["convert", str(path), "--output", str(output)]) == 2
    assert "--comment '#' leaves out lines that begin with #" in capsys.readouterr().err
    assert main(["convert", str(path), "--comment", "#", "--output", str(output)]) == 0
    assert arcs(*wg.io.read(output)) == [("a", "b", 1.0)]


def test_points_of_the_command_line(tmp_path, capsys):
    rows = "0,0\n\n1,0\n9,9\n"
    path = put(tmp_path / "a.csv", f"# x,y\n\n % m\n{rows}")
    assert main(["cluster", str(path), "--points", "--n-clusters", "2"]) == 0
    assert "points" in capsys.readouterr().out
    put(path, rows.replace("1,0", "#1,0"))
    assert main(["cluster", str(path), "--points", "--n-clusters", "2"]) == 2
    assert f"{path} does not hold points" in capsys.readouterr().err


def test_stdin():
    program = "import warpgraph as wg; print(wg.Graph.read('-', format='csv').names.tolist())"
    for text, compress in itertools.product(["a,b\n#c,b\n"], [bytes, gzip.compress]):
        found = subprocess.run(
            [sys.executable, "-c", program], input=compress(text.encode()), capture_output=True
        )
        assert found.stdout.decode() == "['#c', 'a', 'b']\n"


def test_a_comment_ends_where_the_first_row_begins_in_any_blocks(tmp_path, monkeypatch):
    text = '# "a\n\n% b\n"#c",d\n#e,d\n'
    for n_bytes in range(1, 12):
        monkeypatch.setattr("warpgraph._files.text._BLOCK_BYTES", n_bytes)
        assert read(tmp_path, text) == [("#c", "d", 1.0), ("#e", "d", 1.0)]


@pytest.mark.parametrize("n", [3, 999, 1000, 1001, 5000])
def test_of_many_comments_the_last_is_above_the_first_row(tmp_path, n, monkeypatch):
    text = "# temporal\n" + "#\n" * n + "#target,source\nA,B\n"
    for size in (1 << 22, 500):
        monkeypatch.setattr("warpgraph._files.text._BLOCK_BYTES", size)
        with pytest.warns(UserWarning, match=rf"line {n + 3}: the comment above names columns"):
            assert read(tmp_path, text) == [("A", "B", 1.0)]


LINES = st.sampled_from(["#a,b", "%a,#b", "a,#b", "# note", "%", "", "  ", '"#a",b', '"#', "a,b"])


@may_have_no_edges
@settings(max_examples=200, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(above=st.lists(LINES, max_size=4), below=st.lists(LINES, max_size=6), ends=st.booleans())
def test_no_line_below_a_header_vanishes(tmp_path, above, below, ends):
    """As many edges as rows, or an error that names a line."""
    above = [line for line in above if not line.strip() or line[0] in "#%"]
    text = "\n".join([*above, "source,target", *below]) + "\n" * ends
    path = put(tmp_path / "a.csv", text)
    if any(line in ("# note", "%", '"#') for line in below):
        with raises_sentence(ValueError, f"{path}, line "):
            wg.io.read(path)
    else:
        assert wg.io.read(path)[0].n_edges == sum(1 for line in below if line.strip())
