"""Applications of `wg.runtime.DistributedWorklist`."""

import numpy as np

from warpgraph import runtime

ITEM = np.dtype([("vertex", np.int32), ("distance", np.float64)])


class Search:
    """Shortest paths over some workers: vertex v belongs to the worker of rank v % n.

    `options` are those of the worklist.
    """

    def __init__(self, graph, n, *, unweighted=False, **options):
        self.indptr, self.indices = graph.indptr.astype(np.int64), graph.indices
        self.weights = np.ones(graph.nnz) if unweighted else graph.data.astype(np.float64)
        self.distances = np.full(graph.shape[0], np.inf)
        self.expanded = [0] * n  # vertices, by each worker
        self.n = n
        self.context = runtime.Context(["cpu"] * n)
        ends = self.context.host, self.context.endpoints
        options = {"owner": self.owner, **options}
        self.worklist = runtime.DistributedWorklist(*ends, ITEM, self.relax, **options)

    def owner(self, items):
        return items["vertex"] % self.n

    def relax(self, worker, items):
        vertices, distances = items["vertex"], self.distances
        assert (vertices % self.n == worker).all()
        before = distances[vertices]
        np.minimum.at(distances, vertices, items["distance"])
        tails = np.unique(vertices[distances[vertices] < before])
        self.expanded[worker] += len(tails)
        degrees = np.diff(self.indptr)[tails]
        skipped = self.indptr[tails] - (np.cumsum(degrees) - degrees)
        arcs = np.arange(degrees.sum()) + np.repeat(skipped, degrees)
        made = np.empty(len(arcs), ITEM)
        made["vertex"] = self.indices[arcs]
        made["distance"] = np.repeat(distances[tails], degrees) + self.weights[arcs]
        return made

    def run(self, source):
        seeds = np.array([(source, 0.0)], ITEM)
        self.context.run(self.worklist.work, lambda: self.worklist.start(seeds))
        return self.distances


class FilteredSearch(Search):
    """The same with all callbacks.

    Each worker also keeps the best distances that it has sent to others, and drops what is no
    better; items travel in another order of bytes.
    """

    REMOTE = np.dtype([("distance", ">f8"), ("vertex", ">i8"), ("check", "S3")], align=True)

    def __init__(self, graph, n, **options):
        self.best = np.full((n, graph.shape[0]), np.inf)
        callbacks = {
            name: getattr(self, name) for name in ("on_send", "on_receive", "pack", "unpack")
        }
        super().__init__(graph, n, remote_dtype=self.REMOTE, **callbacks, **options)

    def pack(self, items):
        packed = np.zeros(2 * len(items), self.REMOTE)[::2]
        packed["distance"], packed["vertex"] = items["distance"], items["vertex"]
        packed["check"] = b"abc"
        return packed

    def unpack(self, remote):
        assert (remote["check"] == b"abc").all()
        items = np.empty(len(remote), ITEM)
        items["distance"], items["vertex"] = remote["distance"], remote["vertex"]
        return items

    def on_send(self, worker, items):
        kept = self.owner(items) == worker
        wanted = np.where(kept, runtime.Flags.KEEP, runtime.Flags.PASS)
        return np.where(self.improves(worker, items), wanted, runtime.Flags.DROP)

    def on_receive(self, worker, remote):
        items = self.unpack(remote)
        improves = np.where(self.improves(worker, items), runtime.Flags.KEEP, runtime.Flags.DROP)
        return np.where(self.owner(items) == worker, improves, runtime.Flags.PASS)

    def improves(self, worker, items):
        """Return whether items are better than what the worker has seen, and note the best."""
        best = self.best[worker]
        found = items["distance"] < best[items["vertex"]]
        np.minimum.at(best, items["vertex"], items["distance"])
        return found
