// Strong components by one depth-first search on one thread. Not for use outside this folder.
#pragma once

#include "core/containers/at.hpp"
#include "core/containers/bitmap.hpp"
#include "core/interrupt.hpp"
#include "core/memory/host_vector.hpp"
#include "core/threads/parallel.hpp"
#include "graph/csr.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>

namespace warpgraph::connected_components_detail {

/// The meaning of label[v]: the smallest vertex of v's component, or the number of components that
/// the search had left before.
enum class ComponentLabel { smallest_vertex, order_of_leaving };

/// The path-based method [5 in connected_components.hpp]. Instead of a lowlink per vertex it keeps
/// the boundaries between the components that the current path consists of so far. An arc back to
/// the path merges the components above its head at once. In a giant component all of the path is
/// soon one component; then the only question about a head is whether it was visited, which a
/// bitmap answers that is in the cache.
///
/// Vertices that are labelled already must form whole components; they are skipped. The arcs of a
/// vertex are followed in their order, or the last one first.
template <ComponentLabel kind = ComponentLabel::smallest_vertex, bool last_arc_first = false>
class PathBasedSearch {
 public:
  PathBasedSearch(const CsrPattern& graph, std::span<vertex_t> label)
      : graph_(graph),
        state_(reinterpret_cast<std::uint32_t*>(label.data())),
        visited_(graph.n_vertices),
        path_(graph.n_vertices),
        stack_(graph.n_vertices),
        boundaries_(graph.n_vertices) {
    visited_.fill(graph.n_vertices, [&](std::int64_t v) { return label[at(v)] != no_vertex; });
  }

  /// Labels all vertices. The search from `first` comes before the others.
  void run(vertex_t first) {
    mark_labels();
    if (!visited_.view().test(first)) search_from(first);
    for (vertex_t v = 0; v < graph_.n_vertices; ++v) {
      if (!visited_.view().test(v)) search_from(v);
    }
    unmark_labels();
  }

  /// Returns the number of components that were left, by `order_of_leaving`.
  [[nodiscard]] vertex_t n_components() const { return static_cast<vertex_t>(n_left_); }

  /// Returns the bytes of a search, for the MemoryBudget: those of a path through all vertices.
  static constexpr std::size_t bytes(vertex_t n_vertices) {
    const std::size_t n = at(n_vertices);
    return n * (sizeof(Frame) + sizeof(vertex_t) + sizeof(std::uint32_t)) + n / 8;
  }

 private:
  /// The bit of the state of a vertex whose component is known; the other bits are its label. The
  /// state of an unfinished vertex is its index in stack_, which is smaller.
  static constexpr std::uint32_t finished = std::uint32_t{1} << 31;
  static constexpr edge_t work_between_polls = 1 << 16;

  static constexpr edge_t step = last_arc_first ? -1 : 1;

  /// A vertex of the current path.
  struct Frame {
    edge_t next;  // arc to follow
    edge_t end;   // after the last arc to follow
    std::uint32_t index;
  };

  void mark_labels() {
    parallel_for(
        graph_.n_vertices, [&](std::int64_t v) { state_[v] |= finished; }, light_grain);
  }
  void unmark_labels() {
    parallel_for(
        graph_.n_vertices, [&](std::int64_t v) { state_[v] &= ~finished; }, light_grain);
  }

  void search_from(vertex_t start) {
    std::int64_t depth = 0;
    Frame frame = enter(start);
    while (true) {
      const vertex_t child = next_unvisited(frame);
      if (child != no_vertex) {
        path_[depth++] = frame;
        frame = enter(child);
        continue;
      }
      if (boundaries_[n_boundaries_ - 1] == frame.index) finish_component(frame.index);
      if (depth == 0) return;
      frame = path_[--depth];
    }
  }

  Frame enter(vertex_t v) {
    const edge_t begin = graph_.begin(v);
    const edge_t end = graph_.end(v);
    work_left_ -= end - begin + 1;
    if (work_left_ < 0) {
      work_left_ = work_between_polls;
      poll();
    }
    prefetch(begin, end);
    visited_.view().set(v);
    const std::uint32_t index = n_stacked_++;
    stack_[index] = v;
    boundaries_[n_boundaries_++] = index;
    state_[v] = index;
    if constexpr (last_arc_first) return {end - 1, begin - 1, index};
    return {begin, end, index};
  }

  /// Prefetches the states and offsets of a row's first heads: the search waits for memory most of
  /// its time.
  [[gnu::always_inline]] void prefetch(edge_t begin, edge_t end) const {
    constexpr edge_t prefetched_arcs = 4;
    for (edge_t e = begin, last = std::min(end, begin + prefetched_arcs); e < last; ++e) {
      __builtin_prefetch(&state_[graph_.heads[e]]);
      graph_.offsets.prefetch(graph_.heads[e]);
    }
  }

  /// Follows arcs of the path's last vertex to a head that was not visited yet. Returns no_vertex
  /// if there is none left.
  vertex_t next_unvisited(Frame& frame) {
    const BitmapView visited = visited_.view();
    edge_t e = frame.next;
    vertex_t found = no_vertex;
    for (std::uint32_t boundary = boundaries_[n_boundaries_ - 1]; boundary > 0 && e != frame.end;) {
      const vertex_t v = graph_.heads[e];
      e += step;
      if (!visited.test(v)) {
        frame.next = e;
        return v;
      }
      // The boundary is an index on the path or in one of its components, or a larger number.
      while (boundary > state_[v]) boundary = boundaries_[--n_boundaries_ - 1];
    }
    // All of the path is one component.
    for (; e != frame.end && found == no_vertex; e += step) {
      const vertex_t v = graph_.heads[e];
      if (!visited.test(v)) found = v;
    }
    frame.next = e;
    return found;
  }

  /// Makes the vertices on the stack from `index` on a component.
  void finish_component(std::uint32_t index) {
    const std::span<const vertex_t> members(&stack_[index], n_stacked_ - index);
    const std::uint32_t label = next_label(members);
    for (const vertex_t member : members) state_[member] = finished | label;
    n_stacked_ = index;
    --n_boundaries_;
  }

  std::uint32_t next_label(std::span<const vertex_t> members) {
    if constexpr (kind == ComponentLabel::order_of_leaving) return n_left_++;
    return static_cast<std::uint32_t>(*std::min_element(members.begin(), members.end()));
  }

  const CsrPattern& graph_;
  std::uint32_t* state_;  // the labels
  Bitmap visited_;
  HostArray<Frame> path_;
  HostArray<vertex_t> stack_;            // unfinished vertices in the order of their visits
  HostArray<std::uint32_t> boundaries_;  // indices of the first vertices of components
  std::uint32_t n_stacked_ = 0;
  std::uint32_t n_boundaries_ = 0;
  std::uint32_t n_left_ = 0;
  edge_t work_left_ = work_between_polls;
};

}  // namespace warpgraph::connected_components_detail
