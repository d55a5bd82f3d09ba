"""wg.leiden_communities and wg.louvain_communities."""

import pickle
import random
from fractions import Fraction

import igraph
import networkx as nx
import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given, settings, strategies as st

import graphs
import warpgraph as wg
from checks import assert_labels_canonical, raises_sentence

FUNCTIONS = [wg.leiden_communities, wg.louvain_communities]
every_function = pytest.mark.parametrize("function", FUNCTIONS, ids=lambda f: f.__name__)


def edges_of(graph):
    """Return (tail, head, weight) of each undirected edge once, by the rule of the docstring."""
    matrix = wg.Graph(graph)
    tail, head, weight = (array.tolist() for array in matrix.to_edges())
    edges = list(zip(tail, head, weight, strict=True))
    one_way = sorted((min(u, v), max(u, v), w) for u, v, w in edges if u < v)
    other_way = sorted((min(u, v), max(u, v), w) for u, v, w in edges if u > v)
    is_mirrored = one_way == other_way
    return [(u, v, w) for u, v, w in edges if u <= v or not is_mirrored]


def quality_of(edges, n, labels, quality="modularity", resolution=1):
    """Return the quality by its definition, in fractions."""
    inside, degrees, sizes = ({c: Fraction(0) for c in set(labels)} for _ in range(3))
    for v in range(n):
        sizes[labels[v]] += 1
    for u, v, weight in edges:
        degrees[labels[u]] += Fraction(weight)
        degrees[labels[v]] += Fraction(weight)
        if labels[u] == labels[v]:
            inside[labels[u]] += Fraction(weight)
    resolution = Fraction(resolution)
    if quality == "cpm":
        return float(sum(inside[c] - resolution * s * (s - 1) / 2 for c, s in sizes.items()))
    total = sum(degrees.values())
    if total == 0:
        return 0.0
    parts = (2 * inside[c] / total - resolution * (degrees[c] / total) ** 2 for c in inside)
    return float(sum(parts))


def assert_communities(graph, found, **how):
    assert_labels_canonical(found.labels, found.n_communities)
    assert found.sizes.sum() == len(found.labels)
    labels = found.labels.tolist()
    edges, n = edges_of(graph), len(labels)
    scale = max([1.0, *(abs(float(w)) for *_, w in edges)])
    expected = quality_of(edges, n, labels, **how)
    assert found.quality == pytest.approx(expected, rel=1e-9, abs=1e-9 * scale)
    return edges


def assert_connected(edges, labels):
    """Check that vertices of a community are connected in it."""
    parts = nx.Graph()
    parts.add_nodes_from(range(len(labels)))
    parts.add_edges_from((u, v) for u, v, w in edges if labels[u] == labels[v] and w > 0)
    assert nx.number_connected_components(parts) == len(set(labels))


def assert_no_vertex_gains(edges, labels, quality, **how):
    """Check that no vertex alone could move to another community for a higher quality."""
    n = len(labels)
    for v in range(n):
        for label in {*labels, n}:
            moved = [*labels[:v], label, *labels[v + 1 :]]
            assert quality_of(edges, n, moved, **how) <= quality + 1e-9 * max(1, abs(quality))


def is_tame(graph):
    return not graphs.has_negative(graph) and abs(graph.data).max(initial=0) < 1e9


@every_function
@graphs.over_samples(only=is_tame)
def test_samples(function, graph, threads):
    found = function(graph)
    edges = assert_communities(graph, found)
    if function is wg.leiden_communities:
        assert_connected(edges, found.labels.tolist())


@every_function
@pytest.mark.filterwarnings("ignore:every entry")
@pytest.mark.parametrize("quality", ["modularity", "cpm"])
def test_drawn_graphs(function, quality):
    @settings(max_examples=60)
    @given(
        graphs.csr_graphs(weights="non_negative", max_vertices=12),
        st.sampled_from([0, 0.3, 1, 2.5]),
        st.integers(0, 3),
    )
    def agrees(graph, resolution, seed):
        if not is_tame(graph):
            return
        how = {"quality": quality, "resolution": resolution}
        found = function(graph, seed=seed, **how)
        edges = assert_communities(graph, found, **how)
        labels = found.labels.tolist()
        if function is wg.leiden_communities:
            assert_connected(edges, labels)
        alone = quality_of(edges, len(labels), list(range(len(labels))), **how)
        assert found.quality >= alone - 1e-9 * max(1, abs(alone))

    agrees()


@pytest.mark.filterwarnings("ignore:every entry")
def test_no_vertex_gains_by_another_community():
    @settings(max_examples=40)
    @given(graphs.csr_graphs(weights="integer", min_vertices=2, max_vertices=8), st.integers(0, 3))
    def agrees(graph, seed):
        if not is_tame(graph):
            return
        found = wg.leiden_communities(graph, n_iterations=100, seed=seed)
        labels = found.labels.tolist()
        assert_no_vertex_gains(edges_of(graph), labels, found.quality)

    agrees()


def planted(n_groups=20, size=50, inside=0.3, outside=0.004, seed=1):
    """Return a graph of groups with many edges inside and few between, and the groups."""
    rng = np.random.default_rng(seed)
    groups = np.repeat(np.arange(n_groups), size)
    chance = np.where(groups[:, None] == groups, inside, outside)
    tail, head = np.nonzero(np.triu(rng.random(chance.shape) < chance, 1))
    return wg.Graph.from_edges(tail, head, n_vertices=len(groups)), groups


@every_function
def test_planted_groups_are_found(function, threads):
    graph, groups = planted()
    assert function(graph).labels.tolist() == groups.tolist()


BENCHMARKS = {
    "karate": lambda: nx.karate_club_graph(),
    "miserables": lambda: nx.les_miserables_graph(),
    "women": lambda: nx.davis_southern_women_graph(),
    "caveman": lambda: nx.relaxed_caveman_graph(40, 12, 0.2, seed=3),
    "scale-free": lambda: nx.barabasi_albert_graph(2000, 3, seed=3),
    "small world": lambda: nx.watts_strogatz_graph(2000, 8, 0.1, seed=3),
    "grid": lambda: wg.generators.grid(40, 40, seed=3).to_networkx(),
    "skewed": lambda: wg.generators.rmat(11, 8, seed=3).to_networkx(),
    "cliques": lambda: wg.generators.ssca2(11, seed=3).to_networkx(),
}


def modularity(tails, heads, weights, labels, resolution):
    """Return what `quality_of` does, in floats: for many partitions of large graphs."""
    labels = np.array(labels)
    ends = np.concatenate([labels[list(tails)], labels[list(heads)]])
    inside = weights[ends[: len(weights)] == ends[len(weights) :]].sum()
    shares = np.bincount(ends, np.tile(weights, 2)) / (2 * weights.sum())
    return inside / weights.sum() - resolution * (shares**2).sum()


#: Modularities of scale-free graphs are between 0.500 and 0.522 at the resolution 0.5.
RUNS = 20


@pytest.mark.parametrize("name", BENCHMARKS)
@pytest.mark.parametrize("resolution", [0.5, 1, 2])
def test_modularity_is_no_lower_than_that_of_igraph(name, resolution):
    graph = nx.convert_node_labels_to_integers(BENCHMARKS[name]().to_undirected())
    graph.remove_edges_from(list(nx.selfloop_edges(graph)))
    tails, heads, weights = zip(*graph.edges(data="weight", default=1), strict=True)
    other = igraph.Graph(n=len(graph), edges=list(zip(tails, heads, strict=True)))
    how = {"objective_function": "modularity", "weights": list(weights), "resolution": resolution}
    random.seed(1)  # from which igraph draws
    rivals = [other.community_leiden(**how, n_iterations=2) for _ in range(RUNS)]
    weights = np.array(weights)
    theirs = [modularity(tails, heads, weights, r.membership, resolution) for r in rivals]
    matrix = wg.Graph.from_edges(tails, heads, weights, n_vertices=len(graph))
    ours = [
        wg.leiden_communities(matrix, resolution=resolution, seed=seed).quality
        for seed in range(RUNS)
    ]
    assert max(ours) >= max(theirs) - 0.003
    assert np.mean(ours) >= np.mean(theirs) - 0.003


@every_function
def test_the_answer_is_the_same_for_every_number_of_threads(function):
    graph = wg.generators.rmat(14, 8, seed=2, weights=(1, 100))
    found = []
    for threads in (1, 2, 3, 8):
        wg.set_num_threads(threads)
        found.append(function(graph, seed=5))
    wg.set_num_threads(0)
    for other in found[1:]:
        np.testing.assert_array_equal(other.labels, found[0].labels)
        assert other.quality == found[0].quality


@every_function
def test_seeds(function):
    graph = wg.generators.rmat(11, 8, seed=2)
    first, again, other = (function(graph, seed=seed) for seed in (1, 1, 2))
    assert first.labels.tolist() == again.labels.tolist()
    assert first.labels.tolist() != other.labels.tolist()
    assert first.quality == pytest.approx(other.quality, rel=0.1)


@every_function
def test_unweighted(function):
    graph = wg.generators.rmat(10, 8, seed=2, weights=(1, 100))
    ones = graph.with_weights(np.ones(graph.n_edges))
    found = function(graph, unweighted=True)
    assert found.labels.tolist() == function(ones).labels.tolist()
    assert found.labels.tolist() != function(graph).labels.tolist()


def test_more_resolution_gives_more_communities():
    graph, _ = planted()
    counts = [
        wg.leiden_communities(graph, quality=quality, resolution=resolution).n_communities
        for quality, resolutions in {"modularity": (0.05, 1, 40), "cpm": (1e-4, 0.1, 0.99)}.items()
        for resolution in resolutions
    ]
    assert counts[:3] == sorted(counts[:3])
    assert counts[3:] == sorted(counts[3:])
    assert len(set(counts)) > 3


@pytest.mark.parametrize("scale", [1e-300, 1e-3, 1e12, 1e300])
def test_the_scale_of_weights_does_not_matter(scale):
    graph, groups = planted()
    scaled = graph.with_weights(graph.data * scale)
    found = wg.leiden_communities(scaled)
    assert found.labels.tolist() == groups.tolist()
    assert found.quality == pytest.approx(wg.leiden_communities(graph).quality)


@every_function
def test_what_is_refused(function):
    graph = graphs.csr(3, graphs.both_ways([(0, 1, 1.0), (1, 2, -2.0)]))
    with raises_sentence(ValueError, "-2", "(1, 2)", "must be finite and at least 0") as refused:
        function(graph)
    assert "use many_to_many" not in str(refused.value)
    graph.data[graph.data < 0] = np.inf
    with raises_sentence(ValueError, "inf", "(1, 2)"):
        function(graph)
    function(graph, unweighted=True)
    with raises_sentence(ValueError, "quality", "'modularity', 'cpm'", "surprise"):
        function(graph, quality="surprise")
    for resolution in (-1, np.nan, np.inf):
        with raises_sentence(ValueError, "resolution", resolution):
            function(graph, resolution=resolution)
    with raises_sentence(ValueError, "seed", -1):
        function(graph, seed=-1)


def test_a_gpu_is_refused():
    with raises_sentence(wg.DeviceError):
        wg.leiden_communities(np.eye(3), device="cuda:63")


@pytest.mark.parametrize(
    "find",
    [wg.leiden_communities, wg.louvain_communities, wg.label_propagation_communities],
)
def test_communities_have_the_names_of_the_vertices(find):
    friends = nx.Graph([("eve", "dan"), ("dan", "fay"), ("fay", "eve"), ("cat", "ben")])
    for graph in (friends, wg.Graph.from_networkx(friends, weight=None)):
        found = find(graph, unweighted=True)
        assert found.names.tolist() == ["eve", "dan", "fay", "cat", "ben"]
        members = [group.tolist() for group in found.members()]
        assert members == [["eve", "dan", "fay"], ["cat", "ben"]]
        for group, names in enumerate(members):
            assert found.names[found.labels == group].tolist() == names
    again = pickle.loads(pickle.dumps(found))
    assert again.names.tolist() == found.names.tolist()


def test_communities_without_names_have_numbers():
    found = wg.leiden_communities(wg.Graph.from_edges([0, 2, 4], [3, 1, 5]))
    assert found.names is None
    assert [group.tolist() for group in found.members()] == [[0, 3], [1, 2], [4, 5]]
    assert wg.leiden_communities(np.empty((0, 0))).members() == []


@pytest.mark.parametrize("n", [16_000, 21_800])
def test_vertices_that_are_numbered_along_a_path(n):
    """One batch has all of them: their order in it decides how many neighbours move at a time."""
    ones = np.ones(n - 1)
    path = sp.diags_array([ones, ones], offsets=[-1, 1], format="csr")
    names = np.random.default_rng(1).permutation(n)
    for function in (wg.leiden_communities, wg.label_propagation_communities):
        along, shuffled = function(path), function(path[names][:, names])
        assert along.quality == pytest.approx(shuffled.quality, rel=0.1)


@pytest.mark.parametrize(
    "function", [wg.leiden_communities, wg.louvain_communities, wg.label_propagation_communities]
)
def test_directions_that_weigh_differently_are_told(function, recwarn):
    once = sp.random_array((30, 30), density=0.2, rng=np.random.default_rng(1), format="csr")
    equal = sp.csr_array(once + once.T)
    function(equal)
    function(sp.triu(equal, format="csr"))
    assert not recwarn
    rounded = equal.copy()
    rounded.data[0] = np.nextafter(rounded.data[0], 2)
    function(rounded, unweighted=True)
    assert not recwarn
    with pytest.warns(UserWarning, match=r"pass \(A \+ A.T\) / 2"):
        function(rounded)
