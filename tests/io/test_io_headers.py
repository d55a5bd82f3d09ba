"""wg.io: headers of tables. A line of data is never taken for one."""

import pytest

import warpgraph as wg
from files import arcs, put


def read(tmp_path, text, **options):
    return arcs(*wg.io.read(put(tmp_path / "a.txt", text), **options))


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("02134,10001\n10001,94105\n", [("02134", "10001"), ("10001", "94105")]),
        ("1 b\n2 3\n", [("1", "b"), ("2", "3")]),
        ("b 1\n2 3\n", [("b", "1"), ("2", "3")]),
        ("1.0 2.0\n3 x\n", [("1.0", "2.0"), ("3", "x")]),
        (".5 a\nb 4\n", [(".5", "a"), ("b", "4")]),
        ("+1 2\n1 2\n", [("+1", "2"), ("1", "2")]),
        ("-0 2\n1 2\n", [("-0", "2"), ("1", "2")]),
        ("\u22127 b\n1 2\n", [("\u22127", "b"), ("1", "2")]),
        ("\uff11 b\n1 2\n", [("\uff11", "b"), ("1", "2")]),
        ("99999999999999999999 1\n1 2\n", [("99999999999999999999", "1"), ("1", "2")]),
        ('"1" "2"\n3 4\n', [("1", "2"), ("3", "4")]),
        ('" 1" b\n3 4\n', [(" 1", "b"), ("3", "4")]),
        ("2024-01-01,2024-01-02\n5,6\n", [("2024-01-01", "2024-01-02"), ("5", "6")]),
        ("nan,inf\n1,2\n", [("nan", "inf"), ("1", "2")]),
        ("a,-Infinity\n1,2\n", [("a", "-Infinity"), ("1", "2")]),
        ("NULL,x\n1,2\n", [("NULL", "x"), ("1", "2")]),
    ],
)
def test_numbers_and_dates_head_no_columns(tmp_path, text, expected):
    assert read(tmp_path, text) == sorted((*ends, 1.0) for ends in expected)


@pytest.mark.parametrize("ends", ["1\t2", "a\tb"])
@pytest.mark.parametrize(
    "weight",
    [
        "$5",
        "5km",
        "1,5",
        "1_000",
        "0x10",
        "-nan",
        "+nan",
        "#N/A",
        "<NA>",
        "true",
        "FALSE",
        "\u22125",
        "1.5\xa0",
        ".",
        "--",
        "?",
        "nan(ind)",
        "-nan(ind)",
        "#NULL!",
        "#REF!",
        "\u20ac",
        "w1",
    ],
)
def test_a_first_weight_that_is_no_number_is_refused(tmp_path, ends, weight):
    with pytest.raises(ValueError, match=r"line 1: expected two .*: the weight is ") as caught:
        read(tmp_path, f"{ends}\t{weight}\n2\t3\t6\n")
    assert repr(weight) in str(caught.value)
    assert ("decimal=','" if weight == "1,5" else "columns= by name") in str(caught.value)


def test_a_word_for_a_weight_heads_no_column_below_numbers(tmp_path):
    with pytest.raises(ValueError, match=r"line 1: .*: the weight is 'km'"):
        read(tmp_path, "1,2,km\n2,3,6\n")
    with pytest.raises(ValueError, match=r"line 1: .*: the name of a vertex is empty"):
        read(tmp_path, ",1,b\n0,1,2\n")
    assert read(tmp_path, ",a,b\n0,1,2\n") == [(1, 2, 1.0)]
    assert read(tmp_path, ",source,target\n0,1,2\n") == [(1, 2, 1.0)]  # as pandas writes the index
    assert read(tmp_path, ",source,target\n0,1,2\n", columns=(1, 2)) == [(1, 2, 1.0)]


@pytest.mark.parametrize("id_dtype", [None, str, int])
def test_codes_of_places_do_not_vanish(tmp_path, id_dtype):
    text = "02134,10001\n10001,94105\n"
    if id_dtype is int:
        with pytest.raises(ValueError, match=r"line 1: .*'02134' is no such integer; id_dtype="):
            read(tmp_path, text, id_dtype=int)
    else:
        assert len(read(tmp_path, text, id_dtype=id_dtype)) == 2


def test_columns_by_name_are_in_a_header_whatever_it_looks_like(tmp_path):
    text = "2023,2024,$\n1,2,5\n"
    assert read(tmp_path, text, columns=("2023", "2024", "$")) == [(1, 2, 5)]


@pytest.mark.parametrize("weight", ["weight", "_w", "km (one way)", "L\xe4nge", "none of these"])
def test_words_for_a_weight_head_a_column(tmp_path, weight):
    assert read(tmp_path, f"a,b,{weight}\n1,2,5\n") == [(1, 2, 5)]


def test_words_above_integers_are_a_header_and_then_all_must_be_integers(tmp_path):
    with pytest.raises(ValueError, match=r"line 3: .*'e' is no such integer; id_dtype='str'"):
        read(tmp_path, "aa bb\n0 0\n2 e\n")
    names = [("0", "0", 1.0), ("2", "e", 1.0), ("aa", "bb", 1.0)]
    assert read(tmp_path, "aa bb\n0 0\n2 e\n", id_dtype=str, header=False) == names
    with pytest.warns(UserWarning, match=r"line 1: .* a header, since what is below has digits"):
        assert read(tmp_path, "aa bb\n0 0\n2 e\n", id_dtype=str) == names[:2]
    assert read(tmp_path, 'aa bb\n0 0\n"2" "3"\n', id_dtype=str) == [
        ("0", "0", 1.0),
        ("2", "3", 1.0),
    ]
    assert read(tmp_path, 'aa bb\n"2" "3"\n', id_dtype=int) == [(2, 3, 1.0)]
    with pytest.raises(ValueError, match=r"line 1: .*'aa' is no such integer"):
        read(tmp_path, "aa bb\n", id_dtype=int)


@pytest.mark.parametrize(
    ("text", "columns"),
    [
        ("#target,source,weight\nA,B,5\n", (1, 0, 2)),
        ("# to from\nA B\nB C\n", (1, 0)),
        ("% about\n%Target\tweight\tSource\n1\t2\t3\n", (2, 0, 1)),
        ('#"to_node";"from_node"\r\nA;B\r\n', (1, 0)),
    ],
)
def test_a_comment_that_names_other_columns_gives_a_warning(tmp_path, text, columns):
    with pytest.warns(UserWarning, match="the comment above names") as caught:
        found = read(tmp_path, text, header=False)
    (sentence,) = (str(warning.message) for warning in caught)
    assert f"line {text.count(chr(10), 0, text.rindex('#' if '#' in text else '%')) + 2}: " in (
        sentence
    )
    assert f"columns={columns}" in sentence
    assert read(tmp_path, text, columns=range(len(columns)), header=False) == found


@pytest.mark.parametrize(
    "text",
    [
        "# source,target,weight\nA,B,5\n",
        "# FromNodeId\tToNodeId\n1\t2\n",
        "#target,source\n\nA,B\n",
        "#target,source\nto,from\nA,B\n",
        "#target,source,weight\nsource,target,weight\nA,B,5\n",
        "# edges to and from\nA,B\n",
    ],
)
def test_other_comments_give_none(tmp_path, text):
    read(tmp_path, text)  # warnings are errors
