"""wg.cluster.Leiden and Louvain are the functions, with scikit-learn's conventions."""

import networkx as nx
import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.base import clone
from sklearn.datasets import make_blobs
from sklearn.pipeline import make_pipeline
from sklearn.utils.estimator_checks import parametrize_with_checks

import warpgraph as wg
from checks import raises_sentence, same_partition
from warpgraph.cluster import KNeighborsTransformer, Leiden, Louvain

FUNCTIONS = {Leiden: wg.leiden_communities, Louvain: wg.louvain_communities}
GRAPH = sp.csr_array(nx.to_scipy_sparse_array(nx.karate_club_graph(), dtype=float))


#: Filter of the warning about matrices whose entries (i, j) and (j, i) weigh differently.
UNEQUAL = pytest.mark.filterwarnings("ignore:every entry")


@UNEQUAL
@parametrize_with_checks(
    [Leiden(), Louvain(), Leiden(quality="cpm", resolution=0.2)],
    expected_failed_checks=lambda _: {
        "check_clustering": "the check passes points, also to an estimator that takes a graph",
    },
)
def test_scikit_learns_checks(estimator, check):
    check(estimator)


@pytest.mark.parametrize("estimator", FUNCTIONS)
@pytest.mark.parametrize(
    "options", [{}, {"resolution": 2}, {"quality": "cpm", "resolution": 0.3}, {"seed": 4}]
)
def test_equals_the_function(estimator, options):
    for graph in (GRAPH, wg.Graph(GRAPH), nx.karate_club_graph(), GRAPH.toarray()):
        found = estimator(**options).fit(graph)
        wanted = FUNCTIONS[estimator](graph, **options)
        np.testing.assert_array_equal(found.labels_, wanted.labels)
        assert found.n_clusters_ == wanted.n_communities
        assert found.quality_ == wanted.quality
        assert found.n_features_in_ == 34
    assert clone(found).get_params() == found.get_params()


def test_communities_of_neighbours_in_a_pipeline():
    points, labels = make_blobs(300, 3, centers=4, cluster_std=0.5, random_state=2)
    neighbours = KNeighborsTransformer(15, mode="connectivity")
    chain = make_pipeline(neighbours, Leiden(0.3))
    assert same_partition(chain.fit_predict(points), labels)


def test_bad_calls():
    with raises_sentence(ValueError, "resolution", -1):
        Leiden(-1).fit(GRAPH)
    with raises_sentence(ValueError, "quality", "potts"):
        Louvain(quality="potts").fit(GRAPH)
    with raises_sentence(MemoryError, "100 bytes"):
        Leiden(memory_limit=100).fit(GRAPH)
    with raises_sentence(wg.DeviceError, "cuda:63"):
        Leiden(device="cuda:63").fit(GRAPH)
