"""wg.explain: the plan of a call, without the call."""

import logging
import re
from pathlib import Path

import numpy as np
import pytest
import scipy.sparse as sp
from scipy.spatial.distance import squareform

import graphs
import warpgraph as wg
from device_lists import machine, plan_for
from warpgraph._graph import explain
from warpgraph._graph.plan import PUBLIC_NAMES

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
        wg.cluster.HDBSCAN(metric="manhattan", device="cpu").fit,
        wg.cluster.MSTClustering(2, device="cpu"),
    ],
)
@pytest.mark.parametrize("d", [2, 12])
def test_explain_work_on_points(function, d):
    points = np.random.default_rng(0).random((200, d))
    plan = wg.explain(function, points)
    if function is not wg.cluster.euclidean_mst:  # it may take a GPU
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


@pytest.mark.parametrize("metric", ["manhattan", "haversine", "minkowski", "hamming"])
def test_hdbscan_is_planned_as_its_tree(metric):
    points = np.random.default_rng(0).random((200, 2))
    by = {"metric": metric, "p": 3.0, "device": "cpu"}
    tree = wg.explain(wg.cluster.mst_of_points, points, min_samples=5, **by)
    model = wg.explain(wg.cluster.HDBSCAN(5, **by), points)
    assert (model.method, model.seconds) == (tree.method, tree.seconds)
    assert model.bytes >= tree.bytes


def test_clusters_by_a_function_have_no_plan():
    for model in (wg.cluster.HDBSCAN(metric=min), wg.cluster.MSTClustering(metric=min)):
        with pytest.raises(ValueError, match="metrics with names, but the metric is a function"):
            wg.explain(model, np.zeros((5, 2)))


@pytest.mark.parametrize("form", [np.asarray, sp.csr_array, squareform], ids=lambda f: f.__name__)
def test_distances_have_no_plan_but_for_the_forest_of_a_graph(form):
    line = np.arange(5.0)
    distances = form(np.abs(np.subtract.outer(line, line)))
    calls = [
        (wg.cluster.HDBSCAN(metric="precomputed").fit, {}),
        (wg.cluster.kneighbors_graph, {"k": 1, "metric": "precomputed"}),
        (wg.cluster.core_distances, {"k": 2, "metric": "precomputed"}),
    ]
    of_forests = [
        (wg.cluster.MSTClustering(metric="precomputed"), {}),
        (wg.cluster.mst_of_points, {"metric": "precomputed"}),
    ]
    if form is sp.csr_array:
        assert [wg.explain(f, distances, **how).seconds > 0 for f, how in of_forests] == [True] * 2
    else:
        calls += of_forests
    for function, how in calls:
        with pytest.raises(ValueError, match="plans are made for points, but X has distances"):
            wg.explain(function, distances, **how)


@pytest.mark.parametrize("function", [wg.transform.rank_weights, wg.transform.sort_by_weight])
def test_explain_conversions(function):
    plan = wg.explain(function, graphs.SAMPLES["grid"])
    assert plan.function == f"transform.{function.__name__}"
    assert 0 < plan.seconds < 1


def test_explain_bottleneck_paths():
    """Those in a forest take less than those in a graph, whose forest is found first."""
    graph = graphs.SAMPLES["grid"]
    forest = wg.minimum_spanning_forest(graph)
    plans = [wg.explain(wg.bottleneck_paths, given, [0, 1], [2, 3]) for given in (forest, graph)]
    assert [plan.method for plan in plans] == ["kruskal"] * 2
    assert 0 < plans[0].bytes < plans[1].bytes
    assert 0 < plans[0].seconds < plans[1].seconds < 1


@pytest.mark.parametrize("estimator", [wg.cluster.KMeans(2), wg.cluster.HDBSCAN()])
def test_an_estimator_means_its_fit(estimator):
    points = np.random.default_rng(0).random((200, 2))
    assert wg.explain(estimator, points) == wg.explain(estimator.fit, points)
    assert not hasattr(estimator, "labels_")
    with pytest.raises(TypeError, match=r"pass an estimator, as in explain\(\w+\(\.\.\.\), X\)"):
        wg.explain(type(estimator), points)


@pytest.mark.parametrize(
    ("function", "advice"),
    [
        (wg.csgraph.connected_components, "pass wg.connected_components instead"),
        (wg.csgraph.dijkstra, "pass wg.many_to_many instead"),
        (wg.csgraph.shortest_path, "pass wg.apsp instead"),
        (wg.csgraph.minimum_spanning_tree, "pass wg.minimum_spanning_forest instead"),
        (wg.csgraph.maximum_flow, "pass a function of warpgraph, such as wg.sssp"),
    ],
)
def test_functions_of_scipys_interface(function, advice):
    with pytest.raises(TypeError, match=f"no plans are made for csgraph.*; {advice}"):
        wg.explain(function, graphs.SAMPLES["grid"])


def test_functions_of_networkx():
    networkx = pytest.importorskip("networkx")
    for name, advice in {
        "pagerank": "pass wg.pagerank instead",
        "shortest_path": "pass wg.shortest_path instead",
        "single_source_dijkstra_path_length": "pass wg.sssp instead",
        "clustering": "pass a function of warpgraph, such as wg.sssp",
    }.items():
        with pytest.raises(TypeError, match=f"no plans are made for networkx.{name}; {advice}"):
            wg.explain(getattr(networkx, name), networkx.path_graph(3))


def test_functions_of_other_interfaces_have_plans():
    assert set(explain._EQUIVALENTS.values()) <= set(PUBLIC_NAMES.values())
    for others in explain._EQUIVALENTS_IN.values():
        assert set(others.values()) <= set(PUBLIC_NAMES.values())


@pytest.mark.parametrize(("n_gpus", "says_so"), [(0, True), (1, False)])
def test_no_gpu_was_found(n_gpus, says_so):
    facts = {"n_vertices": 1 << 20, "n_arcs": 1 << 23, "has_negative": False}
    facts |= {"longest_row": 20, "levels": 10, "is_mirrored": True, "is_known_mirrored": True}
    for algorithm in ("sssp", "bfs", "connected_components", "minimum_spanning_forest"):
        method = "weak" if algorithm == "connected_components" else "auto"
        on = machine(n_gpus, n_threads=2)
        facts["has_sorted_edges"] = False
        plan = plan_for(algorithm, facts, on=on, is_kept=True, method=method)
        where = "cuda:0" if n_gpus else "cpu"
        times = r"(\S+) ms are expected on 2 threads, (\S+) ms on a GPU"
        found = re.fullmatch(
            rf"device='auto' chose {where}: {times}(, and no GPU was found)?", plan.reasons[0]
        )
        assert float(found[1]) > float(found[2]) > 0
        assert bool(found[3]) == says_so


def test_a_gpu_that_would_not_gain_is_not_missed():
    facts = {"n_vertices": 1 << 20, "n_arcs": 1 << 23, "has_negative": False}
    facts |= {"levels": 10, "longest_row": 20}
    plan = plan_for("sssp", facts, on=machine(0), is_restricted=True)
    assert plan.reasons[0] == "device='auto' chose cpu: no GPU gains"
    assert plan.reasons[1] == "paths to some vertices alone are searched on the cores"


@pytest.mark.parametrize(
    ("begin", "chosen", "says"),
    [(0, "cuda:0", " ms on a GPU"), (10, "cpu", ", which takes another 10000 ms to begin")],
)
def test_the_first_call_of_a_process_counts_what_a_gpu_takes_to_begin(begin, chosen, says):
    facts = {"n_vertices": 1 << 22, "n_arcs": 1 << 25, "levels": 10, "longest_row": 20}
    facts |= {"is_mirrored": True, "is_known_mirrored": True}
    plan = plan_for("bfs", facts, on=machine(n_threads=2) | {"seconds_to_begin": begin})
    assert plan.devices == [chosen]
    assert plan.reasons[0].endswith(says)


def test_a_copy_is_bought_when_its_absence_has_cost_as_much():
    facts = {"n_vertices": 1 << 20, "n_arcs": 3 << 20, "levels": 1000, "longest_row": 4}
    facts |= {"is_mirrored": True, "is_known_mirrored": True, "is_used": True}
    on = machine(n_threads=16)
    dear, bought, there = (
        plan_for("bfs", facts | change, on=on)
        for change in ({}, {"lost": 1.0}, {"is_on_devices": True})
    )
    assert there.devices == bought.devices == ["cuda:0"]
    assert there.seconds == pytest.approx(bought.seconds)
    assert dear.seconds > there.seconds


@pytest.mark.parametrize("directed", [True, False])
def test_pagerank_refuses_what_the_call_refuses(directed):
    graph = wg.Graph([[0, 1, 2], [1, 0, -3], [2, -3, 0]])
    sentences = []
    for call in (wg.explain, lambda function, *args, **how: function(*args, **how)):
        with pytest.raises(ValueError, match="is negative") as refused:
            call(wg.pagerank, graph, directed=directed)
        sentences.append(str(refused.value))
    assert sentences[0] == sentences[1]
    assert wg.explain(wg.pagerank, graph, unweighted=True).method == "pull"


def test_a_clustering_of_a_graph_is_its_forest():
    graph = wg.Graph(graphs.SAMPLES["grid"])
    made = wg.explain(wg.cluster.MSTClustering(2, metric="precomputed", device="cpu"), graph)
    forest = wg.explain(wg.minimum_spanning_forest, graph, device="cpu")
    assert (made.method, made.seconds) == (forest.method, forest.seconds)


def test_the_time_of_preparing_a_hierarchy_counts():
    graph = wg.Graph(graphs.SAMPLES["grid"])
    calls = [
        (wg.many_to_many, ([0, 1],)),
        (wg.shortest_path, (0, 1)),
        (wg.shortest_paths, ([0, 1], [2, 3])),
    ]

    def plans():
        return [wg.explain(f, graph, *args, method="hierarchy") for f, args in calls]

    before = plans()
    wg.Hierarchy(graph)
    for new, kept in zip(before, plans(), strict=True):
        found = re.search(r"the time includes about (\S+) s for preparing", new.reasons[-1])
        assert new.seconds - kept.seconds == pytest.approx(float(found[1]), rel=0.05)
        assert "preparing" not in " ".join(kept.reasons)


@pytest.mark.parametrize(
    ("facts", "method", "other"),
    [
        ({"n_vertices": 5000, "n_arcs": 10_000}, "many_to_many", "floyd_warshall"),
        ({"n_vertices": 500, "n_arcs": 100_000}, "floyd_warshall", "many_to_many"),
    ],
)
def test_apsp_tells_the_times_of_both_methods(facts, method, other):
    facts |= {"has_negative": False, "sums": "float64", "sums_are_exact": True, "longest_row": 5}
    facts |= {"has_exact_sums": False, "levels": 500, "bytes of batched": 1}
    plan = plan_for("apsp", facts, device=["cpu"], on=machine(n_threads=1))
    assert plan.method == method
    seconds = {
        name: float(re.search(rf"expected on cpu: .*{name} (\S+) ms", plan.reasons[0])[1]) / 1e3
        for name in (method, other)
    }
    assert seconds[method] < seconds[other]
    assert plan.seconds == pytest.approx(seconds[method], rel=0.05)


def test_the_time_of_apsp_depends_on_the_shape():
    """Searches that meet, as on roads, take less time than others."""
    facts = {"n_vertices": 5000, "n_arcs": 10_000, "sums": "float64", "sums_are_exact": True}
    facts |= {"has_negative": False, "has_exact_sums": False, "longest_row": 5}
    facts["bytes of batched"] = 1
    request = {"device": ["cpu"], "on": machine(n_threads=1), "method": "many_to_many"}
    meeting, apart = (
        plan_for("apsp", facts | {"levels": levels}, **request).seconds for levels in (100, 10)
    )
    assert apart > meeting


def test_functions_without_plans_say_what_has_one():
    graph = graphs.SAMPLES["grid"]
    with pytest.raises(TypeError, match=r"k_shortest_paths, .* explain\(wg.shortest_path"):
        wg.explain(wg.k_shortest_paths, graph, 0, 1, 3)
    with pytest.raises(TypeError, match=r"wg.Hierarchy; explain\(wg.many_to_many, .*preparing"):
        wg.explain(wg.Hierarchy, graph)
    tree = r"explain\(wg.cluster.mst_of_points, X, metric=..., min_samples=...\) has the time"
    turned = wg.Graph(graph).with_turns
    for function, advice in [
        (wg.Hierarchy.customize, "Hierarchy.customize, .*: measure a call"),
        (wg.Hierarchy(graph).customize, "Hierarchy.customize, .*: measure a call"),
        (wg.shortest_path_dag, r"wg.shortest_path_dag; explain\(wg.sssp, graph, source\)"),
        (turned, r"Graph.with_turns; explain\(wg.sssp, graph.with_turns"),
        (wg.cluster.single_linkage, f"wg.cluster.single_linkage; {tree}"),
        (wg.cluster.validity_index, "wg.cluster.validity_index, which compares all pairs"),
        (wg.cluster.DBSCANStar(0.5), f"DBSCANStar; {tree}"),
        (wg.cluster.RobustSingleLinkage(), f"RobustSingleLinkage; {tree}"),
        (wg.cluster.KNeighborsTransformer(5), "pass wg.cluster.kneighbors_graph"),
        (wg.cluster.Leiden(), "Leiden; pass wg.leiden_communities"),
        (wg.cluster.Leiden().fit, "Leiden; pass wg.leiden_communities"),
        (wg.cluster.Louvain, "Louvain; pass wg.louvain_communities"),
    ]:
        with pytest.raises(TypeError, match=f"no plans are made for .*{advice}"):
            wg.explain(function, graph)
    assert wg.explain(wg.sssp, turned(corners=[(0, 1, 2)]), 0).seconds > 0


def test_a_limit_of_betweenness_is_not_in_its_time():
    graph = graphs.SAMPLES["grid"]
    for function in (wg.betweenness_centrality, wg.edge_betweenness_centrality):
        plans = [wg.explain(function, graph, device="cpu", **how) for how in ({"limit": 3}, {})]
        assert "a search without a limit" in plans[0].reasons[-1]
        assert plans[0].reasons[:-1] == plans[1].reasons
        assert plans[0].seconds == plans[1].seconds


def test_steiner_tree_has_no_method_to_name():
    reasons = wg.explain(wg.steiner_tree, graphs.SAMPLES["grid"], [0, 5]).reasons
    assert re.match("the search is by (dijkstra|delta_stepping) for ", reasons[-1])
    assert "method=" not in " ".join(reasons)
    nearest = wg.explain(wg.many_to_many, graphs.SAMPLES["grid"], [0], min_only=True)
    assert re.match("method='auto' chose (dijkstra|delta_stepping) for ", nearest.reasons[-1])


def test_the_same_accuracy_everywhere():
    within = "within a factor of about three"
    assert within in " ".join(explain.Plan.__doc__.split())
    page = Path(__file__).resolve().parents[2] / "docs" / "guide" / "devices.md"
    if page.exists():
        assert within in " ".join(page.read_text().split())


def test_what_cannot_be_explained():
    for function in (wg.distributed.pagerank, wg.Graph, wg.reconstruct_path, len):
        with pytest.raises(TypeError, match="must be one of warpgraph with a parameter device"):
            wg.explain(function, 1)
    for result in ("sssp", np.zeros(3)):
        with pytest.raises(TypeError, match="followed by the arguments of its call"):
            wg.explain(result)
    with pytest.raises(ValueError, match="source"):
        wg.explain(wg.sssp, [[0, 1], [1, 0]], 5)


@pytest.mark.parametrize("memory_limit", [None, "980MB"])
def test_the_times_of_methods_are_told_once(memory_limit):
    """Also where a hierarchy was compared, too, or the fastest method lacks memory."""
    graph = wg.generators.grid(200, 200, seed=1)
    options = {"device": "cpu", "memory_limit": memory_limit}
    plan = wg.explain(wg.many_to_many, graph, range(3000), **options)
    assert sum(reason.startswith("expected on cpu: ") for reason in plan.reasons) == 1
    assert len(set(plan.reasons)) == len(plan.reasons)


@pytest.mark.parametrize("metric", ["euclidean", "manhattan"])
@pytest.mark.parametrize(
    ("call", "more"), [(wg.cluster.mst_of_points, ()), (wg.cluster.kneighbors_graph, (5,))]
)
def test_a_plan_says_what_boxes_are(call, more, metric):
    points = np.random.default_rng(0).random((2000, 2))
    plan = wg.explain(call, points, *more, metric=metric, device="cpu")
    assert plan.method == "boxes"
    assert any(reason.startswith("boxes around groups of near points") for reason in plan.reasons)
