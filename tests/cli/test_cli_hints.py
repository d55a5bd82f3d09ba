"""Hints of commands for what users of other programs write."""

import pytest

from warpgraph.cli import main


@pytest.mark.parametrize(
    ("words", "hint"),
    [
        (["route", "a.csv"], "use sssp --source FROM --targets TO"),
        (["shortest_path", "a.csv"], "use sssp --source FROM --targets TO"),
        (["hdbscan", "a.csv"], "use cluster"),
        (["isochrone", "a.csv"], "use within --limit DISTANCE"),
        (["nearest_facilities", "a.csv"], "use nearest --facilities V,W"),
        (["edge_betweenness", "a.csv"], "use betweenness --edges"),
        (["louvain", "a.csv"], "use communities --method louvain"),
        (["explain", "louvain", "a.csv"], "use communities --method louvain"),
        (["--json", "sssp", "a.csv", "--source", "0"], "the options of a command follow its name"),
    ],
    ids=str,
)
def test_commands_of_others(words, hint, capsys):
    with pytest.raises(SystemExit):  # of argparse
        main(words)
    assert hint in capsys.readouterr().err


@pytest.mark.parametrize(
    ("words", "is_told"), [(["a"], True), (["a", "--undirected"], False), (["d"], False)], ids=str
)
@pytest.mark.filterwarnings("default")
def test_a_path_against_the_rows(words, is_told, tmp_path, capsys):
    path = tmp_path / "rails.csv"
    path.write_text("from,to,km\na,b,2\nb,c,3\nd,e,1\n")
    main(["sssp", str(path), "--source", "c", "--targets", *words])
    assert ("with --undirected there is a path" in capsys.readouterr().err) == is_told
