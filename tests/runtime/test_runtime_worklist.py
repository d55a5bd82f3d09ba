"""wg.runtime.DistributedWorklist: searches against oracles; each item is processed once."""

import gc
import itertools
import weakref

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st

import graphs
import oracles
import warpgraph as wg
from checks import raises_sentence
from device_lists import GPUS, on_one_gpu
from runtime_support import SIZES, over_sizes
from warpgraph import runtime
from warpgraph.runtime import Flags
from worklist_support import FilteredSearch, Search

POLICIES = (runtime.all_to_all, runtime.ring)

over_policies = pytest.mark.parametrize("policy", POLICIES, ids=lambda policy: policy.name)
over_searches = pytest.mark.parametrize("search", [Search, FilteredSearch])


def whole_distance(items):
    """Return distances without their fractions, as integers of 64 bits."""
    return np.minimum(items["distance"], 2.0**62).astype(np.int64)


#: Options of worklists: without priorities, one distance at a time, wider buckets, all in the end.
SCHEDULES = {
    "at once": {},
    "strict": {"priority": whole_distance},
    "buckets": {"priority": whole_distance, "first_threshold": 2, "step": 3},
    "one step": {"priority": whole_distance, "first_threshold": -1, "step": 2**63 - 1},
    "small": {"batch": 3, "packet_size": 64},
}
over_schedules = pytest.mark.parametrize("schedule", SCHEDULES.values(), ids=SCHEDULES)


def has_vertices(graph):
    return graph.shape[0] > 0


@over_sizes
@over_policies
@over_searches
@graphs.over_samples(negative=False, only=has_vertices)
def test_shortest_paths(graph, search, policy, n):
    expected = oracles.distances(graph, 0)
    for schedule in (SCHEDULES["at once"], SCHEDULES["buckets"]):
        found = search(graph, n, policy=policy, **schedule).run(0)
        np.testing.assert_array_equal(found, expected)


@over_sizes
@over_policies
@over_searches
@over_schedules
@pytest.mark.parametrize("name", ["grid", "long_thin", "medium_directed"])
def test_hops(name, schedule, search, policy, n):
    graph = graphs.SAMPLES[name]
    found = search(graph, n, unweighted=True, policy=policy, **schedule).run(7)
    expected = oracles.hops(graph, 7)
    np.testing.assert_array_equal(found, np.where(expected < 0, np.inf, expected))


@settings(max_examples=150)
@given(
    graphs.graphs_with_source(dtypes=(np.float64, np.int32)),
    st.integers(1, 4),
    st.sampled_from(POLICIES),
    st.sampled_from([Search, FilteredSearch]),
    st.sampled_from(list(SCHEDULES)),
)
def test_shortest_paths_of_random_graphs(case, n, policy, search, schedule):
    graph, source = case
    found = search(graph, n, policy=policy, **SCHEDULES[schedule]).run(source)
    np.testing.assert_array_equal(found, oracles.distances(graph, source))


@over_sizes
@over_policies
def test_soft_priority_saves_work(policy, n):
    """A path with chords, each of them longer than the path between its ends."""
    length = 200
    path = [(v, v + 1, 1.0) for v in range(length - 1)]
    graph = graphs.csr(length, [*path, *((0, v, 3.0 * v) for v in range(2, length))])
    at_once = Search(graph, n, policy=policy)
    np.testing.assert_array_equal(at_once.run(0), np.arange(length))
    strict = Search(graph, n, policy=policy, **SCHEDULES["strict"])
    np.testing.assert_array_equal(strict.run(0), np.arange(length))
    # Only items that are as near as the nearest are processed: each vertex has its last distance.
    assert sum(strict.expanded) == length
    assert sum(at_once.expanded) > 2 * length


class Numbers:
    """Number x makes 3 x + 1, 3 x + 2 and 3 x + 3, and belongs to the worker of rank x % n."""

    END = 3000

    def __init__(self, n, dtype=np.int64, **options):
        self.n, self.dtype = n, np.dtype(dtype)
        self.processed = [[] for _ in range(n)]
        self.context = runtime.Context(["cpu"] * n)
        options = {"owner": self.owner, **options}
        ends = self.context.host, self.context.endpoints
        self.worklist = runtime.DistributedWorklist(*ends, dtype, self.process, **options)

    def values(self, items):
        return items if self.dtype.names is None else items["x"]

    def items(self, numbers):
        items = np.zeros(len(numbers), self.dtype)
        self.values(items)[:] = numbers
        return items

    def owner(self, items):
        return self.values(items) % self.n

    def process(self, worker, items):
        assert items.dtype == self.dtype
        numbers = self.values(items)
        assert (numbers % self.n == worker).all()
        self.processed[worker].extend(numbers.tolist())
        made = (3 * numbers[:, None] + np.arange(1, 4)).ravel()
        return self.items(made[made < self.END]) if made.min() < self.END else None

    def run(self, seeds=(0,)):
        seeds = self.items(seeds)
        self.context.run(self.worklist.work, lambda: self.worklist.start(seeds))
        return sorted(itertools.chain(*self.processed))


@over_sizes
@over_policies
@pytest.mark.parametrize("options", [{}, {"batch": 1, "packet_size": 50}], ids=["large", "small"])
@pytest.mark.parametrize("with_priority", [False, True])
def test_each_item_is_processed_once(with_priority, options, policy, n):
    if with_priority:
        schedule = {"priority": np.negative, "first_threshold": -2000, "step": 100}
        options = {**options, **schedule}
    assert Numbers(n, policy=policy, **options).run() == list(range(Numbers.END))


PADDED = np.dtype([("name", "S5"), ("x", "<i8"), ("part", "f4", (3,))], align=True)


@over_policies
@pytest.mark.parametrize("dtype", ["i2", ">i4", "u8", PADDED], ids=["i2", ">i4", "u8", "padded"])
def test_dtypes(dtype, policy):
    numbers = Numbers(3, dtype, policy=policy, packet_size=60)
    assert numbers.run() == list(range(Numbers.END))


@over_sizes
@over_policies
def test_no_seeds(policy, n):
    assert Numbers(n, policy=policy).run([]) == []
    assert Numbers(n, policy=policy, priority=lambda items: items).run([]) == []


@over_sizes
def test_both_keeps_and_passes(n):
    """Each worker keeps each item and passes it on; the last one keeps it."""
    visits = np.zeros(100, int)

    def on_receive(worker, items):
        visits[items] += 1  # an item is in one place at a time
        return np.where(visits[items] == n, Flags.KEEP, Flags.BOTH)

    def drop(worker, items):
        return np.full(len(items), Flags.DROP)

    def process(worker, items):
        processed[worker] += items.tolist()
        return items

    processed = [[] for _ in range(n)]
    context = runtime.Context(["cpu"] * n)
    worklist = runtime.DistributedWorklist(
        context.host,
        context.endpoints,
        np.int64,
        process,
        on_send=drop,
        on_receive=on_receive,
        policy=runtime.ring,
        packet_size=80,
    )
    context.run(worklist.work, lambda: worklist.start(np.arange(100)))
    assert [sorted(of_worker) for of_worker in processed] == [list(range(100))] * n


@over_sizes
def test_both_on_sending(n):
    """An item that 0 makes is kept there and sent to its owner."""
    seen = []

    def process(worker, items):
        seen.extend((worker, x) for x in items.tolist())
        return np.arange(1, n) if items[0] == 0 else None

    context = runtime.Context(["cpu"] * n)
    worklist = runtime.DistributedWorklist(
        context.host,
        context.endpoints,
        np.int64,
        process,
        owner=lambda items: items,
        on_send=lambda worker, items: np.full(len(items), Flags.BOTH),
    )
    context.run(worklist.work, lambda: worklist.start(np.array([0])))
    both = [pair for x in range(1, n) for pair in ((0, x), (x, x))]
    assert sorted(seen) == sorted([(0, 0), *both])


def test_arrays_may_change_after_callbacks_have_returned():
    """Seeds, results of process and packed items are copied."""
    scratch = np.zeros(2, np.int64)
    found = []

    def process(worker, items):
        found.extend(items.tolist())
        scratch[:] = items[0] + 1, items[0] + 2
        return scratch if items[0] == 0 else None

    def pack(items):
        wire[: len(items)] = items
        return wire[: len(items)][::-1][::-1]

    wire = np.zeros(10, np.int64)
    context = runtime.Context(["cpu"] * 2)
    options = {"owner": lambda items: items % 2, "pack": pack, "batch": 1}
    ends = context.host, context.endpoints
    worklist = runtime.DistributedWorklist(*ends, np.int64, process, **options)

    def start():
        seeds = np.array([0])
        worklist.start(seeds)
        seeds[:] = wire[:] = 99

    context.run(worklist.work, start)
    assert sorted(found) == [0, 1, 2]


@over_policies
def test_the_host_may_be_a_worker_and_an_endpoint_the_source(policy):
    context = runtime.Context(["cpu"] * 3)
    source, *others = context.endpoints
    workers = [others[1], context.host, others[0]]
    seen = {rank: [] for rank in range(3)}

    def process(worker, items):
        seen[worker] += items.tolist()
        return items[items < 29] + 1

    worklist = runtime.DistributedWorklist(
        source, workers, np.int64, process, owner=lambda items: items % 3, policy=policy
    )

    def act(endpoint):
        if endpoint == source:
            worklist.start(np.array([0]))
        else:
            worklist.work(endpoint)

    context.run(act, lambda: worklist.work(context.host))
    assert seen == {rank: list(range(rank, 30, 3)) for rank in range(3)}


@over_sizes
def test_worklists_one_after_another_in_one_run(n):
    """The second one begins with what the first one has found, and other links go beside them."""
    first, second = Numbers(n), Numbers(n)
    second.context = first.context
    ends = first.context.host, first.context.endpoints
    options = {"owner": second.owner, "policy": runtime.ring}
    second.worklist = runtime.DistributedWorklist(*ends, np.int64, second.process, **options)
    gather = runtime.Router(first.context, n, 1, runtime.gather)
    results = {e: runtime.Link(e, gather) for e in first.context.endpoints}
    collected = runtime.Link(gather, first.context.host)

    def work(endpoint):
        first.worklist.work(endpoint)
        results[endpoint].send([len(first.processed[endpoint.id])])
        results[endpoint].shutdown()
        second.worklist.work(endpoint)

    def feed():
        first.worklist.start(np.array([0]))
        total = sum(int(segment.values[0]) for segment in collected)
        second.worklist.start(np.array([total - 1]))

    first.context.run(work, feed)
    assert sorted(itertools.chain(*first.processed)) == list(range(Numbers.END))
    assert sorted(itertools.chain(*second.processed)) == [Numbers.END - 1]


def test_a_worklist_runs_once():
    numbers = Numbers(2)
    numbers.run()
    with raises_sentence(ValueError, "a context runs once: make a new one"):
        numbers.run()
    with raises_sentence(RuntimeError, "start was called before: a worklist starts and ends once"):
        numbers.worklist.start(numbers.items([]))
    assert Numbers(2).run() == list(range(Numbers.END))


@pytest.mark.parametrize("fails", [False, True])
@over_policies
def test_nothing_is_kept(policy, fails):
    """Arrays, contexts and worklists are freed, although callbacks refer to the worklist."""

    class Array(np.ndarray):
        pass

    def make():
        search = Search(graphs.SAMPLES["grid"], 3, policy=policy)
        search.distances = search.distances.view(Array)
        if fails:
            search.n = 4  # there is no rank 3
            with pytest.raises((ValueError, AssertionError)):
                search.run(0)
        else:
            search.run(0)
        kept = (search.context, search.worklist, search.distances)
        return [weakref.ref(item) for item in kept]

    references = make()
    gc.collect()
    assert [reference() for reference in references] == [None] * 3


def test_a_worklist_that_never_runs_is_freed():
    numbers = Numbers(3)
    references = [weakref.ref(item) for item in (numbers.context, numbers.worklist)]
    del numbers
    gc.collect()
    assert [reference() for reference in references] == [None] * 2


# The example application in C++.

LISTS = [["cpu"] * n for n in SIZES] + on_one_gpu(1, 2, 3) + [GPUS] * (len(GPUS) > 1)
over_lists = pytest.mark.parametrize("devices", LISTS, ids=str)


def paths(devices, graph, source=0):
    endpoints = runtime.Context(devices).endpoints
    return runtime.DistributedWorklist.shortest_paths(endpoints, graph, source)


@over_lists
@graphs.over_samples(negative=False, only=has_vertices)
def test_the_example_finds_shortest_paths(graph, devices):
    found = paths(devices, graph)
    expected = wg.sssp(graph, 0, device="cpu")
    assert found.dtype == expected.dtype
    np.testing.assert_array_equal(found, expected)


@over_lists
@pytest.mark.parametrize("dtype", [np.float32, np.float64, np.int32])
def test_the_example_on_weights_far_apart(devices, dtype):
    n = 300
    weights = np.where(np.arange(n - 1) % 5 == 0, 1e6, 1).astype(dtype)
    graph = wg.Graph.from_edges(np.arange(n - 1), np.arange(1, n), weights, n_vertices=n)
    for source in (0, n // 2):
        expected = wg.sssp(graph, source, device="cpu")
        np.testing.assert_array_equal(paths(devices, graph, source), expected)


def test_errors_of_the_example():
    grid = wg.generators.grid(3, 3, seed=0)
    with raises_sentence(ValueError, "entry (0, 1)", "negative", "at least 0"):
        paths(["cpu"], graphs.csr(3, [(0, 1, -1)]))
    with raises_sentence(ValueError, "source", "9"):
        paths(["cpu"] * 2, grid, 9)
    with raises_sentence(ValueError, "workers is an empty list"):
        runtime.DistributedWorklist.shortest_paths([], grid, 0)
    with raises_sentence(TypeError, "workers[0] must be an endpoint, got 'cpu'"):
        runtime.DistributedWorklist.shortest_paths(["cpu"], grid, 0)


@pytest.mark.cuda
def test_workers_of_the_example_are_of_one_kind():
    with raises_sentence(ValueError, "must all be on the host or all on GPUs", "['cpu', 'cuda:0']"):
        paths(["cpu", "cuda:0"], wg.generators.grid(3, 3, seed=0))
