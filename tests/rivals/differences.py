"""Tests of other packages that fail here, and the documented difference that each is of.

Each is expected to fail: one that passes is an error, so the tables stay true. A name may end with
``*``. docs/rival-tests.md has the same tables: ``python tests/rivals/differences.py`` writes them.
"""

import fnmatch
from pathlib import Path

PAGE = Path(__file__).parents[2] / "docs" / "rival-tests.md"

#: Differences by short names.
REASONS = {
    "algorithm": "There is one method, which takes every metric: `algorithm` does not exist",
    "border": "`DBSCANStar` has core points alone in its clusters; border points are noise",
    "branches": "Sub-clusters, branches and `PLSCAN` do not exist",
    "components": "Components that no distance connects are clusters of their own or noise; the "
    "forest has no edge between them",
    "copy": "`X` is never changed: `copy` does not exist, and so no warning that its default "
    "changes",
    "core samples": "`components_` does not exist: it is `X[model.core_sample_indices_]`",
    "dense": "A full matrix of distances is taken",
    "drawing": "Drawings have other options",
    "error": "Another type of error",
    "few": "More `min_samples` than points are an error, as in scikit-learn",
    "metric": "Metrics that `kneighbors_graph` lacks are taken as functions, such as those of "
    "`scipy.spatial.distance`, not by name",
    "missing": "Rows with NaN or inf have label -1 and probability 0",
    "neighbours": "A point of a sparse graph with fewer neighbours than `min_samples` needs is an "
    "error",
    "numbers": "Clusters are numbered in the order of their first points",
    "parameters": "`p` is a parameter of its own; `metric_params` does not exist",
    "persistence": "Whole numbers are taken where a real number is expected",
    "prediction": "Predictions need no preparation, so `prediction_data` does not exist, and "
    "nothing is raised without it",
    "private": "The test reads private attributes of the other package",
    "real": "The metric refuses such rows: `jaccard` takes 0 and 1 only, `haversine` latitudes in "
    "-pi/2..pi/2",
    "sparse": "Points are a dense array; a sparse matrix has distances",
    "starts": "With given centres, `n_init` has no effect, and nothing warns of it",
    "symmetric": "A full matrix of distances must be symmetric",
    "ties": "Distances are equal. The other package takes one by the order of the rows: shuffled, "
    "its own labels are others, too",
    "verbose": "Nothing is printed: `verbose` does not exist",
    "weights": "`sample_weight` has whole numbers: how many copies of a point there are",
    "validity": "Between edges of equal weight the shorter distance decides, and the index is "
    "often lower",
}

_NOT_HERE = (
    "braycurtis",
    "canberra",
    "dice",
    "kulsinski",
    "mahalanobis",
    "rogerstanimoto",
    "russellrao",
    "seuclidean",
    "sokalmichener",
    "sokalsneath",
)

#: Tests of KMeans, which take sparse points among others.
_OF_SPARSE_POINTS = (
    "all_init",
    "float_precision",
    "integer_input",
    "k_means_1_iteration",
    "kmeans_elkan_results",
    "kmeans_empty_cluster_relocated",
    "kmeans_init_fitted_centers",
    "kmeans_predict",
    "kmeans_relocated_clusters",
    "kmeans_results",
    "relocating_with_duplicates",
    "scaled_weights",
    "unit_weights_vs_no_weights",
)

#: For each package: the test, and which difference it is of.
DIFFERENCES = {
    "scikit-learn": {
        "test_dbscan_clustering_outlier_data*": "missing",
        "test_dbscan_core_samples_toy*": "border",
        "test_dbscan_input_not_modified[[]csr_*-minkowski]": "sparse",
        "test_dbscan_input_not_modified[[]None-precomputed]": "symmetric",
        "test_dbscan_metric_params": "parameters",
        "test_dbscan_no_core_samples*": "core samples",
        "test_dbscan_sparse[[]*": "sparse",
        "test_weighted_dbscan": "weights",
        "test_hdbscan_algorithms[[]cosine-kd_tree]": "algorithm",
        "test_hdbscan_algorithms[[]cosine-ball_tree]": "algorithm",
        "test_hdbscan_algorithms[[]hamming-kd_tree]": "algorithm",
        "test_hdbscan_algorithms[[]haversine-ball_tree]": "real",
        "test_hdbscan_algorithms[[]jaccard-ball_tree]": "real",
        **{f"test_hdbscan_algorithms[[]{name}-ball_tree]": "metric" for name in _NOT_HERE},
        "test_hdbscan_best_balltree_metric": "metric",
        "test_hdbscan_cosine_metric_invalid_algorithm*": "algorithm",
        "test_hdbscan_default_copy_warning": "copy",
        "test_hdbscan_sparse[[]*": "sparse",
        "test_dense_sparse*": "sparse",
        "test_predict_dense_sparse*": "sparse",
        "test_predict_does_not_change_cluster_centers[[]csr*": "sparse",
        "test_hdbscan_sparse_distances_disconnected_graph*": "components",
        "test_kmeans_init_auto_with_initial_centroids*": "private",
        "test_kmeans_verbose*": "verbose",
        "test_labelling_distinct*": "private",
        "test_n_init_auto*": "private",
        "test_outlier_data*": "missing",
        "test_sample_weight_init*": "private",
        "test_sample_weight_zero*": "private",
        "test_warning_elkan_1_cluster": "algorithm",
        "test_warning_n_init_precomputed_centers*": "starts",
        **{f"test_{name}[[]*sparse*": "sparse" for name in _OF_SPARSE_POINTS},
    },
    "hdbscan": {
        "test_condensed_tree_plot": "drawing",
        "test_hdbscan_all_points_membership_vectors": "prediction",
        "test_hdbscan_approximate_predict": "numbers",
        "test_hdbscan_approximate_predict_score": "prediction",
        "test_hdbscan_best_balltree_metric": "metric",
        "test_hdbscan_boruvka_balltree": "algorithm",
        "test_hdbscan_distance_matrix": "validity",
        "test_hdbscan_feature_vector": "validity",
        "test_hdbscan_high_dimensional": "metric",
        "test_hdbscan_input_lists": "few",
        "test_hdbscan_min_cluster_size": "few",
        "test_hdbscan_no_clusters": "few",
        "test_hdbscan_prims_balltree": "algorithm",
        "test_hdbscan_sparse": "sparse",
        "test_rsl_high_dimensional": "metric",
        "test_rsl_input_lists": "few",
        "test_single_linkage_tree_plot": "drawing",
    },
    "fast_hdbscan": {
        "test_hdbscan_allow_single_cluster_with_epsilon": "ties",
        "test_hdbscan_badargs": "persistence",
        "test_hdbscan_precomputed_sparse_basic_fit": "neighbours",
        "test_mst_entry": "private",
        "test_parity_mst_edge_count_and_approx_weights": "private",
        "test_plscan_rejects_sparse_input": "branches",
        "test_precomputed_disconnected_autobridge_inf": "components",
        "test_precomputed_isolated_nodes_autobridge_inf_chain": "neighbours",
        "test_precomputed_reject_sample_weight": "error",
        "test_precomputed_validation_dense_matrix": "dense",
        "test_subcluster_rejects_precomputed_clusterer": "neighbours",
    },
}


def reason_of(package, name):
    """Return why a test, by its name and parameters, is expected to fail; None: it passes."""
    for pattern, reason in DIFFERENCES[package].items():
        if fnmatch.fnmatchcase(name, pattern):
            return REASONS[reason]
    return None


def tables():
    """Return the tables of the page, in Markdown."""
    lines = []
    for package, tests in DIFFERENCES.items():
        lines += [f"## {package}", "", "| difference | tests |", "|---|---|"]
        by_reason = {}
        for name, reason in tests.items():
            by_reason.setdefault(reason, []).append(f"`{name.replace('[[]', '[')}`")
        for reason, names in sorted(by_reason.items()):
            lines.append(f"| {REASONS[reason]} | {', '.join(names)} |")
        lines.append("")
    return "\n".join(lines)


def page_with_tables():
    """Return the text of the page with these tables below its introduction."""
    text = PAGE.read_text(encoding="utf-8")
    mark = "<!-- The tables are written by tests/rivals/differences.py. -->\n"
    return text[: text.index(mark) + len(mark)] + "\n" + tables()


if __name__ == "__main__":
    PAGE.write_text(page_with_tables(), encoding="utf-8")
