"""The coefficients of the model of time are those of the committed measurements."""

import json
import re
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
RATES = ROOT / "benchmarks" / "rates"
COEFFICIENTS = ROOT / "csrc" / "plan" / "model" / "coefficients.inc"


@pytest.fixture
def rates(monkeypatch):
    if not RATES.is_dir() or not COEFFICIENTS.exists():
        pytest.skip("the benchmarks are not here")
    monkeypatch.syspath_prepend(str(ROOT))
    from benchmarks.rates import fit, regret

    return fit, regret


def coefficients(text):
    """Return the coefficients by formula, place, threads and term."""
    found = {}
    for name, place, threads, terms in re.findall(
        r'Formula\{"([^"]+)", Place::(\w+), (\d+), \{\{\{(.*?)\}\}\}\}', text
    ):
        for term, value in re.findall(r"(\w+), ([\d.e+-]+)", terms):
            found[name, place, int(threads), term] = float(value)
    return found


def test_coefficients_are_fitted_to_the_rows(rates, monkeypatch, tmp_path, capsys):
    fit, _ = rates
    files = sorted(map(str, (RATES / "measured").glob("*.json")))
    monkeypatch.setattr(sys, "argv", ["fit", *files, "--out", str(tmp_path / "found")])
    fit.main()
    assert "rows" in capsys.readouterr().out
    found = coefficients((tmp_path / "found").read_text())
    committed = coefficients(COEFFICIENTS.read_text())
    assert found.keys() == committed.keys()
    assert found == pytest.approx(committed, rel=0.1)


def test_a_fit_finds_the_terms_of_a_sum(rates):
    fit, _ = rates
    rows = [
        ({"call": 1, "arc": m, "level": k}, 1e-4 + 2e-9 * m)
        for m in (10**3, 10**5, 10**7)
        for k in (1, 9, 99)
    ]
    found = fit.fitted(("call", "arc", "level"), rows)
    assert found == pytest.approx({"call": 1e-4, "arc": 2e-9}, rel=1e-3)


def test_regret_is_the_time_of_auto_beside_the_best(rates):
    _, regret = rates

    def row(call, method, times, is_auto=False):
        return {
            "call": call,
            "input": "x",
            "kept": True,
            "device": "cpu",
            "method": method,
            "times": times,
            "is_auto": is_auto,
        }

    rows = [row("a", "m", [9, 1.0]), row("a", "n", [9, 2.0]), row("a", None, [9, 1.5], True)]
    rows += [row("b", "m", [9, 1e-5]), row("b", None, [9, 1e-3], True)]  # shorter than counts
    assert regret.regrets(rows) == [(1.5, "a, x, kept", "m on cpu", 1.0)]


def test_regret_on_unseen_inputs_is_small(rates):
    """Of the committed rows; new ones are measured by hand."""
    _, regret = rates
    for file in (RATES / "unseen").glob("*.json"):
        found = sorted(each for each, *_ in regret.regrets(json.loads(file.read_text())["rows"]))
        assert len(found) > 100
        assert found[len(found) // 2] < 1.05
        assert found[int(0.95 * len(found))] < 2
