"""Tables in many guises: what is a header, what is an edge, what is no table of edges at all.

Where the first line says nothing, a warning does: no table is misread without a word.
"""

import itertools
import warnings

import numpy as np
import pandas as pd
import pytest

import warpgraph as wg
from checks import raises_sentence
from files import arcs, may_have_no_edges, put
from warpgraph.cli import main

pytest.importorskip("pyarrow")


def read(tmp_path, text, name="a.csv", **options):
    """Return the edges, without weights that are 1."""
    path = put(tmp_path / name, text)
    return [edge[:2] if edge[2] == 1 else edge for edge in arcs(*wg.io.read(path, **options))]


def rows_of(text):
    """Return the edges that all lines but the first are."""
    return sorted(tuple(line.split(",")) for line in text.split("\n")[1:] if line)


# Headers, which are no edges.

HEADERS = [
    "source,target\nsource,a\na,sink\n",
    "from,to\nfrom,b\n",
    "src,dst\na,dst\n",
    "gene1,gene2\nTP53,BRCA1\nBRCA1,EGFR\n",
    "gene_a,gene_b\nTP53,BRCA1\n",
    "Interactor A,Interactor B\nTP53,BRCA1\n",
    "node1,node2\nAnn,Bob\n",
    "protein2,protein1\nAnn,Bob\n",
    "buyer,seller\nAnn,Bob\n",
    "parent,child\nAnn,Bob\nBob,Cid\n",
    "child,parent\nann,bob\n",
    "citing_paper,cited_paper\nAnn,Bob\n",
    "Follower,Following\nann,bob\n",
    "user_name,item_name\nAnn,Alien\n",
    "buyer,shop\nB12,S7\nB3,S7\n",
    "user,movie\n17,Alien\n18,Brazil\n",
    "movie,user\nAlien,17\nBrazil,18\n",
    "Source,Target\nA,B\n",
    "u,v\na,b\n",
]
#: Those of which a warning says how they are read.
DOUBTFUL = {0, 1, 2, 14, 15, 16}


@pytest.mark.parametrize("name", ["a.csv", "a.csv.gz", "a.txt"])
@pytest.mark.parametrize("k", range(len(HEADERS)))
def test_headers_are_no_edges(tmp_path, k, name):
    text = HEADERS[k]
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        assert read(tmp_path, text, name) == rows_of(text)
    assert len(caught) == (k in DOUBTFUL)
    for warning in caught:
        assert warning.category is UserWarning
        assert warning.filename == __file__
        assert f"{name}, line 1: " in str(warning.message)
        assert "read as a header" in str(warning.message)
        assert "header=False as an edge" in str(warning.message)
    # Callers who say so get no warning.
    assert read(tmp_path, text, name, header=True) == rows_of(text)
    assert len(read(tmp_path, text, name, header=False)) == len(rows_of(text)) + 1


@pytest.mark.parametrize("k", range(len(HEADERS)))
def test_the_same_tables_in_parquet_and_frames(tmp_path, k):
    rows = pd.DataFrame(rows_of(HEADERS[k]), columns=HEADERS[k].split("\n")[0].split(","))
    rows.to_parquet(tmp_path / "a.parquet")
    graph = wg.Graph.from_dataframe(rows)
    expected = [(*row, 1.0) for row in rows_of(HEADERS[k])]
    assert arcs(graph, graph.names) == expected
    assert arcs(*wg.io.read(tmp_path / "a.parquet")) == expected


# Edges, which are no headers.


@pytest.mark.parametrize(
    "text",
    [
        "Anna,Bert\nBert,Cleo\n",
        "anna,bert\ncleo,bert\n",
        "gene1,gene2\ngene3,gene4\n",
        "item_12,user_7\nitem_5,user_9\n",
        "rs123,BRCA1\nrs7,TP53\n",
        "node1,node2\nnode2,x\n",
        "a,b\nc,d\n",
        "v,w\nw,x\n",
        "1,2\n3,4\n",
        "Anna,Bert\n",
        "2020,2021\n2021,2022\n",
        "0,1\n0,2\n1,2\n",
        "0,1\n1,2\n2,3\n",
        "10.0.0.1,10.0.0.2\n10.0.0.2,10.0.0.3\n",
    ],
)
def test_edges_are_no_headers(tmp_path, text):
    found = wg.io.read(put(tmp_path / "a.csv", text))[0]
    assert found.n_edges == text.count("\n")
    assert wg.io.read(tmp_path / "a.csv", header=False)[0].n_edges == found.n_edges


@pytest.mark.parametrize(
    "text",
    [
        "Anna,Bert\nCleo,Dan\n",
        "label,other\nAnna,Bert\n",
        "hero,villain\nBatman,Joker\nHulk,Loki\n",
        "V1,V2\nAnna,Bert\n",
        "cost,price\nlove,peace\n",
        "u,v\nv,w\nw,u\n",
        "parent,child\nchild,toy\n",
    ],
)
def test_an_edge_that_may_be_a_header_gives_a_warning(tmp_path, text):
    with pytest.warns(UserWarning, match=r"line 1: .* read as an edge.*header=True reads it as a"):
        found = read(tmp_path, text)
    assert len(found) == text.count("\n")
    assert read(tmp_path, text, columns=(0, 1), header=True) == rows_of(text)


def test_a_year_may_be_the_label_of_weights(tmp_path):
    text = "from,to,2019\nA,B,5\n"
    with pytest.warns(UserWarning, match="line 1: 'from', 'to' and '2019' are read as an edge"):
        assert len(read(tmp_path, text)) == 2
    assert read(tmp_path, text, header=True) == [("A", "B", 5)]
    assert len(read(tmp_path, "source,target,5\nsource,b,6\n")) == 2


# pandas' own labels.


def test_labels_of_pandas_above_names_or_behind_an_index(tmp_path):
    for frame in (
        pd.DataFrame([["Ann", "Bob"], ["Bob", "Cid"]]),
        pd.DataFrame([["Ann", "Bob", 2], ["Bob", "Cid", 3]]),
    ):
        edges = sorted(map(tuple, frame.to_numpy().tolist()))
        frame.to_csv(tmp_path / "a.csv", index=False)
        with pytest.warns(
            UserWarning, match="line 1: '0'.* and '[12]' are read as a header"
        ) as caught:
            found = read(tmp_path, (tmp_path / "a.csv").read_text())
        assert found == edges
        assert "header=False as an edge" in str(caught[0].message)
        frame.to_csv(tmp_path / "a.csv")
        assert read(tmp_path, (tmp_path / "a.csv").read_text()) == edges
        frame = frame.map(lambda value: {"Ann": 7, "Bob": 8, "Cid": 9}.get(value, value)).astype(
            int
        )
        frame.to_csv(tmp_path / "a.csv")
        found = read(tmp_path, (tmp_path / "a.csv").read_text())
        assert found == sorted(map(tuple, frame.to_numpy().tolist()))


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("0,1\n5,7\n3,4\n", "ends do not ascend"),
        ("0;1;2\n5;7;1\n3;4;2\n", "ends do not ascend"),
        ("0,1\n0,1\n0,2\n", "again further down"),
        ("0,1\n5,7\n7,9\n", "no other row has them"),
        ("0,1,2\n0,5,0.5\n4,5,1.0\n", "whose weight is an integer"),
    ],
)
def test_labels_of_pandas_above_integers_may_be_an_edge(tmp_path, text, why):
    with pytest.warns(UserWarning, match=f"line 1: '0'.* and '[12]' are read as an edge, .*{why}"):
        found = read(tmp_path, text)
    assert len(found) == text.count("\n")
    assert len(read(tmp_path, text, header=True)) == text.count("\n") - 1
    assert read(tmp_path, text, header=False) == found
    # Comments above, and blanks, are not those of pandas.
    assert read(tmp_path, "# edges\n" + text) == found
    assert read(tmp_path, text.replace(",", " ").replace(";", " "), "a.txt") == found


# Tables that have no edges.

POINTS = [
    ("lat,lon", ["52.5,13.4", "48.1,11.6"]),
    ("x,y", ["1,2", "3,4"]),
    ("x,y", ["0.5,1.5"]),
    ("x,y,z", ["0.5,1.5,2", "1,2,3"]),
    ("X,Y,Z", ["1,2,3"]),
    ("node_id,x,y", ["7,0.5,0.25", "8,1,2"]),
    ("node_id,x,y", ["A,0.5,0.25", "B,1,2"]),
    ("stop_id,stop_lat,stop_lon", ["S1,52.5,13.4", "S2,52.6,13.5"]),
    ("stop_id,stop_name,stop_lat,stop_lon", ["S1,Zoo,52.5,13.4"]),
    ("osmid,latitude,longitude", ["12,52.5,13.4"]),
    ("easting,northing", ["400000,5700000"]),
    ("pos_x,pos_y", ["1,2"]),
    ("xcoord,ycoord", ["1,2"]),
    ("id,lon,lat,name", ["1,2,3,Zoo"]),
    ("longitude,latitude,elevation", ["13.4,52.5,34"]),
]


@pytest.mark.parametrize("name", ["a.csv", "a.csv.gz", "a.txt"])
@pytest.mark.parametrize(("labels", "rows"), POINTS)
def test_points_are_no_edges(tmp_path, labels, rows, name, capsys):
    path = put(tmp_path / name, "\n".join([labels, *rows, ""]))
    with raises_sentence(ValueError, f"{path}, line 1: ", "look like coordinates", "columns=("):
        wg.io.read(path)
    assert main(["info", str(path)]) == 2
    assert "look like coordinates" in capsys.readouterr().err
    assert wg.io.read(path, columns=(0, 1))[0].n_edges == len(rows)
    frame = pd.read_csv(path)
    frame.to_parquet(tmp_path / "b.parquet")
    with raises_sentence(ValueError, "b.parquet", "look like coordinates", "columns=("):
        wg.io.read(tmp_path / "b.parquet")
    for table in (frame, *of_other_libraries(frame)):
        with raises_sentence(ValueError, "look like coordinates", "source="):
            wg.Graph.from_dataframe(table)


@pytest.mark.parametrize("labels", ["x,y", "node_id,lat,lon"])
def test_points_are_no_blocks_of_edges(tmp_path, labels):
    engine = wg.distributed.LocalEngine()
    columns = {label: np.arange(3.0) for label in labels.split(",")}
    pd.DataFrame(columns).to_parquet(tmp_path / "a.parquet")
    for source in ([columns], [pd.DataFrame(columns)], str(tmp_path / "a.parquet")):
        with raises_sentence(ValueError, "look like coordinates"):
            wg.distributed.graph(source, engine)
    names = {label: np.array(["a", "b"], object) for label in labels.split(",")[:2]}
    assert wg.distributed.graph([names], engine).n_vertices == 2


def of_other_libraries(frame):
    pa, pl = pytest.importorskip("pyarrow"), pytest.importorskip("polars")
    columns = {label: frame[label].tolist() for label in frame}
    return pa.table(columns), pl.DataFrame(columns)


def test_letters_are_ends_above_names_or_beside_a_weight(tmp_path):
    assert read(tmp_path, "x,y,r\nmpg,cyl,-0.85\n") == [("mpg", "cyl", -0.85)]  # of R's corrr
    assert read(tmp_path, "x,y,weight\n1,2,5\n") == [(1, 2, 5)]
    assert read(tmp_path, "id_x,id_y\n1,2\n") == [(1, 2)]  # as pandas merges a table with itself
    assert read(tmp_path, "x1,x2\n1,2\n") == [(1, 2)]


@pytest.mark.parametrize(
    "labels", ["Id,Label", "id,name", "node,type", "node_id,name", "Vertex,Label"]
)
@pytest.mark.parametrize("row", ["1,Ann", "A,Ann"])
def test_vertices_and_what_they_are_called_are_no_edges(tmp_path, labels, row):
    path = put(tmp_path / "a.csv", f"{labels}\n{row}\n{row[0]}b,Bob\n")
    with raises_sentence(ValueError, "line 1: ", "look like a vertex and what it is called"):
        wg.io.read(path)
    with raises_sentence(ValueError, "look like a vertex and what it is called"):
        wg.Graph.from_dataframe(pd.read_csv(path))
    assert wg.io.read(path, columns=(0, 1), header=True)[0].n_edges == 2


@pytest.mark.parametrize("names", [["A", "B"], ["A", "B", "C"], ["A", "B", "C", "D"], [7, 8, 9]])
@pytest.mark.parametrize("corner", [None, "node"])
def test_square_matrices_with_labels_are_no_edges(tmp_path, names, corner):
    matrix = np.arange(len(names) ** 2).reshape(len(names), -1)
    frame = pd.DataFrame(matrix, index=pd.Index(names, name=corner), columns=list(map(str, names)))
    frame.to_csv(tmp_path / "a.csv")
    with raises_sentence(ValueError, "a.csv, line 1: "):
        wg.io.read(tmp_path / "a.csv")
    if len(names) > 2 and isinstance(names[0], str):
        with raises_sentence(ValueError, "as in a matrix", "pandas.read_csv(.., index_col=0)"):
            wg.io.read(tmp_path / "a.csv")
    again = pd.read_csv(tmp_path / "a.csv", index_col=0)
    graph = wg.Graph(again.to_numpy(), names=list(again.index))
    assert graph.names.tolist() == names
    if isinstance(names[0], str):
        with raises_sentence(ValueError, "as in a matrix"):
            wg.Graph.from_dataframe(frame)
        frame.to_parquet(tmp_path / "a.parquet")
        with raises_sentence(ValueError, "a.parquet", "as in a matrix" if corner is None else ""):
            wg.io.read(tmp_path / "a.parquet")
    for table in of_other_libraries(frame.reset_index(names="node")):
        with raises_sentence(ValueError, "as in a matrix"):
            wg.Graph.from_dataframe(table)


def test_rectangular_matrices_with_labels_are_no_edges(tmp_path):
    frame = pd.DataFrame([[5, 3, 1], [1, 2, 2]], index=["ann", "bob"], columns=["m", "n", "o"])
    frame.to_csv(tmp_path / "a.csv")
    frame.to_parquet(tmp_path / "a.parquet")
    for ending in ("csv", "parquet"):
        with raises_sentence(ValueError, f"a.{ending}", "rows and columns have names, as in a mat"):
            wg.io.read(tmp_path / f"a.{ending}")


def test_numbers_with_fractions_are_no_vertices(tmp_path):
    with raises_sentence(ValueError, "line 1: 'a' has numbers with fractions", "columns="):
        read(tmp_path, "a,b\n0.5,1.5\n1,2\n")
    with pytest.warns(UserWarning, match=r"line 1: column 1 has numbers with fractions"):
        assert read(tmp_path, "7,0.5\n8,1.0\n") == [("7", "0.5"), ("8", "1.0")]
    assert read(tmp_path, "7,0.5\n8,1.0\n", id_dtype=str) == [("7", "0.5"), ("8", "1.0")]
    assert read(tmp_path, "from,to\n1.1,1.2\n") == [("1.1", "1.2")]
    assert read(tmp_path, "from,to\n1.0,2.0\n1.1,2.0\n") == [("1.0", "2.0"), ("1.1", "2.0")]


# Times, which are no weights.

TIMES = np.sort(np.random.default_rng(1).integers(1_082_040_961, 1_098_777_142, 200))
ENDS = np.random.default_rng(2).integers(1, 50, (200, 2))


def temporal(times, separator=" "):
    rows = np.column_stack([ENDS, times]).tolist()
    return "".join(separator.join(map(str, row)) + "\n" for row in rows)


@pytest.mark.parametrize("unit", [1, 1000])
@pytest.mark.parametrize("name", ["CollegeMsg.txt", "a.csv", "a.txt.gz"])
def test_times_of_unix_are_no_weights(tmp_path, name, unit):
    path = put(tmp_path / name, temporal(TIMES * unit))
    with pytest.warns(UserWarning, match=r"line 1: column 2 has times of Unix") as caught:
        graph = wg.Graph.read(path)
    assert set(graph.data.tolist()) == {1.0}
    assert graph.n_edges == 200
    assert "columns=(0, 1, 2) reads weights, columns=(0, 1) none" in str(caught[0].message)
    assert sorted(wg.Graph.read(path, columns=(0, 1, 2)).data) == (TIMES * unit).tolist()
    assert set(wg.Graph.read(path, columns=(0, 1)).data.tolist()) == {1.0}


def test_weights_like_times_are_read_as_written(tmp_path):
    graph = wg.Graph.from_edges([0, 0, 1], [1, 2, 2], [10**9, 10**9 + 1, 10**9 + 2])
    wg.io.write(tmp_path / "a.txt", graph)
    with pytest.warns(UserWarning, match="is read as weights, but all are like times of Unix"):
        assert wg.io.read(tmp_path / "a.txt")[0].data.tolist() == graph.data.tolist()
    wg.io.write(tmp_path / "a.csv", graph)
    assert wg.io.read(tmp_path / "a.csv")[0].data.tolist() == graph.data.tolist()


def test_times_that_may_be_weights_are_told(tmp_path):
    for times, word in ((TIMES[::-1], "like times of Unix"), (TIMES - TIMES[0], "ascends from 0")):
        path = put(tmp_path / "a.txt", temporal(times))
        with pytest.warns(UserWarning, match=f"line 1: column 2 is read as weights.*{word}"):
            graph = wg.Graph.read(path)
        assert sorted(graph.data) == sorted(times.tolist())
    read(tmp_path, temporal(np.random.default_rng(3).integers(0, 10**9, 200)))


def test_times_of_frames_and_parquet(tmp_path):
    frame = pd.DataFrame({"src": ENDS[:, 0], "dst": ENDS[:, 1], "time": TIMES})
    frame.to_parquet(tmp_path / "a.parquet")
    with pytest.warns(UserWarning, match="column 'time' has times of Unix"):
        assert set(wg.Graph.from_dataframe(frame).data) == {1.0}
    with pytest.warns(UserWarning, match="columns=.'src', 'dst', 'time'. reads weights"):
        assert set(wg.io.read(tmp_path / "a.parquet")[0].data) == {1.0}
    assert wg.Graph.from_dataframe(frame, weight="time").data.max() == TIMES.max()
    frame = frame.rename(columns={"time": "weight"})
    assert wg.Graph.from_dataframe(frame).data.max() == TIMES.max()


@pytest.mark.parametrize("words", ["Temporal network", "SRC DST UNIXTS", "from to timestamp"])
def test_a_comment_says_that_there_are_times(tmp_path, words):
    graph = wg.Graph.read(put(tmp_path / "a.txt", f"# {words}\n# 50\n{temporal(TIMES - TIMES[0])}"))
    assert set(graph.data.tolist()) == {1.0}


@pytest.mark.parametrize(
    "text",
    [
        "# exported, timestamp: 2024-01-01\n1 2 5\n2 3 7\n",
        "# See Timestamps.md\nsource,target,passengers\nJFK,LAX,5\nAMS,SFO,7\n",
        "# Connectivity of temporal cortex\nsource,target,capacity\nb,a,5\na,b,7\n",
        "source,target,amount\nDE,FR,500000000\nBE,IT,700000000\nAT,IT,800000000\n",
    ],
)
@pytest.mark.filterwarnings("ignore:.* all are like times of Unix")
def test_words_and_large_weights_are_no_times(tmp_path, text):
    weights = wg.Graph.read(put(tmp_path / "a.csv", text)).data.tolist()
    words = [line.replace(",", " ").split()[2] for line in text.splitlines() if line[-1].isdigit()]
    assert sorted(weights) == sorted(int(word) for word in words if word.isdigit())


# What callers say.


@may_have_no_edges
def test_header_is_for_tables_of_text(tmp_path):
    wg.io.write(tmp_path / "a.gr", wg.generators.grid(2, 2))
    with raises_sentence(ValueError, "header= is for tables of text"):
        wg.io.read(tmp_path / "a.gr", header=True)
    with raises_sentence(TypeError, "header"):
        read(tmp_path, "a,b\n", header="yes")
    with raises_sentence(ValueError, "are names in a header, but header=False"):
        read(tmp_path, "a,b\n", header=False, columns=("a", "b"))
    assert read(tmp_path, "a,b\n", header=True, columns=("b", "a")) == []
    with raises_sentence(ValueError, "direction='b' is a name in a header, but header=False"):
        read(tmp_path, "a,b\n", header=False, direction="b")


def test_columns_by_position_below_a_header(tmp_path):
    text = "person,friend,since\nAnn,Bob,7\n"
    assert read(tmp_path, text, columns=(0, 1)) == [("Ann", "Bob")]
    text = "person,friend,since,how\nAnn,Bob,7,x\n"
    assert read(tmp_path, text, columns=(1, 0)) == [("Bob", "Ann")]
    text = "Ann,Bob,x\nBob,Cid,y\n"
    assert len(read(tmp_path, text, columns=(0, 1), header=False)) == 2


@pytest.mark.filterwarnings("default")
def test_the_command_line_has_header(tmp_path, capsys):
    path = put(tmp_path / "a.csv", "hero,villain\nBatman,Joker\n")
    for options, n_edges in (([], 2), (["--header"], 1), (["--no-header"], 2)):
        assert main(["convert", str(path), *options, "--output", str(tmp_path / "b.npz")]) == 0
        assert wg.io.read(tmp_path / "b.npz")[0].n_edges == n_edges
        said = capsys.readouterr().err
        assert ("--header reads it as a header, --no-header as an edge" in said) == (not options)


def test_hashtags_without_a_header_may_be_comments(tmp_path):
    text = "#python,#numpy,12\nscipy,#numpy,3\n"
    with pytest.warns(UserWarning, match="line 1: .* is read as a comment.*comment='' reads it"):
        assert len(read(tmp_path, text)) == 1
    assert len(read(tmp_path, text, comment="")) == 2


def test_no_guise_loses_or_gains_an_edge_without_a_word(tmp_path):
    """A header or none, above names of each shape: an edge more or less only with a warning."""
    labels = [["source", "target"], ["gene1", "gene2"], ["buyer", "seller"], ["hero", "villain"]]
    labels += [["0", "1"], ["x", "y"], ["lat", "lon"], ["node", "label"], ["V1", "V2"], ["a", "b"]]
    bodies = [["Ann", "Bob"], ["ann", "bob"], ["7", "8"], ["A7", "B8"], ["7", "Bob"], ["1.5", "2"]]
    for words, body in itertools.product(labels, bodies):
        for text in (f"{','.join(words)}\n{','.join(body)}\n{body[1]},{body[0]}\n",):
            path = put(tmp_path / "a.csv", text)
            with warnings.catch_warnings(record=True) as caught:
                warnings.simplefilter("always")
                try:
                    n_edges = wg.io.read(path)[0].n_edges
                except ValueError:
                    continue
            assert n_edges == 2 or caught, text
