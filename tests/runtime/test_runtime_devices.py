"""Endpoints of the runtime on GPUs, which receive CuPy arrays."""

import numpy as np
import pytest

import warpgraph as wg
from warpgraph import runtime

cupy = pytest.importorskip("cupy")
pytestmark = pytest.mark.cuda

GPUS = wg.devices()[1:]
#: Several endpoints on one GPU, one on each, and unlike ones.
DEVICES = [["cuda:0"], ["cuda:0"] * 3, GPUS, ["cpu", "cuda:0", "cpu"], ["cpu", *GPUS]]
over_devices = pytest.mark.parametrize("devices", DEVICES, ids=str)


def star(context, policy, *, from_host, packet=4096):
    """Return the host's link and that of each endpoint."""
    n = len(context.endpoints)
    router = runtime.Router(context, *((1, n) if from_host else (n, 1)), policy)
    ends = [(context.host, router), (router, context.host)]
    host = runtime.Link(*ends[0 if from_host else 1], packet)
    endpoints = {
        e: runtime.Link(*((router, e) if from_host else (e, router)), packet)
        for e in context.endpoints
    }
    return host, endpoints


def library_of(endpoint):
    return np if endpoint.device == "cpu" else cupy


@over_devices
@pytest.mark.parametrize("on_gpu", [False, True], ids=["NumPy", "CuPy"])
def test_filter_on_whichever_is_available(devices, on_gpu):
    values = np.random.default_rng(0).integers(0, 1000, 100_000)
    context = runtime.Context(devices)
    distribute, inputs = star(context, runtime.any_available, from_host=True)
    collect, outputs = star(context, runtime.gather, from_host=False)

    def work(endpoint):
        for segment in inputs[endpoint]:
            assert isinstance(segment.values, library_of(endpoint).ndarray)
            passed = segment.values[segment.values < 100]
            outputs[endpoint].send(passed, metadata=segment.offset)

    def feed():
        distribute.send(cupy.asarray(values) if on_gpu else values)
        distribute.shutdown()
        parts = sorted(((s.metadata, s.values) for s in collect), key=lambda part: part[0])
        return np.concatenate([passed for _, passed in parts])

    np.testing.assert_array_equal(context.run(work, feed), values[values < 100])


@over_devices
def test_segments_are_forwarded_from_one_to_the_next(devices):
    values = np.random.default_rng(1).random(50_000)
    context = runtime.Context(devices)
    stations = [context.host, *context.endpoints]
    links = [
        runtime.Link(*ends, 1 << 14)
        for ends in zip(stations, [*stations[1:], stations[0]], strict=True)
    ]

    def pass_on(endpoint):
        while (pending := links[endpoint.id].receive()) is not None:
            pending.forward(links[endpoint.id + 1])

    def feed():
        links[0].send(values)
        links[0].shutdown()
        return np.concatenate([segment.values for segment in links[-1]])

    np.testing.assert_array_equal(context.run(pass_on, feed), values)


def test_kernels_of_the_sender_come_before_the_copy():
    context = runtime.Context(["cuda:0", GPUS[-1]])
    first, second = context.endpoints
    there, back = runtime.Link(first, second, 1 << 24), runtime.Link(second, context.host, 1 << 24)

    def work(endpoint):
        if endpoint is first:
            x = cupy.zeros(1 << 20)
            for _ in range(200):
                x += 1
            there.send(x)
        else:
            for segment in there:
                back.send(segment.values * 2)

    def collect():
        return np.concatenate([segment.values for segment in back])

    np.testing.assert_array_equal(context.run(work, collect), np.full(1 << 20, 400.0))


@over_devices
def test_errors_end_the_run(devices):
    context = runtime.Context(devices)
    distribute, inputs = star(context, runtime.any_available, from_host=True)

    def work(endpoint):
        for segment in inputs[endpoint]:
            raise ZeroDivisionError(f"{segment.n_items} items")

    with pytest.raises(ZeroDivisionError, match="items"):
        context.run(work, lambda: distribute.send(np.arange(100_000)).wait())


def test_endpoints_know_their_devices():
    context = runtime.Context(["cpu", "cuda"])
    assert [endpoint.device for endpoint in context.endpoints] == ["cpu", "cuda:0"]
    assert context.host.device == "cpu"
    assert len(runtime.Context("cuda:all").endpoints) == len(GPUS)


@pytest.mark.parametrize(
    "device", ["auto", "cuda:0", ["cuda:0"] * 2, "cpu", ["cpu", GPUS[-1]]], ids=str
)
def test_predicate_filter_of_cupy_arrays(device):
    values = np.random.default_rng(2).integers(-100, 100, 300_000).astype(np.int16)
    found = wg.predicate_filter(cupy.asarray(values), -20, 30.5, device=device)
    assert isinstance(found, cupy.ndarray)
    np.testing.assert_array_equal(found.get(), values[(values >= -20) & (values <= 30)])
    assert len(wg.predicate_filter(cupy.asarray(values), 20, 10, device=device)) == 0
    np.testing.assert_array_equal(wg.predicate_filter(cupy.asarray(values)).get(), values)


@pytest.mark.parametrize("device", ["auto", ["cuda:0"] * 2, "cpu", ["cpu", GPUS[-1]]], ids=str)
@pytest.mark.parametrize("bounds", [(-20, 30), (None, None), (20, 10)], ids=str)
def test_predicate_filter_into_cupy_arrays(bounds, device):
    values = np.random.default_rng(2).integers(-100, 100, 300_000).astype(np.float32)
    low, high = (-100 if bounds[0] is None else bounds[0]), (bounds[1] or 100)
    want = values[(values >= low) & (values <= high)]
    array = cupy.asarray(values)
    for size in (len(want), len(want) + 7, len(values) + 7):
        out = cupy.full(size, 777, np.float32)
        reports = []
        found = wg.predicate_filter(
            array, *bounds, out=out, progress=lambda *r, into=reports: into.append(r), device=device
        )
        assert isinstance(found, cupy.ndarray)
        assert reports[-1] == (len(values), len(values))
        np.testing.assert_array_equal(out.get(), [*want, *[777] * (size - len(want))])
        np.testing.assert_array_equal(found.get(), want)
    if len(want) > 0:
        out = cupy.full(len(want) + 2, 777, np.float32)
        with pytest.raises(ValueError, match=f"room for {len(want) - 1} .* but {len(want)} pass"):
            wg.predicate_filter(array, *bounds, out=out[: len(want) - 1], device=device)
        np.testing.assert_array_equal(out.get(), [*want[:-1], 777, 777, 777])


def test_what_predicate_filter_cannot_write_to():
    values = cupy.arange(10.0)
    for out, error, sentence in [
        (np.empty(10), TypeError, "out must be an array on cuda:0"),
        (values, ValueError, "out shares memory with values"),
        (values[3:], ValueError, "out shares memory with values"),
        (cupy.empty(10, np.float32), ValueError, "out must be an array of shape"),
        (cupy.empty((5, 2)), ValueError, "out must be an array of shape"),
        (cupy.empty(20)[::2], ValueError, "out must be C-contiguous"),
    ]:
        with pytest.raises(error, match=sentence):
            wg.predicate_filter(values, 3, out=out)
    with pytest.raises(ValueError, match="out lies on cuda:0, but values"):
        wg.predicate_filter(np.arange(10.0), 3, out=values)
    with pytest.raises(MemoryError, match="memory_limit"):
        wg.predicate_filter(values, 3, memory_limit=79)
