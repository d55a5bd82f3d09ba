"""Other packages' tests of HDBSCAN, with this package's HDBSCAN in place of theirs."""

import importlib
import sys
import types

import pytest

import differences
import shims
import swapped_tests
import warpgraph as wg

#: Which name of which module means what.
_SWAPPED = {
    "scikit-learn": {
        "sklearn.cluster": {
            "DBSCAN": shims.FromSklearnDBSCAN,
            "HDBSCAN": shims.FromSklearnHDBSCAN,
            "KMeans": shims.FromSklearnKMeans,
            "dbscan": shims.dbscan,
        }
    },
    "hdbscan": {
        "hdbscan": {
            "HDBSCAN": shims.FromHdbscan,
            "RobustSingleLinkage": shims.FromHdbscanLinkage,
            "all_points_membership_vectors": shims.all_points_membership_vectors,
            "approximate_predict": shims.approximate_predict,
            "approximate_predict_scores": shims.approximate_predict_scores,
            "hdbscan": shims.hdbscan,
            "membership_vector": shims.membership_vector,
            "robust_single_linkage": shims.robust_single_linkage,
            "validity_index": wg.cluster.validity_index,
        }
    },
    "fast_hdbscan": {
        "fast_hdbscan": {"HDBSCAN": shims.FromFastHdbscan, "fast_hdbscan": shims.fast_hdbscan},
        "fast_hdbscan.hdbscan": {
            "compute_minimum_spanning_tree": shims.compute_minimum_spanning_tree
        },
    },
}


def _raises(expected, *args, match=None, **kwargs):
    """Expect an error of the type that they expect; its sentence is this package's own.

    An argument of a wrong type is a TypeError here, and often a ValueError there.
    """
    if expected is ValueError:
        expected = (ValueError, TypeError)
    return pytest.raises(expected, *args, **kwargs)


def _warns(expected, *args, match=None, **kwargs):
    """Expect a warning of the type that they expect; its sentence is this package's own."""
    return pytest.warns(expected, *args, **kwargs)


_PYTEST = types.SimpleNamespace(**{**vars(pytest), "raises": _raises, "warns": _warns})


def collect(module, into, **options):
    """Collect a module of tests."""
    # The tests decide on warnings themselves.
    swapped_tests.collect(module, into, [pytest.mark.filterwarnings("default")], **options)


def swap(request, monkeypatch, package):
    """Let the names of a package mean ours during one of its tests; mark it if it differs."""
    module = sys.modules[request.function.__module__]
    pairs = [(pytest, _PYTEST)]
    for home, names in _SWAPPED[package].items():
        there = importlib.import_module(home)
        pairs += [(getattr(there, name), ours) for name, ours in names.items()]
    swapped_tests.swap(monkeypatch, request, pairs)
    for home, names in _SWAPPED[package].items():  # a test may import them itself
        for name, ours in names.items():
            monkeypatch.setattr(importlib.import_module(home), name, ours)
    theirs = request.node.name.removeprefix(f"{module.__name__.rsplit('.', 1)[-1]}_")
    reason = differences.reason_of(package, theirs)
    if reason is not None:
        request.applymarker(pytest.mark.xfail(reason=reason, strict=True))
