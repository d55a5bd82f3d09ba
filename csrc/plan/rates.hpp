// Every number that was measured on a machine and that plans rest on, with its source: a file of
// benchmarks/results, a part of docs/experiments.md, or the machine and the day. A factor of two
// hardly matters where sizes differ by powers of ten. rates_of_points.hpp has those of points,
// rates_of_tasks.hpp those of tasks of distributed graphs.
//
// "To tell users": only the seconds that a plan reports rest on this, no choice does. "Seconds per
// vertex and arc" are multiplied by the sum of the numbers of both.
#pragma once

#include "plan/rates_of_points.hpp"
#include "plan/rates_of_tasks.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

namespace warpgraph::plan::rates {

// Several GPUs of one host.

/// Bytes a second that a GPU sends to others over NVLink while it computes, and seconds of a round
/// for each device that shares it: launches, and waits for each other. H200, 2026-11-23.
inline constexpr double nvlink_bytes_a_second = 3e11;
inline constexpr double barrier_of_a_device = 1e-5;
/// Several GPUs are chosen if they save at least this fraction of the time of one. 2026-11-23.
inline constexpr double least_gain = 0.1;
/// Bytes of a graph a second from memory of the host that is not page-locked, with checks of the
/// arrays on their way. H200, first_call-nvidia-h200-2026-11-28.json.
inline constexpr double bytes_a_second_to_a_gpu = 4.6e10;
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

/// Up to this number of vertices a heap on one core is faster than buckets, whose width has to be
/// found first. That also holds with a limit or targets. EPYC, 2 cores, 2026-11-20.
inline constexpr std::int64_t vertices_for_a_heap = 1 << 9;
/// Arcs from which on a GPU beats the cores on any graph: if it is copied there for the search, and
/// if it is there, where an H200 is as fast as its host's 16 cores from 65,000 arcs on and three to
/// ten times as fast from 10^6 on. H200, 2026-11-20. The copy takes 0.26 ns an arc of an R-MAT
/// graph, a core 6 ns: so a copy pays beside at most 24 cores, or if the graph is kept. H200,
/// 2026-11-28.
inline constexpr std::int64_t sssp_arcs_worth_a_gpu = 1 << 22;
inline constexpr std::int64_t sssp_arcs_worth_a_gpu_that_has_them = 1 << 17;
inline constexpr int cores_worth_a_copy = 24;
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

/// Seconds per vertex and arc, to tell users. dijkstra and bellman_ford on a core, rmat 18 and
/// ny-road: sssp-cpu-2-cores-2026-11-25-3.json.
inline constexpr double dijkstra_on_a_core = 1.5e-8;
inline constexpr double bellman_ford_on_a_core = 3e-8;
/// delta_stepping on a core: grid 2048 x 2048 and rmat 20 of sssp-cpu-16-cores-2026-11-25-2.json.
inline constexpr double delta_stepping_on_a_core = 9e-9;
/// The speedup of an algorithm by n cores is n times this, and at least 1: an estimate, not
/// measured.
inline constexpr double speedup_of_a_core = 0.4;
/// Seconds per vertex and arc on a GPU: near_far on ssca2 20 and ne-road, bellman_ford on rmat 20:
/// sssp-nvidia-h100-80gb-hbm3-2026-11-25.json.
inline constexpr double near_far_on_a_gpu = 9.5e-11;
inline constexpr double near_far_on_a_gpu_on_roads = 9.7e-10;
inline constexpr double bellman_ford_on_a_gpu = 4.2e-11;

// Breadth-first search.

/// Smallest number of arcs for which a GPU beats the cores. H200, 2026-11-20.
inline constexpr std::int64_t bfs_arcs_worth_a_gpu = 1 << 22;
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
/// Seconds per vertex and arc, to tell users: those of R-MAT 20 and grid 2048 x 2048 on 16 cores,
/// times the speedup of these: bfs-cpu-16-cores-2026-11-23.json.
inline constexpr double bfs_on_a_core = 4.0e-10;
inline constexpr double bfs_on_a_core_on_roads = 6.0e-9;

// Components.

/// Smallest number of arcs for which a GPU beats the cores. H200, 2026-11-20.
inline constexpr std::int64_t components_arcs_worth_a_gpu = 1 << 20;
/// Arcs a second of a GPU in R-MAT graphs that stay there; smaller graphs than the second number do
/// not gain by several. H100, 2026-11-25 and 2026-11-26, docs/experiments.md.
inline constexpr double components_arcs_a_second_of_a_gpu = 1.8e11;
inline constexpr std::int64_t components_vertices_to_divide = 1 << 24;
/// Seconds for each vertex and for each arc on a core, to tell users, if arcs are stored both ways:
/// roads and R-MAT 20 of connected_components-cpu-2-cores-2026-11-25.json and of
/// -2026-11-23-3.json.
inline constexpr double components_of_a_vertex_on_a_core = 7e-9;
inline constexpr double components_of_an_arc_on_a_core = 3e-10;
/// Seconds if they are not, so that every arc is read: the directed R-MAT 20 and the random graph
/// on 16 cores of connected_components-nvidia-h100-80gb-hbm3-2026-11-25.json.
inline constexpr double components_of_a_vertex_on_a_core_one_way = 5e-8;
inline constexpr double components_of_an_arc_on_a_core_one_way = 1e-9;
/// The time of strong components to that of weak ones: 1.5 to 7 on the same graphs, same source.
inline constexpr double strong_to_weak = 3;

// Spanning forests.

/// Smallest number of entries for which a GPU beats the cores. H200, 2026-11-20.
inline constexpr std::int64_t forest_arcs_worth_a_gpu = 1 << 20;
/// Entries a second of one GPU in R-MAT graphs of 2^24 to 2^26 vertices that it holds; and the
/// fraction of the time that two do not halve, 0.3 to 0.5. Smaller graphs gain less, and grids on
/// some machines only. H100, 2026-11-25, docs/experiments.md.
inline constexpr double forest_arcs_a_second_of_a_gpu = 1.8e10;
inline constexpr double undivided_forest = 0.4;
inline constexpr std::int64_t forest_vertices_to_divide = 1 << 24;
inline constexpr std::int64_t forest_degree_to_divide = 8;
/// Seconds for each vertex and for each entry on a core, to tell users: ny-road, rmat 18 and the
/// road-like grid of mst-cpu-2-cores-2026-11-25.json, rmat 20 of mst-cpu-16-cores-2026-11-25.json.
inline constexpr double forest_of_a_vertex_on_a_core = 5e-8;
inline constexpr double forest_of_an_arc_on_a_core = 6e-9;
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

/// Smallest number of arcs for which a GPU is used: that of components. 2026-11-21.
inline constexpr std::int64_t pagerank_arcs_worth_a_gpu = 1 << 20;
/// Contributions that an H200 gathers along arcs, and vertices whose contribution it updates, a
/// second. 2026-11-23.
inline constexpr double gathered_by_a_gpu = 2.5e11;
inline constexpr double updated_by_a_gpu = 2e11;
/// Seconds per vertex and arc of a sweep on a core, to tell users: R-MAT 20 on 16 cores,
/// pagerank-cpu-16-cores-2026-11-27.json.
inline constexpr double gathering_on_a_core = 2.9e-10;
/// Sweeps of a call by default: an estimate, not measured.
inline constexpr double sweeps_of_pagerank = 60;
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

/// Up to this number of vertices, searches from both ends are faster although a directed matrix is
/// transposed for them; with thousands, a search from one end is as fast or faster. 2026-11-22.
inline constexpr std::int64_t vertices_to_transpose_for_a_path = 1 << 9;
/// A ball has the vertices that a search from one end settles; searches from both ends have two.
/// They end early if the number of vertices times the rounding of a sum is below this: an estimate,
/// not measured.
inline constexpr double max_rounding_of_two_balls = 0.05;
/// The time of searches from both ends to that of one from one end, by which many pairs also choose
/// whether a hierarchy pays; and seconds of a path in a hierarchy, to tell users: estimates, not
/// measured.
inline constexpr double two_balls_to_one = 0.5;
inline constexpr double path_in_a_hierarchy = 3e-4;
/// The time of a search by 16 landmarks to that of one from one end, to tell users: 0.2 on the
/// roads of New York and 0.08 on a grid of 1000 x 1000. pairs-cpu-2-cores-2026-11-29.json.
inline constexpr double path_by_landmarks = 0.12;

// Shortest paths from many sources.

/// Sources times arcs from which on an H200 beats 16 cores although the result is copied to the
/// host: twice as fast at this size, four times for a hundred sources. On roads, cores with a
/// hierarchy are as fast as the copy. H200, 2026-11-20.
inline constexpr std::int64_t many_to_many_work_worth_a_gpu = 1 << 25;
/// Arcs a vertex, with fewer of which a graph is taken for roads. H200, 2026-11-20.
inline constexpr std::int64_t degree_of_roads = 8;
/// A search from a source to fewer targets usually ends long before it has reached the whole graph.
/// 2026-11-20.
inline constexpr std::int64_t few_targets = 8;
/// Batches gain if few arcs lie between their sources, as between many sources. Where arcs are few,
/// as on roads, ordering the sources costs more, and only hundreds of sources repay it. Fewer
/// sources than these, in all or a thread, are searched as fast one by one. EPYC, 2026-11-20.
inline constexpr std::int64_t sources_worth_batches = 128;
inline constexpr std::int64_t sources_worth_batches_on_roads = 512;
inline constexpr std::int64_t sources_a_thread_worth_batches = 32;
/// Sources of a batch on a GPU. Batches gain there with any number of sources. But on roads two
/// batches, whose sources are far apart, take longer than the same searches one by one, which all
/// run at once. H200, 2026-11-20.
inline constexpr std::int64_t sources_of_a_batch_on_a_gpu = 32;
/// Arcs of length 1: sources that breadth-first search carries through the graph together, a bit
/// each. On R-MAT graphs four took a quarter of the time of one by one, 64 a sixteenth. On roads
/// and meshes searches hardly ever meet in a vertex in the same level, and 70 on a grid took eight
/// times as long. A vertex of more than 8 times the mean degree tells that there are few levels.
/// Without one, a search from each of three sources tells, where 32 sources or more repay it. From
/// 64 and 256 sources, breadth_first took 1/4 to 1/24 of the time of the other methods on random
/// graphs with 4 to 20 arcs a vertex (4 to 8 levels), half on a small world of 28 levels and 0.7 on
/// one of 54, but on a grid of 88 levels 1.4 times as long. EPYC, 2026-11-23.
inline constexpr std::int64_t sources_worth_breadth_first = 2;
inline constexpr std::int64_t degrees_of_a_hub_of_few_levels = 8;
inline constexpr std::int64_t sources_worth_a_look = 32;
inline constexpr int few_levels = 32;
/// A hierarchy is repaid by as many sources as can be searched while it is prepared: the first
/// number times the fourth power of the mean degree, but no fewer than the second. Measured were
/// 140 on the roads of Colorado (degree 2.4), 180 on those of New York (2.8), 300, 480 and 1,130 on
/// grids of degree 2.8, 3.2 and 4.0. With more arcs a vertex than the last number a graph probably
/// has no small hierarchy. On a GPU, the last number but one repays it. EPYC and H200, 2026-11-22.
inline constexpr double searches_that_prepare = 4.0;
inline constexpr std::int64_t fewest_sources_to_prepare = 128;
inline constexpr std::int64_t sources_worth_preparing_on_a_gpu = 4096;
inline constexpr std::int64_t degree_of_hierarchies = 5;
/// Seconds per vertex and arc on a core of a search of which so many take as long as preparing a
/// hierarchy, to tell users: hierarchy-cpu-2-cores-2026-11-20.json.
inline constexpr double search_of_preparing = 4e-9;

// Shortest paths of all pairs.

/// Smallest number of vertices for which n^3 steps repay a GPU; a core takes a millisecond there.
/// H200, 2026-11-20.
inline constexpr std::int64_t apsp_vertices_worth_a_gpu = 384;
/// Pivots whose rows a GPU sends to the others at a time: max_depth of algorithms/apsp/team.
inline constexpr double pivots_of_a_round = 512;
/// Relaxations a second of Floyd and Warshall's method, by the type of the sums:
/// apsp-cpu-2-cores-2026-11-20-4.json on one core, and apsp-nvidia-h200-2026-11-20-7.json. Those of
/// int64 are in neither: EPYC, 2026-11-20, and an estimate for the GPU.
struct Relaxations {
  std::string_view sums;
  double of_a_core;
  double of_a_gpu;
};
inline constexpr std::array relaxations{
    Relaxations{"uint16", 150e9, 2.5e13}, Relaxations{"int32", 80e9, 1.3e13},
    Relaxations{"int64", 45e9, 2e12},     Relaxations{"float32", 80e9, 1.3e13},
    Relaxations{"float64", 35e9, 4e12},
};
/// Seconds of a search on one core for each vertex that it reaches, and for each arc, as long as
/// there are not more than so many a vertex: most further arcs are too heavy to matter. EPYC,
/// 2026-11-20.
inline constexpr double search_of_a_vertex = 25e-9;
inline constexpr double search_of_an_arc = 8e-9;
inline constexpr double search_of_a_further_arc = 2e-9;
inline constexpr std::int64_t arcs_that_matter = 16;
/// Seconds of a search on one core with counts of shortest paths, and of the dependencies on
/// vertices, for each vertex and arc: with arcs of length 1 (4e-9 on R-MAT graphs, 12e-9 on roads),
/// and by Dijkstra's algorithm (11e-9, 35e-9). 2026-11-28; betweenness-cpu-2-cores-2026-11-29.json
/// has 10e-9 with arcs of length 1 on roads. With 16 cores, each takes twice as long on roads:
/// betweenness-cpu-16-cores-2026-11-28.json.
inline constexpr double dependencies_by_hops_of_an_arc = 7e-9;
inline constexpr double dependencies_of_an_arc = 2e-8;
/// Seconds of the same on a GPU: with arcs of length 1 between R-MAT 20 (0.9e-10) and New York's
/// roads (9.7e-10), and by lengths on these roads. betweenness-nvidia-h200-2026-11-28.json.
inline constexpr double dependencies_by_hops_on_a_gpu = 2e-10;
inline constexpr double dependencies_on_a_gpu = 2e-9;
/// Arcs times sources from which on hops take less time on a GPU than on 16 cores. An estimate: in
/// the same file, a GPU that has the graph gains at 2^23 by a factor of 2.4.
inline constexpr std::int64_t betweenness_work_worth_a_gpu = std::int64_t{1} << 26;
/// Seconds for each arc and each of k labels, the k facilities nearest to a vertex: 5 of 200
/// facilities in New York's roads, 24 ms beside 442. within-nvidia-h200-2026-11-29.json.
inline constexpr double label_on_a_core = 1.2e-7;
inline constexpr double label_on_a_gpu = 6.4e-9;
/// Arcs times k from which on a GPU takes less time than a core, also if the graph is copied there.
/// An estimate from these rates.
inline constexpr std::int64_t labels_worth_a_gpu = std::int64_t{1} << 20;
/// Seconds for a vertex or arc where neighbouring sources reach the vertices in the same order: on
/// roads, where they are close, and around hubs, where all paths meet. On a core, 2e-9 in R-MAT 16
/// and 5.5e-9 in New York's roads: many_to_many-cpu-2-cores-2026-11-20-2.json.
inline constexpr double search_together = 2.5e-9;
/// Seconds for a vertex or arc in a sweep over a hierarchy, on a core:
/// hierarchy-cpu-2-cores-2026-11-20.json.
inline constexpr double sweep = 0.6e-9;
/// Seconds for a vertex or arc on a whole GPU with one heap a warp: between R-MAT 16 (0.8e-10) and
/// New York's roads (3.6e-10) of many_to_many-nvidia-h200-2026-11-20.json.
inline constexpr double search_on_a_gpu = 1e-10;
/// Graphs with more hops than the first number times log2(n) are taken for roads and grids, and a
/// vertex of more than the second number times the mean degree for a hub where all paths meet.
/// Estimates.
inline constexpr double hops_of_roads = 3;
inline constexpr std::int64_t degrees_of_a_hub_of_all_paths = 16;

// Conversions of graphs.

/// Weights that a GPU ranks faster than the cores, copies included; H200, 2026-11-20. And those
/// from which on it cannot sort them, since their positions have 32 bits (max_device_sort_items).
inline constexpr std::int64_t weights_worth_a_gpu = 1 << 20;
inline constexpr std::int64_t weights_too_many_for_a_gpu = std::int64_t{1} << 32;
/// Seconds for an arc, to tell users: R-MAT 18, transform-cpu-2-cores-2026-11-20-2.json and
/// builds-nvidia-h200-2026-11-22.json. Sixteen cores sort rows faster than these are copied to a
/// GPU and back.
inline constexpr double rank_on_a_core = 2.5e-8;
inline constexpr double rank_on_a_gpu = 2e-9;
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
