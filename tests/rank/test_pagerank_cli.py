"""The command ``warpgraph pagerank``."""

import numpy as np

import graphs
import warpgraph as wg
from warpgraph.cli import main


def test_scores(run, tmp_path):
    graph, path = graphs.SAMPLES["medium_directed"], tmp_path / "graph.npz"
    wg.io.write(str(path), wg.Graph(graph))
    output = tmp_path / "scores.npy"
    report = run("pagerank", path, "--output", output)
    scores = wg.pagerank(graph)
    np.testing.assert_array_equal(np.load(output), scores)
    assert len(report["highest"]) == 10
    assert report["highest"][0] == {"vertex": int(np.argmax(scores)), "score": scores.max()}
    options = ["--alpha", 0.5, "--sources", "7,9", "--tol", 1e-9, "--undirected", "--unweighted"]
    run("pagerank", path, *options, "--output", output)
    given = {"alpha": 0.5, "personalization": {7: 1, 9: 1}, "tol": 1e-9, "unweighted": True}
    n = graph.shape[0]
    both_ways = wg.Graph.from_edges(*wg.Graph(graph).to_edges(), n_vertices=n, directed=False)
    np.testing.assert_array_equal(np.load(output), wg.pagerank(both_ways, **given))
    run("pagerank", path, *options, "--output", output, "--method", "push")
    np.testing.assert_array_equal(np.load(output), wg.pagerank(both_ways, **given, method="push"))


def test_scores_that_do_not_converge(roads, capsys):
    assert main(["pagerank", str(roads), "--max-iter", "1"]) == 1
    assert "1 iterations" in capsys.readouterr().err
