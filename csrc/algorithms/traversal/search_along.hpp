// What both searches share: their arcs, and the record of their visits. Not for use outside this
// folder.
#pragma once

#include "algorithms/traversal/traversal.hpp"
#include "core/containers/bitmap.hpp"
#include "core/interrupt.hpp"
#include "core/memory/memory_budget.hpp"
#include "core/threads/parallel.hpp"
#include "graph/symmetry.hpp"
#include "graph/transform/group_arcs.hpp"

namespace warpgraph::traversal_detail {

/// Calls search(graph, bytes that it may take) with all arcs in the directions that the options
/// name. Where every arc is stored both ways, those that enter a vertex lead to no further vertex.
template <class Search>
vertex_t search_along(const CsrPattern& graph, const TraversalOptions& options, Search&& search) {
  if (options.directed || is_symmetric(graph)) return search(graph, options.memory_limit);
  CsrView<Unweighted> arcs;
  static_cast<CsrPattern&>(arcs) = graph;
  const Csr<Unweighted> both = symmetrise(arcs, options.memory_limit);
  const std::size_t taken =
      both.offsets.size() * sizeof(edge_t) + both.heads.size() * sizeof(vertex_t);
  return search(both.view(), left_of_limit(options.memory_limit, taken));
}

/// Visited vertices, in their order and as a set; and their predecessors, unless that span is
/// empty.
class Visits {
 public:
  Visits(vertex_t n_vertices, std::span<vertex_t> order, std::span<vertex_t> predecessors)
      : n_vertices_(n_vertices),
        visited_(n_vertices),
        order_(order.data()),
        predecessors_(predecessors.empty() ? nullptr : predecessors.data()) {
    if (predecessors_ == nullptr) return;
    parallel_for(
        n_vertices, [&](std::int64_t v) { predecessors_[v] = no_vertex; }, light_grain);
  }

  static constexpr std::size_t bytes(vertex_t n_vertices) {
    return static_cast<std::size_t>(n_vertices) / 8 + sizeof(std::uint64_t);
  }

  [[nodiscard]] bool has(vertex_t v) { return visited_.view().test(v); }
  void add(vertex_t v, vertex_t predecessor) {
    visited_.view().set(v);
    order_[size_++] = v;
    if (predecessors_ != nullptr) predecessors_[v] = predecessor;
  }

  [[nodiscard]] vertex_t size() const noexcept { return size_; }
  /// Whether all vertices are visited.
  [[nodiscard]] bool is_full() const noexcept { return size_ == n_vertices_; }
  [[nodiscard]] vertex_t operator[](vertex_t place) const noexcept { return order_[place]; }

  /// Counts work, in arcs; once in a while reports progress and checks for Ctrl-C.
  void count(edge_t n_arcs) {
    work_left_ -= n_arcs + 1;
    if (work_left_ >= 0) return;
    work_left_ = work_between_reports;
    report_progress(size_, n_vertices_);
  }

 private:
  static constexpr edge_t work_between_reports = 1 << 16;

  const vertex_t n_vertices_;
  Bitmap visited_;
  vertex_t* const order_;
  vertex_t* const predecessors_;
  vertex_t size_ = 0;
  edge_t work_left_ = work_between_reports;
};

}  // namespace warpgraph::traversal_detail
