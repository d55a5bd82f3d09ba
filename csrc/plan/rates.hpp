// Numbers that plans rest on beside the model of time (model/), with their source: a file of
// benchmarks/results, a part of docs/experiments.md, or the machine and the day. A factor of two
// hardly matters where sizes differ by powers of ten. rates_of_points.hpp has those of points,
// sizes/tasks.hpp those of tasks of distributed graphs.
//
// "To tell users": only the seconds that a plan reports rest on this, no choice does.
#pragma once

#include "plan/rates_of_points.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

namespace warpgraph::plan::rates {

/// Seconds until a GPU takes the first work of a process: the driver and its context. H200,
/// first_call-nvidia-h200-2026-11-28.json.
inline constexpr double seconds_to_begin = 0.25;

// Several GPUs of one host.

/// Bytes a second that a GPU sends to others over NVLink while it computes, and seconds of a round
/// for each device that shares it: launches, and waits for each other. H200, 2026-11-23.
inline constexpr double nvlink_bytes_a_second = 3e11;
inline constexpr double barrier_of_a_device = 1e-5;
/// Several GPUs are chosen if they save at least this fraction of the time of one. 2026-11-23.
inline constexpr double least_gain = 0.1;
/// A graph is copied to a GPU before the plan, to be checked on its way, only if so many times its
/// bytes are free there: so there is room for others if no copy is needed. Not measured.
inline constexpr std::size_t memory_to_early_copies = 4;
/// Bytes of a result a second to memory of the host that is not page-locked. H100, 2026-11-26,
/// docs/experiments.md on the steps of teams.
inline constexpr double bytes_a_second_to_host = 4.7e10;
/// The fraction of the time of a search, or of finding components, that several GPUs do not divide:
/// their exchange, copies to the host, and vertices that several of them reach. Same source.
inline constexpr double undivided_search = 0.5;

// Shortest paths from one source.

/// Seconds in which a search from both ends of a path settles a vertex or makes a distance smaller:
/// a grid of 1000^2, leaves of a star of 10^6. Xeon, benchmarks/rates/measured, 2026-12-01.
inline constexpr double seconds_of_a_visit = 36e-9;

/// Hops and degrees that decide the method on a GPU: bellman_ford makes passes over all arcs while
/// many distances change, and near_far synchronises many times. 2^18 to 2^24 vertices: if degrees
/// are skewed, as in R-MAT graphs, searches are 5 to 7 hops deep, and bellman_ford takes 0.4 to 0.7
/// of the time of near_far. If degrees are about equal, it takes 0.8 to 1.9 times as long in random
/// graphs, up to 2.3 times in cliques, 10 to 35 hops deep. With fewer arcs a vertex than the second
/// number, as on roads and grids, paths have thousands of hops. In first calls, too, which find
/// the depth while weights arrive and make the list of edges (device_edge_list.cuh): R-MAT 20, 11.3
/// ms and 14.4 by near_far, H200, 2026-11-30. H100, 2026-11-26.
inline constexpr int hops_for_bellman_ford = 12;
inline constexpr std::int64_t degree_of_few_hops = 8;
/// A hub from which few hops reach most vertices has so many times the mean degree. H100,
/// 2026-11-26.
inline constexpr std::int64_t degrees_of_a_hub = 16;
/// Several GPUs gain by bellman_ford from this number of arcs on: two take 0.8 of the time of one
/// for the 181 million of kron 21, and 0.9 for the 128 million of R-MAT 22; arcs a second of one.
/// H100, 2026-11-26, and H200, 2026-11-29, docs/experiments.md.
inline constexpr std::int64_t sssp_arcs_to_divide = 150'000'000;
inline constexpr double sssp_arcs_a_second_of_a_gpu = 4e10;
/// Seconds per vertex and arc of a search for a landmark, to tell users: delta_stepping on a core:
/// grid 2048 x 2048 and rmat 20 of sssp-cpu-16-cores-2026-11-25-2.json.
inline constexpr double delta_stepping_on_a_core = 9e-9;
/// The speedup of an algorithm by n cores is n times this, and at least 1: an estimate, not
/// measured.
inline constexpr double speedup_of_a_core = 0.4;

// Breadth-first search.

/// Arcs a vertex from which on graphs have few levels, and several GPUs search level by
/// level; with fewer, as on roads and meshes, by near-far. H100, 2026-11-23.
inline constexpr std::int64_t degree_of_levels = 8;
/// Arcs a vertex, with fewer of which hardly any level would run bottom-up; and the number of
/// searches that together save as much time by bottom-up levels as transposing the graph for them
/// takes. EPYC, 2026-11-21.
inline constexpr std::int64_t degree_worth_transposing = 8;
inline constexpr int searches_before_transposing = 4;
/// Several GPUs gain from this number of vertices on, if arcs are stored both ways; arcs a second
/// of one. H100, 2026-11-26, docs/experiments.md.
inline constexpr std::int64_t bfs_vertices_to_divide = 1 << 24;
inline constexpr double bfs_arcs_a_second_of_a_gpu = 2.5e11;

// Components.

/// Smallest number of arcs for which a GPU beats the cores. H200, 2026-11-20.
inline constexpr std::int64_t components_arcs_worth_a_gpu = 1 << 20;
/// Arcs a second of a GPU in R-MAT graphs that stay there; smaller graphs than the second number do
/// not gain by several. H100, 2026-11-25 and 2026-11-26, docs/experiments.md.
inline constexpr double components_arcs_a_second_of_a_gpu = 1.8e11;
inline constexpr std::int64_t components_vertices_to_divide = 1 << 24;

// Spanning forests.

/// Entries a second of one GPU in R-MAT graphs of 2^24 to 2^26 vertices that it holds; and the
/// fraction of the time that two do not halve, 0.3 to 0.5. Smaller graphs gain less, and grids on
/// some machines only. H100, 2026-11-25, docs/experiments.md.
inline constexpr double forest_arcs_a_second_of_a_gpu = 1.8e10;
inline constexpr double undivided_forest = 0.4;
inline constexpr std::int64_t forest_vertices_to_divide = 1 << 24;
inline constexpr std::int64_t forest_degree_to_divide = 8;
/// Seconds of a minimum arborescence for each vertex and for each arc on a core, to tell users:
/// between New York's roads (0.17 s) and 2^20 vertices with 9 random arcs each (5.7 s). 2026-11-28.
inline constexpr double arborescence_of_a_vertex = 100e-9;
inline constexpr double arborescence_of_an_arc = 300e-9;
/// Seconds of Kruskal's algorithm for each vertex of a forest, and of a bottleneck path between two
/// vertices, on a core, to tell users: New York's roads with 100 and 10^6 pairs,
/// trees-cpu-16-cores-2026-11-28.json.
inline constexpr double joining_a_vertex = 60e-9;
inline constexpr double bottleneck_of_a_pair = 300e-9;

// Communities, cores and triangles.

/// Seconds for each arc on a core, to tell users: of communities by Leiden's method, of peeling,
/// and of finding triangles, here for each arc and the root of the mean degree. Between grids and
/// R-MAT 16 and 18. Xeon, 2 cores, 2026-11-28.
inline constexpr double communities_of_an_arc = 6e-7;
inline constexpr double core_numbers_of_an_arc = 2e-8;
inline constexpr double triangles_of_an_arc = 5e-8;
/// The time of trusses, which peel edges by their triangles, as a multiple of the time of finding
/// the triangles: between a grid and R-MAT 16, 11 to 16; of neighbours of points, 5. Xeon, 1 and 2
/// cores, 2026-11-28.
inline constexpr double trusses_to_triangles = 13;

// PageRank.

/// Contributions that an H200 gathers along arcs, and vertices whose contribution it updates, a
/// second. 2026-11-23.
inline constexpr double gathered_by_a_gpu = 2.5e11;
inline constexpr double updated_by_a_gpu = 2e11;
/// Graphs whose arcs are stored both ways are accelerated from this number on. With fewer, the
/// power iteration takes a millisecond, and its scores are NetworkX's but for rounding. 2026-11-26.
inline constexpr std::int64_t arcs_worth_accelerating = 1 << 16;
/// Pushes are tried until they have visited this fraction of the vertices and arcs, or this number.
/// Pulls visit all of them ten times or more, so a vain attempt costs a few percent, and a fifth
/// where many cores pull. On roads a push from one vertex needs a tenth as a rule. Pushes near few
/// vertices are for one core; the number takes it a millisecond. EPYC, 2026-11-22.
inline constexpr double fraction_to_visit_by_pushes = 1.0 / 4;
inline constexpr std::int64_t max_visits_by_pushes = 1 << 18;
/// Pushes are tried if the random walks of PageRank start at no more vertices than the first
/// number, since the surroundings of these add up: on roads and grids, 16 gain eight times and 256
/// lose. Where vertices have more arcs than the second number, walks are soon everywhere; in a
/// graph with fewer vertices than the third all are close, and both methods take microseconds.
/// EPYC, 2026-11-22.
inline constexpr std::int64_t max_starts_of_pushes = 16;
inline constexpr std::int64_t max_degree_to_push = 8;
inline constexpr std::int64_t fewest_vertices_to_push = 1 << 12;
/// A visit rounds by the first number at most, by its arithmetic (algorithms/pagerank/push). Pushes
/// are tried if the rounding of all visits is at most the second number times the error that pushes
/// may leave: an estimate.
inline constexpr double rounding_of_a_visit = 0x1p-62;
inline constexpr double fraction_of_the_error_to_round = 0x1p-10;
/// The numbers of fewer vertices than the first fit the second-level cache of a core; where
/// vertices have fewer arcs than the second, reading rows in another order costs what gathers save.
/// The order by degrees pays if hubs, here from 4 times the mean degree on, have a quarter of all
/// arcs, and less than half of all arcs are near: the numbers of their ends share cached pages
/// (primitives/graph_shape.hpp). EPYC, 2026-11-22.
inline constexpr std::int64_t vertices_beyond_a_cache = 1 << 17;
inline constexpr std::int64_t degree_worth_an_order = 8;
inline constexpr double least_fraction_at_hubs = 1.0 / 4;
inline constexpr double max_fraction_near = 1.0 / 2;

// Shortest paths between two vertices.

/// A ball has the vertices that a search from one end settles; searches from both ends have two.
/// They end early if the number of vertices times the rounding of a sum is below this: an estimate,
/// not measured.
inline constexpr double max_rounding_of_two_balls = 0.05;
/// The time of a search by 16 landmarks to that of one from one end, to tell users: 0.2 on the
/// roads of New York and 0.08 on a grid of 1000 x 1000. pairs-cpu-2-cores-2026-11-29.json.
inline constexpr double path_by_landmarks = 0.12;

// Shortest paths from many sources.

/// A search from a source to fewer targets usually ends long before it has reached the whole graph.
/// 2026-11-20.
inline constexpr std::int64_t few_targets = 8;
/// Levels up to which breadth-first search carries the sources through a graph together, a bit
/// each: on roads and meshes searches hardly ever meet in a vertex in the same level, and took 1.4
/// times as long as one by one in a grid of 88 levels. EPYC, 2026-11-23.
inline constexpr double few_levels = 40;
/// Arcs a vertex with more of which a graph probably has no small hierarchy. EPYC, 2026-11-22.
inline constexpr std::int64_t degree_of_hierarchies = 5;

// Shortest paths of all pairs.

/// Pivots whose rows a GPU sends to the others at a time: max_depth of algorithms/apsp/team.
inline constexpr double pivots_of_a_round = 512;
/// Relaxations a second of Floyd and Warshall's method, by the type of the sums: on a core of a
/// Xeon, float32 and float64 in a matrix of 1024, 2026-12-01, and the others in the proportions of
/// apsp-cpu-2-cores-2026-11-20-4.json, whose EPYC took half of the time; and
/// apsp-nvidia-h200-2026-11-20-7.json, with an estimate for int64.
struct Relaxations {
  std::string_view sums;
  double of_a_core;
  double of_a_gpu;
};
inline constexpr std::array relaxations{
    Relaxations{"uint16", 70e9, 2.5e13}, Relaxations{"int32", 36e9, 1.3e13},
    Relaxations{"int64", 22e9, 2e12},    Relaxations{"float32", 36e9, 1.3e13},
    Relaxations{"float64", 18e9, 4e12},
};
/// Seconds of a call on a GPU, besides: 1.7 ms for 2000 vertices. H200, 2026-11-30.
inline constexpr double floyd_warshall_call_on_a_gpu = 1e-3;
/// Seconds of a search on one core for each vertex that it reaches, and for each arc, to tell
/// users. EPYC, 2026-11-20.
inline constexpr double search_of_a_vertex = 25e-9;
inline constexpr double search_of_an_arc = 8e-9;

// Conversions of graphs.

/// Weights that a GPU cannot sort, since their positions have 32 bits (max_device_sort_items).
inline constexpr std::int64_t weights_too_many_for_a_gpu = std::int64_t{1} << 32;
/// Seconds for an arc: R-MAT 18, transform-cpu-2-cores-2026-11-20-2.json and
/// builds-nvidia-h200-2026-11-22.json. Sixteen cores sort rows faster than these are copied to a
/// GPU and back.
inline constexpr double rank_on_a_core = 2.5e-8;
inline constexpr double rank_on_a_gpu = 2e-9;
/// Seconds of a call on a GPU, besides. An estimate.
inline constexpr double ranks_call_on_a_gpu = 2e-4;
inline constexpr double sort_on_a_core = 1.6e-8;
inline constexpr double sort_on_a_gpu = 7.4e-9;

// Functions of SciPy's interface, which one thread of the compiled module computes at once, without
// a plan, if they are short.

/// Vertices and arcs of one search, and those of several, times the sources: one takes 2
/// milliseconds at most, in many rounds, in which threads would wait for each other; several, which
/// need not wait, take 1 millisecond. 2 cores, 2026-11-22.
inline constexpr std::int64_t visits_of_a_short_search = 1 << 18;
inline constexpr std::int64_t visits_of_short_searches = 1 << 16;
/// Arcs that one thread sorts; more threads, or a GPU, do not gain there. And arcs up to which
/// sorting is faster than the rounds of Boruvka's algorithm on so few cores. 2 cores, 2026-11-22.
inline constexpr std::int64_t arcs_to_sort = 1 << 14;
inline constexpr std::int64_t arcs_to_sort_on_few_cores = 1 << 20;
inline constexpr int few_cores_of_a_forest = 2;
/// Vertices up to which Floyd's three loops take no longer than a plan and tiles. 2 cores,
/// 2026-11-22.
inline constexpr std::int64_t vertices_without_tiles = 64;
/// The most vertices, and the most arcs, of a matrix in which Yen's algorithm searches, times
/// paths: about a millisecond, in which no other Python thread runs. 2 cores, 2026-11-22.
inline constexpr int work_of_short_paths = 1 << 14;
/// The most vertices of an order of vertices, and the most arcs of a depth-first one, for which the
/// compiled module's own search takes less time than SciPy's; and the most arcs of a breadth-first
/// one. Along arcs of a directed CSR matrix, SciPy's is as fast or faster up to the last number: it
/// does not check the arrays. 2 cores, 2026-11-23.
inline constexpr std::int64_t size_of_a_short_traversal = 1 << 13;
inline constexpr std::int64_t arcs_of_a_short_breadth_first = 3 << 10;
inline constexpr std::int64_t arcs_that_scipy_visits_as_fast = 1 << 18;

// NetworkX.

/// Fewest entries of the dictionaries for which a call takes less time than in NetworkX: of a graph
/// that the call converts, and of one that was converted before.
/// Random graphs with integer weights and ten entries a node, 2 cores, NetworkX 3.6, CPython 3.11,
/// 2026-11-22; times as fast with / without the conversion:
///   one search with weights     200 edges 0.8 / 1.2    500 edges 1.6 / 2.7    5,000 edges 12 / 45
///   one search without weights  1,000 edges 0.8 / 1.8  4,000 edges 1.1 / 4    30,000 edges 2 / 10
///   components                  1,000 edges 0.8 / 2    4,000 edges 1.3 / 6    30,000 edges 2 / 30
///   spanning tree               50 edges 1.1 / 1.5     200 edges 2.8 / 4.4    5,000 edges 11 / 33
///   PageRank                    20 edges 5.6 / 7       1,000 edges 7.4 / 16   5,000 edges 15 / 55
///   all pairs with weights      20 edges 0.3 / 0.4     50 edges 1.1 / 1.2     500 edges 19 / 21
///   all pairs without weights   100 edges 0.8 / 1      200 edges 1.7 / 2      500 edges 3.6 / 4
///   closeness centrality        100 edges 0.8 / 0.9    200 edges 1.4 / 1.6    1,000 edges 7 / 7
/// An undirected edge is two entries. Core numbers, triangles and "measure", which are measures of
/// all vertices such as closeness and betweenness: 2026-11-28.
struct NetworkxCalls {
  std::string_view kind;
  std::int64_t entries;
  std::int64_t entries_if_converted;
};
inline constexpr std::array networkx_calls{
    NetworkxCalls{"weighted search", 600, 400},
    NetworkxCalls{"unweighted search", 10'000, 2'000},
    NetworkxCalls{"spanning tree", 100, 100},
    NetworkxCalls{"PageRank", 40, 40},
    NetworkxCalls{"weighted all pairs", 100, 100},
    NetworkxCalls{"unweighted all pairs", 400, 400},
    NetworkxCalls{"measure", 400, 400},
    NetworkxCalls{"core numbers", 200, 100},
    NetworkxCalls{"triangles", 200, 100},
};

/// Entries a node that a search without weights reads in NetworkX, which ends when it has seen all
/// nodes, while a conversion reads all; and the most for which a conversion is worth one search:
/// 1 to 6 times as fast as NetworkX with 5 entries a node, 0.2 to 2.5 times with 20, 0.07 to 0.5
/// times with 80. EPYC, 2 cores, 2026-11-23.
inline constexpr std::int64_t entries_read_by_networkx = 10;
inline constexpr std::int64_t entries_worth_a_conversion = 16;

/// Sources that a thread takes at a time for NetworkX, enough for a batch of breadth-first
/// searches, and the distances of all of them: a few megabytes. Not measured.
inline constexpr std::int64_t sources_of_a_thread = 256;
inline constexpr std::int64_t distances_at_a_time = 1 << 23;

// Sizes of blocks.

/// Most rows of distances of a hierarchy whose predecessors are found at a time. Not measured.
inline constexpr std::size_t rows_of_trees = 32;
/// Distances of queries to points by a function that are in memory at a time: 16 MB. Not measured.
inline constexpr std::int64_t distances_of_queries = 1 << 21;
/// Bytes of values that pay for another thread of predicate_filter: they take several times as long
/// as its start. Not measured.
inline constexpr std::int64_t values_worth_a_thread = 1 << 20;

}  // namespace warpgraph::plan::rates
