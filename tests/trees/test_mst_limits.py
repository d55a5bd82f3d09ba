"""wg.minimum_spanning_forest: memory limits, progress and Ctrl-C, by each method and on lists."""

import pytest

import checks
import warpgraph as wg
from alarms import alarms
from device_lists import METHODS_OF_FORESTS, over_methods
from graphs import SAMPLES
from test_mst import LISTS

every_method = over_methods(METHODS_OF_FORESTS)


@every_method
def test_memory_limit_too_small(method, device):
    graph = SAMPLES["medium_random"]
    with checks.raises_sentence(MemoryError, "100 bytes", "memory_limit"):
        wg.minimum_spanning_forest(graph, method=method, device=device, memory_limit=100)
    with pytest.raises(ValueError, match="memory_limit must be a positive number"):
        wg.minimum_spanning_forest(graph, device=device, memory_limit=0)
    for enough in (1 << 30, 1 << 63, 10**30):
        wg.minimum_spanning_forest(graph, method=method, device=device, memory_limit=enough)


@every_method
def test_memory_limit_just_suffices(method, device):
    """The number of bytes in the message suffices, and one byte less does not."""
    graph = wg.Graph(SAMPLES["medium_random"])
    with pytest.raises(MemoryError) as caught:
        wg.minimum_spanning_forest(graph, method=method, device=device, memory_limit=1)
    assert "memory_limit" in str(caught.value)
    low, high = 1, 1 << 30
    while high - low > 1:
        middle = (low + high) // 2
        try:
            wg.minimum_spanning_forest(graph, method=method, device=device, memory_limit=middle)
            high = middle
        except MemoryError:
            low = middle
    expected = wg.minimum_spanning_forest(graph, device=device)
    tight = wg.minimum_spanning_forest(graph, method=method, device=device, memory_limit=high)
    assert tight.edge_ids.tolist() == expected.edge_ids.tolist()


def test_memory_limit_of_several_devices():
    graph = wg.generators.grid(100, 100, seed=1)
    wg.minimum_spanning_forest(graph, device=["cpu"] * 3, memory_limit=1 << 28)
    for limit in (1, 1 << 10, 1 << 16):
        with checks.raises_sentence(MemoryError, "bytes"):
            wg.minimum_spanning_forest(graph, device=["cpu"] * 3, memory_limit=limit)


@over_methods(METHODS_OF_FORESTS + [(names, "filter") for names in LISTS])
def test_progress(method, device):
    for graph in (SAMPLES["medium_random"], wg.generators.grid(60, 60, seed=1)):
        reports = []
        wg.minimum_spanning_forest(
            graph,
            method=method,
            device=device,
            progress=lambda *report, to=reports: to.append(report),
        )
        assert reports
        assert reports[-1][0] == reports[-1][1]
        assert reports == sorted(reports)
        assert len({total for _, total in reports}) == 1
    with pytest.raises(TypeError, match="progress"):
        wg.minimum_spanning_forest(SAMPLES["path"], device=device, progress=3)


@every_method
def test_progress_that_raises_ends_the_call(method, device):
    def refuse(done, total):
        raise RuntimeError("enough")

    with pytest.raises(RuntimeError, match="enough"):
        wg.minimum_spanning_forest(
            SAMPLES["medium_random"], method=method, device=device, progress=refuse
        )


class Interrupted(Exception):  # noqa: N818
    pass


@every_method
def test_interrupted(method, device):
    def stop(signum, frame):
        raise Interrupted

    def work_for_ever():
        while True:
            wg.minimum_spanning_forest(graph, method=method, device=device)

    graph = wg.generators.rmat(14, edge_factor=30, seed=1, weights="uniform")
    expected = wg.minimum_spanning_forest(graph, device=device).edge_ids
    with pytest.raises(Interrupted), alarms(stop, 0.005):
        work_for_ever()
    again = wg.minimum_spanning_forest(graph, method=method, device=device)
    assert (again.edge_ids == expected).all()
