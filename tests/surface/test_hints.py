"""Errors say what somebody may have meant who knows SciPy or NetworkX, or misspells a name."""

import contextlib
import copy
import inspect
import pickle
import re

import numpy as np
import pytest

import warpgraph as wg
from checks import raises_sentence
from warpgraph._arguments.hints.other_names import _OTHERS, _USE, _USE_OF

GRID = wg.generators.grid(3, 3)


def roads():
    return wg.Graph.from_edges(["Rome", "Pisa"], ["Pisa", "Genoa"], [355.0, 165.0])


# Names of functions.


@pytest.mark.parametrize("name", sorted(_USE))
def test_names_of_other_libraries(name):
    with raises_sentence(AttributeError, f"no attribute '{name}'", f"use warpgraph.{_USE[name]}"):
        getattr(wg, name)
    used = _USE[name].replace("(...)", "").partition("(")[0]
    for named in re.findall(r"(?:^| for one source, |, or )([\w.]+)", used):
        read(wg, named)


def read(value, path):
    """Return what a hint names: a method without an argument is called to read its result."""
    parts = path.removeprefix("warpgraph.").split(".") if value is wg else path.split(".")
    for k, part in enumerate(parts):
        value = getattr(value, part.partition("(")[0])
        if part.endswith("()") and k + 1 < len(parts):
            value = value()
    return value


def objects_with_hints():
    points = np.random.default_rng(0).random((30, 2))
    cluster = wg.cluster
    estimators = [
        cluster.HDBSCAN(store_centers="both"),
        cluster.MSTClustering(2),
        cluster.DBSCANStar(0.5),
        cluster.RobustSingleLinkage(0.5),
        cluster.KMeans(2),
        cluster.KNeighborsTransformer(2),
    ]
    communities = [cluster.Leiden().fit(GRID), cluster.Louvain().fit(GRID)]
    results = [wg.minimum_spanning_forest(GRID), wg.leiden_communities(GRID)]
    return [GRID, *results, *(e.fit(points) for e in estimators), *communities]


@pytest.mark.parametrize("made", objects_with_hints(), ids=lambda made: type(made).__name__)
def test_attributes_of_other_libraries(made):
    uses = {}
    for kind in type(made).__mro__[::-1]:
        uses |= _USE_OF.get(kind.__name__, {})
    assert uses
    stored = {"centroids_", "medoids_"}  # of an HDBSCAN that stores them
    for name, use in uses.items():
        unfitted = type(made)() if name in stored and hasattr(made, name) else made
        with raises_sentence(AttributeError, f"no attribute '{name}'; use {use}"):
            getattr(unfitted, name)
        for named in re.findall(r"(?:^|, or )([\w.()]+?)(?:\([^)]+\))?(?:$|[,: ])", use):
            read(wg if named.startswith("warpgraph") else made, named)


def test_every_class_of_the_table_is_tested():
    tested = {kind.__name__ for made in objects_with_hints() for kind in type(made).__mro__}
    assert _USE_OF.keys() <= tested


@pytest.mark.parametrize(
    ("name", "meant"),
    [
        ("sssp", "; use warpgraph.sssp(graph, ...)"),
        ("connected_components", "; use warpgraph.connected_components(graph)"),
        ("dijkstra", "; use warpgraph.sssp for one source"),
        ("closeness_centrality", "; use warpgraph.apsp"),
        ("neighbours", "; did you mean neighbors?"),
        ("zebra", "'zebra'$"),
        ("devices", "'devices'$"),
        ("_secret", "'_secret'$"),
        ("__array__", "'__array__'$"),
    ],
)
def test_attributes_of_a_graph(name, meant):
    with pytest.raises(AttributeError, match=f"^'Graph' object has no attribute '{name}'") as found:
        getattr(GRID, name)
    assert re.search(meant if meant.endswith("$") else re.escape(meant), str(found.value))
    # Python adds no suggestion of its own: it would be the one that is left out here.
    assert (found.value.name, found.value.obj) == (name, None)


def test_attributes_that_a_fit_sets():
    for made in objects_with_hints():
        if hasattr(made, "fit"):
            for name in {"labels_", "n_features_in_"} & vars(made).keys():
                with raises_sentence(AttributeError, f"no attribute '{name}'; call fit first"):
                    getattr(type(made)(), name)
    # The errors of properties are their own.
    with pytest.raises(AttributeError, match="this HDBSCAN is not fitted yet"):
        wg.cluster.HDBSCAN().linkage_  # noqa: B018
    fitted = wg.cluster.HDBSCAN(metric="precomputed").fit(np.ones((9, 9)) - np.eye(9))
    with pytest.raises(AttributeError, match="exemplars_ needs a fit to points"):
        fitted.exemplars_  # noqa: B018


def test_objects_with_hints_are_copied():
    for made in objects_with_hints():
        for other in (copy.copy(made), copy.deepcopy(made), pickle.loads(pickle.dumps(made))):
            assert repr(other).partition(" bytes")[0][:20] == repr(made).partition(" bytes")[0][:20]


def test_names_that_look_like_others_and_mean_something_else():
    networkx = pytest.importorskip("networkx")
    names = {name for name in dir(networkx) if callable(getattr(networkx, name))}
    for name in ("biconnected_components", "spectral_clustering", "star_graph", "k_core", *_OTHERS):
        hint = wg._arguments.hints.other_names._hint(name, wg.__all__, "warpgraph")
        assert not hint or name in _USE
    guessed = {}
    for name in sorted(names - _USE.keys()):
        with contextlib.suppress(AttributeError):
            getattr(wg, name)
            continue
        hint = wg._arguments.hints.other_names._hint(name, wg.__all__, "warpgraph")
        if "did you mean" in hint:
            guessed[name] = hint.removeprefix("; did you mean warpgraph.")
    assert guessed == {}


def test_functions_of_the_package_hdbscan():
    for name in ("all_points_membership_vectors", "approximate_predict", "membership_vector"):
        with raises_sentence(AttributeError, f"use warpgraph.cluster.HDBSCAN(...).{name}"):
            getattr(wg.cluster, name)
        assert callable(getattr(wg.cluster.HDBSCAN, name))


@pytest.mark.parametrize(
    ("name", "meant"),
    [
        ("dijkstra", "warpgraph.csgraph.dijkstra has SciPy's arguments"),
        ("minimum_spanning_tree", "warpgraph.csgraph.minimum_spanning_tree has SciPy's arguments"),
        ("KMeans", "use warpgraph.cluster.KMeans"),
        ("grid", "use warpgraph.generators.grid"),
        ("ssssp", "did you mean warpgraph.sssp?"),
        ("conected_components", "did you mean warpgraph.connected_components?"),
        ("graph", "did you mean warpgraph.Graph?"),
        ("hdbscan", "did you mean warpgraph.cluster.HDBSCAN?"),
    ],
)
def test_names_that_are_elsewhere_or_misspelt(name, meant):
    with raises_sentence(AttributeError, f"no attribute '{name}'", meant):
        getattr(wg, name)


def test_names_that_nothing_is_like():
    for name in ("_secret", "__wrapped__", "zebra"):
        with pytest.raises(AttributeError) as found:
            getattr(wg, name)
        assert str(found.value) == f"module 'warpgraph' has no attribute {name!r}"
    assert not hasattr(wg, "dijkstra")
    with raises_sentence(AttributeError, "no attribute 'HDBSKAN'", "warpgraph.cluster.HDBSCAN?"):
        wg.cluster.HDBSKAN  # noqa: B018


@pytest.mark.parametrize("name", ["DBSCAN", "dbscan"])
def test_dbscan_is_another_algorithm_than_hdbscan(name):
    with raises_sentence(
        AttributeError, f"'{name}'; use warpgraph.cluster.DBSCANStar", "border points"
    ):
        getattr(wg.cluster, name)


# Arguments.


@pytest.mark.parametrize(
    ("function", "arguments", "given", "meant"),
    [
        (wg.sssp, (GRID, 0), "cutoff", "did you mean limit=?"),
        (wg.many_to_many, (GRID, [0]), "cutoff", "did you mean limit=?"),
        (wg.accessibility, (GRID, [0], 1), "cutoff", "did you mean limits=?"),
        (wg.bfs, (GRID, 0), "depth_limit", "did you mean limit=?"),
        (wg.betweenness_centrality, (GRID,), "k", "did you mean sources=?"),
        (wg.edge_betweenness_centrality, (GRID,), "k", "did you mean sources=?"),
        (wg.many_to_many, (GRID, [0]), "k", "its arguments are graph, sources"),
        (wg.pagerank, (GRID,), "max_distance", "its arguments are graph, alpha"),
        (wg.leiden_communities, (GRID,), "gamma", "did you mean resolution=?"),
        (wg.cluster.Louvain, (), "gamma", "did you mean resolution=?"),
        (wg.cluster.KMeans, (), "k", "did you mean n_clusters=?"),
        (wg.cluster.HDBSCAN, (), "n_clusters", "their number follows from the data"),
        (wg.cluster.MSTClustering, (), "linkage", "linkage is single"),
        (wg.io.read, ("roads.csv",), "directed", "did you mean direction=?"),
        (wg.sssp, (GRID, 0), "predecessors", "did you mean return_predecessors=?"),
        (wg.sssp, (GRID, 0), "return_predecesors", "did you mean return_predecessors=?"),
        (wg.shortest_path, (GRID, 0, 1), "return_predecessors", "shortest_path returns a path"),
        (wg.connected_components, (GRID,), "konnection", "did you mean connection=?"),
        (wg.pagerank, (GRID,), "damping", "did you mean alpha=?"),
        (wg.pagerank, (GRID,), "n_jobs", "set_num_threads"),
        (wg.minimum_spanning_forest, (GRID,), "overwrite", "nothing is overwritten"),
        (wg.minimum_spanning_forest, (GRID,), "algorithm", "did you mean method=?"),
        (wg.minimum_arborescence, (GRID,), "start", "its arguments are graph, root"),
        (wg.betweenness_centrality, (GRID,), "undirected", "pass directed=False"),
        (wg.cluster.euclidean_mst, ([[0.0], [1.0]],), "zebra", "its arguments are X,"),
        (wg.cluster.kneighbors_graph, ([[0.0], [1.0]],), "n_neighbors", "did you mean k=?"),
        (wg.io.read, ("roads.csv",), "kolumns", "did you mean columns=?"),
        (wg.Graph.from_edges, ([0], [1]), "zebra", "its arguments are row, col, data"),
        (wg.Graph, (GRID,), "coordinate", "did you mean coordinates=?"),
        (wg.Graph(GRID).with_turns, (), "turns", "did you mean corners=?"),
        (wg.Hierarchy, (GRID,), "customisable", "did you mean customizable=?"),
        (wg.cluster.HDBSCAN, (), "algorithm", "leave it out: the algorithm follows"),
        (wg.cluster.HDBSCAN, (), "leaf_size", "leave it out: how points are searched"),
        (wg.cluster.HDBSCAN, (), "n_jobs", "set_num_threads"),
        (wg.cluster.HDBSCAN, (), "core_dist_n_jobs", "set_num_threads"),
        (wg.cluster.HDBSCAN, (), "prediction_data", "approximate_predict needs no preparation"),
        (wg.cluster.HDBSCAN, (), "gen_min_span_tree", "mst_ always exists"),
        (wg.cluster.HDBSCAN, (), "approx_min_span_tree", "the tree is exact"),
        (wg.cluster.HDBSCAN, (), "match_reference_implementation", "docs/from-hdbscan.md"),
        (wg.cluster.KMeans, (), "seed", "did you mean random_state=?"),
        (wg.cluster.KNeighborsTransformer, (), "n_jobs", "set_num_threads"),
        (wg.cluster.Leiden, (), "random_state", "did you mean seed=?"),
        (wg.cluster.Leiden().fit, (GRID,), "sample_weight", "its arguments are X, y"),
        (wg.cluster.MSTClustering, (), "n_cluster", "did you mean n_clusters=?"),
        (wg.plot.condensed_tree, (None,), "palette", "did you mean selection_palette=?"),
        (wg.plot.tree, (None, None), "palette", "its arguments are X, forest, labels, axes, ax"),
        (wg.datasets.places, (), "kind", "its arguments are name"),
    ],
)
def test_unknown_arguments(function, arguments, given, meant):
    with raises_sentence(TypeError, f"{function.__name__} has no argument {given!r}", meant):
        function(*arguments, **{given: 1})


def test_every_function_of_graphs_has_hints():
    for name in wg.__all__:
        function = getattr(wg, name)
        if inspect.isfunction(function) and "graph" in inspect.signature(function).parameters:
            with raises_sentence(TypeError, f"{name} has no argument 'zebra'; its arguments are"):
                function(zebra=1)


@pytest.mark.parametrize("module", [wg.cluster, wg.datasets, wg.generators, wg.plot, wg.transform])
def test_every_function_and_estimator_has_hints(module):
    for name in module.__all__:
        found = getattr(module, name)
        if inspect.isfunction(found) or hasattr(found, "get_params"):
            with raises_sentence(TypeError, f"{name} has no argument 'zebra'; its arguments are"):
                found(zebra=1)


@pytest.mark.parametrize(
    ("call", "parts"),
    [
        (
            lambda: wg.accessibility(GRID, [0], 5, np.ones(9)),
            [
                "accessibility takes only graph, sources, limits as positional arguments, got 4",
                "opportunities=",
            ],
        ),
        (
            lambda: wg.leiden_communities(GRID, 2.0),
            ["only graph as positional arguments, got 2;", "as quality="],
        ),
        (
            lambda: wg.leiden_communities(GRID, 2.0, quality="cpm"),
            ["only graph as positional arguments, got 2;", "as resolution="],
        ),
        (
            lambda: wg.shortest_path_dag(GRID, 0, 5),
            ["only graph, source as positional arguments, got 3", "as directed="],
        ),
        (
            lambda: wg.cluster.mst_of_points([[0.0]], max),
            ["only X as positional arguments, got 2", "name the others"],
        ),
        (
            lambda: wg.cluster.HDBSCAN(15, 5, "manhattan"),
            ["HDBSCAN takes only min_cluster_size, min_samples as positional arguments, got 3"],
        ),
        (
            lambda: wg.Graph(GRID, "weight"),
            ["Graph takes only graph as positional arguments, got 2"],
        ),
        (
            lambda: wg.datasets.names(False),
            ["names takes no positional arguments, got 1", "downloads="],
        ),
    ],
)
def test_arguments_that_need_their_names(call, parts):
    with raises_sentence(TypeError, *parts):
        call()


def test_too_many_arguments_where_none_has_to_be_named():
    with pytest.raises(
        TypeError, match=r"^places\(\) takes 1 positional argument but 2 were given$"
    ):
        wg.datasets.places("helsinki", "school")


def test_an_unknown_argument_within_a_call_is_not_that_of_the_call():
    def report(done, total):
        report(zebra=1)

    with pytest.raises(TypeError, match=r"report\(\) got an unexpected keyword argument"):
        wg.apsp(GRID, progress=report)


# Values.


@pytest.mark.parametrize(
    ("call", "parts"),
    [
        (lambda: wg.sssp(GRID, 0, method="dijsktra"), ["method", "did you mean 'dijkstra'?"]),
        (lambda: wg.sssp(GRID, 0, method="BF"), ["'BF'", "did you mean 'bellman_ford'?"]),
        (lambda: wg.sssp(GRID, 0, method="Bellman-Ford"), ["did you mean 'bellman_ford'?"]),
        (lambda: wg.apsp(GRID, method="FW"), ["did you mean 'floyd_warshall'?"]),
        (lambda: wg.many_to_many(GRID, [0], method="CH"), ["did you mean 'hierarchy'?"]),
        (lambda: wg.datasets.load("ny-roads"), ["did you mean 'ny-road'?"]),
        (lambda: wg.datasets.load("Helsinki"), ["did you mean 'helsinki'?"]),
        (lambda: wg.io.read("x", format="metiss"), ["format", "did you mean 'metis'?"]),
        (lambda: wg.connected_components(GRID, connection="string"), ["did you mean 'strong'?"]),
        (lambda: wg.sssp(roads(), "rome"), ["source is 'rome'", "did you mean 'Rome'?", "names"]),
        (lambda: wg.sssp(roads(), "Romee"), ["did you mean 'Rome'?"]),
        (lambda: roads().subgraph(["Rome", "pisa"]), ["vertices[1]", "did you mean 'Pisa'?"]),
    ],
)
def test_misspelt_values(call, parts):
    with raises_sentence(ValueError, *parts):
        call()


def test_no_hint_where_nothing_is_alike():
    with pytest.raises(ValueError, match=r"got 'zebra'$"):
        wg.sssp(GRID, 0, method="zebra")
    with pytest.raises(ValueError, match="no vertex has that name; names are 'Genoa'"):
        wg.sssp(roads(), "Xanadu")


def test_names_that_are_numbers_and_texts():
    texts = wg.Graph(np.eye(2), names=["7", "8"])
    with raises_sentence(ValueError, "source is 7", "did you mean '7', a text?"):
        wg.sssp(texts, 7)
    numbers = wg.Graph(np.eye(2), names=[7, 8])
    with raises_sentence(ValueError, "source is '8'", "did you mean 8, an integer?"):
        wg.sssp(numbers, "8")


def test_names_without_a_graph():
    _, tree = wg.sssp(roads(), "Rome", return_predecessors=True)
    for call in (wg.reconstruct_path, wg.reconstruct_paths):
        with raises_sentence(TypeError, "no names here", "pass graph="):
            call(tree, "Rome", ["Genoa"] if call is wg.reconstruct_paths else "Genoa")


def test_what_is_made_of_a_graph_has_it():
    for made in (wg.Hierarchy(wg.Graph(GRID)), wg.minimum_spanning_forest(GRID)):
        hint = "use its attribute graph" if hasattr(made, "graph") else "a graph must be"
        with raises_sentence(TypeError, hint):
            wg.sssp(made, 0)


def test_tables_of_edges_are_no_matrices():
    pd = pytest.importorskip("pandas")
    table = pd.DataFrame({"source": [0, 1, 2], "target": [1, 2, 0], "weight": [1, 2, 3]})
    for call in (wg.Graph, wg.connected_components, lambda graph: wg.sssp(graph, 0)):
        with raises_sentence(TypeError, "DataFrame", "use wg.Graph.from_dataframe"):
            call(table)
