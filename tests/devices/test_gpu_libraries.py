"""Arrays of CuPy, PyTorch, JAX and Numba on a GPU, in place and on the streams of their owners."""

import gc
import os

import numpy as np
import pytest

import checks
import warpgraph as wg
from graphs import SAMPLES
from sssp_support import assert_same
from warpgraph import _core

GPU = next(iter(wg.devices()[1:]), None)
pytestmark = [
    pytest.mark.skipif(GPU is None, reason="there is no GPU"),
    pytest.mark.filterwarnings("ignore"),  # of the libraries
]

POINTS = np.random.default_rng(0).random((2000, 3))
MATRIX = SAMPLES["medium_random"]
os.environ.setdefault("XLA_PYTHON_CLIENT_PREALLOCATE", "false")  # JAX takes most memory otherwise
CYCLES = 400_000_000  # a fifth of a second


def test_points_of_torch():
    torch = pytest.importorskip("torch")
    points = torch.from_numpy(POINTS).cuda()
    expected = wg.cluster.euclidean_mst(POINTS)
    assert_same(wg.cluster.euclidean_mst(points).weights, expected.weights)
    assert _core.take_array(points).__cuda_array_interface__["data"][0] == points.data_ptr()
    assert_same(wg.cluster.euclidean_mst(torch.from_numpy(POINTS)).weights, expected.weights)
    for wrong in (points.bfloat16(), points.to(torch.complex64)):
        with pytest.raises(TypeError, match=r"bfloat16|complex64"):
            wg.cluster.euclidean_mst(wrong)
    with checks.raises_sentence(ValueError, "C-contiguous", "strides"):
        wg.cluster.euclidean_mst(points.T)
    with pytest.raises((BufferError, RuntimeError), match="grad"):
        wg.cluster.euclidean_mst(points.clone().requires_grad_())


def test_results_in_torch():
    torch = pytest.importorskip("torch")
    expected = wg.sssp(MATRIX, 3)
    for device in ("cpu", "cuda"):
        out = torch.zeros(len(expected), dtype=torch.float64, device=device)
        assert wg.sssp(MATRIX, 3, out=out) is out
        assert_same(out.cpu().numpy(), expected)
    pair = (
        torch.zeros((len(POINTS) - 1, 2), dtype=torch.int32, device="cuda"),
        torch.zeros(len(POINTS) - 1, dtype=torch.float64, device="cuda"),
    )
    assert wg.cluster.euclidean_mst(POINTS, out=pair) is pair
    linkage = torch.zeros((len(POINTS) - 1, 4), dtype=torch.float64, device="cuda")
    assert wg.cluster.single_linkage(pair, out=linkage) is linkage
    assert_same(linkage.cpu().numpy(), wg.cluster.single_linkage(POINTS))


@pytest.mark.parametrize("device", ["cpu", "cuda"])
@pytest.mark.parametrize("dtype", ["int32", "int64"])
def test_graphs_of_torch(dtype, device):
    torch = pytest.importorskip("torch")
    kind = getattr(torch, dtype)
    indptr = torch.from_numpy(MATRIX.indptr.copy()).to(device, kind)
    indices = torch.from_numpy(MATRIX.indices.copy()).to(device, kind)
    data = torch.from_numpy(MATRIX.data.copy()).to(device)
    tensor = torch.sparse_csr_tensor(indptr, indices, data, size=MATRIX.shape)
    expected = wg.sssp(MATRIX, 3)
    assert_same(wg.sssp(tensor, 3), expected)
    graph = wg.Graph(tensor)
    assert_same(wg.sssp(graph.with_weights(2 * data), 3), 2 * expected)
    assert_same(wg.sssp(wg.Graph.from_csr(indptr, indices, data), 3), expected)
    data.zero_()
    assert_same(wg.sssp(graph, 3), expected)
    with checks.raises_sentence(TypeError, "to_sparse_csr"):
        wg.Graph(torch.eye(3, device=device).to_sparse())
    assert wg.sssp(torch.tensor([[0, 2.0], [0, 0]], device=device), 0).tolist() == [0, 2]


def test_streams_of_torch():
    """The array is written on a stream that does not wait for others, long after the call."""
    torch = pytest.importorskip("torch")
    values = torch.from_numpy(POINTS).cuda()
    points, out = torch.zeros_like(values), torch.zeros(len(POINTS), dtype=torch.int32).cuda()
    expected = wg.cluster.euclidean_mst(POINTS)
    n = len(wg.generators.grid(40, 50).indptr) - 1
    assert n == len(POINTS)
    torch.cuda.synchronize()
    stream = torch.cuda.Stream()
    with torch.cuda.stream(stream):
        torch.cuda._sleep(CYCLES)
        points.copy_(values)
        found = wg.cluster.euclidean_mst(points)
        torch.cuda._sleep(CYCLES)
        out.fill_(-7)
        wg.bfs(wg.generators.grid(40, 50), 0, out=out)
        last = out.clone()
    assert_same(found.weights, expected.weights)
    stream.synchronize()
    assert_same(last.cpu().numpy(), wg.bfs(wg.generators.grid(40, 50), 0))


def test_torch_takes_arrays_in_place():
    torch = pytest.importorskip("torch")
    array = _core.device_array(POINTS.shape, POINTS.dtype, GPU)
    array.set(POINTS)
    tensor = torch.from_dlpack(array)
    assert tensor.data_ptr() == array.__cuda_array_interface__["data"][0]
    assert torch.as_tensor(array, device="cuda").data_ptr() == tensor.data_ptr()
    del array
    gc.collect()
    assert_same(tensor.cpu().numpy(), POINTS)


def test_arrays_of_cupy():
    cupy = pytest.importorskip("cupy")
    from cupyx.scipy.sparse import csr_matrix

    points = cupy.asarray(POINTS)
    expected = wg.cluster.euclidean_mst(POINTS)
    assert_same(wg.cluster.euclidean_mst(points).weights, expected.weights)
    arrays = [cupy.asarray(part) for part in (MATRIX.data, MATRIX.indices, MATRIX.indptr)]
    graph = wg.Graph(csr_matrix(tuple(arrays), shape=MATRIX.shape))
    distances = wg.sssp(MATRIX, 3)
    assert_same(wg.sssp(graph, 3), distances)
    assert_same(wg.sssp(graph.with_weights(2 * arrays[0]), 3), 2 * distances)
    array = _core.device_array(POINTS.shape, POINTS.dtype, GPU)
    array.set(POINTS)
    taken = cupy.from_dlpack(array)
    assert taken.data.ptr == cupy.asarray(array).data.ptr
    assert taken.data.ptr == array.__cuda_array_interface__["data"][0]
    del array
    gc.collect()
    assert_same(taken.get(), POINTS)


def test_streams_of_cupy():
    cupy = pytest.importorskip("cupy")
    wait = cupy.RawKernel(
        'extern "C" __global__ void wait(long long n) { long long t = clock64();'
        " while (clock64() - t < n) {} }",
        "wait",
    )
    values = cupy.asarray(POINTS)
    points = cupy.zeros_like(values)
    wait((1,), (1,), (1,))
    cupy.cuda.Device().synchronize()
    for stream in (cupy.cuda.Stream(non_blocking=True), cupy.cuda.Stream.ptds):
        points.fill(0)
        cupy.cuda.Device().synchronize()
        with stream:
            wait((1,), (1,), (CYCLES,))
            points[:] = values
            found = wg.cluster.euclidean_mst(points)
        assert_same(found.weights, wg.cluster.euclidean_mst(POINTS).weights)


def test_arrays_of_jax():
    jax = pytest.importorskip("jax")
    if not any(device.platform == "gpu" for device in jax.devices()):
        pytest.skip("JAX has no GPU")
    points = jax.device_put(POINTS.astype(np.float32), jax.devices("gpu")[0])
    expected = wg.cluster.euclidean_mst(POINTS.astype(np.float32))
    assert_same(wg.cluster.euclidean_mst(points).weights, expected.weights)
    # What is computed when the call begins is awaited.
    powers = jax.random.normal(jax.random.key(0), (4096, 4096))
    for _ in range(20):
        powers = powers @ powers / 100
    late = points + 0 * powers[0, 0].clip(0, 1)
    assert_same(wg.cluster.euclidean_mst(late).weights, expected.weights)
    with checks.raises_sentence(TypeError, "JAX"):
        wg.sssp(MATRIX, 3, out=jax.numpy.zeros(MATRIX.shape[0]))
    from jax.experimental.sparse import BCSR

    arrays = [jax.numpy.asarray(part) for part in (MATRIX.data, MATRIX.indices, MATRIX.indptr)]
    graph = BCSR(tuple(arrays), shape=MATRIX.shape)
    assert_same(wg.bfs(graph, 3), wg.bfs(MATRIX, 3))
    array = _core.device_array(5, np.dtype(np.float32), GPU)
    array.set(np.arange(5, dtype=np.float32))
    taken = jax.dlpack.from_dlpack(array)
    place = array.__cuda_array_interface__["data"][0]
    assert taken.unsafe_buffer_pointer() == place
    del array
    gc.collect()
    assert np.asarray(taken).tolist() == [0, 1, 2, 3, 4]


def test_arrays_of_numba():
    cuda = pytest.importorskip("numba.cuda")
    stream = cuda.stream()
    points = cuda.to_device(POINTS, stream=stream)
    found = wg.cluster.euclidean_mst(points)
    assert_same(found.weights, wg.cluster.euclidean_mst(POINTS).weights)
    out = cuda.device_array(MATRIX.shape[0])
    assert wg.sssp(MATRIX, 3, out=out) is out
    assert_same(out.copy_to_host(), wg.sssp(MATRIX, 3))
