"""PageRank by pushes, and the choice between pushing and pulling."""

import numpy as np
import pytest

import checks
import graphs
import warpgraph as wg
from checks import raises_sentence
from pagerank_support import assert_scores, each_method, expected, power_law, spikes, strict

__all__ = ["power_law"]


@each_method
@pytest.mark.parametrize("dense", ["neither", "personalization", "dangling"])
def test_few_starts(power_law, dense, method, device):
    """Distributions of few vertices or of all, as arrays and as mappings."""
    n = power_law.shape[0]
    few = {"personalization": spikes(n, 7, n - 1), "dangling": spikes(n, 3, 900, 1111)}
    options = {**few, **({} if dense == "neither" else {dense: 1.0 + np.arange(n) % 3})}
    wanted = expected(power_law, **options)
    found = strict(power_law, **options, method=method, device=device)
    assert_scores(found, wanted)
    as_mappings = {
        name: {int(v): numbers[v] for v in np.flatnonzero(numbers)[::-1]}
        for name, numbers in options.items()
    }
    again = strict(power_law, **as_mappings, method=method, device=device)
    assert np.abs(again - found).sum() < 1e-14


@each_method
@pytest.mark.parametrize("tol", [0.5, 1e-3, 1e-7, 5e-11])
def test_error_is_within_its_bound(power_law, tol, method, device):
    n = power_law.shape[0]
    for options in ({}, {"personalization": spikes(n, 5)}, {"dangling": spikes(n, 5)}):
        found = wg.pagerank(power_law, tol=tol, method=method, device=device, **options)
        error = np.abs(found - expected(power_law, **options, tol=1e-14)).sum()
        assert error < tol
        assert abs(found.sum() - 1) < 1e-12


@pytest.mark.parametrize("options", [{}, {"dangling": {3: 1.0}, "alpha": 0.6}])
@pytest.mark.parametrize("start", [None, {5: 1.0}])
def test_pushes_have_the_same_bits_on_every_device(power_law, options, start, device):
    options = {**options, "personalization": start, "tol": 1e-10}
    found = wg.pagerank(power_law, **options, method="push", device=device)
    wanted = wg.pagerank(power_law, **options, method="push", device="cpu")
    checks.assert_same_bits((found,), (wanted,))


def test_pushes_that_have_not_converged(power_law, device):
    how = {"method": "push", "personalization": {5: 1}, "tol": 1e-8, "device": device}
    before = 2.0
    for rounds in (1, 2, 20):
        with raises_sentence(wg.ConvergenceError, f"{rounds} iterations", "max_iter") as caught:
            wg.pagerank(power_law, max_iter=rounds, **how)
        error = caught.value
        assert error.iterations == rounds
        assert (error.scores >= 0).all()
        assert error.scores.sum() == pytest.approx(1, rel=1e-12)
        distance = np.abs(error.scores - wg.pagerank(power_law, **how)).sum()
        assert distance < before
        before = distance


def chosen(caplog, graph, **options):
    """Return the method by which "auto" ranks, as it logs, and the scores."""
    caplog.clear()
    with caplog.at_level("INFO", logger="warpgraph"):
        found = wg.pagerank(graph, **options)
    (planned,) = [m.split("chose ")[1] for m in caplog.messages if "method='auto' chose" in m]
    instead = [m for m in caplog.messages if m.startswith("pull instead of push: ")]
    assert planned.startswith("push for " if instead else ("push for ", "pull for "))
    return "pull" if instead else planned[:4], found


def test_choice_of_the_method(caplog, device):
    n = 200 * 200
    grid = wg.generators.grid(200, 200)
    near = {"personalization": {100: 1, 103: 2}, "tol": 0.1, "device": device}
    method, found = chosen(caplog, grid, **near)
    assert method == "push"
    checks.assert_same_bits((found,), (wg.pagerank(grid, **near, method="push"),))
    as_array = {**near, "personalization": spikes(n, 100, 103)}
    assert chosen(caplog, grid, **as_array)[0] == "push"
    changes = [
        {"tol": 1e-7},  # too many visits
        {"tol": 1e-12},  # too small for integers
        {"personalization": None},
        {"personalization": np.arange(n)},
        {"nstart": {0: 1}},
    ]
    if device == "cpu":
        changes.append({"memory_limit": 1_000_000})  # enough to pull
    for change in changes[1:] if checks.EMULATED else changes:
        options = {**near, **change}
        method, found = chosen(caplog, grid, **options)
        assert method == "pull"
        checks.assert_same_bits((found,), (wg.pagerank(grid, **options, method="pull"),))
    assert (
        chosen(caplog, graphs.SAMPLES["grid"], personalization={3: 1}, device=device)[0] == "pull"
    )  # too small
