#include "algorithms/traversal/search_along.hpp"
#include "algorithms/traversal/traversal.hpp"
#include "core/memory/host_vector.hpp"

#include <algorithm>

namespace warpgraph {
namespace {

using traversal_detail::FollowedArcs;

/// The places ahead in the queue whose offsets, heads and marks of heads are prefetched: the first
/// far enough for an access to memory, each next one when the access before it has ended.
constexpr vertex_t offsets_ahead = 16;
constexpr vertex_t heads_ahead = 8;
constexpr vertex_t marks_ahead = 4;
/// The heads of a row whose marks are prefetched; those of further heads of long rows are not.
constexpr edge_t prefetched_heads = 8;
/// The fewest vertices whose rows are prefetched, since the second-level cache holds fewer, and the
/// fewest whose marks are.
constexpr vertex_t fewest_to_prefetch = 1 << 15;
constexpr vertex_t fewest_to_prefetch_marks = 1 << 17;

class BreadthFirstSearch {
 public:
  /// `marks` gets the predecessor of each vertex; `missing`, a negative number, if it has none.
  BreadthFirstSearch(const FollowedArcs& arcs, vertex_t missing, vertex_t* order, vertex_t* marks)
      : arcs_(arcs),
        n_vertices_(arcs.leaving.n_vertices),
        missing_(missing),
        order_(order),
        marks_(marks) {}

  vertex_t run(vertex_t source) {
    std::fill_n(marks_, n_vertices_, missing_);
    marks_[source] = source;
    order_[size_++] = source;
    for (vertex_t place = 0; place < size_ && size_ < n_vertices_; ++place) {
      follow(arcs_.leaving, place);
      if (arcs_.both_ways()) follow(arcs_.entering, place);
    }
    marks_[source] = missing_;
    return size_;
  }

 private:
  void follow(const CsrPattern& graph, vertex_t place) {
    prefetch(graph, place);
    const vertex_t u = order_[place];
    const edge_t begin = graph.begin(u);
    const edge_t end = graph.end(u);
    vertex_t size = size_;
    for (edge_t e = begin; e < end; ++e) {
      const vertex_t v = graph.heads[e];
      if (marks_[v] != missing_) continue;
      marks_[v] = u;
      order_[size++] = v;
    }
    size_ = size;
    count(end - begin);
  }

  [[gnu::always_inline]] void prefetch(const CsrPattern& graph, vertex_t place) const {
    if (n_vertices_ < fewest_to_prefetch || place + offsets_ahead >= size_) return;
    graph.offsets.prefetch(order_[place + offsets_ahead]);
    __builtin_prefetch(graph.heads + graph.begin(order_[place + heads_ahead]));
    if (n_vertices_ < fewest_to_prefetch_marks) return;
    const vertex_t next = order_[place + marks_ahead];
    const edge_t begin = graph.begin(next);
    const edge_t end = std::min(graph.end(next), begin + prefetched_heads);
    for (edge_t e = begin; e < end; ++e) __builtin_prefetch(marks_ + graph.heads[e]);
  }

  /// Counts work, in arcs; once in a while reports progress and checks for Ctrl-C.
  void count(edge_t n_arcs) {
    constexpr edge_t work_between_reports = 1 << 16;
    work_ += n_arcs + 1;
    if (work_ < work_between_reports) return;
    work_ = 0;
    traversal_detail::report_visits(size_, n_vertices_);
  }

  const FollowedArcs& arcs_;
  const vertex_t n_vertices_;
  const vertex_t missing_;
  vertex_t* const order_;
  vertex_t* const marks_;
  vertex_t size_ = 0;
  edge_t work_ = 0;
};

}  // namespace

vertex_t breadth_first_order(const CsrPattern& graph, const TraversalOptions& options,
                             std::span<vertex_t> order, std::span<vertex_t> predecessors) {
  return traversal_detail::search_along(
      graph, options, [&](const FollowedArcs& arcs, MemoryBudget left) {
        HostArray<vertex_t> marks;
        if (predecessors.empty()) {
          left.require("breadth-first order",
                       static_cast<std::size_t>(graph.n_vertices) * sizeof(vertex_t),
                       "use a smaller graph");
          marks = HostArray<vertex_t>(graph.n_vertices);
        }
        vertex_t* const written = predecessors.empty() ? marks.get() : predecessors.data();
        return BreadthFirstSearch(arcs, options.missing, order.data(), written).run(options.source);
      });
}

}  // namespace warpgraph
