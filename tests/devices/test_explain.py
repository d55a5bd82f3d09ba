"""wg.explain: the plan of a call, without the call."""

import logging

import numpy as np
import pytest

import graphs
import warpgraph as wg

CALLS = [
    (wg.sssp, (0,), {}),
    (wg.sssp, (0,), {"directed": False, "targets": [1]}),
    (wg.many_to_many, ([0, 1],), {}),
    (wg.many_to_many, ([0, 1],), {"directed": False, "unweighted": True}),
    (wg.many_to_many, ([0, 1],), {"min_only": True}),
    (wg.apsp, (), {}),
    (wg.apsp, (), {"directed": False, "return_predecessors": True}),
    (wg.bfs, (0,), {}),
    (wg.bfs, ([0, 1, 2],), {}),
    (wg.connected_components, (), {"connection": "strong"}),
    (wg.pagerank, (), {}),
    (wg.pagerank, (), {"directed": False}),
    (wg.minimum_spanning_forest, (), {}),
    (wg.shortest_path, (0, 1), {}),
    (wg.shortest_path, (0, 1), {"directed": False}),
]


@pytest.mark.parametrize(("function", "args", "kwargs"), CALLS)
@pytest.mark.parametrize("device", ["cpu", "auto", ["cpu"] * 2], ids=str)
def test_explain(function, args, kwargs, device, caplog):
    graph = wg.Graph(graphs.SAMPLES["medium_directed"])
    if kwargs.get("connection") and device == ["cpu"] * 2:
        pytest.skip("strong components are found by one device")
    plan = wg.explain(function, graph, *args, device=device, **kwargs)
    assert plan.devices
    assert plan.method
    assert 0 < plan.seconds < 1
    assert str(plan).splitlines()[0] == (
        f"{plan.function}, {plan.method}, on {', '.join(plan.devices)}"
    )
    assert all(reason in str(plan) for reason in plan.reasons)
    with caplog.at_level(logging.INFO, "warpgraph"):
        function(graph, *args, device=device, **kwargs)
    if kwargs.get("directed", True):  # else the number of edges is not known before
        assert all(reason in caplog.text for reason in plan.reasons)


def test_explain_computes_nothing():
    graph = wg.Graph(graphs.SAMPLES["medium_directed"])
    out = np.full(graph.n_vertices, 7.0)
    before = graph.nbytes
    for directed in (True, False):
        wg.explain(wg.sssp, graph, 0, out=out, directed=directed)
    wg.explain(wg.apsp, graph, directed=False)
    wg.explain(wg.pagerank, graph, directed=False, personalization={0: 1})
    assert (out == 7).all()
    assert graph.nbytes == before
    assert wg.sssp(graph, 0, out=out) is out  # calls go on as before


@pytest.mark.parametrize(
    "function",
    [
        wg.cluster.euclidean_mst,
        wg.cluster.KMeans(2, device="cpu").fit,
        wg.cluster.HDBSCAN(device="cpu").fit,
        wg.cluster.HDBSCAN(metric="cosine", device="cpu").fit,
    ],
)
@pytest.mark.parametrize("d", [2, 12])
def test_explain_work_on_points(function, d):
    points = np.random.default_rng(0).random((200, d))
    plan = wg.explain(function, points)
    assert plan.devices == ["cpu"]
    assert 0 < plan.seconds < 1
    assert str(plan).startswith(plan.function)
    assert not hasattr(getattr(function, "__self__", None), "labels_")


@pytest.mark.parametrize("estimator", [wg.cluster.KMeans(2), wg.cluster.HDBSCAN()])
def test_an_estimator_keeps_its_fit(estimator):
    points = np.random.default_rng(0).random((200, 2))
    labels = estimator.fit(points).labels_
    wg.explain(estimator.fit, points[:100])
    np.testing.assert_array_equal(estimator.labels_, labels)


def test_clusters_of_distances_have_no_plan():
    with pytest.raises(ValueError, match="plans are made for points"):
        wg.explain(wg.cluster.HDBSCAN(metric="precomputed").fit, np.zeros((5, 5)))


@pytest.mark.parametrize("function", [wg.transform.rank_weights, wg.transform.sort_by_weight])
def test_explain_conversions(function):
    plan = wg.explain(function, graphs.SAMPLES["grid"])
    assert plan.function == f"transform.{function.__name__}"
    assert 0 < plan.seconds < 1


def test_what_cannot_be_explained():
    others = (wg.csgraph.connected_components, wg.distributed.pagerank)
    for function in (*others, wg.Graph, wg.reconstruct_path, len, "sssp"):
        with pytest.raises(TypeError, match=r"function must be one of wg\.sssp"):
            wg.explain(function, 1)
    with pytest.raises(ValueError, match="pagerank has nothing to compute"):
        wg.explain(wg.pagerank, np.empty((0, 0)))
    with pytest.raises(ValueError, match="source"):
        wg.explain(wg.sssp, [[0, 1], [1, 0]], 5)
