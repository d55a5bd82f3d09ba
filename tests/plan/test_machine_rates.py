"""The rates of a machine: warpgraph tune, its file, and the switch that freezes plans."""

import json
import os
import subprocess
import sys

import numpy as np
import pytest

import warpgraph as wg
from warpgraph import _core, _rates
from warpgraph.cli import _tune, main


@pytest.fixture
def cache(tmp_path, monkeypatch):
    monkeypatch.setattr(_rates, "file", lambda: tmp_path / "deep" / "rates.json")
    yield tmp_path / "deep" / "rates.json"
    _core.set_scales(1, 1)
    _core.set_learning(True)


@pytest.fixture
def graph():
    return wg.generators.grid(50, 50, seed=1)


def seconds(graph):
    return wg.explain(wg.sssp, graph, 0, device="cpu").seconds


def test_tune_measures_keeps_and_takes_the_rates(cache, capsys, graph):
    assert main(["tune", "--json"]) == 0
    report = json.loads(capsys.readouterr().out)
    kept = json.loads(cache.read_text())
    assert report["file"] == str(cache)
    assert (kept["cores"], kept["gpu"]) == _core.scales()
    assert 0.1 < kept["cores"] < 10
    assert list(cache.parent.iterdir()) == [cache]
    scaled = seconds(graph)
    _core.set_scales(1, 1)
    assert scaled == pytest.approx(kept["cores"] * seconds(graph))
    _rates.load()
    assert _core.scales()[0] == kept["cores"]


def test_rates_tell_on_progress(cache):
    reports = []
    _tune.measure(lambda *report: reports.append(report))
    assert [done for done, _ in reports] == list(range(1, reports[-1][1] + 1))


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("{", "Expecting"),
        ("[]", "another machine"),
        ('{"machine": {"node": "elsewhere"}, "cores": 1, "gpu": 1}', "another machine"),
        ('{"cores": 0.0}', "no rates"),
        ('{"cores": "fast"}', "fast"),
        ('{"gpu": NaN}', "no rates"),
    ],
)
def test_damaged_and_foreign_files_are_ignored_with_a_warning(cache, text, reason):
    cache.parent.mkdir()
    if text.startswith("{") and "machine" not in text and len(text) > 1:
        whole = {"machine": _rates.machine(), "cores": 1, "gpu": 1} | json.loads(text)
        text = json.dumps(whole)
    cache.write_text(text)
    with pytest.warns(RuntimeWarning, match=f"ignored.*{reason}.*warpgraph tune"):
        _rates.load()
    assert _core.scales() == (1, 1)


def test_no_file_and_no_home_say_nothing(monkeypatch, recwarn):
    def no_home():
        raise RuntimeError("no home")

    monkeypatch.setattr(_rates, "file", no_home)
    _rates.load()
    assert not recwarn.list


def test_frozen_plans_learn_nothing(graph):
    def learnt():
        return [reason for reason in wg.explain(wg.sssp, graph, 0).reasons if "learnt" in reason]

    wg.freeze_plans()
    try:
        assert wg.show_config(mode="dicts")["plans"] == "frozen"
        for _ in range(3):
            wg.sssp(graph, 0)
        assert not learnt()
    finally:
        wg.freeze_plans(False)
    wg.sssp(graph, 0)
    wg.sssp(graph, 0)
    assert learnt()
    with pytest.raises(TypeError, match="frozen"):
        wg.freeze_plans("yes")


@pytest.mark.parametrize(("value", "expected"), [("1", "frozen"), ("0", "learn from calls")])
def test_the_environment_freezes_plans(value, expected, tmp_path):
    environment = os.environ | {"WARPGRAPH_FREEZE_PLANS": value, "XDG_CACHE_HOME": str(tmp_path)}
    code = 'import warpgraph as wg; print(wg.show_config(mode="dicts")["plans"])'
    out = subprocess.run(
        [sys.executable, "-c", code], env=environment, capture_output=True, text=True, check=True
    )
    assert out.stdout.strip() == expected


def test_tuned_rates_change_no_result(graph):
    expected = wg.many_to_many(graph, range(0, 2500, 50))
    try:
        for cores in (1e-2, 1e2):
            _core.set_scales(cores, 1)
            np.testing.assert_array_equal(wg.many_to_many(graph, range(0, 2500, 50)), expected)
    finally:
        _core.set_scales(1, 1)
