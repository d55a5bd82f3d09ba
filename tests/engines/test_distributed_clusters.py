"""warpgraph.dask and warpgraph.ray on clusters of three worker processes on this machine.

``make test-distributed`` runs these: pytest -m cluster.
"""

import os
import random
import re
import signal
import threading
import time
from pathlib import Path

import numpy as np
import pytest
from numpy.testing import assert_array_equal

import warpgraph as wg
from distributed_support import (
    CHECKS,
    blocks_of,
    check_all_functions,
    random_edges,
    same_forest,
)
from graphs import SAMPLES
from warpgraph import distributed
from warpgraph.distributed._engine import Tasks

pytestmark = [pytest.mark.cluster, pytest.mark.filterwarnings("default")]

WORKERS = 3
#: Together they have ties, islands, loops and parallel edges of several kinds.
GRAPHS = ("no_vertices", "many_islands", "medium_random", "medium_power_law", "parallel_edges")
GRAPHS += ("float32_weights", "huge_integers", "negative_weights", "upper_triangle_only")
#: Functions that wait for all workers again and again, and the few graphs for their tests.
IN_ROUNDS = ("pagerank", "bfs", "sssp")
OF_ROUNDS = ("many_islands", "parallel_edges", "huge_integers", "directed_cycle")


class DaskCluster:
    """A LocalCluster; its engine, and what the tests need of it."""

    def __init__(self):
        engine = pytest.importorskip("distributed")
        self.cluster = engine.LocalCluster(
            n_workers=WORKERS, threads_per_worker=1, memory_limit="600MB", dashboard_address=":0"
        )
        self.client = engine.Client(self.cluster)
        self.client.wait_for_workers(WORKERS)
        self.engine = wg.dask.DaskEngine(self.client)

    def workers(self):
        # Waits for all, since a worker that is killed while it starts is not started again.
        self.client.wait_for_workers(WORKERS, timeout=60)
        return list(self.client.run(os.getpid, on_error="ignore").values())

    def close(self):
        self.client.close()
        self.cluster.close()


class RayCluster:
    """A local Ray cluster with as many CPUs as workers."""

    def __init__(self):
        self.ray = pytest.importorskip("ray")
        self.ray.init(
            num_cpus=WORKERS,
            num_gpus=WORKERS,  # to be dealt out; none is used
            object_store_memory=200 << 20,
            include_dashboard=False,
            log_to_driver=False,
            logging_level="error",
        )
        self.engine = wg.ray.RayEngine(max_retries=20)

    def workers(self):
        """Return the workers that have run a task."""
        pid = self.ray.remote(lambda: time.sleep(0.05) or os.getpid())
        return list(set(self.ray.get([pid.remote() for _ in range(2 * WORKERS)])))

    def close(self):
        self.ray.shutdown()


@pytest.fixture(scope="module", params=[DaskCluster, RayCluster], ids=["dask", "ray"])
def cluster(request):
    made = request.param()
    yield made
    made.close()


@pytest.mark.parametrize("name", CHECKS)
def test_the_answer_of_one_machine(name, cluster):
    check, takes_negative = CHECKS[name]
    for graph in map(SAMPLES.get, OF_ROUNDS if name in IN_ROUNDS else GRAPHS):
        if takes_negative or graph.nnz == 0 or graph.data.min() >= 0:
            check(cluster.engine, graph)


def write_parquet(folder, n_vertices):
    """Write random edges to Parquet files; return the folder, and the arrays."""
    pyarrow, parquet = pytest.importorskip("pyarrow"), pytest.importorskip("pyarrow.parquet")
    arrays = random_edges(n_vertices, 400_000, seed=3)
    for i, block in enumerate(blocks_of(arrays, 4)):
        table = pyarrow.table(dict(zip(("source", "target", "weight"), block, strict=True)))
        parquet.write_table(table, folder / f"{i}.parquet", row_group_size=25_000)
    return str(folder), arrays


@pytest.fixture
def folder(tmp_path):
    return write_parquet(tmp_path, 20_000)


@pytest.fixture
def dense_folder(tmp_path):
    """Write a graph whose arcs need much more memory than numbers for its vertices."""
    return write_parquet(tmp_path, 1000)


def test_a_worker_that_dies_costs_its_tasks_only(cluster, folder):
    path, (tails, heads, weights) = folder
    whole = wg.Graph.from_edges(tails, heads, weights, n_vertices=20_000)
    expected = wg.minimum_spanning_forest(whole)
    edges = distributed.graph(path, cluster.engine, n_vertices=20_000, n_blocks=12)
    rng = random.Random(0)
    runs = int(os.environ.get("WARPGRAPH_KILLED_RUNS", "3"))
    for _ in range(runs):
        victim = rng.choice(cluster.workers())
        killer = threading.Timer(rng.uniform(0, 0.6), os.kill, (victim, signal.SIGKILL))
        killer.start()
        forest = distributed.minimum_spanning_forest(edges, arity=2)
        killer.join()
        same_forest(forest.gather(), expected)


@pytest.mark.parametrize("name", ["pagerank", "sssp", "connected_components"])
def test_a_worker_that_dies_between_rounds(name, cluster, folder):
    """What the worker kept is computed again from the files, through all rounds before."""
    path, _ = folder
    edges = distributed.graph(path, cluster.engine, n_vertices=20_000)
    call = getattr(distributed, name)
    arguments = [0] if name == "sssp" else []
    started = time.monotonic()
    expected = call(edges, *arguments).gather()
    took = time.monotonic() - started
    rng = random.Random(1)
    for _ in range(2):
        victim = rng.choice(cluster.workers())
        killer = threading.Timer(rng.uniform(0.2, 0.8) * took, os.kill, (victim, signal.SIGKILL))
        killer.start()
        found = call(edges, *arguments).gather()
        killer.cancel()
        assert_array_equal(found, expected)


def test_a_folder_of_parquet_with_names(cluster, folder):
    path, (tails, heads, weights) = folder
    edges = distributed.graph(path, cluster.engine)
    names, ends = np.unique(np.concatenate([tails, heads]), return_inverse=True)
    whole = wg.Graph.from_edges(*np.split(ends, 2), weights, n_vertices=len(names))
    found = distributed.minimum_spanning_forest(edges).gather()
    same_forest(found, wg.minimum_spanning_forest(whole))
    assert found.names.tolist() == names.tolist()
    labels = distributed.connected_components(edges).gather()
    assert_array_equal(labels, wg.connected_components(whole)[1])


def with_little_memory(cluster, limit):
    """Return an engine of the cluster whose tasks may take `limit` bytes."""
    if isinstance(cluster, RayCluster):
        return wg.ray.RayEngine(max_retries=20, memory_limit=limit)
    engine = wg.dask.DaskEngine(cluster.client)
    engine.memory_limit = limit
    return engine


@pytest.mark.timeout(600)
def test_ten_times_what_a_task_may_take(cluster, dense_folder):
    path, arrays = dense_folder
    engine = with_little_memory(cluster, len(arrays[0]) * 24 // 10)
    edges = distributed.graph(path, engine, n_vertices=1000)
    check_all_functions(edges, arrays)


@pytest.mark.timeout(600)
@pytest.mark.parametrize("name", ["pagerank", "sssp"])
def test_a_worker_that_dies_loses_parts(name, cluster, dense_folder):
    """Parts that the worker kept are made again."""
    path, arrays = dense_folder
    engine = with_little_memory(cluster, len(arrays[0]) * 24 // 10)
    edges = distributed.graph(path, engine, n_vertices=1000)
    call = getattr(distributed, name)
    arguments = [0] if name == "sssp" else []
    started = time.monotonic()
    expected = call(edges, *arguments).gather()
    took = time.monotonic() - started
    rng = random.Random(2)
    for part in (0.4, 0.8):
        victim = rng.choice(cluster.workers())
        killer = threading.Timer(part * took, os.kill, (victim, signal.SIGKILL))
        killer.start()
        assert_array_equal(call(edges, *arguments).gather(), expected)
        killer.cancel()


@pytest.mark.large
@pytest.mark.timeout(3600)
def test_a_graph_of_ten_times_the_memory_limit():
    """pytest -m "cluster and large": 3.2 GB of edges by workers of 320 MB."""
    engine, dask = pytest.importorskip("distributed"), pytest.importorskip("dask")
    n, length, limit = 20_000, 250_000, 320_000_000
    n_blocks = 10 * limit // (24 * length) + 1

    def block(i):
        rng = np.random.default_rng(i)
        ends = np.sort(rng.integers(0, n, (length, 2)), axis=1)
        return ends[:, 0].copy(), ends[:, 1].copy(), rng.random(length)

    with (
        engine.LocalCluster(
            n_workers=WORKERS, threads_per_worker=1, memory_limit=limit, dashboard_address=":0"
        ) as cluster,
        engine.Client(cluster) as client,
    ):
        client.wait_for_workers(WORKERS)
        before = set(client.run(os.getpid).values())
        delayed = [dask.delayed(block)(i) for i in range(n_blocks)]
        edges = wg.distributed.graph(delayed, wg.dask.DaskEngine(client), n_vertices=n)
        found = distributed.minimum_spanning_forest(edges).gather()
        degrees = distributed.degrees(edges).gather()
        components = distributed.connected_components(edges).gather()
        with pytest.raises(MemoryError, match="many_to_many keeps the whole graph"):
            distributed.many_to_many(edges, [0])
        options = {"directed": False, "return_predecessors": True}
        searches = {
            function: [
                values.gather() for values in getattr(distributed, function)(edges, 0, **options)
            ]
            for function in ("bfs", "sssp")
        }
        scores = distributed.pagerank(edges).gather()
        assert set(client.run(os.getpid).values()) == before  # none took too much and was ended
    assert degrees.sum() == 2 * n_blocks * length
    assert not components.any()
    expected = wg.SpanningForest(n, [], np.empty(0), np.empty(0, np.int64))
    for i in range(n_blocks):
        tails, heads, weights = block(i)
        ids = np.arange(i * length, (i + 1) * length)
        expected = wg.extend_forest(expected, np.stack([tails, heads], axis=1), weights, ids)
    same_forest(found, expected)
    assert_array_equal(found.edge_ids, expected.edge_ids)
    arrays = map(np.concatenate, zip(*(block(i) for i in range(n_blocks)), strict=True))
    whole = wg.Graph.from_edges(*arrays, n_vertices=n)
    for function, values in searches.items():
        for one, other in zip(values, getattr(wg, function)(whole, 0, **options), strict=True):
            assert_array_equal(one, other)
    assert np.abs(scores - wg.pagerank(whole, method="pull")).sum() < 2e-6


def task_with_three_gpus():
    """Return a task; nested, so that workers need not import this file."""

    def gpu_of_a_task(seconds):
        """Return the process, and which GPU "cuda" means, where three seem to be there."""
        from warpgraph import _core
        from warpgraph._arguments import device as _device

        seen = os.environ.get("CUDA_VISIBLE_DEVICES", "0,1,2")
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(_core, "cuda_device_count", lambda: len(seen.split(",")))
            patch.setattr(_core, "require_device", lambda name: None)
            time.sleep(seconds)  # so that every worker gets a task
            return os.getpid(), _device.resolve("cuda"), seen

    return gpu_of_a_task


def test_gpus_of_a_host_are_dealt_out(cluster):
    """Tasks only tell which GPU they would use."""
    gpu_of_a_task = task_with_three_gpus()
    if isinstance(cluster, RayCluster):  # Ray shows each task the GPUs that it reserves
        engine = wg.ray.RayEngine(gpus_a_task=1)
        found = engine.gather([engine.submit(gpu_of_a_task, 1) for _ in range(WORKERS)])
        assert sorted(seen for _, _, seen in found) == ["0", "1", "2"]
        assert {gpu for _, gpu, _ in found} == {"cuda:0"}
        with pytest.raises(wg.DeviceError, match="no GPU is reserved"):
            cluster.engine.gather([cluster.engine.submit(gpu_of_a_task, 0)])
        return
    for _ in range(2):  # a worker that takes the place of another also takes its GPU
        assert len(cluster.workers()) == WORKERS
        tasks = [cluster.engine.submit(gpu_of_a_task, 0.5) for _ in range(3 * WORKERS)]
        found = {pid: gpu for pid, gpu, _ in cluster.engine.gather(tasks)}
        assert sorted(found.values()) == ["cuda:0", "cuda:1", "cuda:2"]
        del tasks  # else those of the worker that dies would run again
        (victim,) = (pid for pid, gpu in found.items() if gpu == "cuda:1")
        address = {pid: address for address, pid in cluster.client.run(os.getpid).items()}[victim]
        os.kill(victim, signal.SIGKILL)
        while address in cluster.client.scheduler_info(n_workers=-1)["workers"]:
            time.sleep(0.1)


def test_cancelled_tasks_do_not_run(cluster):
    def interrupted():
        with Tasks(cluster.engine) as tasks:
            handles.extend(tasks.submit(time.sleep, 1) for _ in range(300))
            raise KeyboardInterrupt

    started, handles = time.monotonic(), []
    with pytest.raises(KeyboardInterrupt):
        interrupted()
    assert cluster.engine.gather([cluster.engine.submit(max, 1, 2)]) == [2]
    assert time.monotonic() - started < 30


def test_tasks_that_wait_do_not_run_after_ctrl_c(cluster, tmp_path):
    """The engine has several tasks waiting for each worker, each with several results."""

    def touch(i):
        time.sleep(0.2)
        (tmp_path / str(i)).touch()
        return [i, i]

    def interrupted():
        with Tasks(cluster.engine) as tasks:
            handles.extend(tasks.submit(touch, i, pieces=2) for i in range(60))
            time.sleep(1)
            raise KeyboardInterrupt

    handles = []
    with pytest.raises(KeyboardInterrupt):
        interrupted()
    handles.clear()  # Dask runs what these refer to
    time.sleep(3)
    assert cluster.engine.gather([cluster.engine.submit(max, 1, 2)]) == [2]
    assert len(list(tmp_path.iterdir())) < 50


def test_the_example_of_the_documentation(tmp_path, monkeypatch, capsys):
    pytest.importorskip("distributed")
    pytest.importorskip("pyarrow")
    monkeypatch.chdir(tmp_path)
    page = (Path(__file__).parents[2] / "docs" / "distributed.md").read_text(encoding="utf-8")
    (code,) = re.findall(r"^```python\n(.*?)^```", page, re.DOTALL | re.MULTILINE)
    scope = {}
    try:
        exec(compile(code, "distributed.md", "exec"), scope)
    finally:
        scope["client"].close()
        scope["cluster"].close()
    shown = capsys.readouterr().out.splitlines()
    assert shown[0].endswith("6000 vertices with names, 6 blocks of edges>")
    assert shown[1] == "[2000, 2000, 2000]"


# Collections of the engines.


def frame_of(arrays):
    pandas = pytest.importorskip("pandas")
    return pandas.DataFrame(dict(zip(("source", "target", "weight"), arrays, strict=True)))


def collections_of(cluster, frame):
    """Yield collections of the engine with these edges, and what makes a graph of them."""
    tuples = list(frame.itertuples(index=False, name=None))
    if isinstance(cluster, DaskCluster):
        import dask.bag
        import dask.dataframe

        yield dask.dataframe.from_pandas(frame, npartitions=4)
        yield dask.bag.from_sequence(tuples, npartitions=3)
        yield cluster.client.scatter([frame.iloc[:300], frame.iloc[300:]])
    else:
        import ray.data

        yield ray.data.from_pandas(frame).repartition(4)
        yield [ray.put(frame.iloc[:300]), ray.put(frame.iloc[300:])]


def test_collections_in_and_out(cluster):
    arrays = random_edges(300, 900, seed=8)
    frame = frame_of([arrays[0] + 10**12, arrays[1] + 10**12, arrays[2]])
    one = wg.Graph.from_dataframe(frame, source="source", target="target", weight="weight")
    expected = wg.minimum_spanning_forest(one)
    make = wg.dask.graph if isinstance(cluster, DaskCluster) else wg.ray.graph
    for collection in collections_of(cluster, frame):
        edges = make(collection)
        forest = distributed.minimum_spanning_forest(edges)
        same_forest(forest.gather(), expected)
        table = in_memory(forest.collection())
        assert sorted(table["weight"]) == sorted(expected.weights)
        rows = frame.iloc[table["edge"]]
        assert rows["source"].tolist() == table["source"].tolist()
        distances = distributed.many_to_many(edges, one.names[:5].tolist(), one.names.tolist())
        table = in_memory(distances.collection())
        assert table["source"].tolist() == np.repeat(one.names[:5], len(one.names)).tolist()
        assert table["distance"].tolist() == distances.gather().ravel().tolist()
        labels = in_memory(distributed.connected_components(edges).collection())
        assert labels["vertex"].tolist() == one.names.tolist()
        assert labels["component"].tolist() == wg.connected_components(one)[1].tolist()


def test_blocks_of_a_ray_dataset_are_in_its_order(cluster):
    """The first blocks are computed last."""
    if not isinstance(cluster, RayCluster):
        pytest.skip("of Ray alone")
    import ray.data

    def as_edges(batch):
        (i,) = batch["id"].tolist()
        time.sleep(0.5 * (2 - i))
        return {"source": [i], "target": [i + 1], "weight": [0.0]}

    numbers = ray.data.range(3, override_num_blocks=3)
    edges = wg.ray.graph(numbers.map_batches(as_edges, batch_format="numpy"), n_vertices=4)
    forest = distributed.minimum_spanning_forest(edges).gather()
    assert forest.edges.tolist() == [[0, 1], [1, 2], [2, 3]]
    assert forest.edge_ids.tolist() == [0, 1, 2]


def in_memory(collection):
    return collection.compute() if hasattr(collection, "compute") else collection.to_pandas()
