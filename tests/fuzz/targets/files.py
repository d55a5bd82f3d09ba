"""Graphs written to files and read again, by wg.io and by plain readers; tables in all formats."""

from __future__ import annotations

import math
from collections import Counter
from importlib.util import find_spec

import numpy as np

from fuzz import structures
from fuzz.searches import judge_error
from fuzz.targets.base import Target, pick
from fuzz.targets.forests import normal
from fuzz.targets.transforms import entries_of
from oracles import arcs_of_rows

FORMATS = {
    "npz": "graph.npz",
    "matrix-market": "graph.mtx",
    "dimacs": "graph.gr",
    "csv": "graph.csv",
    "edge-list": "graph.txt",
    "metis": "graph.graph",
    "pace": "graph.gr",
    "graphml": "graph.graphml",
    "parquet": "graph.parquet",
    "feather": "graph.feather",
}
#: Formats that are not compressed as a whole.
COMPRESSED_WITHIN = ("feather", "npz", "parquet")
#: How vertex v is called, in code and backwards.
NAMES = {"": ("v", int), "text": ("f'n {v}'", lambda name: int(name[2:]))}
NAMES["numbers"] = ("10 + 3 * v", lambda name: (int(name) - 10) // 3)
#: Formats that store undirected edges once.
UNDIRECTED = ("metis", "pace")
#: Formats that name only vertices with edges.
BY_NAME = ("csv", "edge-list", "feather", "parquet")
#: Formats that keep names.
KEEPS_NAMES = (*BY_NAME, "npz", "graphml")


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
        kind, names = pick(rng, list(FORMATS)), pick(rng, list(NAMES))
        return {"format": kind, "ending": ending, "names": names if kind in KEEPS_NAMES else ""}

    def source(self, args, subject):
        name = FORMATS[args["format"]]
        if args["format"] not in COMPRESSED_WITHIN:
            name += args.get("ending", "")
        how = f"format={args['format']!r}"
        dtype = str(normal(subject.weight[:0]).dtype)
        named = f"[{NAMES[args.get('names', '')][0]} for v in range(plain.n_vertices)]"
        return (
            "import tempfile\n"
            "plain = wg.Graph(graph)\n"
            f"named = wg.Graph(plain, names={named if args.get('names') else None})\n"
            "with tempfile.TemporaryDirectory() as folder:\n"
            f"    wg.io.write(folder + '/{name}', named, {how})\n"
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
        number = NAMES[args.get("names", "")][1]
        if kind in KEEPS_NAMES and ids is not None:
            names = [number(name) for name in ids]
            found = [(names[u], names[v], w) for u, v, w in found]
        if kind == "npz" and ids is not None and graph.names.tolist() != ids.tolist():
            return f"the graph has the names {graph.names}, and the ids are {ids}"
        if kind in BY_NAME:
            pass
        elif graph.n_vertices != world.n:
            return f"expected {world.n} vertices, got {graph.n_vertices}"
        if kind == "pace":
            expected = [(u, v, 1) for u, v, _ in expected]
        if kind in UNDIRECTED:
            return _judge_undirected(found, expected)
        if Counter(found) != Counter(expected):
            return f"expected entries {expected}, got {found}"
        if kind in ("dimacs", "csv") and not (args.get("ending") or args.get("names")):
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


#: Labels of source, target and weight.
LABELS = [("source", "target", "weight"), ("from", "to", "km"), ("Src", "DST", "travel_time")]
LABELS += [("u", "v", "w"), ("tail", "head", "some"), ("FromNode", "ToNode", "cost")]
MAKERS = {
    "pandas": "wg.Graph.from_dataframe(pandas.DataFrame(table))",
    "polars": "wg.Graph.from_dataframe(polars.DataFrame(table))",
    "pyarrow": "wg.Graph.from_dataframe(pyarrow.table(table))",
    "parquet": "by_file('parquet', lambda path: pandas.DataFrame(table).to_parquet(path))",
    "feather": "by_file('feather', lambda path: pandas.DataFrame(table).to_feather(path))",
    "csv": "by_file('csv', lambda path: pandas.DataFrame(table).to_csv(path, index=False))",
    "csv with labels of rows": "by_file('csv', lambda path: pandas.DataFrame(table).to_csv(path))",
    "decimal commas": "by_file('csv', lambda path: pandas.DataFrame(table).to_csv(path, sep=';', "
    "decimal=',', index=False), decimal=',')",
}
_BY_FILE = """
def by_file(ending, write, **options):
    with tempfile.TemporaryDirectory() as folder:
        write(folder + '/table.' + ending)
        found, ids = wg.io.read(folder + '/table.' + ending, **options)
    return wg.Graph(found, names=ids)
"""


class Tables(Target):
    """A table in any format and order of columns is the same graph."""

    name = "io.read of tables, from_dataframe"
    share = 0.5
    largest = structures.MEDIUM
    needed = ("labels", "order", "maker")

    def draw(self, rng, subject, device):
        order = [int(k) for k in rng.permutation(4)]
        makers = [name for name in MAKERS if name != "polars" or find_spec("polars")]
        return {"labels": pick(rng, LABELS), "order": order, "maker": pick(rng, makers)}

    def source(self, args, subject):
        source, target, weight = args["labels"]
        columns = f"{{{source!r}: row, {target!r}: col, {weight!r}: data, 'key': 0 * row}}"
        return (
            f"import tempfile, pandas, pyarrow{', polars' * (args['maker'] == 'polars')}\n"
            f"{_BY_FILE}"
            "row, col, data = wg.Graph(graph).to_edges()\n"
            f"columns = list({columns}.items())\n"
            f"table = dict(columns[k] for k in {list(args['order'])})\n"
            f"result = {MAKERS[args['maker']]}"
        )

    def judge(self, args, world, result, error):
        rows = world.rows
        data = normal(rows.weight)
        expected = list(zip(rows.tail.tolist(), rows.head.tolist(), data.tolist(), strict=True))
        if error:
            may = {ValueError} if any(not math.isfinite(w) for _, _, w in expected) else set()
            return judge_error(error, set(), may)
        names = [] if result.names is None else result.names.tolist()
        found = [(names[u], names[v], w) for u, v, w in entries_of(result)]
        if data.dtype == np.float32:
            # Text has the shortest decimals, which are other numbers in float64.
            found = [(u, v, float(np.float32(w))) for u, v, w in found]
        if Counter(found) != Counter(expected):
            return f"expected edges {expected}, got {found}"
        return None


#: First lines of two columns, and of three; "" for none.
HEADS = [
    "",
    "source,target",
    "u,v",
    "gene1,gene2",
    "parent,child",
    "hero,villain",
    "0,1",
    "shop,city",
]
HEADS_WITH_WEIGHTS = ["", "source,target,weight", "u,v,length", "a,b,some", "0,1,2"]
#: Names of vertex v.
SHAPES = ["str(v)", "f'n {v}'", "f'#{v}'", "f'%{v:02}x'", "'v' * (v + 1)", "f'{v},\"'"]
SHAPES += ["'g' * v + 'h'", "'#' * (v + 2)", "'p#'[v % 2] + str(v)", "f'{v}.0'"]
#: Lines above the first row, and separators.
ABOVE = ["", '# a comment, with a "\n', "%\n% from to\n\n", " # a\n#b\n"]
SEPARATORS = [",", ";", "\t", " "]


class Guises(Target):
    """Text in any guise is the same graph, or a warning says what was made of its first line."""

    name = "io.read of tables in many guises"
    share = 0.5
    largest = structures.SMALL
    needed = ("head", "shape", "above", "separator", "says")

    def draw(self, rng, subject, device):
        weighted = bool(rng.integers(2))
        return {
            "head": pick(rng, HEADS_WITH_WEIGHTS if weighted else HEADS),
            "weighted": weighted,
            "shape": pick(rng, SHAPES),
            "above": pick(rng, ABOVE),
            "separator": pick(rng, SEPARATORS),
            "says": bool(rng.integers(2)),
        }

    def source(self, args, subject):
        head = [args["head"].split(",")] if args["head"] else []
        columns = "row, col, data" if args.get("weighted") else "row, col"
        says = f", header={bool(head)}" if args["says"] else ""
        # Above a header, and in place of one, a line that begins so is a comment, as is told.
        is_marked = not head and any(mark in args["shape"] for mark in "#%")
        says += ", comment=''" if is_marked and args["says"] else ""
        return (
            "import csv, tempfile, warnings\n"
            "row, col, data = (part.tolist() for part in wg.Graph(graph).to_edges())\n"
            f"row, col = ([{args['shape']} for v in ends] for ends in (row, col))\n"
            "with tempfile.NamedTemporaryFile('w+', suffix='.csv', newline='') as file:\n"
            f"    file.write({'' if is_marked else args['above']!r})\n"
            f"    writer = csv.writer(file, delimiter={args['separator']!r})\n"
            f"    writer.writerows([*{head!r}, *zip({columns})])\n"
            "    file.flush()\n"
            "    with warnings.catch_warnings(record=True) as caught:\n"
            "        warnings.simplefilter('always')\n"
            f"        found, ids = wg.io.read(file.name{says})\n"
            "result = wg.Graph(found, names=ids), [str(warning.message) for warning in caught]"
        )

    def judge(self, args, world, result, error):
        rows, weighted = world.rows, args.get("weighted", False)
        data = rows.weight.astype(np.float64).tolist() if weighted else [1.0] * len(rows.tail)
        call = eval(f"lambda v: {args['shape']}")
        ends = zip(rows.tail.tolist(), rows.head.tolist(), data, strict=True)
        expected = Counter((call(u), call(v), w) for u, v, w in ends)
        if error:
            return judge_error(error, set(), {ValueError})
        graph, sentences = result
        names = [] if graph.names is None else map(str, graph.names.tolist())
        names = list(names)
        found = Counter((names[u], names[v], float(w)) for u, v, w in entries_of(graph))
        if found == expected or any("times" in sentence for sentence in sentences):
            return None
        if not found - expected and any("comment=''" in sentence for sentence in sentences):
            return None
        is_told = any("read as a" in sentence for sentence in sentences)
        n_more = sum((found - expected).values()) + sum((expected - found).values())
        # Nothing is known of a single line, nor of labels of pandas above integers.
        is_counted = args["head"].startswith("0") and args["shape"] == "str(v)"
        is_told = is_told or not expected or is_counted
        if is_told and not args["says"] and n_more == 1:
            return None
        return f"expected edges {expected}, got {found}, and was told {sentences}"


#: What a column is called -> its words, by what they say of an edge.
DIRECTIONS = {
    "Type": {"along": ("Directed",), "both": ("Undirected", "Mutual")},
    "directed": {"along": ("1", "true"), "both": ("0", "False")},
    "is_bidirectional": {"along": ("0",), "both": ("1",)},
    "oneway": {"along": ("yes", "True"), "against": ("-1",), "both": ("no", "False")},
    "ONEWAY": {"along": ("FT",), "against": ("TF",), "both": ("B",)},
}
#: Columns about roads, whose pairs of rows may be the two ways of a road.
OF_ROADS = ("is_bidirectional", "oneway", "ONEWAY")


#: Rows of a graph's edges, some of them repeated and turned, with ways and words for these.
_ROWS = """
rng = np.random.default_rng({seed})
kept = rng.integers(0, max(len(row), 1), 2 * len(row))
turned = rng.random(len(kept)) < 0.5
tail, head = np.where(turned, col[kept], row[kept]), np.where(turned, row[kept], col[kept])
said = {words}
ways = [list(said)[k] for k in rng.integers(0, len(said), len(kept))]
words = [said[way][k % len(said[way])] for k, way in enumerate(ways)]
table = dict(source=tail, target=head, weight=data[kept], **{{{label!r}: words}})
"""


class Directions(Target):
    """A table whose column tells directions, or whose edges have none, is one graph in any format.

    Without a label, edges have no direction.
    """

    name = "io.read of tables with directions"
    share = 0.5
    largest = structures.MEDIUM
    needed = ("label", "maker", "seed")

    def draw(self, rng, subject, device):
        makers = [name for name in MAKERS if name != "polars" or find_spec("polars")]
        label = pick(rng, [*DIRECTIONS, ""])
        return {"label": label, "maker": pick(rng, makers), "seed": int(rng.integers(2**31))}

    def source(self, args, subject):
        label, maker = args["label"], MAKERS[args["maker"]]
        words = DIRECTIONS.get(label, {"both": ("",)})
        read = maker.replace("table))", "table), directed=directed)")
        if maker.startswith("by_file"):
            read = f"{maker[:-1]}, directed=directed)"
        by_file = _BY_FILE.replace("found, ids = wg.io.read", "found = wg.Graph.read")
        return (
            f"import tempfile, pandas, pyarrow{', polars' * (args['maker'] == 'polars')}\n"
            f"{by_file.replace('wg.Graph(found, names=ids)', 'found')}"
            "row, col, data = wg.Graph(graph).to_edges()\n"
            f"{_ROWS.format(seed=args['seed'], words=words, label=label or 'name')}"
            f"directed = {bool(label)}\n"
            f"result = {read}, table, ways"
        )

    def judge(self, args, world, result, error):
        if error:
            is_finite = all(map(math.isfinite, world.rows.weight.tolist()))
            return judge_error(error, set(), set() if is_finite else {ValueError})
        graph, table, ways = result
        is_single = table["weight"].dtype == np.float32

        def rounded(edges):
            # Text has the shortest decimals, which are other numbers in float64.
            return Counter((u, v, float(np.float32(w)) if is_single else w) for u, v, w in edges)

        columns = (table[name].tolist() for name in ("source", "target", "weight"))
        are_roads = args["label"] in OF_ROADS
        rows = list(zip(*columns, strict=True))
        expected = rounded(arcs_of_rows(rows, ways, are_roads=are_roads))
        names = [] if graph.names is None else graph.names.tolist()
        found = rounded((names[u], names[v], w) for u, v, w in entries_of(graph))
        if found != expected:
            return f"expected {expected - found}, got {found - expected}, of {rows}, {ways}"
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


#: How NetworkX writes formats of other programs.
WRITERS = {
    "gml": "nx.write_gml(plain, path)",
    "gexf": "nx.write_gexf(plain, path)",
    "net": "nx.write_pajek(plain, path)",
    "json": "open(path, 'w').write(json.dumps(nx.node_link_data(plain, edges='links')))",
}


class Foreign(Target):
    """Files that NetworkX writes are the same graph."""

    name = "io.read of other programs' formats"
    share = 0.5
    largest = structures.SMALL
    needed = ("format",)

    def draw(self, rng, subject, device):
        return {"format": pick(rng, list(WRITERS))}

    def source(self, args, subject):
        return (
            "import json, tempfile, networkx as nx\n"
            "known, plain = wg.Graph(graph), nx.MultiDiGraph()\n"
            "plain.add_nodes_from(range(known.n_vertices))\n"
            "plain.add_weighted_edges_from(zip(*(part.tolist() for part in known.to_edges())))\n"
            "with tempfile.TemporaryDirectory() as folder:\n"
            f"    path = folder + '/graph.{args['format']}'\n"
            f"    {WRITERS[args['format']]}\n"
            "    result = wg.Graph.read(path)"
        )

    def judge(self, args, world, result, error):
        if error:
            return judge_error(error, set(), {ValueError} if world.n == 0 else set())
        rows = world.rows
        weights = map(float, normal(rows.weight).tolist())
        expected = Counter(zip(rows.tail.tolist(), rows.head.tolist(), weights, strict=True))
        found = Counter((u, v, float(w)) for u, v, w in entries_of(result))
        return None if found == expected else f"expected edges {expected}, got {found}"


TARGETS = [Files(), Tables(), Foreign(), Guises(), Directions(), SavedHierarchy()]
