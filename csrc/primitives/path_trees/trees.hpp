// Trees of shortest paths from many rows of distances, whoever found them.
//
// Sums along paths: the rule of sssp.hpp, row by row the same answer. If there are rows enough to
// repay turning the graph round, sixteen or more are taken at a time: their distances to a vertex
// lie side by side, and all arcs that end in it are tried for all of them together. That settles
// vertices with a tight arc from a strictly nearer one. Rows that have others, which are reached
// over arcs that add nothing, are done again one by one; so are all rows where weights may be
// negative.
//
// Sums in any order: Floyd and Warshall's distances of floats are off by n rounding units, so arcs
// of shortest paths are tight only nearly. With weights >= 0 the predecessor of v is the strictly
// nearer u with the least d[u] + w, if that is d[v] within 2 n rounding units: the smallest u if
// several are. As distances fall on the way back, that cannot close a cycle. What is left (vertices
// whose last arcs vanish in rounding, and with negative weights all) is joined to the tree, with
// the branches that hang there, by breadth-first search from the source's part of the tree: first
// over arcs with d[u] + w <= d[v], and when there are none, over arcs of least slack, then of twice
// that at most, and so on; of several the smallest vertex of a round. An arc that joins comes from
// a vertex whose path home is known, so there are no cycles, whatever the distances; and as long as
// a vertex with a finite distance is missing, there is such an arc on the way to it, of slack
// within the bound on rounding. Only distances at the end of a float's range may lack one, where a
// sum in another order is infinite: their vertices are left without a predecessor.
#pragma once

#include "core/types.hpp"
#include "graph/csr.hpp"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <span>
#include <type_traits>

namespace warpgraph {

/// Distances to all vertices in host memory; row i is that of sources[i].
template <class W>
struct DistanceRows {
  std::span<const vertex_t> sources;
  const W* distances = nullptr;
  std::int64_t stride = 0;  // from the beginning of a row to that of the next

  [[nodiscard]] std::int64_t size() const { return static_cast<std::int64_t>(sources.size()); }
  [[nodiscard]] const W* row(std::int64_t i) const { return distances + i * stride; }
};

/// How distances came about: added along paths; in any order, but rounded nowhere; or rounded.
enum class Sums { along_paths, exact, in_any_order };

struct TreeOptions {
  Sums sums = Sums::along_paths;
  /// The graph has negative weights (see find_negative).
  bool negative_weights = false;
  /// Bytes that the work may take beside the result; 0: what is free.
  std::size_t memory_limit = 0;
};

/// Writes n_vertices predecessors for each row, close together. Works on CPU cores.
template <class W>
void recover_trees(const CsrView<W>& graph, const DistanceRows<W>& rows, const TreeOptions& options,
                   vertex_t* predecessors);

/// Completes the rows `unfinished`, of a graph without negative weights, whose vertices that can
/// hang below strictly nearer ones do so already; what the others have is not looked at. Works on
/// CPU cores.
template <class W>
void finish_trees(const CsrView<W>& graph, const DistanceRows<W>& rows, const TreeOptions& options,
                  std::span<const std::int64_t> unfinished, vertex_t* predecessors);

/// Whether sums of weights were exact in any order: all are integers, and either no path is too
/// long for all integers up to its length to be numbers of W, or none of the distances is.
template <class W>
[[nodiscard]] bool sums_are_exact(const CsrView<W>& graph, const DistanceRows<W>& rows,
                                  bool negative_weights);
/// The same; farthest() is the largest finite distance, and is asked for where it matters.
template <class W>
[[nodiscard]] bool sums_are_exact(const CsrView<W>& graph, const std::function<W()>& farthest,
                                  bool negative_weights);

/// options.sums, or Sums::exact if they were added in any order and are known to be exact.
template <class W>
[[nodiscard]] Sums refined_sums(const CsrView<W>& graph, const DistanceRows<W>& rows,
                                const TreeOptions& options) {
  const bool in_any_order = options.sums == Sums::in_any_order;
  return in_any_order && sums_are_exact(graph, rows, options.negative_weights) ? Sums::exact
                                                                               : options.sums;
}

/// Sums in any order: what d[u] + w may exceed d[v] by, relative to it. Both distances are off by
/// n_vertices - 1 rounding units at most, of half an epsilon each, and so is the sum by one.
template <class W>
[[nodiscard]] constexpr W tree_tolerance(vertex_t n_vertices) {
  if constexpr (std::is_integral_v<W>) {
    return 0;
  } else {
    return static_cast<W>(n_vertices) * std::numeric_limits<W>::epsilon();
  }
}

}  // namespace warpgraph
