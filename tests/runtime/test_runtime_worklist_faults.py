"""Distributed worklists: bad arguments, wrong results of callbacks, errors, Ctrl-C."""

import time

import numpy as np
import pytest

import graphs
import oracles
from alarms import alarms, interrupt
from checks import raises_sentence
from runtime_support import FailsError, over_sizes, raises_soon
from warpgraph import runtime
from worklist_support import ITEM, FilteredSearch, Search

POLICIES = (runtime.all_to_all, runtime.ring)
CALLBACKS = ("process", "owner", "on_send", "on_receive", "pack", "unpack", "priority")
GRAPH = graphs.SAMPLES["grid"]

pytestmark = pytest.mark.usefixtures("no_gc_callbacks")
over_policies = pytest.mark.parametrize("policy", POLICIES, ids=lambda policy: policy.name)


def assert_searches(n):
    found = FilteredSearch(GRAPH, n).run(0)
    np.testing.assert_array_equal(found, oracles.distances(GRAPH, 0))


def searching_with(name, callback, n, policy, calls_before=0):
    """Return a search, one of whose callbacks is replaced after some calls."""
    application = Search if name == "owner" else FilteredSearch  # other callbacks would replace it
    search = application(
        GRAPH, n, policy=policy, priority=lambda items: items["vertex"].astype(np.int64)
    )
    callbacks = search.worklist._callbacks.given
    right, calls = callbacks[name], []

    def replaced(*arguments):
        calls.append(arguments)
        return (right if len(calls) <= calls_before else callback)(*arguments)

    callbacks[name] = replaced
    return search


def run_of(search):
    seeds = np.array([(0, 0.0)], ITEM)
    return search.context, search.worklist.work, lambda: search.worklist.start(seeds)


@over_sizes
@over_policies
@pytest.mark.parametrize("calls_before", [0, 1, 5])
@pytest.mark.parametrize("name", CALLBACKS)
def test_a_callback_that_raises(name, calls_before, policy, n):
    def fail(*arguments):
        raise FailsError(f"in {name}")

    if n == 1 and name in ("on_receive", "pack", "unpack"):
        calls_before = 0  # only the seed travels
    search = searching_with(name, fail, n, policy, calls_before)
    raises_soon(FailsError, f"in {name}", *run_of(search))
    assert_searches(n)


def without_last(items):
    return items["vertex"][1:].astype(np.int64)


WRONG = [
    (
        "process",
        lambda w, x: 3,
        TypeError,
        "what process returns must be an array of .*, got 3",
    ),
    ("process", lambda w, x: x["vertex"], TypeError, "dtype .*, got one of dtype int32"),
    ("process", lambda w, x: x[:, None], ValueError, r"in one dimension, got shape \(1, 1\)"),
    ("process", lambda w, x: np.zeros((), ITEM), ValueError, r"in one dimension, got shape \(\)"),
    ("owner", lambda x: x["vertex"] * 0 + 9, ValueError, r"ranks of workers, 0..2, got 9 for .*\("),
    ("owner", lambda x: x["vertex"] * 0 - 1, ValueError, "owner must return ranks .*, got -1 for"),
    ("owner", lambda x: x["distance"], TypeError, "owner must return integers, .* dtype float64"),
    ("owner", lambda x: x["vertex"] >= 0, TypeError, "owner must return integers, .* dtype bool"),
    ("owner", without_last, ValueError, "must have an entry for each of 1 items, got 0 entries"),
    ("owner", lambda x: None, TypeError, "what owner returns must be an array, got None"),
    ("on_send", lambda w, x: x["vertex"] * 0 + 4, ValueError, "return Flags, 0..3, got 4 for"),
    ("on_send", lambda w, x: [1] * len(x), TypeError, "what on_send returns must be an array, got"),
    ("on_receive", lambda w, x: x["vertex"] * 0 - 1, ValueError, "return Flags, 0..3, got -1 for"),
    ("on_receive", lambda w, x: np.ones(9), ValueError, "each of 1 items, got 9 entries"),
    ("pack", lambda x: x, TypeError, "what pack returns must be an array of dtype .*got one of"),
    ("pack", lambda x: np.zeros(7, FilteredSearch.REMOTE), ValueError, "got 7 entries"),
    ("unpack", lambda x: x["vertex"], TypeError, "what unpack returns must be .*got one of dtype"),
    ("unpack", lambda x: np.zeros(0, ITEM), ValueError, "of 1 items, got 0 entries"),
    ("priority", lambda x: x["distance"], TypeError, "priority must return integers, got an array"),
    ("priority", lambda x: np.full(len(x), 2**63, "u8"), ValueError, "got 9223372036854775808 for"),
    ("priority", lambda x: x["vertex"].reshape(1, -1), ValueError, "got shape"),
]


@over_policies
@pytest.mark.parametrize(
    ("name", "callback", "error", "match"),
    WRONG,
    ids=[f"{i} {row[0]}" for i, row in enumerate(WRONG)],
)
def test_a_callback_that_returns_something_wrong(name, callback, error, match, policy):
    raises_soon(error, match, *run_of(searching_with(name, callback, 3, policy)))
    assert_searches(3)


def test_masked_items():
    def masked(worker, items):
        return np.ma.array(np.zeros(3, ITEM), mask=[(0, 0), (0, 1), (0, 0)])

    search = searching_with("process", masked, 2, runtime.ring)
    raises_soon(TypeError, "must be an array of dtype .*, got masked_array", *run_of(search))


@over_sizes
def test_an_item_that_nobody_keeps(n):
    search = searching_with("on_receive", lambda w, x: np.full(len(x), 2), n, runtime.ring)
    sentence = r"passes on the item \(0.0, 0, b'abc'\) after every worker has seen it: on_receive"
    raises_soon(ValueError, sentence, *run_of(search))


@over_sizes
def test_an_owner_that_passes_on(n):
    search = searching_with("on_receive", lambda w, x: np.full(len(x), 3), n, runtime.all_to_all)
    sentence = r"endpoint 0 .cpu. passes on the item .* after it has reached its owner: on_receive"
    raises_soon(ValueError, sentence, *run_of(search))


@pytest.mark.parametrize(
    ("seeds", "error", "sentence"),
    [
        ([(0, 0.0)], TypeError, "seeds must be an array of dtype"),
        (np.zeros(1), TypeError, "got one of dtype float64"),
        (np.zeros((1, 1), ITEM), ValueError, "in one dimension, got shape"),
        (np.array([(-1, 0.0)], ITEM), ValueError, "owner must return ranks"),
    ],
)
def test_wrong_seeds(seeds, error, sentence):
    search = Search(GRAPH, 2, owner=lambda items: items["vertex"])
    raises_soon(
        error, sentence, search.context, search.worklist.work, lambda: search.worklist.start(seeds)
    )


@over_sizes
def test_a_source_that_does_not_start(n):
    search = Search(GRAPH, n)
    error = raises_soon(RuntimeError, "no endpoint", search.context, search.worklist.work)
    assert "endpoint 0 (cpu) waits to receive from router 'worklist'" in str(error)


def test_a_worker_that_does_not_work():
    search = Search(GRAPH, 3)

    def work(endpoint):
        if endpoint.id != 1:
            search.worklist.work(endpoint)

    raises_soon(RuntimeError, "no endpoint can", search.context, work, run_of(search)[2])


def test_an_endpoint_that_is_no_worker():
    context = runtime.Context(["cpu"] * 2)
    first, second = context.endpoints
    worklist = runtime.DistributedWorklist(
        context.host, [first], np.int64, lambda *_: None, owner=lambda items: items
    )
    for other in (second, context.host, 3):
        with pytest.raises(ValueError, match="is not one of the workers of the worklist"):
            worklist.work(other)


def make(context, workers=None, dtype=np.int64, process=print, **options):
    options = {"owner": len, **options}
    given = context.endpoints if workers is None else workers
    return runtime.DistributedWorklist(context.host, given, dtype, process, **options)


BAD = [
    ({"workers": []}, ValueError, "workers is an empty list; name at least one endpoint"),
    ({"workers": [3]}, TypeError, "workers[0] must be an endpoint or a router, got 3"),
    ({"dtype": object}, TypeError, "got <class 'object'>"),
    ({"dtype": None}, TypeError, "got None"),
    ({"dtype": [("a", "O")]}, TypeError, "got [('a', 'O')]"),
    ({"dtype": ("i4", 3)}, TypeError, "got ('i4', 3)"),
    ({"dtype": "S0"}, TypeError, "got 'S0'"),
    ({"dtype": "nonsense"}, TypeError, "got 'nonsense'"),
    ({"process": None}, TypeError, "process must be a function, got None"),
    ({"owner": 3}, TypeError, "owner must be a function, got 3"),
    ({"priority": "x"}, TypeError, "priority must be a function, got 'x'"),
    ({"owner": None}, ValueError, "the policy all_to_all needs owner"),
    ({"owner": None, "policy": runtime.ring}, ValueError, "owner is missing; without it, on_send"),
    (
        {"remote_dtype": "i4"},
        ValueError,
        "items are of dtype int64 and travel as int32,",
    ),
    (
        {"policy": runtime.gather},
        ValueError,
        "policy must be all_to_all or ring, got",
    ),
    ({"batch": 0}, ValueError, "batch must be at least 1, got 0"),
    ({"packet_size": 7}, ValueError, "packet_size must be in 8..4611686018427387904, got 7"),
    ({"step": -1}, ValueError, "step must be in 0..9223372036854775807, got -1"),
    ({"first_threshold": 0.5}, TypeError, "first_threshold must be an integer, got 0.5"),
]


@pytest.mark.parametrize(("options", "error", "sentence"), BAD, ids=range(len(BAD)))
def test_bad_arguments(options, error, sentence):
    context = runtime.Context(["cpu"] * 2)
    with pytest.raises(error) as caught:
        make(context, **options)
    assert sentence in str(caught.value)
    make(context)  # the context is as it was


def test_bad_endpoints():
    context, other = runtime.Context(["cpu"] * 2), runtime.Context(["cpu"])
    first = context.endpoints[0]
    router = runtime.Router(context, 1, 1, runtime.gather, name="r")
    with raises_sentence(ValueError, "workers names endpoint 0 (cpu) twice"):
        make(context, [first, first])
    with raises_sentence(ValueError, "the host is the source and cannot be a worker, too"):
        make(context, [first, context.host])
    with raises_sentence(ValueError, "workers[0] is router 'r', which has no thread"):
        make(context, [router])
    with raises_sentence(
        ValueError, "workers[1] is endpoint 0 (cpu), which belongs to another context"
    ):
        make(context, [first, *other.endpoints])
    for source in (3, None):
        with raises_sentence(TypeError, f"source must be an endpoint, got {source}"):
            runtime.DistributedWorklist(source, [first], "i4", print, owner=len)


@over_sizes
@over_policies
@pytest.mark.parametrize("where", ["waiting", "in Python", "between batches", "in a library"])
def test_ctrl_c(where, policy, n):
    def process(worker, items):
        deadline = time.perf_counter() + 10
        while where == "in Python" and time.perf_counter() < deadline:
            pass
        if where == "in a library":
            time.sleep(0.3)
        if where == "waiting":  # as the other workers do
            while time.perf_counter() < deadline:
                time.sleep(0.01)
        return items + 1

    context = runtime.Context(["cpu"] * n)
    worklist = make(context, process=process, owner=lambda items: items % n, policy=policy)
    with alarms(interrupt, 0.1):
        start = np.array([0])
        raises_soon(KeyboardInterrupt, None, context, worklist.work, lambda: worklist.start(start))
    assert_searches(n)
