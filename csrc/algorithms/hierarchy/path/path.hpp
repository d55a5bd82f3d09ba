// The shortest path between two vertices by a hierarchy: the result of shortest_path_cpu, bit for
// bit, in a time that depends on the path, not on the size of the graph.
//
// distances An upward search from the source reaches few vertices. Every other distance from the
//           source is computed when it is asked for, from those of the vertices above, and kept for
//           the rest of the query [1].
// exact     If sums are integers, and the type W holds the length exactly, the path is followed
//           back from the target by the rule for predecessors in sssp.hpp. This asks for the
//           distances of the tails of arcs into the path's vertices; no shortcut is unpacked.
// rounded   Otherwise the distances of sssp are the least sums in W along paths, and the hierarchy
//           tells them up to rounding errors only. The vertices of all paths that may be shortest
//           after rounding are collected from the target, a corridor, in which Dijkstra's algorithm
//           adds in W. The rounding errors of a path are bounded by the number of arcs that a path
//           of its length can have (see ArcCounts). If ties make the corridor wide, there is no
//           result; after some such queries, more than have results, no more corridors are tried.
//
// [1] Strasser, Zeitz: A fast and tight heuristic for A* in road networks. SEA 2021.
#pragma once

#include "algorithms/hierarchy/path/arc_counts.hpp"
#include "algorithms/hierarchy/path/distances_on_demand.hpp"
#include "algorithms/shortest_path/shortest_path.hpp"
#include "core/containers/made_once.hpp"
#include "core/memory/memory_budget.hpp"

#include <atomic>
#include <memory>
#include <mutex>
#include <optional>
#include <vector>

namespace warpgraph {

/// The arrays of a query. They are initialised once, since a query visits few of their items.
template <class T>
struct PathScratch {
  explicit PathScratch(const Hierarchy<T>& hierarchy)
      : distances(hierarchy), corridor_index(at(hierarchy.n_vertices), no_vertex) {}
  [[nodiscard]] std::size_t bytes() const {
    return distances.bytes() + corridor_index.size() * sizeof(vertex_t);
  }

  hierarchy_detail::DistancesOnDemand<T> distances;
  std::vector<vertex_t> corridor_index;  // by vertex; no_vertex between queries
};

/// The queries of one hierarchy, and the data that they keep for each other. Thread-safe.
template <class T>
class PathQueries {
 public:
  /// Finds a path in `graph`, which the hierarchy was made of, with weights in W; `transposed` is
  /// as for shortest_path_cpu. Returns nothing if neither the path nor that there is none is
  /// proven.
  template <class W>
  std::optional<ShortestPath<W>> find(const Hierarchy<T>& hierarchy, const CsrView<W>& graph,
                                      const CsrView<W>& transposed, vertex_t source,
                                      vertex_t target, const ShortestPathSettings& settings);
  /// Finds the paths of pairs on as many cores as there is memory for: by shortest_path_cpu where
  /// they are not proven.
  template <class W>
  PathsOfPairs<W> find_all(const Hierarchy<T>& hierarchy, const CsrView<W>& graph,
                           const CsrView<W>& transposed, const Pairs& pairs,
                           const ShortestPathSettings& settings);
  /// Returns the bytes that are kept. Does not wait for queries.
  [[nodiscard]] std::size_t bytes() const;

 private:
  using Scratch = std::unique_ptr<PathScratch<T>>;
  /// The most arrays that are kept: more threads at a time are rare, and make their own.
  static constexpr std::size_t max_kept = 4;
  static constexpr std::int64_t max_wide = 8;  // before corridors must repay them

  /// Finds a path without vertices, unless they are wanted.
  template <class W>
  std::optional<ShortestPath<W>> find_by(PathScratch<T>& scratch, const Hierarchy<T>& hierarchy,
                                         const CsrView<W>& graph, const CsrView<W>& transposed,
                                         vertex_t source, vertex_t target, bool wants_vertices);
  [[nodiscard]] bool corridors_repay() const { return n_wide_ <= n_narrow_ + max_wide; }
  Scratch take(const Hierarchy<T>& hierarchy, MemoryBudget budget);
  Scratch take_kept();
  void keep(Scratch scratch);
  /// Returns the arc counts of `transposed`, which is the same graph in all calls.
  template <class W>
  const ArcCounts& arc_counts(const CsrView<W>& transposed);

  mutable std::mutex mutex_;  // guards kept_
  std::vector<Scratch> kept_;
  MadeOnce<ArcCounts> of_floats_;
  MadeOnce<ArcCounts> of_doubles_;
  // These count queries whose corridor had few vertices, and many.
  std::atomic<std::int64_t> n_narrow_{0};
  std::atomic<std::int64_t> n_wide_{0};
};

}  // namespace warpgraph
