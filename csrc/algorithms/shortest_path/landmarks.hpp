// A* with landmarks and the triangle inequality (ALT) [1]: the search of goal_directed.hpp, by
// bounds that need no coordinates.
//
// The distances D from and to some vertices, the landmarks, are found once. For each landmark L, no
// path from v to t is shorter than D(v, L) - D(t, L), nor than D(L, t) - D(L, v): the largest of
// these numbers bounds what is left. A landmark that v or t has no path to or from bounds nothing,
// and without any bound the search is Dijkstra's. The distances of a vertex lie side by side in
// memory, since they are read together. In a symmetric graph those from and to a landmark are
// equal, and kept once.
//
// Landmarks are best at the border, beyond sources or targets. They are chosen one by one, each
// farthest from those before it [1], where near is what has a short path either from a landmark or
// to one: a landmark from which no path leads on, or to which none leads, would else end the
// choice.
//
// The result is that of sssp, bit for bit, though the bounds are in other numbers than the lengths.
// Weights are those that lengths are added of, as real numbers; lengths are their sums rounded to
// W. D is added in double, whatever W is, with weights rounded to double where they are integers
// beyond 2^53. With n vertices, a shortest path has fewer than n additions. So D is off by less
// than d = (n + 1) * epsilon / 2, relative to itself, and a difference of two, computed, exceeds
// the real one by less than (d + 2 * epsilon) times their sum. Each bound is lowered by
// (2 * n + 16) * epsilon times that sum, which is more, and so is at most the real distance left.
// What W rounds is not part of this: the search allows for that in the lengths themselves. It goes
// on until keys are larger than the target's length by more than the rounding errors of sums in W
// along a path, and of the keys, and settles again what is lowered later. Sums so small that double
// does not round them are exact, and the computed bound, which is monotone in each of its parts, is
// then at most their exact difference. So it is 0 where arcs of length 0 lead to the target.
//
// [1] Goldberg, Harrelson: Computing the shortest path: A* search meets graph theory. SODA 2005.
#pragma once

#include "algorithms/shortest_path/shortest_path.hpp"
#include "core/memory/host_vector.hpp"
#include "core/memory/memory_budget.hpp"

namespace warpgraph {

struct LandmarkOptions {
  /// The landmarks, all different; empty: they are chosen.
  std::span<const vertex_t> given;
  /// The number that are chosen. Fewer are if all other vertices have length 0 from those, or no
  /// path.
  std::int64_t n_chosen = 0;
  /// Bytes for finding them, and for a search by them then; 0: the free memory.
  MemoryBudget budget = {};
};

/// The landmarks of a graph, and distances in double: that of vertex v from the i-th of k landmarks
/// is from[k * v + i], and that to it to[k * v + i].
struct Landmarks {
  HostVector<vertex_t> vertices;
  HostVector<double> from;
  HostVector<double> to;  // empty: as `from`
};

/// Distances of landmarks, without their vertices.
struct LandmarkDistances {
  std::span<const double> from;
  std::span<const double> to;  // empty: as `from`
  std::int64_t n_landmarks = 0;
};

/// Finds landmarks by searches on all cores. `transposed` has the same arcs reversed; null: the
/// graph is symmetric. Weights must not be negative; both graphs' may be nullptr: all are 1.
template <class W>
Landmarks find_landmarks(const CsrView<W>& graph, const CsrView<W>* transposed,
                         const LandmarkOptions& options);

/// Searches on one core, as shortest_path_cpu does.
template <class W>
ShortestPath<W> shortest_path_by_landmarks(const CsrView<W>& graph, const CsrView<W>& transposed,
                                           vertex_t source, vertex_t target,
                                           const LandmarkDistances& landmarks,
                                           const ShortestPathSettings& settings);

}  // namespace warpgraph
