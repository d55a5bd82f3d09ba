"""Graph.with_turns(corners=): turns by their vertices, against the same turns by edges."""

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from hypothesis import given, strategies as st

import warpgraph as wg
from checks import raises_sentence
from warpgraph._arguments import validate
from warpgraph._graph.methods.corners import edges_at

#: From a to b twice, once longer; then left to c, or straight on and around the block.
ENDS = ["ab", "ab", "bc", "bd", "de", "ef", "fb"]


@pytest.fixture
def town():
    tails, heads = zip(*ENDS, strict=True)
    return wg.Graph.from_edges(tails, heads, [1.0, 2, 1, 1, 1, 1, 1])


def test_a_row_is_for_all_parallel_edges(town):
    turned = town.with_turns(corners=[("a", "b", "c")])
    length, path = wg.shortest_path(turned, "a", "c")
    assert (length, path.tolist()) == (6, list("abdefbc"))


@pytest.mark.parametrize(
    "made",
    [
        lambda table: [("a", "b", "c", 2.5), ("f", "b", "d", 0)],
        lambda table: pd.DataFrame({"id": [7], **table}),
        lambda table: pytest.importorskip("polars").DataFrame(
            {"u": ["a"], "v": ["b"], "w": ["c"], "minutes": [2.5]}
        ),
        lambda table: pa.table({name.lower(): table[name] for name in table}),
    ],
    ids=["rows", "pandas", "polars", "pyarrow"],
)
def test_tables_with_costs(town, made):
    corners = made({"To": ["c"], "via": ["b"], "from": ["a"], "cost": [2.5]})
    assert wg.sssp(town.with_turns(corners=corners), "a")[town.number_of("c")] == 4.5


@pytest.mark.parametrize(
    "corners",
    [
        [["a", "b", "c"]],
        np.array([["a", "b", "c"]]),
        np.array([["a", "b", "c"]], object),
        pd.DataFrame([["a", "b", "c"]]),
        pd.DataFrame({"from": ["a"], "via": ["b"], "to": ["c"], "id": [3], "length": [3]}),
        pd.DataFrame({"id": [3], "from": ["a"], "via": ["b"], "to": ["c"]}),
    ],
)
def test_tables_without_costs(town, corners):
    assert wg.sssp(town.with_turns(corners=corners), "a")[town.number_of("c")] == 6
    assert wg.sssp(town.with_turns(corners=corners, costs=1), "a")[town.number_of("c")] == 3


@pytest.mark.parametrize("as_objects", [False, True])
def test_large_costs_beside_inf_are_exact(as_objects):
    streets = wg.Graph.from_edges([0, 1, 1], [1, 2, 3], [5, 4, 3])
    rows = [(0, 1, 3, 2**53 + 1), (0, 1, 2, np.inf)]
    table = pd.DataFrame(rows, columns=["from", "via", "to", "cost"], dtype=object)
    by_edges = streets.with_turns([0, 0], [2, 1], [2**53 + 1, np.inf])
    for turned in (streets.with_turns(corners=table if as_objects else rows), by_edges):
        assert wg.sssp(turned, 0, dtype="int64").tolist()[2:] == [2**63 - 1, 2**53 + 1 + 8]
    mixed = streets.with_turns(corners=[(0, 1, 3, 2**53 + 1), (0, 1, 2, 2.0)])
    assert wg.sssp(mixed, 0, dtype="int64").tolist() == [0, 5, 11, 2**53 + 9]


@pytest.mark.parametrize("weights", [[5, 4, 3], np.array([5, 4, 3], np.float32)])
def test_costs_that_are_none(weights):
    streets = wg.Graph.from_edges([0, 1, 1], [1, 2, 3], weights)
    for cost, error in [
        (None, TypeError),
        (pd.NA, TypeError),
        ("2", TypeError),
        (np.nan, ValueError),
        (10**60, OverflowError),
        (10**400, OverflowError),
    ]:
        for rows in ([(0, 1, 2, np.inf), (0, 1, 3, cost)], [(0, 1, 2, 1.0), (0, 1, 3, cost)]):
            with raises_sentence(error, "turn 1", str(cost)[:60]):
                streets.with_turns(corners=rows)
        with raises_sentence(error, "cost", str(cost)[:60]):
            streets.with_turns([0], [1], costs=cost)


@pytest.mark.parametrize("missing", [None, pd.NA, np.nan])
def test_vertices_that_are_missing(missing):
    streets = wg.Graph.from_edges([0, 1, 1], [1, 2, 3])
    rows = [(0, 1, 2), (0, 1, missing)]
    with raises_sentence(TypeError, "to must be integers", f"with {missing} at 1"):
        streets.with_turns(corners=rows)
    with raises_sentence(TypeError, "to must be integers", "with ", " at 1"):
        streets.with_turns(corners=pd.DataFrame(rows))


def test_no_rows(town):
    for corners in ([], np.empty((0, 3), int), pd.DataFrame({"from": [], "via": [], "to": []})):
        assert len(town.with_turns(corners=corners).origins) == 0


@given(data=st.data(), named=st.booleans())
def test_corners_are_turns_by_edges(data, named):
    n = data.draw(st.integers(1, 6))
    ends = st.integers(0, n - 1)
    edges = data.draw(st.lists(st.tuples(ends, ends, st.integers(0, 5)), max_size=20))
    graph = wg.Graph.from_edges(*np.array(edges, np.int64).reshape(-1, 3).T, n_vertices=n)
    tails, heads, _ = (a.tolist() for a in graph.to_edges())
    follows = [
        (e, f) for e, head in enumerate(heads) for f, tail in enumerate(tails) if head == tail
    ]
    possible = sorted({(tails[e], heads[e], heads[f]) for e, f in follows})
    chosen = data.draw(st.lists(st.sampled_from(possible))) if possible else []
    cost = {
        corner: data.draw(st.sampled_from([0.0, 2.0, np.inf])) for corner in sorted(set(chosen))
    }
    pairs = [(e, f) for e, f in follows if (tails[e], heads[e], heads[f]) in cost]
    by_edges = graph.with_turns(
        [e for e, _ in pairs],
        [f for _, f in pairs],
        np.array([cost[tails[e], heads[e], heads[f]] for e, f in pairs], float),
    )
    names = [f"v{i}" for i in range(n)]
    rows = [(u, v, w, cost[u, v, w]) for u, v, w in chosen]
    if named:
        graph = wg.Graph(graph, names=names)
        rows = [(names[u], names[v], names[w], x) for u, v, w, x in rows]
    turned = graph.with_turns(corners=rows)
    for attribute in ("indptr", "indices", "data"):
        np.testing.assert_array_equal(
            getattr(turned.expanded, attribute), getattr(by_edges.expanded, attribute)
        )
    np.testing.assert_array_equal(turned.origins, by_edges.origins)


def test_bad_corners(town):
    for corners, error, words in [
        ([("a", "b", "z")], ValueError, ("to[0] is 'z'", "no vertex has that name")),
        (
            [("a", "b", "c"), ("a", "c", "b")],
            ValueError,
            ("corners[1]", "vertex 'a' (from)", "vertex 'c' (via)"),
        ),
        (
            [("a", "b", "e")],
            ValueError,
            ("no edge leads from vertex 'b' (via) to vertex 'e' (to)",),
        ),
        ([("a", "b")], ValueError, ("corners[0] must be (from, via, to)", "got ('a', 'b')")),
        (["abc"], ValueError, ("corners[0]", "got 'abc'")),
        ("bans.csv", TypeError, ("a sequence of rows", "'bans.csv'", "pandas.read_csv")),
        ([("a", "b", "c", 1), ("a", "b", "d")], ValueError, ("4 entries", "corners[1] 3")),
        (
            [("a", "b", "d", 5), ("a", "b", "c", 2), ("a", "b", "d", 5), ("a", "b", "c", 3)],
            ValueError,
            ("corners[1] and corners[3]", "via vertex 'b' to vertex 'c'", "cost 2 and 3"),
        ),
        ([("a", "b", "c", -2)], ValueError, ("costs must be at least 0", "-2")),
        (pd.DataFrame({"via": [], "x": []}), ValueError, ("from, via, to", "'via', 'x'")),
    ]:
        with raises_sentence(error, *words):
            town.with_turns(corners=corners)
    with raises_sentence(ValueError, "to[0] is 9", "0..5"):
        wg.generators.grid(2, 3).with_turns(corners=[(0, 1, 9)])


def test_a_cost_by_another_name(town):
    ends = {"from": ["a"], "via": ["b"], "to": ["c"]}
    for table, name in [
        (ends | {"costs": [1]}, "costs"),
        (ends | {"length": [1]}, "length"),
        (ends | {7: [1]}, "7"),
        (ends | {"id": [1], "Penalty": [1]}, "Penalty"),
        ({"turn_cost": [1], "id": [0]} | ends, "turn_cost"),
        ({"seconds": [1]} | ends, "seconds"),
    ]:
        with raises_sentence(ValueError, "the column", name, "rename it to 'cost'", "drop it"):
            town.with_turns(corners=pd.DataFrame(table))
    both = pd.DataFrame(ends | {"cost": [2.5], "weight": [9]})
    assert wg.sssp(town.with_turns(corners=both), "a")[town.number_of("c")] == 4.5


@pytest.mark.parametrize(
    "other",
    [
        {"note": ["school street"]},
        {"note": [np.nan]},
        {"osm_id": [1201]},
        {"OBJECTID": [7]},
        {"restriction": ["no_left_turn"]},
        {"since": [pd.Timestamp(2024, 5, 1)]},
        {"checked": [True]},
    ],
    ids=str,
)
def test_another_column_that_is_no_cost(town, other):
    corners = pd.DataFrame({"from": ["a"], "via": ["b"], "to": ["c"], **other})
    for table in (corners, pa.Table.from_pandas(corners)):
        assert wg.sssp(town.with_turns(corners=table), "a")[town.number_of("c")] == 6


def test_columns_of_one_name(town):
    exact = pd.DataFrame({"From": ["f"], "from": ["a"], "FROM": ["f"], "via": ["b"], "to": ["c"]})
    assert wg.sssp(town.with_turns(corners=exact), "a")[town.number_of("c")] == 6
    row = [["a", "f", "b", "c"]]
    twice = pa.Table.from_arrays([pa.array([x]) for x in row[0]], ["from", "from", "via", "to"])
    for table, words in [
        (exact.drop(columns="from"), "one column 'from'"),
        (twice, "one column 'from', but its columns are 'from', 'from', 'via', 'to'"),
        (pd.DataFrame(row, columns=["from", "from", "via", "to"]), "one column 'from'"),
        (pd.DataFrame(row, columns=["u", "v", "v", "w"]), "columns of different names"),
        (pd.DataFrame(row, columns=["u", "cost", "v", "w"]), "must have the columns from, via"),
    ]:
        with raises_sentence(ValueError, words):
            town.with_turns(corners=table)


def test_a_lazy_table_is_refused(town):
    polars = pytest.importorskip("polars")
    lazy = polars.LazyFrame({"from": ["a"], "via": ["b"], "to": ["c"]})
    with raises_sentence(TypeError, "in memory, got a polars", "LazyFrame", "collect()"):
        town.with_turns(corners=lazy)


def test_many_turns_at_a_hub():
    """Each row searches the edges of the hub, without a list of all of them for every row."""
    n = 3000
    spokes = np.arange(1, n + 1)
    hub = wg.Graph.from_edges(
        np.append(spokes, np.zeros(n, int)), np.append(np.zeros(n, int), spokes)
    )
    rows = np.stack([spokes, np.zeros(n, int), np.roll(spokes, 1), spokes], axis=1)
    columns = [column.tolist() for column in rows.T]
    first, second, costs = edges_at(hub, columns[:3], spokes, validate.ledger("1MB"))
    tail, head, _ = hub.to_edges()
    np.testing.assert_array_equal(tail[first], rows[:, 0])
    np.testing.assert_array_equal(head[second], rows[:, 2])
    np.testing.assert_array_equal(costs, spokes)
    with raises_sentence(MemoryError, "the rows of a table of turns", "pass fewer turns"):
        hub.with_turns(corners=rows[:, :3], costs=spokes, memory_limit="100kB")
    with raises_sentence(MemoryError, "the edges of a table of turns", "pass fewer turns"):
        hub.with_turns(corners=[(1, 0, 2)], memory_limit="20kB")


RESTRICTION = (0, 1, 2, 3)


@pytest.mark.parametrize(
    "corners",
    [
        [RESTRICTION],
        [RESTRICTION, (0, 1, 2, 700)],
        np.array([RESTRICTION]),
        np.array([RESTRICTION], object),
        pd.DataFrame([RESTRICTION]),
        pd.DataFrame([RESTRICTION], columns=["u", "v", "w", "x"]),
        pa.table([[k] for k in RESTRICTION], ["u", "v", "w", "x"]),
    ],
)
def test_four_integers_may_be_a_way_or_a_cost(corners):
    streets = wg.Graph.from_edges([0, 1, 2, 1], [1, 2, 3, 3])
    numbered = wg.Graph(streets, names=np.arange(4))
    for graph in (streets, numbered):
        with raises_sentence(
            ValueError, "corners[0] is (0, 1, 2, 3)", "a cost or a vertex", "(0, 1, 2, 3.0)"
        ):
            graph.with_turns(corners=corners)


@pytest.mark.parametrize(
    "how",
    [
        {"corners": [(0, 1, 2, 3.0)]},
        {"corners": [(0, 1, 2)], "costs": 3},
        {"corners": np.array([(0, 1, 2)]), "costs": np.array([3])},
        {"corners": [(0, 1, 2, 3), (0, 1, 3, np.inf)]},
        {"corners": pd.DataFrame({"from": [0], "via": [1], "to": [2], "cost": [3]})},
        {"corners": pd.DataFrame([RESTRICTION], columns=["u", "v", "w", "seconds"])},
    ],
)
def test_integer_costs_that_are_clear(how):
    streets = wg.Graph.from_edges([0, 1, 2, 1], [1, 2, 3, 3])
    assert wg.sssp(streets.with_turns(**how), 0)[2] == 5


def test_turns_are_given_once(town):
    with raises_sentence(ValueError, "both from_edges and to_edges", "corners="):
        town.with_turns()
    with raises_sentence(ValueError, "only one of them", "corners="):
        town.with_turns([("a", "b", "c")])
    with raises_sentence(ValueError, "not by both"):
        town.with_turns([0], [2], corners=[("a", "b", "c")])
    with raises_sentence(ValueError, "costs are given twice"):
        town.with_turns(costs=[1.0], corners=[("a", "b", "c", 2)])


@pytest.mark.parametrize("label", ["via_way", "via2", "VIA_2", "viaWay", "via node", "via_id"])
def test_restrictions_over_a_way_are_refused(town, label):
    row = {"from": ["a"], "via": ["b"], label: ["c"], "to": ["d"]}
    for table in (pd.DataFrame(row), pa.table(row), pd.DataFrame({**row, "cost": [1.0]})):
        with raises_sentence(ValueError, f"the column {label!r} beside 'via'", "copy of the way"):
            town.with_turns(corners=table)
    row = {"from": ["a"], "via": ["b"], "to": ["c"], "viaduct": ["yes"]}
    assert wg.sssp(town.with_turns(corners=pd.DataFrame(row)), "a")[town.number_of("c")] == 6


def test_a_copy_of_a_way_stands_for_a_restriction_over_it():
    """From p over u-v not to y; r may still turn there, and p may go to x."""
    ends = ["pu", "ru", "uv", "vx", "vy"]
    graph = wg.Graph.from_edges(*zip(*[*ends, "uV", "Vx"], strict=True))
    turned = graph.with_turns(corners=[("p", "u", "v")])
    for source, expected in (("p", {"u", "V", "x"}), ("r", {"u", "v", "V", "x", "y"})):
        distance = wg.sssp(turned, source)
        reached = {name for name in graph.names if np.isfinite(distance[graph.number_of(name)])}
        assert reached == expected | {source}
