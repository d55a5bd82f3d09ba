// A graph in compressed sparse rows: the arcs of vertex u are the positions
// offsets[u] .. offsets[u+1] of `heads` and `weights`, as in SciPy's CSR matrix.
//
// Views borrow memory of host or device and are passed by value; owners (Csr, DeviceCsr) own it.
#pragma once

#include "core/memory/host_vector.hpp"
#include "core/types.hpp"

#include <algorithm>
#include <span>
#include <string>

namespace warpgraph {

/// Row offsets as SciPy stores them, 32 or 64 bits wide, read in place. The branch is the same for
/// all accesses, so it costs less than the copy that a single type would need.
class Offsets {
 public:
  Offsets() = default;
  WARPGRAPH_HOST_DEVICE explicit Offsets(const std::int32_t* narrow) : narrow_(narrow) {}
  WARPGRAPH_HOST_DEVICE explicit Offsets(const std::int64_t* wide) : wide_(wide) {}

  WARPGRAPH_HOST_DEVICE edge_t operator[](std::int64_t v) const noexcept {
    return wide_ != nullptr ? wide_[v] : static_cast<edge_t>(narrow_[v]);
  }
  /// Prefetches an offset, on the host. Always inlined: otherwise GCC sees no effect and drops it.
  [[gnu::always_inline]] void prefetch(std::int64_t v) const noexcept {
    if (wide_ != nullptr) {
      __builtin_prefetch(wide_ + v);
    } else {
      __builtin_prefetch(narrow_ + v);
    }
  }
  [[nodiscard]] bool is_wide() const noexcept { return wide_ != nullptr; }
  [[nodiscard]] const std::int32_t* narrow() const noexcept { return narrow_; }
  [[nodiscard]] const std::int64_t* wide() const noexcept { return wide_; }

 private:
  const std::int32_t* narrow_ = nullptr;
  const std::int64_t* wide_ = nullptr;
};

/// The structure of a graph, without weights.
struct CsrPattern {
  vertex_t n_vertices = 0;
  edge_t n_arcs = 0;
  Offsets offsets;
  const vertex_t* heads = nullptr;

  WARPGRAPH_HOST_DEVICE edge_t begin(vertex_t u) const noexcept { return offsets[u]; }
  WARPGRAPH_HOST_DEVICE edge_t end(vertex_t u) const noexcept {
    return offsets[static_cast<std::int64_t>(u) + 1];
  }
  WARPGRAPH_HOST_DEVICE edge_t degree(vertex_t u) const noexcept { return end(u) - begin(u); }
  /// Returns whether a vertex has fewer than 8 arcs on average, as on roads and meshes. A thread
  /// then processes a row alone; with more arcs, a warp shares it.
  [[nodiscard]] bool has_low_degree() const noexcept { return n_arcs < 8 * edge_t{n_vertices}; }
};

template <class W>
struct CsrView : CsrPattern {
  const W* weights = nullptr;
};

/// A graph whose arrays it owns, in host memory.
template <class W>
struct Csr {
  HostVector<edge_t> offsets{0};
  HostVector<vertex_t> heads;
  HostVector<W> weights;

  [[nodiscard]] CsrView<W> view() const noexcept {
    CsrView<W> view;
    view.n_vertices = static_cast<vertex_t>(offsets.size() - 1);
    view.n_arcs = static_cast<edge_t>(heads.size());
    view.offsets = Offsets(offsets.data());
    view.heads = heads.data();
    view.weights = weights.data();
    return view;
  }
};

/// Throws std::invalid_argument naming the first bad entry: offsets that do not start at 0,
/// decrease, or do not end at n_arcs; heads outside 0..n_vertices-1.
void validate_structure(const CsrPattern& graph);
/// Checks the offsets alone, or the heads.
void validate_offsets(const CsrPattern& graph);
void validate_heads(const CsrPattern& graph);

/// Converts 64-bit vertex numbers to 32 bits. Throws std::invalid_argument naming the first entry
/// of `indices` outside 0..n_vertices-1.
HostVector<vertex_t> narrow_heads(std::span<const std::int64_t> heads, vertex_t n_vertices);

/// Throws std::invalid_argument naming the first NaN weight. Does not read integers.
template <class W>
void validate_weights(std::span<const W> weights, CsrPattern graph);

/// Returns the position of the first negative weight, or -1.
template <class W>
edge_t find_negative(std::span<const W> weights);

/// Positions of weights that need special treatment by searches, or -1.
struct UnusualWeights {
  edge_t negative = -1;
  /// Position of an integer weight equal to the distance of unreachable vertices.
  edge_t unreachable = -1;
};

/// Finds the first weight of each kind, in one pass if there are none.
template <class W>
UnusualWeights find_unusual(std::span<const W> weights);

/// Returns "a graph with 3 vertices (0..2)", for messages about invalid vertices.
std::string vertex_range(vertex_t n_vertices);

/// Returns the tail of the arc at `position`, by binary search in the offsets.
vertex_t tail_of(const CsrPattern& graph, edge_t position);

/// Calls visit(tail, head, position) for the arcs at the positions first .. last, in order.
/// Dividing work by positions instead of rows splits a hub's row among threads.
template <class Visit>
void for_each_arc(const CsrPattern& graph, edge_t first, edge_t last, Visit&& visit) {
  if (first >= last) return;
  vertex_t u = tail_of(graph, first);
  for (edge_t e = first; e < last; ++u) {
    for (const edge_t end = std::min(last, graph.end(u)); e < end; ++e) visit(u, graph.heads[e], e);
  }
}

}  // namespace warpgraph
