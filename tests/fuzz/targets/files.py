"""Graphs written to files and read again, by wg.io and by plain readers."""

from __future__ import annotations

import math
from collections import Counter

from fuzz import structures
from fuzz.searches import judge_error
from fuzz.targets.base import Target, pick
from fuzz.targets.forests import normal
from fuzz.targets.transforms import entries_of

FORMATS = {
    "npz": "graph.npz",
    "matrix-market": "graph.mtx",
    "dimacs": "graph.gr",
    "csv": "graph.csv",
    "edge-list": "graph.txt",
    "metis": "graph.graph",
    "pace": "graph.gr",
}
#: Formats that store undirected edges once.
UNDIRECTED = ("metis", "pace")
#: Formats that name only vertices with edges.
BY_NAME = ("csv", "edge-list")


def _number_pairs(lines, first):
    """Return the pairs of a text whose lines are two vertices and perhaps a weight."""
    rows = [line.replace(",", " ").split() for line in lines]
    rows = [row for row in rows if row and row[0].lstrip("-").isdigit()]
    return Counter(
        (int(row[0]) - first, int(row[1]) - first, *map(float, row[2:3])) for row in rows
    )


class Files(Target):
    """write and read; the text is checked, too."""

    name = "io.write, io.read"
    largest = structures.TILES
    needed = ("format",)

    def draw(self, rng, subject, device):
        ending = pick(rng, ("", "", "", ".gz", ".bz2", ".xz"))
        return {"format": pick(rng, list(FORMATS)), "ending": ending}

    def source(self, args, subject):
        name = FORMATS[args["format"]]
        if args["format"] != "npz":
            name += args.get("ending", "")
        how = f"format={args['format']!r}"
        dtype = str(normal(subject.weight[:0]).dtype)
        return (
            "import tempfile\n"
            "with tempfile.TemporaryDirectory() as folder:\n"
            f"    wg.io.write(folder + '/{name}', graph, {how})\n"
            f"    result = wg.io.read(folder + '/{name}', {how}, dtype={dtype!r})\n"
            f"    text = open(folder + '/{name}', 'rb').read()\n"
            "result = *result, text"
        )

    def judge(self, args, world, result, error):
        rows, kind = world.rows, args["format"]
        data = normal(rows.weight)
        expected = list(zip(rows.tail.tolist(), rows.head.tolist(), data.tolist(), strict=True))
        if error:
            may = {ValueError} if self._may_refuse(kind, world.n, expected) else set()
            return judge_error(error, set(), may)
        graph, ids, text = result
        found = entries_of(graph)
        if kind in BY_NAME and ids is not None:
            found = [(int(ids[u]), int(ids[v]), w) for u, v, w in found]
        elif graph.n_vertices != world.n:
            return f"expected {world.n} vertices, got {graph.n_vertices}"
        if kind == "pace":
            expected = [(u, v, 1) for u, v, _ in expected]
        if kind in UNDIRECTED:
            return _judge_undirected(found, expected)
        if Counter(found) != Counter(expected):
            return f"expected entries {expected}, got {found}"
        if kind in ("dimacs", "csv") and not args.get("ending"):
            return _judge_text(kind, text.decode(), expected)
        return None

    @staticmethod
    def _may_refuse(kind, n, expected) -> bool:
        if any(not math.isfinite(w) for _, _, w in expected) or n == 0:
            return True
        if kind not in UNDIRECTED:
            return False
        if kind == "metis" and any(not 0 < w < 2**63 or w != int(w) for _, _, w in expected):
            return True
        if kind == "pace" and any(w != 1 for _, _, w in expected):
            return True
        reversed_edges = Counter((v, u, w) for u, v, w in expected)
        return reversed_edges != Counter(expected) or any(u == v for u, v, _ in expected)


def _judge_undirected(found, expected) -> str | None:
    if Counter(found) != Counter(expected):
        return f"expected entries {expected}, got {found}"
    return None


def _judge_text(kind, text, expected) -> str | None:
    """Check a text with a plain reader."""
    lines = text.splitlines()
    if kind == "dimacs":
        lines = [line[1:] for line in lines if line.startswith("a ")]
    found = _number_pairs(lines, 1 if kind == "dimacs" else 0)
    wanted = Counter((u, v, float(w)) for u, v, w in expected)
    if {key[:2] for key in found} != {key[:2] for key in wanted}:
        return f"the file says {sorted(found)}, expected {sorted(wanted)}"
    return None


class SavedHierarchy(Target):
    """A hierarchy from a file gives the same results as the one that was saved."""

    name = "Hierarchy.save, load"
    share = 0.5
    largest = structures.MEDIUM

    def draw(self, rng, subject, device):
        if subject.n == 0:
            return None
        return {"source": int(rng.integers(subject.n)), "device": device}

    def source(self, args, subject):
        call = f"[{args['source']}], method='hierarchy', device={args['device']!r}"
        return (
            "import tempfile\n"
            "plain = wg.Graph(graph)\n"
            "with tempfile.TemporaryDirectory() as folder:\n"
            "    wg.Hierarchy(plain).save(folder + '/saved.npz')\n"
            "    plain.clear()\n"
            "    wg.Hierarchy.load(folder + '/saved.npz', plain)\n"
            f"result = wg.many_to_many(plain, {call})"
        )

    def judge(self, args, world, result, error):
        from fuzz.targets.matrices import HierarchySearch

        found = None if error else result
        how = {"sources": [args["source"]], "device": args["device"]}
        return HierarchySearch().judge(how, world, found, error)


TARGETS = [Files(), SavedHierarchy()]
