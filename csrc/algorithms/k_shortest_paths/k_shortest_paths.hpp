// The k shortest paths between two vertices that visit no vertex twice, in the order of
//   1. length: the sum of weights from the source on; of parallel arcs the lightest counts,
//   2. number of arcs,
//   3. vertices: the smaller one where two paths part.
// Without 2., arcs of weight zero would make it hard to find the first of equal paths.
//
// Yen's algorithm [1], without its repetitions [2]. The paths that were not found yet fall into
// classes: those that follow a found path up to a vertex, the spur, and do not leave it by certain
// arcs. When a class loses its first path, the rest splits into a class for each vertex of that
// path from the spur on. So no path is found twice.
//
// Yen searches from every spur. Here distances to the target, of one search in the transposed
// graph, bound the length of a class from below: by the least sum of the path up to the spur, an
// arc, and the distance of its head. A class is searched only when its bound is the least length of
// all, as in [3], which happens for little more than k classes instead of one for each vertex of
// each path. Two steps then find its first path:
//
//   - Behind the best arc, the first of the shortest paths to the target is known. If it does not
//     meet the path up to the spur, it is the result.
//   - Otherwise, A* [4] with these distances as potentials visits only vertices on paths that are
//     no longer than the result. Weights may be negative: along an arc, distance and potential
//     together never decrease.
//
// With 16 bytes and more for each class, memory grows with k and the number of arcs on a path.
//
// Rounding: potentials add weights from the target on, lengths from the source on. Where sums of
// floats are rounded, a path may be left out for one that is longer by some rounding units. The
// result is sorted by the lengths that it states.
//
// [1] Yen: Finding the k shortest loopless paths in a network. Management Science 17, 1971.
// [2] Lawler: A procedure for computing the k best solutions to discrete optimization problems and
//     its application to the shortest path problem. Management Science 18, 1972.
// [3] Kurz, Mutzel: A sidetrack-based algorithm for finding the k shortest simple paths in a
//     directed graph. ISAAC 2016.
// [4] Hart, Nilsson, Raphael: A formal basis for the heuristic determination of minimum cost paths.
//     IEEE Trans. Systems Science and Cybernetics 4, 1968.
#pragma once

#include "core/memory/host_vector.hpp"
#include "core/memory/memory_budget.hpp"
#include "core/types.hpp"
#include "graph/csr.hpp"

#include <cstddef>
#include <cstdint>
#include <span>

namespace warpgraph {

struct KShortestPathsOptions {
  vertex_t source = 0;
  vertex_t target = 0;
  std::int64_t k = 1;
  MemoryBudget budget = {};
};

template <class W>
struct KShortestPaths {
  HostVector<W> lengths;
  HostVector<edge_t> offsets{0};  // where paths begin, and the end of the last
  HostVector<vertex_t> vertices;  // path i: offsets[i] .. offsets[i + 1]
};

/// Finds at most k paths: fewer if there are no more. `transposed` has all arcs of the graph
/// reversed, with their weights. `to_target` has distances in it from the target, as sssp finds
/// them. Throws std::overflow_error if fewer than k paths have lengths that fit W, and others do
/// not.
template <class W>
KShortestPaths<W> k_shortest_paths(const CsrView<W>& graph, const CsrView<W>& transposed,
                                   std::span<const W> to_target,
                                   const KShortestPathsOptions& options);

}  // namespace warpgraph
