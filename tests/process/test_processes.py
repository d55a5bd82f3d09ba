"""Processes: children made by fork, and systems that grant few threads or little memory."""

import multiprocessing
import subprocess
import sys
import threading

import numpy as np
import pytest

import calls
import graphs
import warpgraph as wg
from checks import assert_same_bits, reads_memory_of_process

SECONDS = 60  # time limit of a child

#: Every function of a graph or of points that runs on a device.
CALLS = calls.calls("device") + calls.calls("device", takes="points")


def answer_of_child(call, *, start="fork"):
    """Return the answer of a child process; fail without an answer."""
    context = multiprocessing.get_context(start)
    receiver, sender = context.Pipe(duplex=False)

    def run():
        try:
            sender.send(call())
        except BaseException as error:
            sender.send(error)

    child = context.Process(target=run)
    child.start()
    sender.close()
    try:
        assert receiver.poll(SECONDS), "the child does not answer"
        return receiver.recv()
    finally:
        child.kill()
        child.join()


@pytest.fixture
def four_threads():
    wg.set_num_threads(4)
    yield
    wg.set_num_threads(0)


@pytest.fixture
def graph():
    return wg.Graph(wg.generators.grid(60, 60, seed=1, weights=(1, 100)))


@calls.every("call", CALLS)
def test_a_forked_child_calls_what_its_parent_called(call, graph, four_threads):
    given = graph if call.takes == "graph" else np.random.default_rng(0).random((5000, 2))
    expected = call.run(given, device="cpu")
    for _ in range(3):
        answer = answer_of_child(lambda: call.run(given, device="cpu"))
        assert_same_bits(answer, expected)
    assert_same_bits(call.run(given, device="cpu"), expected)


def test_a_grandchild(graph, four_threads):
    expected = wg.apsp(graph)

    def call():
        wg.apsp(graph)
        return answer_of_child(lambda: wg.apsp(graph))

    np.testing.assert_array_equal(answer_of_child(call), expected)


def test_a_child_forked_by_a_progress_callable(graph, four_threads):
    """The child is within its parent's call and has none of its worker threads."""
    expected = wg.apsp(graph)
    answers = []

    def fork_once(done, total):
        if not answers:
            answers.append(answer_of_child(lambda: wg.apsp(graph)))

    np.testing.assert_array_equal(wg.apsp(graph, progress=fork_once), expected)
    np.testing.assert_array_equal(answers[0], expected)


def test_children_forked_while_another_thread_is_in_calls(graph, four_threads):
    """That thread does not exist in the child; a lock that it holds stays locked there."""
    expected = wg.sssp(graph, 0, dtype="float32")
    over = threading.Event()

    def keep_calling():
        while not over.is_set():
            graph.clear()
            wg.sssp(graph, 0, dtype="float32")
            wg.sssp(graph, 0, directed=False)

    caller = threading.Thread(target=keep_calling)
    caller.start()
    try:
        for _ in range(10):
            answer = answer_of_child(lambda: wg.sssp(graph, 0, dtype="float32"))
            np.testing.assert_array_equal(answer, expected)
    finally:
        over.set()
        caller.join()


def test_a_pool_of_processes(graph, four_threads):
    wg.sssp(graph, 0)
    with multiprocessing.get_context("fork").Pool(2) as pool:
        results = pool.starmap_async(wg.sssp, [(graph.to_csr(), v) for v in range(6)])
        rows = np.array(results.get(SECONDS))
    np.testing.assert_array_equal(rows, wg.many_to_many(graph, range(6)))


@pytest.mark.cuda
def test_a_forked_child_is_told_to_spawn_for_cuda(graph):
    """With device="auto" it runs on cores."""
    expected = wg.sssp(graph, 0, device="cuda")
    error = answer_of_child(lambda: wg.sssp(graph, 0, device="cuda"))
    assert isinstance(error, wg.DeviceError)
    assert "spawn" in str(error)
    assert "/" not in str(error)
    np.testing.assert_array_equal(answer_of_child(lambda: wg.sssp(graph, 0)), expected)
    np.testing.assert_array_equal(wg.sssp(graph, 0, device="cuda"), expected)


DAEMONS = """
import sys, threading, time
import numpy as np
import warpgraph as wg

graph = wg.generators.rmat(12, 16, seed=1, weights=(1, 100))
points = np.random.default_rng(0).random((20_000, 3))
calls = {
    "many_to_many": lambda: wg.many_to_many(graph, np.arange(3000)),
    "apsp": lambda: wg.apsp(graph),
    "forest": lambda: wg.minimum_spanning_forest(graph),
    "points": lambda: wg.cluster.euclidean_mst(points),
    "progress": lambda: wg.apsp(graph, progress=lambda done, total: None),
    "short": lambda: wg.bfs(graph, 0),
}

def keep_calling():
    while True:
        calls[sys.argv[1]]()

wg.set_num_threads(2)
for _ in range(2):
    threading.Thread(target=keep_calling, daemon=True).start()
time.sleep(0.3)
if sys.argv[2] == "atexit":
    import atexit
    atexit.register(lambda: print(wg.bfs(graph, 0).max() > 0))
"""


@pytest.mark.parametrize("call", ["many_to_many", "apsp", "forest", "points", "progress", "short"])
@pytest.mark.parametrize("end", ["plain", "atexit"])
def test_daemon_threads_in_calls_when_the_interpreter_ends(call, end):
    result = subprocess.run(
        [sys.executable, "-c", DAEMONS, call, end], capture_output=True, text=True, timeout=SECONDS
    )
    assert result.returncode == 0, result.stderr
    assert result.stderr == ""
    assert result.stdout == ("True\n" if end == "atexit" else "")


def test_a_child_forked_while_a_daemon_is_in_a_call_does_not_wait_for_it():
    """Only the parent is in that call. A needless wait would take two seconds."""
    script = (
        "import atexit, os, time\n"
        "atexit.register(lambda: print(time.monotonic() - started))\n"  # after the module's
        + DAEMONS
        + "started = time.monotonic()\n"
        "if os.fork() != 0:\n"
        "    os.wait()\n"
        "    os._exit(0)\n"
        "atexit.register(lambda: globals().update(started=time.monotonic()))\n"
    )
    seconds = []
    while not seconds or (min(seconds) > 1.9 and len(seconds) < 3):  # a machine may be busy
        result = subprocess.run(
            [sys.executable, "-W", "ignore", "-c", script, "many_to_many", "plain"],
            capture_output=True,
            text=True,
            timeout=SECONDS,
        )
        assert (result.returncode, result.stderr) == (0, "")
        seconds.append(float(result.stdout))
    assert min(seconds) < 1.9


WAITS_FOR_A_THREAD = """
import atexit, threading

def late():
    thread = threading.Thread(target=lambda: print(wg.bfs(graph, 0).max()))
    thread.start()
    thread.join()

atexit.register(late)  # called after that of the module, which is imported later
import warpgraph as wg
graph = wg.generators.grid(10, 10)
"""

WAITS_FOR_A_LOCK = """
import atexit, threading, time
atexit.register(lambda: print(wg.connected_components(graph)[0] > 0))
import warpgraph as wg
graph = wg.generators.rmat(18, 16, directed=True)
threading.Thread(target=lambda: wg.sssp(graph, 0, directed=False), daemon=True).start()
time.sleep(0.05)
"""


@pytest.mark.parametrize(
    ("script", "printed"), [(WAITS_FOR_A_THREAD, ""), (WAITS_FOR_A_LOCK, "True\n")]
)
def test_later_callbacks_wait_for_no_call_when_the_interpreter_ends(script, printed):
    """Calls of other threads raise SystemExit then, which ends the threads."""
    result = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, timeout=SECONDS
    )
    assert (result.returncode, result.stderr, result.stdout) == (0, "", printed)


LITTLE_MEMORY = """
import resource, sys
import warpgraph as wg

graph = wg.generators.rmat(14, 16, seed=1, weights=(1, 100))
wg.set_num_threads(1)
calls = [
    lambda: wg.minimum_spanning_forest(graph, device="cpu").total_weight,
    lambda: wg.sssp(graph, 0, method="delta_stepping", device="cpu").tolist(),
]
expected = [call() for call in calls]
used = int(open("/proc/self/statm").read().split()[0]) * resource.getpagesize()
most = used + (int(sys.argv[1]) << 20)
resource.setrlimit(resource.RLIMIT_AS, (most, most))
for threads in (2, 4, 16, 64, 300):
    wg.set_num_threads(threads)
    for call, right in zip(calls, expected):
        try:
            assert call() == right
        except MemoryError:
            print("no memory with", threads, "threads")
print("alive")
"""


@reads_memory_of_process
@pytest.mark.skipif(sys.platform != "linux", reason="reads /proc")
@pytest.mark.parametrize("megabytes", [0, 8, 20, 60, 150, 400, 1500])
def test_few_threads_where_stacks_have_little_memory(megabytes):
    """OpenMP ends the process if it cannot start a thread, so the core must check beforehand."""
    result = subprocess.run(
        [sys.executable, "-c", LITTLE_MEMORY, str(megabytes)],
        capture_output=True,
        text=True,
        timeout=4 * SECONDS,
    )
    assert result.stdout.endswith("alive\n"), result.stderr
    assert result.returncode == 0, result.stderr
    # With memory for a few stacks there is memory for the work.
    assert megabytes < 400 or "no memory" not in result.stdout


LITTLE_MEMORY_ON_THREE = """
import resource
import warpgraph as wg

graph = wg.generators.rmat(12, 8, seed=1, weights=(1, 9))
expected = wg.sssp(graph, 0).tolist()
errors = 0
for i in range(100):
    used = int(open("/proc/self/statm").read().split()[0]) * resource.getpagesize()
    resource.setrlimit(resource.RLIMIT_AS, (used + (i * 7919 % 60 << 18), -1))
    try:
        assert wg.sssp(graph, 0, device=["cpu"] * 3).tolist() == expected
    except (MemoryError, RuntimeError) as error:
        assert "memory" in str(error) or "no thread could be started" in str(error), error
        errors += 1
    resource.setrlimit(resource.RLIMIT_AS, (-1, -1))
print("alive", errors > 0)
"""


@reads_memory_of_process
@pytest.mark.skipif(sys.platform != "linux", reason="reads /proc")
def test_threads_of_devices_where_their_variables_have_no_memory():
    """The C library ends the process if it cannot allocate thread-local variables."""
    result = subprocess.run(
        [sys.executable, "-c", LITTLE_MEMORY_ON_THREE],
        capture_output=True,
        text=True,
        timeout=SECONDS,
    )
    assert (result.returncode, result.stdout) == (0, "alive True\n"), result.stderr


@pytest.mark.skipif(sys.platform != "linux", reason="sets a limit by the shell")
@pytest.mark.parametrize(
    "variable", ["OMP_STACKSIZE=2G", "GOMP_STACKSIZE=2097152", "OMP_STACKSIZE=x"]
)
def test_stacks_that_do_not_fit(variable):
    """As many threads as have their stacks; an invalid size is OpenMP's default."""
    script = (
        "import warpgraph as wg; "
        "graph = wg.generators.rmat(14, 16, seed=1, weights=(1, 100)); "
        "print(wg.minimum_spanning_forest(graph, device='cpu').total_weight > 0)"
    )
    result = subprocess.run(
        [
            "sh",
            "-c",
            'ulimit -v 8000000 && exec env "$@"',
            "sh",
            variable,
            "OMP_NUM_THREADS=8",
            sys.executable,
            "-c",
            script,
        ],
        capture_output=True,
        text=True,
        timeout=SECONDS,
    )
    assert (result.returncode, result.stdout) == (0, "True\n"), result.stderr


def test_the_samples_in_a_child(four_threads):
    """All sample graphs, after the parent has used its threads."""
    matrices = [matrix for matrix in graphs.SAMPLES.values() if matrix.shape[0] < 200]
    expected = [wg.connected_components(matrix)[0] for matrix in matrices]
    found = answer_of_child(lambda: [wg.connected_components(matrix)[0] for matrix in matrices])
    assert found == expected
