"""Plans: a method, devices, bytes, seconds and reasons, for any graph and machine."""

import pytest

import warpgraph as wg
from device_lists import GIB, machine, plan_for
from warpgraph._graph import plan

FOREST, COMPONENTS = "minimum_spanning_forest", "connected_components"


def large(scale, degree, **facts):
    """Return facts of a graph with a hub, from which searches are 5 hops deep."""
    known = {"longest_row": 1 << 20, "levels": 5, "hops": 5, "reaches_most": True}
    known |= {"has_negative": False, "is_mirrored": True, "is_known_mirrored": True}
    known["has_sorted_edges"] = False  # that a GPU keeps
    return {"n_vertices": 1 << scale, "n_arcs": degree << scale, **known} | facts


def number_of_all(algorithm, facts, on=None, **request):
    request = {"method": "weak" if algorithm == COMPONENTS else "auto"} | request
    made = plan_for(algorithm, facts, on=on, device="cuda:all", is_kept=True, **request)
    assert made.devices == (on or machine())["gpus"][: len(made.devices)]
    assert any(f"'cuda:all' chose {made.devices}" in reason for reason in made.reasons)
    return len(made.devices)


@pytest.mark.parametrize(
    ("algorithm", "scale", "degree", "gains"),
    [
        (FOREST, 24, 31, True),
        (FOREST, 26, 32, True),
        (FOREST, 23, 31, False),
        (FOREST, 24, 4, False),
        (COMPONENTS, 26, 32, True),
        (COMPONENTS, 24, 4, True),
        (COMPONENTS, 22, 31, False),
        ("bfs", 24, 31, True),
        ("bfs", 24, 4, False),
        ("bfs", 22, 31, False),
        ("sssp", 23, 31, True),
        ("sssp", 24, 4, False),
        ("sssp", 22, 31, False),
    ],
)
def test_large_graphs_of_many_edges_gain_by_several_gpus(algorithm, scale, degree, gains):
    facts = large(scale, degree)
    assert (number_of_all(algorithm, facts) > 1) == gains
    unshared = machine(share_memory=False)
    assert number_of_all(algorithm, facts, on=unshared) == 1
    little = machine(free_memory=64 << scale)
    assert number_of_all(algorithm, facts | {"bytes": 1}, on=little) == 3  # one has too little
    assert number_of_all(algorithm, facts, memory_limit=(64 << scale) - 1) == 3


def test_a_method_of_one_device_has_one():
    made = plan_for(FOREST, large(26, 32), device="cuda:all", is_kept=True, method="boruvka")
    assert made.devices == ["cuda:0"]
    assert made.reasons == ["device='cuda:all' chose cuda:0: this algorithm runs on one device"]


@pytest.mark.parametrize(
    ("facts", "free", "gains"),
    [
        ({"hops": 12}, 80, True),
        ({"hops": 13}, 80, False),
        ({"has_negative": True}, 80, False),
        ({"reaches_most": False}, 80, False),
        ({"longest_row": 16}, 80, False),
        ({"hops": 12}, 3, False),
        ({"hops": 12, "has_edge_lists": True}, 3, True),  # the lists have the rest
    ],
)
def test_several_gpus_search_graphs_of_few_hops(facts, free, gains):
    on = machine(free_memory=free * GIB)
    assert (number_of_all("sssp", large(24, 16, **facts), on=on) > 1) == gains


def test_a_search_of_a_directed_graph_has_one_gpu():
    assert number_of_all("bfs", large(24, 16, is_mirrored=False)) == 1


@pytest.mark.parametrize(
    ("degree", "hops", "chosen", "otherwise"),
    [(8, 12, "bellman_ford", "near_far"), (8, 13, "near_far", ""), (7, 12, "near_far", "")],
)
def test_method_for_graphs_of_few_hops(degree, hops, chosen, otherwise):
    facts = large(20, degree, hops=hops, is_on_devices=True)
    made = plan_for("sssp", facts, device=["cuda:0"])
    assert (made.method, made.otherwise) == (chosen, otherwise)
    for request in ({"memory_limit": GIB}, {"is_restricted": True}, {"method": "near_far"}):
        assert plan_for("sssp", facts, device=["cuda:0"], **request).otherwise == ""


@pytest.mark.parametrize(
    ("algorithm", "sizes", "gains"),
    [
        ("euclidean_mst", {"n_vertices": 5000, "n_dimensions": 8}, True),
        ("euclidean_mst", {"n_vertices": 100, "n_dimensions": 8}, False),
        ("euclidean_mst", {"n_vertices": 1 << 14, "n_dimensions": 16}, True),
        ("euclidean_mst", {"n_vertices": 1 << 20, "n_dimensions": 11}, True),
        ("kmeans", {"n_vertices": 1 << 16, "n_dimensions": 16, "n_centres": 64}, True),
        ("single_linkage", {"n_vertices": 1 << 17}, True),
        ("single_linkage", {"n_vertices": 1 << 16}, False),
        ("forest_of_edges", {"n_arcs": 1 << 20}, True),
        ("rank_weights", {"n_arcs": 1 << 20}, True),
        ("rank_weights", {"n_arcs": 1 << 32}, False),
        ("sort_by_weight", {"n_arcs": 1 << 30}, False),
    ],
)
def test_a_gpu_for_what_is_no_graph(algorithm, sizes, gains):
    made = plan_for(algorithm, sizes)
    assert made.devices == ["cuda:0" if gains else "cpu"]
    assert plan_for(algorithm, sizes, on=machine(0)).devices == ["cpu"]
    assert made.seconds > 0
    assert made.method


@pytest.mark.parametrize(
    ("change", "chosen"),
    [
        ({}, "push"),
        ({"n_vertices": 4000}, "pull"),
        ({"n_arcs": 9 << 16}, "pull"),
        ({"n_sources": 17}, "pull"),
        ({"n_sources": 0}, "pull"),
        ({"has_start": True}, "pull"),
        ({"error_pushed": 1e-12}, "pull"),
    ],
)
def test_pushes_from_few_vertices(change, chosen):
    facts = {"n_vertices": 1 << 16, "n_arcs": 3 << 16, "levels": 300, "longest_row": 4}
    request = {"n_sources": 2, "error_pushed": 1e-6}
    facts |= {key: value for key, value in change.items() if key in facts}
    request |= {key: value for key, value in change.items() if key not in facts}
    made = plan_for("pagerank", facts, **request)
    assert (made.method, made.otherwise) == (chosen, "pull" if chosen == "push" else "")


def test_a_plan_asks_for_facts_that_decide_only():
    small = {"n_vertices": 500, "n_arcs": 1500, "levels": 20, "longest_row": 5}
    made = plan_for("sssp", small, on={"n_threads": 4}, unweighted=True)
    assert (made.method, made.devices) == ("dijkstra", ["cpu"])
    with pytest.raises(ValueError, match="asks for 'has_negative'"):
        plan_for("sssp", small, on={"n_threads": 4})
    with pytest.raises(ValueError, match="no plans are made for bogosort"):
        plan_for("bogosort", small)


@pytest.mark.parametrize(
    ("sums", "n", "arcs", "where", "chosen", "search"),
    [
        ("float64", 100, 10_000, "cpu", "floyd_warshall", ""),
        ("float64", 10_000, 30_000, "cpu", "many_to_many", "batched"),
        ("uint16", 10_000, 3_000_000, "cuda:0", "floyd_warshall", ""),
    ],
)
def test_all_pairs_by_the_smaller_estimate(sums, n, arcs, where, chosen, search):
    facts = {"n_vertices": n, "n_arcs": arcs, "sums": sums, "sums_are_exact": True}
    facts |= {"has_negative": False, "has_exact_sums": False, "levels": 300 if arcs < 4 * n else 4}
    facts |= {"longest_row": arcs // n + 1, "bytes of batched": GIB}
    made = plan_for("apsp", facts, device=[where])
    assert (made.method, made.search) == (chosen, (search, ""))
    assert made.devices == [where]
    assert made.bytes >= 8 * n * n
    assert plan_for("apsp", facts | {"has_negative": True}).method == "floyd_warshall"


def test_all_pairs_by_searches_name_the_search():
    facts = {"n_vertices": 100_000, "n_arcs": 240_000, "bytes": 1 << 20, "levels": 900}
    facts |= {"longest_row": 4, "has_exact_sums": True, "has_negative": False}
    facts |= {"bytes of batched": GIB, "bytes of dijkstra": 1 << 20}

    def search(device=("cpu",), **change):
        request = {"method": "many_to_many"} | {k: v for k, v in change.items() if k not in facts}
        known = facts | {k: v for k, v in change.items() if k in facts}
        return plan_for("apsp", known, device=list(device), on=machine(n_threads=2), **request)

    roads = search()
    assert roads.search == ("hierarchy", "batched")
    assert any("chose hierarchy for 100000 sources" in reason for reason in roads.reasons)
    assert search(has_negative=True).search == ("johnson", "")
    assert search(has_exact_sums=False).search == ("batched", "")
    assert search(has_exact_sums=False, memory_limit=1 << 20).search == ("dijkstra", "")
    heaps = search(["cuda:0"], has_exact_sums=False)
    assert (heaps.search[0], heaps.bytes) == ("dijkstra", 2 << 20)  # and not those of all distances
    facts |= {"sums": "float64", "sums_are_exact": True}
    assert search(method="floyd_warshall").search == ("", "")


@pytest.mark.parametrize("how", [{}, {"directed": False}, {"method": "many_to_many"}], ids=str)
def test_all_pairs_are_planned_once(how, monkeypatch):
    made, make = [], plan.make

    def counted(algorithm, *args, **options):
        made.append(algorithm)
        return make(algorithm, *args, **options)

    monkeypatch.setattr(plan, "make", counted)
    one_way = wg.generators.rmat(8, 8, seed=1, directed=True)
    for graph in (wg.generators.grid(30, 30, seed=1), one_way):
        made.clear()
        wg.apsp(wg.Graph(graph), device="cpu", **how)
        # Before edges get a mirror image, the devices are chosen, whose memory that takes.
        assert made == ["apsp"] * (1 if how.get("directed", True) else 2)


def test_all_pairs_on_a_gpu_or_by_searches_on_all_cores():
    """Where "auto" may take a GPU, it is compared with searches on as many cores as there are."""
    facts = {"n_vertices": 20_000, "n_arcs": 60_000, "sums": "float32", "sums_are_exact": True}
    facts |= {"has_negative": False, "has_exact_sums": False, "levels": 300}
    facts |= {"longest_row": 4, "bytes of batched": GIB, "bytes of dijkstra": 1 << 20}
    for n_threads in (1, 16):
        on = machine(n_threads=n_threads)
        chosen = plan_for("apsp", facts, on=on)
        named = [
            plan_for("apsp", facts, device=[device], on=on, method=method).seconds
            for device in ("cpu", "cuda:0")
            for method in ("floyd_warshall", "many_to_many")
        ]
        if len(chosen.devices) == 1:
            assert chosen.seconds == pytest.approx(min(named))
        else:
            assert chosen.devices == ["cpu", "cuda:0"]
            assert chosen.seconds < 0.8 * min(named)


@pytest.mark.parametrize("algorithm", ["bfs", "sssp", COMPONENTS, "pagerank"])
def test_auto_takes_no_gpu_that_a_limit_leaves_too_little_of(algorithm):
    """It needs three times the graph and 64 bytes a vertex at most, or less a copy that is kept."""
    facts, n = large(20, 16, bytes=100 << 20), 64 << 20
    method = {"method": "weak"} if algorithm == COMPONENTS else {}
    needed = 3 * facts["bytes"] + n

    def chosen(limit, **kept):
        request = {"memory_limit": limit, "is_kept": True, **method}
        return plan_for(algorithm, facts | kept, **request).devices

    assert chosen(needed) == ["cuda:0"]
    assert chosen(needed - 1) == ["cpu"]
    assert chosen(needed - facts["bytes"], is_on_devices=True) == ["cuda:0"]
    assert chosen(needed - facts["bytes"] - 1, is_on_devices=True) == ["cpu"]


def test_auto_takes_a_gpu_for_a_method_of_gpus():
    facts = large(12, 16)
    for request in ({}, {"is_restricted": True}, {"has_limit": True, "is_restricted": True}):
        assert plan_for("sssp", facts, method="near_far", **request).devices == ["cuda:0"]
    with pytest.raises(ValueError, match="'near_far' does not run on cpu"):
        plan_for("sssp", facts, method="near_far", on=machine(gpus=[], seconds_to_begin=1e99))


@pytest.mark.parametrize(
    ("n_neighbors", "limit", "free", "chosen"),
    [
        (5, 0, 80 << 30, "cuda:0"),
        (5, 400_000_000, 80 << 30, "cuda:0"),
        (201, 400_000_000, 80 << 30, "cpu"),
        (201, 0, 1 << 30, "cpu"),
        (201, 2_000_000_000, 80 << 30, "cuda:0"),  # of core distances, in slices
    ],
)
def test_neighbours_are_found_where_there_is_memory_for_them(n_neighbors, limit, free, chosen):
    """A GPU needs 12 bytes for each neighbour of each point of a slice."""
    facts = {"n_vertices": 2_000_000, "n_dimensions": 2, "n_neighbors": n_neighbors}
    there = machine(free_memory=free)
    made = plan_for("nearest_neighbors", facts, on=there, memory_limit=limit)
    assert made.devices == [chosen]
    said = "may need 1610612736 bytes" if chosen == "cpu" else " ms on a GPU"
    assert said in "".join(made.reasons)
