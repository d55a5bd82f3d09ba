// Recovers trees of shortest paths from rows of distances, by whatever method these were computed.
//
// Sums along paths: each row gets the predecessors that sssp.hpp defines. If there are enough rows
// to repay transposing the graph, sixteen or more are processed in a batch: the distances of a
// vertex from all sources of the batch are consecutive in memory, and each arc that ends in the
// vertex is tested for all of them together. That finds the predecessors of vertices with a tight
// arc from a strictly nearer vertex. Rows with other vertices, which are reached over arcs that add
// nothing, are processed again one by one, as are all rows if weights may be negative.
//
// Sums in any order: the distances of Floyd and Warshall's algorithm on floats are off by n
// rounding units, so arcs of shortest paths are only nearly tight. With weights >= 0 the
// predecessor of v is the strictly nearer u with the least d[u] + w, if that equals d[v] within 2 n
// rounding units; the smallest such u if there are several. Since distances decrease along
// predecessors, these close no cycle. The remaining vertices are those whose last arcs vanish in
// rounding or, with negative weights, all. They are attached together with their subtrees, by
// breadth-first search from the vertices whose predecessors lead to the source: first over arcs
// with d[u] + w <= d[v]; when there are none, over arcs of at most the least slack, then of at most
// twice that, and so on. Of several vertices of a round the smallest becomes the predecessor. An
// attaching arc starts at a vertex that is already connected with the source, so there are no
// cycles, whatever the distances. As long as a vertex with a finite distance is missing, a path to
// it has such an arc, with a slack within the bound on rounding errors. An exception are distances
// at the end of a float's range, where a sum in another order may be infinite: such vertices remain
// without a predecessor.
#pragma once

#include "core/memory/memory_budget.hpp"
#include "core/memory_need.hpp"
#include "core/types.hpp"
#include "graph/csr.hpp"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <optional>
#include <span>
#include <type_traits>

namespace warpgraph {

/// Distances to all vertices in host memory. Row i belongs to sources[i].
template <class W>
struct DistanceRows {
  std::span<const vertex_t> sources;
  const W* distances = nullptr;
  std::int64_t stride = 0;  // elements from the start of a row to that of the next

  [[nodiscard]] std::int64_t size() const { return static_cast<std::int64_t>(sources.size()); }
  [[nodiscard]] const W* row(std::int64_t i) const { return distances + i * stride; }
};

/// The way in which the sums of distances were formed: along paths; in any order, but without
/// rounding; or in any order, with rounding.
enum class Sums { along_paths, exact, in_any_order };

struct TreeOptions {
  Sums sums = Sums::along_paths;
  /// True if the graph has negative weights (see find_negative).
  bool negative_weights = false;
  /// Bytes that the computation may use in addition to the result; 0 means the free memory.
  MemoryBudget budget = {};
};

/// Writes n_vertices predecessors for each row, without gaps between rows. Runs on CPU cores.
template <class W>
void recover_trees(const CsrView<W>& graph, const DistanceRows<W>& rows, const TreeOptions& options,
                   vertex_t* predecessors);

/// Returns the need of recover_trees() for weights >= 0, if it asks for memory. That is an upper
/// bound: in the type of numbers that takes most, since the largest distance decides on it.
template <class W>
[[nodiscard]] std::optional<MemoryNeed> most_need_of_trees(const CsrPattern& graph,
                                                           std::int64_t n_rows, bool are_exact);

/// Completes the rows `unfinished` of a graph without negative weights. In these rows, vertices
/// that can be attached to strictly nearer ones must be so already. Other rows are not accessed.
/// Runs on CPU cores.
template <class W>
void finish_trees(const CsrView<W>& graph, const DistanceRows<W>& rows, const TreeOptions& options,
                  std::span<const std::int64_t> unfinished, vertex_t* predecessors);

/// Returns whether sums of weights are exact in any order: all weights are integers, and W
/// represents all integers up to the bound on the length of a path, or up to the largest distance.
/// farthest() returns that distance, and is called only if it is needed.
template <class W>
[[nodiscard]] bool sums_are_exact(const CsrView<W>& graph, const std::function<W()>& farthest,
                                  bool negative_weights);

/// Returns options.sums, or Sums::exact if they were added in any order and are known to be exact.
template <class W>
[[nodiscard]] Sums refined_sums(const CsrView<W>& graph, const DistanceRows<W>& rows,
                                const TreeOptions& options);

/// Returns the tolerance of sums in any order: how much d[u] + w may exceed d[v], relative to d[v].
/// Each distance has an error of at most n_vertices - 1 rounding units of half an epsilon, and the
/// sum of one more.
template <class W>
[[nodiscard]] constexpr W tree_tolerance(vertex_t n_vertices) {
  if constexpr (std::is_integral_v<W>) {
    return 0;
  } else {
    return static_cast<W>(n_vertices) * std::numeric_limits<W>::epsilon();
  }
}

}  // namespace warpgraph
