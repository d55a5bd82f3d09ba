"""Filter and add up a memory-mapped array on the host and all GPUs together.

    python filter_and_reduce.py [FILE.npy]

The array may be larger than all memories: it is read once, in segments, which go to whichever
endpoint is available. Without FILE, one of 32 million numbers is made.
"""

import pathlib
import sys
import tempfile

import numpy as np

import warpgraph as wg
from warpgraph import runtime

SEGMENT = 4 << 20  # bytes


def filter_and_reduce(values: np.ndarray, low: float, high: float, devices: list[str]):
    """Return the number and the sum of the values in an interval, and segments an endpoint took."""
    n = len(devices)
    context = runtime.Context(devices)
    scatter = runtime.Router(context, 1, n, runtime.any_available)
    reduce = runtime.Router(context, n, 1, runtime.gather)
    distribute = runtime.Link(context.host, scatter, SEGMENT)
    collect = runtime.Link(reduce, context.host)
    inputs = {e: runtime.Link(scatter, e, SEGMENT, n_buffers=3) for e in context.endpoints}
    outputs = {e: runtime.Link(e, reduce) for e in context.endpoints}

    def work(endpoint: runtime.Endpoint) -> None:
        count, total, segments = 0, 0.0, 0
        for segment in inputs[endpoint]:  # NumPy's arrays on the host, CuPy's on a GPU
            passed = segment.values[(segment.values >= low) & (segment.values <= high)]
            count, total, segments = count + len(passed), total + float(passed.sum()), segments + 1
        outputs[endpoint].send([count, total, segments], metadata=endpoint.id)

    def feed() -> dict[int, np.ndarray]:
        distribute.send(values)
        distribute.shutdown()
        return {segment.metadata: segment.values for segment in collect}

    results = context.run(work, feed)
    count, total, _ = sum(results.values())
    return int(count), total, {e.name: int(results[e.id][2]) for e in context.endpoints}


def main() -> None:
    with tempfile.TemporaryDirectory() as folder:
        if len(sys.argv) > 1:
            path = pathlib.Path(sys.argv[1])
        else:
            path = pathlib.Path(folder) / "numbers.npy"
            np.save(path, np.random.default_rng(0).random(32_000_000))
        values = np.load(path, mmap_mode="r")
        gpus = wg.devices()[1:]
        count, total, shares = filter_and_reduce(values, 0.25, 0.5, ["cpu", "cpu", *gpus])
        print(f"{count} of {len(values)} values pass; their sum is {total:.6g}")
        for name, segments in shares.items():
            print(f"  {name}: {segments} segments")


if __name__ == "__main__":
    main()
