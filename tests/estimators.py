"""The estimators as `calls` calls them: run(input, **options) returns attributes of a fit."""

import numpy as np

import warpgraph as wg


def clusters(graph, metric="precomputed", **options):
    model = wg.cluster.MSTClustering(metric=metric, **options).fit(graph)
    return model.labels_, model.linkage_, np.array(model.threshold_)


def hdbscan(graph, min_cluster_size=3, metric="precomputed", min_samples=1, **options):
    model = wg.cluster.HDBSCAN(min_cluster_size, min_samples, metric=metric, **options).fit(graph)
    scores = (model.probabilities_, model.outlier_scores_, model.condensed_tree_.stabilities)
    return model.labels_, model.linkage_, *scores


def dbscan_star(graph, eps=2.0, metric="precomputed", min_samples=1, **options):
    model = wg.cluster.DBSCANStar(eps, min_samples=min_samples, metric=metric, **options)
    return model.fit(graph).labels_, model.linkage_, model.core_distances_


def robust_linkage(graph, cut=2.0, metric="precomputed", k=1, **options):
    model = wg.cluster.RobustSingleLinkage(cut, k, gamma=1, metric=metric, **options)
    return model.fit(graph).labels_, model.linkage_


def kmeans(points, n_clusters=5, random_state=0, **options):
    model = wg.cluster.KMeans(n_clusters, random_state=random_state, **options).fit(points)
    return model.labels_, model.cluster_centers_
