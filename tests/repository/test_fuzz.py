"""The fuzzer: its cases pass; it finds deliberate faults and reduces the failing cases."""

import os
import subprocess
import sys

import pytest

import warpgraph as wg
from fuzz import drawing, running, shrink, targets

SEED = 1
CASES = 25


@pytest.fixture(autouse=True)
def _threads():
    yield
    wg.set_num_threads(0)


@pytest.mark.parametrize("name", targets.ALL)
def test_every_target_passes(name):
    judged = []
    for index in range(CASES):
        case = drawing.draw(SEED, index, ["cpu"], [name])
        failure = running.run(case, lambda call, target: judged.append(target))
        assert failure is None, running.program(case, failure.message)
    assert judged.count(name) >= CASES


def test_a_case_is_its_seed_and_number():
    def program(seed, index):
        return running.program(drawing.draw(seed, index, ["cpu"]), "")

    assert [program(SEED, i) for i in range(20)] == [program(SEED, i) for i in range(20)]
    assert program(SEED, 0) != program(SEED + 1, 0)


def wrong_distance(core):
    def sssp(graph, source, distances, *rest, **options):
        core(graph, source, distances, *rest, **options)
        if len(distances) > 3 and distances[3] == 2:
            distances[3] = 3

    return sssp


def wrong_predecessor(core):
    def sssp(graph, source, distances, predecessors, *rest, **options):
        core(graph, source, distances, predecessors, *rest, **options)
        if len(predecessors) > 2 and predecessors[2] == 0:
            predecessors[2] = 1

    return sssp


def no_overflow(core):
    def sssp(graph, source, distances, *rest, **options):
        try:
            core(graph, source, distances, *rest, **options)
        except OverflowError:
            distances.fill(0)

    return sssp


@pytest.mark.parametrize("fault", [wrong_distance, wrong_predecessor, no_overflow])
def test_a_planted_fault_is_found_and_made_small(fault, monkeypatch):
    cases = [drawing.draw(SEED, index, ["cpu"], ["sssp"]) for index in range(400)]
    passing = [case for case in cases if running.run(case) is None]
    monkeypatch.setattr(wg._core, "sssp", fault(wg._core.sssp))
    case = next(case for case in passing if running.run(case) is not None)
    small, failure = shrink.shrink(case, shrink.check_here, seconds=20)
    assert len(small.subject.tail) <= 3
    assert len(small.calls) == 1
    # The printed code gives the same: wrong with the fault, right without.
    program = running.program(small, failure.message)
    assert f"# {failure.message.splitlines()[0]}" in program
    faulty = outcome(program)
    monkeypatch.undo()
    assert outcome(program) != faulty


def outcome(program):
    """Run a printed program; return the bytes of its result, or its error."""
    scope = {"print": lambda result: None}
    try:
        exec(program, scope)
    except OverflowError:
        return OverflowError
    result = scope["result"]
    return [array.tobytes() for array in (result if isinstance(result, tuple) else [result])]


def run_python(*arguments):
    """Run Python with the module path of this process."""
    paths = {"PYTHONPATH": os.pathsep.join(map(os.path.abspath, sys.path))}
    return subprocess.run(
        [sys.executable, *arguments],
        env={**os.environ, **paths},
        capture_output=True,
        text=True,
        timeout=120,
    )


ABORTS_AT_2 = """
import os
import warpgraph as wg
from fuzz import drawing, running, shrink

def bfs(*arguments, source, core=wg._core.bfs, **options):
    core(*arguments, source=source, **options)
    if source == 2:
        os.abort()

wg._core.bfs = bfs
cases = (drawing.draw(2, index, ["cpu"], ["bfs"]) for index in range(50))
case = next(case for case in cases if shrink.check_in_child(case) is not None)
small, failure = shrink.shrink(case, shrink.check_in_child, seconds=20)
print(running.program(small, failure.message))
"""


def test_a_call_that_ends_the_process_is_found_and_made_small():
    program = run_python("-c", ABORTS_AT_2).stdout
    assert "# the process ends: SIGABRT" in program
    assert "n = 3\n" in program
    assert "result = wg.bfs(graph, 2, device='cpu')" in program


def test_the_command_prints_a_table(tmp_path):
    table = tmp_path / "table.json"
    only = "bfs; many_to_many, hierarchy"
    options = ["--cases", "50", "--seed", "1", "--jobs", "1", "--only", only, "--json", str(table)]
    done = run_python("-m", "fuzz", *options)
    assert done.returncode == 0, done.stdout + done.stderr
    assert "seed 1" in done.stdout
    assert '"differences": 0' in table.read_text()
