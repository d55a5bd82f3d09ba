"""The commands nearest, within, betweenness and communities, beside NetworkX and brute force."""

import networkx as nx
import numpy as np
import pandas as pd
import pytest

import graphs
import warpgraph as wg
from files import read_csv
from warpgraph.cli import main

TOWN = "from,to,minutes\nhome,shop,3\nshop,park,4\npark,home,2\npark,lake,9\nhut,islet,1\n"


@pytest.fixture
def town(tmp_path):
    path = tmp_path / "town.csv"
    path.write_text(TOWN)
    return path


def networks():
    edges = [line.split(",") for line in TOWN.splitlines()[1:]]
    directed = nx.DiGraph()
    directed.add_weighted_edges_from((u, v, float(w)) for u, v, w in edges)
    return directed, directed.to_undirected()


def failed(capsys, *arguments):
    """Return what a command that fails says."""
    try:
        status = main([*map(str, arguments)])
    except SystemExit as ended:  # of argparse
        status = ended.code
    assert status == 2
    return capsys.readouterr().err


@pytest.mark.parametrize("undirected", [False, True])
@pytest.mark.parametrize("to_facilities", [True, False])
@pytest.mark.parametrize("k", [1, 2, 3])
def test_nearest(run, town, tmp_path, undirected, to_facilities, k):
    graph = networks()[undirected]
    if to_facilities:
        graph = graph.reverse() if not undirected else graph
    expected = {}
    for facility in ("shop", "lake"):
        for vertex, far in nx.single_source_dijkstra_path_length(graph, facility).items():
            expected.setdefault(vertex, []).append((float(far), facility))
    expected = {vertex: sorted(found)[:k] for vertex, found in expected.items()}
    options = ["--undirected"] * undirected + ["--from-facilities"] * (not to_facilities)
    output = tmp_path / "out.csv"
    report = run(
        "nearest", town, "--facilities", "shop,lake,shop", "-k", k, "--output", output, *options
    )
    table = read_csv(output)
    assert table.columns.tolist() == ["vertex", "facility", "distance"]
    found = {}
    for vertex, facility, far in table.itertuples(index=False):
        found.setdefault(vertex, []).append((far, facility))
    assert found == expected
    assert np.isfinite(table["distance"]).all()
    assert (report["facilities"], report["reached"]) == (2, len(expected))
    far, facility = max(found[0] for found in expected.values())
    assert report["farthest"] == {
        "vertex": next(v for v, found in expected.items() if found[0] == (far, facility)),
        "facility": facility,
        "distance": far,
    }
    first = [found[0][1] for found in expected.values()]
    assert {row["facility"]: row["vertices"] for row in report["most"]} == {
        facility: first.count(facility) for facility in set(first)
    }


def test_nearest_within_a_limit(run, town, tmp_path):
    output = tmp_path / "out.csv"
    options = ("--facilities", "lake", "--undirected", "--output", output)
    assert run("nearest", town, "--limit", 9, *options)["reached"] == 2
    assert pd.read_csv(output).values.tolist() == [["lake", "lake", 0], ["park", "lake", 9]]
    assert run("nearest", town, "--unweighted", *options)["farthest"]["distance"] == 2
    listed = "shop\nlake\n"  # as of "$(cat shops.txt)"
    assert run("nearest", town, "--facilities", listed)["facilities"] == 2


@pytest.mark.parametrize("limit", [0, 5, 9, 1000])
@pytest.mark.parametrize("sources", [None, ["shop", "lake", "shop"]])
def test_within(run, town, tmp_path, limit, sources):
    output = tmp_path / "out.csv"
    given = [] if sources is None else ["--sources", ",".join(sources)]
    report = run("within", town, "--limit", limit, *given, "--output", output)
    graph = networks()[0]
    rows = [
        (source, target, float(far))
        for source in sources or sorted(graph)
        for target, far in sorted(
            nx.single_source_dijkstra_path_length(graph, source, cutoff=limit).items()
        )
    ]
    table = read_csv(output)
    assert table.columns.tolist() == ["source", "target", "distance"]
    assert list(table.itertuples(index=False, name=None)) == rows
    assert report["pairs"] == len(rows)
    listed = report["within" if sources else "most"]
    assert len(listed) == len(sources or graph)
    for row in listed:
        near = nx.single_source_dijkstra_path_length(graph, row["source"], cutoff=limit)
        assert (row["vertices"], row["distance"]) == (len(near), max(near.values()))
        assert near[row["farthest"]] == row["distance"]
    if sources is None:
        assert [row["vertices"] for row in listed] == sorted(
            (row["vertices"] for row in listed), reverse=True
        )


@pytest.mark.parametrize("edges", [False, True])
@pytest.mark.parametrize("options", [(), ("undirected",), ("unweighted", "no-normalized")])
def test_betweenness(run, town, tmp_path, edges, options):
    graph = networks()["undirected" in options]
    weight = None if "unweighted" in options else "weight"
    function = nx.edge_betweenness_centrality if edges else nx.betweenness_centrality
    expected = function(graph, weight=weight, normalized="no-normalized" not in options)
    output = tmp_path / "out.csv"
    given = [f"--{option}" for option in (*options, *["edges"] * edges)]
    report = run("betweenness", town, *given, "--output", output)
    table = read_csv(output)
    if edges:
        assert table.columns.tolist() == ["source", "target", "score"]
        keys = list(zip(table["source"], table["target"], strict=True))
        if "undirected" in options:  # NetworkX names one of both ways
            expected |= {(v, u): score for (u, v), score in expected.items()}
    else:
        assert table.columns.tolist() == ["vertex", "score"]
        keys = table["vertex"].tolist()
    assert len(keys) == len(graph.edges if edges else graph)
    np.testing.assert_allclose(table["score"], [expected[key] for key in keys], rtol=1e-12)
    scores = [row["score"] for row in report["highest"]]
    assert scores == sorted(table["score"], reverse=True)[:10]
    assert set(report["highest"][0]) == set(table.columns)


def test_betweenness_of_some_paths(run, roads):
    scores = wg.betweenness_centrality(graphs.SAMPLES["grid"], sources=20, seed=3)
    report = run("betweenness", roads, "--sample", 20, "--seed", 3)
    assert report["highest"][0] == {"vertex": int(scores.argmax()), "score": scores.max()}
    scores = wg.betweenness_centrality(
        graphs.SAMPLES["grid"], sources=[20, 3], targets=[7, 9, 11], limit=40
    )
    report = run("betweenness", roads, "--sources", "20,3", "--targets", "7,9,11", "--limit", 40)
    assert report["highest"][0] == {"vertex": int(scores.argmax()), "score": scores.max()}


@pytest.mark.parametrize("method", ["leiden", "louvain", "label_propagation"])
def test_communities(run, tmp_path, method):
    club = nx.karate_club_graph()
    path, output = tmp_path / "club.csv", tmp_path / "out.csv"
    with open(path, "w") as file:
        file.write("from,to,weight\n")
        file.writelines(f"m{u},m{v},{w}\n" for u, v, w in club.edges.data("weight"))
    report = run("communities", path, "--method", method, "--seed", 5, "--output", output)
    table = read_csv(output)
    assert set(table["vertex"]) == {f"m{v}" for v in club}
    parts = [{int(name[1:]) for name in part} for _, part in table.groupby("community")["vertex"]]
    assert report["communities"] == len(parts)
    assert report["largest"] == sorted(map(len, parts), reverse=True)
    assert report["quality"] == pytest.approx(nx.community.modularity(club, parts))
    assert report["quality"] > 0.35
    if method == "leiden":
        finer = run("communities", path, "--resolution", 3, "--unweighted")
        assert finer["communities"] > len(parts)
        potts = run("communities", path, "--quality", "cpm", "--resolution", 0.2)
        assert potts["quality"] > 10


def test_mistakes(capsys, town):
    assert "--facilities" in failed(capsys, "nearest", town)
    assert "no vertex of that name; did you mean 'shop'?" in failed(
        capsys, "nearest", town, "--facilities", "shpo"
    )
    assert "k must be" in failed(capsys, "nearest", town, "--facilities", "shop", "-k", 0)
    assert "--limit" in failed(capsys, "within", town)
    assert "not allowed with" in failed(
        capsys, "betweenness", town, "--sources", "shop", "--sample", 2
    )
    assert "--resolution is for leiden and louvain" in failed(
        capsys, "communities", town, "--method", "label_propagation", "--resolution", 2
    )
    for command in (("nearest", town, "--facilities", "shop"), ("within", town, "--limit", 5)):
        sentence = failed(capsys, *command, "--output", "out.npy")
        assert "--output must end in .csv, .npz, .parquet, got 'out.npy'" in sentence


@pytest.mark.parametrize("ending", ["geojson", "gexf"])
def test_outputs_that_are_only_read_are_refused_before_the_input_is(capsys, tmp_path, ending):
    path, missing = tmp_path / f"x.{ending}", tmp_path / "is-not-there.csv"
    sentence = failed(capsys, "sssp", missing, "--source", 0, "--output", path)
    assert f"--output must end in .csv, .npy, .npz, .parquet, got '{path}'" in sentence
    sentence = failed(capsys, "convert", missing, "--output", path)
    assert f"'{path}'" in sentence
    if ending == "gexf":
        assert "but not written to it; the formats are csv, dimacs, edge-list, " in sentence
    else:
        assert "names no format; known are .csv .gr " in sentence
    assert ".gexf " not in sentence
    assert not path.exists()


def test_text_reports(town, capsys):
    assert main(["within", str(town), "--limit", "5", "--sources", "shop"]) == 0
    assert "within    source shop, vertices 2, farthest park, distance 4" in capsys.readouterr().out
    assert main(["nearest", str(town), "--facilities", "lake"]) == 0
    assert "most        facility lake, vertices 4" in capsys.readouterr().out
    assert main(["betweenness", str(town), "--edges"]) == 0
    assert "source home, target shop, score 0.1" in capsys.readouterr().out
