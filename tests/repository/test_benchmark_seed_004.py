"""bench_runtime.py --suite seed-004 on small graphs: virtual members, and parts by METIS."""

import sys
import types
from functools import partial

import numpy as np
import pytest

import checks
import warpgraph as wg
from benchmark_support import load

inputs = load("inputs")
document = load("experiments.page.document")
bench_sssp = load("paths.bench_sssp")
result_format = load("result_format")
seed_004 = load("experiments.seed_004")
steps = load("experiments.seed_004_steps")
worklists = load("experiments.seed_004_worklists")
bench_runtime = load("runtime.bench_runtime")

KINDS = ["cpu", *(name for name in wg.devices()[1:2])]


@pytest.fixture
def small(monkeypatch):
    """Let the suite have two small graphs, and METIS or what stands for it, and not Groute."""
    monkeypatch.delenv("WARPGRAPH_GROUTE", raising=False)
    graphs = {
        "ny-road": partial(bench_sssp.grid, 24, np.int32),
        "rmat 22": partial(bench_sssp.rmat, 8, np.int32),
    }
    monkeypatch.setattr(seed_004, "GRAPHS", graphs)
    alone = {"sssp": seed_004.Alone(seed_004.sssp)}
    monkeypatch.setattr(seed_004, "FOR_SEVERAL", {"rmat 26": (graphs["rmat 22"], alone)})
    try:
        import pymetis  # noqa: F401
    except ImportError:

        def part_graph(n_parts, adjacency, **_):
            return 0, np.arange(len(adjacency[0]) - 1) % 24 * n_parts // 24

        fake = types.ModuleType("pymetis")
        fake.part_graph = part_graph
        fake.CSRAdjacency = lambda *arrays: arrays
        fake.__spec__ = types.SimpleNamespace(name="pymetis")
        monkeypatch.setitem(sys.modules, "pymetis", fake)
    monkeypatch.setenv("WARPGRAPH_COMMIT", "0123abc")
    monkeypatch.setenv(bench_runtime.PROGRAM, "")


def run(folder, device, *more):
    bench_runtime.main(
        ["--suite", "seed-004", "--device", device, "--repeat", "3", "--output", str(folder), *more]
    )
    (path,) = folder.glob("*.json")
    return path, result_format.load(path)


@pytest.mark.parametrize("device", KINDS)
def test_scaling_and_parts(device, small, tmp_path, capsys):
    is_slow = device != "cpu" and checks.EMULATED  # it takes minutes to rank
    algorithms = "(sssp|bfs)" if is_slow else "(sssp|bfs|pagerank|components)"
    path, result = run(tmp_path, device, "--only", f"^{algorithms}")
    names = [m["case"] for m in result["measurements"]]
    for_several = int(device != "cpu" and len(wg.devices()) > 2)
    assert len(names) == (2 + 2 + 2 if is_slow else 4 + 3 + 4) + for_several
    assert all(m["checked"] for m in result["measurements"])
    virtual = "2 virtual members on the cores" if device == "cpu" else "2 virtual members of 1 GPU"
    if device == "cpu" or len(wg.devices()) == 2:
        scaling = [m for m in result["measurements"] if "on all GPUs" in m["case"]]
        assert all(virtual in m["ratios"] for m in scaling)
        assert sum(virtual in name for name in names) == len(names) - len(scaling)
    parts = [m for m in result["measurements"] if "METIS" in m["case"]]
    for m in parts:
        assert m["size"]["arcs between parts"] <= m["size"]["arcs between equal ranges"] * 1.5
        assert list(m["ratios"]) == ["equal split"]
    capsys.readouterr()
    document.main([str(path), "--folder", str(tmp_path)])
    printed = capsys.readouterr().out
    assert "| sssp | rmat 22 | R1 |" in printed
    assert "| bfs | ny-road | " in printed
    assert f"{parts[0]['size']['arcs between parts']:,} |" in printed
    assert "virtual" in printed or len(wg.devices()) > 2
    assert (tmp_path / "scaling-over-gpus.png").stat().st_size > 1000


def test_without_metis_its_cases_are_left_out(small, monkeypatch, capsys):
    monkeypatch.delitem(sys.modules, "pymetis", raising=False)
    monkeypatch.setattr("importlib.util.find_spec", lambda name: None)
    assert not any("METIS" in case.name for case in seed_004.cases("cpu"))
    assert "there is no pymetis" in capsys.readouterr().err


def test_a_list_of_edges_is_measured(small, tmp_path, capsys):
    """A hub that votes on two others, a loop, and an edge in both directions."""
    file = tmp_path / "votes.txt"
    file.write_text("# FromNodeId\tToNodeId\n7\t3\n7\t5\n5\t7\n5\t5\n5\t9\n")
    _, result = run(tmp_path, "cpu", "--only", "^(bfs|components)", str(file))
    scaling = [m for m in result["measurements"] if "METIS" not in m["case"]]
    assert [m["case"] for m in scaling] == [
        f"{algorithm} on all GPUs, votes" for algorithm in ("bfs", "components")
    ]
    assert all(m["checked"] for m in result["measurements"])
    assert all(m["size"]["vertices"] == 4 and m["size"]["edges"] == 6 for m in scaling)
    matrix = inputs.of_file(str(file), np.int32)
    assert (matrix != matrix.T).nnz == 0
    assert matrix.indices.dtype == np.int32
    assert matrix.data.min() >= 1
    assert matrix.data.max() <= 255
    capsys.readouterr()
    document.main([*map(str, tmp_path.glob("*.json")), "--folder", str(tmp_path)])
    assert "| bfs | votes | R1 |" in capsys.readouterr().out


def test_the_shortest_of_parallel_arcs_stays(tmp_path):
    """The challenge's files have arcs twice, whose lengths a SciPy matrix would add."""
    file = tmp_path / "USA-road-d.XX.gr"
    arcs = ["a 1 2 803", "a 2 1 803", "a 1 2 803", "a 2 1 803", "a 2 3 9", "a 3 2 7", "a 3 2 8"]
    file.write_text("c roads\np sp 3 7\n" + "\n".join(arcs) + "\n")
    matrix = inputs.of_file(str(file))
    assert matrix.toarray().tolist() == [[0, 803, 0], [803, 0, 9], [0, 7, 0]]
    assert inputs.name_of(f"{file}.gz") == "USA-road-d.XX"


def test_a_file_that_is_missing_or_of_no_use_is_named(tmp_path):
    with pytest.raises(SystemExit, match="which does not exist"):
        bench_runtime.main(["--suite", "seed-004", str(tmp_path / "none.txt.gz")])
    file = tmp_path / "one.txt"
    file.write_text("0 1\n")
    with pytest.raises(SystemExit, match=f"expected no file for suite smoke, got {file}"):
        bench_runtime.main(["--suite", "smoke", str(file)])
    with pytest.raises(SystemExit, match="expected --suite seed-002 for the graph of a file"):
        load("paths.bench_many_to_many").run(["--suite", "smoke", str(file)])


def test_all_gpus_are_named(monkeypatch):
    monkeypatch.setattr(seed_004, "n_gpus", lambda: 4)
    assert list(seed_004.lists_of("cuda")) == ["1 GPU", "2 GPUs", "4 GPUs"]
    monkeypatch.setattr(seed_004, "n_gpus", lambda: 1)
    assert list(seed_004.lists_of("cuda")) == ["1 GPU", "2 virtual members of 1 GPU"]


@pytest.mark.cuda
def test_steps_on_cuda(small, monkeypatch, tmp_path, capsys):
    graph = (seed_004.GRAPHS["rmat 22"], tuple(steps.ALGORITHMS))
    monkeypatch.setattr(steps, "LARGEST", {"rmat 24": graph})
    bench_runtime.main(
        ["--suite", steps.SUITE, "--device", KINDS[1], "--repeat", "2", "--output", str(tmp_path)]
    )
    (path,) = tmp_path.glob("*.json")
    result = result_format.load(path)
    assert [m["case"] for m in result["measurements"]] == [
        f"{algorithm}, steps, rmat 24" for algorithm in steps.ALGORITHMS
    ]
    several = list(seed_004.lists_of("cuda"))[1:]
    for m in result["measurements"]:
        assert m["checked"]
        assert list(m["ratios"]) == [steps.STAYS, *several]
        assert set(m["counts"]) <= set(several)
        assert all(len(us) == 2 for found in m["counts"].values() for us in found.values())
    capsys.readouterr()
    document.main([str(path), "--folder", str(tmp_path)])
    printed = capsys.readouterr().out
    assert "| components | rmat 24 | R1 |" in printed
    assert "| components | rmat 24 | write labels | R1 |" in printed


@pytest.mark.cuda
def test_worklists_beside_teams_on_cuda(small, monkeypatch, tmp_path, capsys):
    monkeypatch.setattr(worklists, "GRAPHS", {"grid": seed_004.GRAPHS["ny-road"]})
    monkeypatch.setattr(bench_runtime, "program", lambda: None)
    how = ["--device", KINDS[1], "--repeat", "2", "--output", str(tmp_path)]
    bench_runtime.main(["--suite", worklists.SUITE, *how])
    (path,) = tmp_path.glob("*.json")
    result = result_format.load(path)
    assert all(m["checked"] for m in result["measurements"])
    assert len(result["measurements"]) == 2 * len(seed_004.lists_of("cuda"))
    capsys.readouterr()
    document.main([str(path), "--folder", str(tmp_path)])
    assert "| grid | resident | 1 GPU | R1 |" in capsys.readouterr().out


def test_a_step_takes_what_the_slowest_gpu_spends_in_it():
    recorded = [("levels", 0, 1e-3), ("copy", 0, 2e-3), ("levels", 1, 3e-3), ("levels", 0, 1e-3)]
    assert steps.longest_steps(recorded) == {
        "microseconds of levels": 3000,
        "microseconds of copy": 2000,
    }
