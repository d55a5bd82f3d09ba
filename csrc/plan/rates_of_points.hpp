// The part of rates.hpp about points and clusters.
#pragma once

#include <cstddef>
#include <cstdint>

namespace warpgraph::plan::rates {

/// Up to this number of dimensions boxes prune the search for a tree of points or for neighbours;
/// with more, most pairs may have to be examined. H200 and 16 cores, 2026-11-20.
inline constexpr std::int64_t dimensions_for_boxes = 8;
/// Seconds for a multiplication where all pairs are examined, to tell users: 20,000 points in 32-D,
/// emst-cpu-16-cores-2026-11-25.json.
inline constexpr double pair_on_a_core = 7e-11;
/// Up to this number of dimensions boxes prune the search under manhattan and chebyshev for a tree,
/// and for the own neighbours of points, whose leaves share searches; and for those of queries and
/// within a radius. Uniform points, where boxes gain least: 4000 and 16,000 in 32-D took 0.8 of the
/// time of all pairs, in 64-D 1.2 times; queries in 12-D 0.8, in 16-D 1.3. EPYC, 2 cores,
/// 2026-11-28.
inline constexpr std::int64_t dimensions_for_metric_boxes = 32;
inline constexpr std::int64_t dimensions_for_metric_boxes_of_queries = 12;
/// Seconds on a core: for a pair and each of its coordinates, for the power of one,
/// and by boxes for a point in 0-D, times the next number for each dimension, and for its powers.
/// 4000 and 50,000 uniform points in 2-D to 12-D, EPYC, 2026-11-28.
inline constexpr double metric_pair = 2e-9;
inline constexpr double metric_coordinate_of_a_pair = 4e-11;
inline constexpr double metric_power_of_a_pair = 1.2e-8;
inline constexpr double metric_boxes_of_a_point = 4e-7;
inline constexpr double metric_boxes_of_a_dimension = 1.45;
inline constexpr double metric_powers_of_a_point = 3e-6;
/// The first two on a GPU, which compares all pairs, and those of a call besides: neighbours of
/// 20,000 points in 128-D and of 50,000 rows of 16 words, 41 and 44 ms beside 490 and 2750 on 16
/// cores. metrics-nvidia-h200-2026-11-29.json.
inline constexpr double metric_pair_on_a_gpu = 2e-12;
inline constexpr double metric_coordinate_of_a_pair_on_a_gpu = 8e-13;
inline constexpr double metric_call_on_a_gpu = 5e-4;
/// The number of dimensions from which on products of matrices find the nearest neighbours on cores
/// faster than boxes, and the most neighbours, whose candidates take much memory: 20,000 uniform
/// points of float32 in 48-D took 0.6 of the time, of float64 0.4; of 50 clusters 1.3 and 0.9 times
/// in 48-D, 1.1 and 0.8 in 64-D, 0.9 and 0.6 in 128-D. Those within a radius, in 128-D: 0.13 of the
/// time for 3 neighbours of each uniform point of float32, 0.3 for 210, 1.0 for half of the points,
/// 0.4 and 0.7 for 77 and 210 neighbours in clusters of float64. EPYC, 2 cores,
/// 2026-11-28.
inline constexpr std::int64_t dimensions_for_products = 48;
inline constexpr std::int64_t neighbours_for_products = 500;
/// The numbers for neighbours of other points, which share no search in boxes, and how many of
/// these repay panels: 1000 uniform queries in 20,000 points took 0.2 of the time in 16-D, and
/// among clusters 0.8; in 12-D 0.3 and 1.2; 32 queries as long. Within a radius, in 16-D to 128-D:
/// 0.14 to 0.4 of the time, and 0.8 to 1.5 among clusters; 32 queries 0.5 and 1.1 to 1.7. EPYC, 2
/// cores, 2026-11-28.
inline constexpr std::int64_t dimensions_for_products_of_queries = 16;
inline constexpr std::int64_t queries_for_products = 32;
/// Up to this number of new points, reading all old points takes less than a new tree, which takes
/// about a microsecond a point where boxes help; without them, also up to this fraction of the old
/// points. 2026-11-20.
inline constexpr double few_new_points = 100;
inline constexpr double new_points_to_old_ones = 0.1;
/// Seconds for a vertex: a random tree of a million vertices,
/// cluster-cpu-2-cores-2026-11-20-2.json and cluster-nvidia-h200-2026-11-20-2.json.
inline constexpr double join_on_a_core = 2.2e-8;
inline constexpr double join_on_a_gpu = 1.7e-9;
/// Seconds of a call on a GPU, besides. An estimate: GPUs gained from 2^17 vertices on.
inline constexpr double dendrogram_on_a_gpu = 2e-4;
/// Seconds of an iteration for a point, and for a multiplication: ten iterations of
/// uniform points in 16-D and of blobs in 2-D, kmeans-cpu-2-cores-2026-11-20.json, and
/// kmeans-nvidia-h100-80gb-hbm3-2026-11-25.json. The start takes as long as so many iterations:
/// the start from far points, first file.
inline constexpr double kmeans_of_a_point_on_a_core = 1e-8;
inline constexpr double kmeans_on_a_core = 6e-11;
inline constexpr double kmeans_on_a_gpu = 4e-13;
/// The most that more cores gain with the part of an iteration for each point, and seconds of an
/// iteration and of a call on a GPU, besides: 1000 to 500,000 points in 2-D to 768-D. H200 and 16
/// cores, 2026-11-30.
inline constexpr double speedup_of_points_of_kmeans = 1.8;
inline constexpr double kmeans_iteration_on_a_gpu = 2.5e-5;
inline constexpr double kmeans_call_on_a_gpu = 1e-3;
inline constexpr double start_of_kmeans = 5;
/// Iterations until no point moves, if the caller allows as many: an estimate, not measured.
inline constexpr double iterations_of_kmeans = 100;

/// Bytes of a new point that is placed in a fitted tree: for each neighbour its number and
/// distance, and copies of both; for each coordinate that, and a copy. Counted, not measured.
inline constexpr std::size_t bytes_of_a_placed_neighbour = 64;
inline constexpr std::size_t bytes_of_a_placed_coordinate = 16;
/// Bytes of new points that are placed at once, and most of their number: Ctrl-C is noticed between
/// blocks. Estimates, not measured.
inline constexpr std::size_t bytes_to_place_at_once = std::size_t{1} << 24;
inline constexpr std::size_t rows_to_place_at_once = std::size_t{1} << 12;
/// The numbers that SciPy's k-d tree has of a point beside its coordinates, and its share of boxes.
/// An estimate, not measured.
inline constexpr std::size_t numbers_of_a_point_in_a_tree = 6;

}  // namespace warpgraph::plan::rates
