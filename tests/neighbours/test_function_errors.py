"""Errors of metrics that are functions name rows of the input; the input stays as it is."""

import fractions

import numpy as np
import pytest
from scipy import LowLevelCallable

from test_functions import C_DISTANCE, CALLS, ESTIMATORS, NEW, POINTS
from warpgraph import _core, cluster


@pytest.mark.parametrize("compiled", [False, True])
@pytest.mark.parametrize("name", ["HDBSCAN", "DBSCANStar", "RobustSingleLinkage", "validity_index"])
def test_errors_name_rows_of_the_input(name, compiled):
    """Also if rows before them, which are noise, have no distance."""

    def distance(x, y, n=1):
        return -1.0 if (x[0], y[0]) == (40, 70) else 1.0

    metric = LowLevelCallable(C_DISTANCE(distance)) if compiled else distance
    points = np.arange(100.0)[:, None]
    points[[3, 50]] = np.nan
    given = np.r_[points[:10], points]
    labels = np.where(np.isnan(given[:, 0]), -1, np.arange(110) % 2)
    calls = {name: lambda: ESTIMATORS[name](metric=metric).fit(given)}
    calls["validity_index"] = lambda: cluster.validity_index(given, labels, metric=metric)
    with pytest.raises(ValueError, match=r"got -1.0 for rows 50 and 80$"):
        calls[name]()


def test_errors_name_queries_of_later_blocks(monkeypatch):
    monkeypatch.setattr(_core, "queries_at_a_time", lambda n_points: 1000 // n_points)
    points = np.arange(100.0)[:, None]
    with pytest.raises(ValueError, match=r"got -1 for rows 40 and 70$"):
        cluster.nearest_neighbors(
            points, 1, queries=points, metric=lambda x, y: -1 if (x[0], y[0]) == (40, 70) else 1
        )


@pytest.mark.parametrize("value", [10**400, fractions.Fraction(10**400)], ids=["int", "Fraction"])
def test_numbers_beyond_float64_are_refused(value):
    def metric(x, y):
        return value if (x[0], y[0]) == (2, 4) else 1.0

    with pytest.raises(OverflowError, match=r"range of float64.*, got .*1000.* for rows 2 and 4$"):
        cluster.mst_of_points(np.arange(6.0)[:, None], metric=metric)


@pytest.mark.parametrize("name", ["mst_of_points", "queries", "HDBSCAN", "validity_index"])
@pytest.mark.parametrize("which", [0, 1])
def test_functions_of_python_cannot_write_to_points(name, which):
    before = POINTS.copy(), NEW.copy()

    def metric(*pair):
        pair[which][0] = 7
        return 1.0

    with pytest.raises(ValueError, match="read-only"):
        CALLS[name](metric=metric)
    np.testing.assert_array_equal(POINTS, before[0])
    np.testing.assert_array_equal(NEW, before[1])
    assert POINTS.flags.writeable
