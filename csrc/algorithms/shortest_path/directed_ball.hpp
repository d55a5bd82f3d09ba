// Dijkstra's algorithm one vertex at a time, for two searches that take turns.
#pragma once

#include "core/containers/at.hpp"
#include "core/containers/heap.hpp"
#include "core/memory/host_vector.hpp"
#include "primitives/search/dijkstra_search.hpp"

#include <span>

namespace warpgraph::shortest_path_detail {

/// The vertices within a radius of one end of the path.
template <class W>
class DirectedBall {
 public:
  DirectedBall(const CsrView<W>& graph, vertex_t centre)
      : graph_(graph), heap_(graph.n_vertices), distances_(at(graph.n_vertices), infinity<W>()) {
    distances_[at(centre)] = W{0};
    heap_.push(centre, W{0}, distances_.data());
  }

  static std::size_t bytes_needed(const CsrPattern& graph) {
    return at(graph.n_vertices) * sizeof(W) + RadixHeap<W>::bytes_needed(graph.n_vertices);
  }

  /// Returns the radius. Vertices nearer than this are settled: no path to them is shorter.
  [[nodiscard]] W radius() const { return radius_; }
  [[nodiscard]] bool overflows() const { return overflows_; }
  [[nodiscard]] W distance(vertex_t v) const { return distances_[at(v)]; }
  [[nodiscard]] std::span<const W> distances() const { return distances_; }

  /// Settles the next vertex if admits(vertex, distance). Calls lowered(vertex, distance) for each
  /// that gets a smaller distance.
  template <class Admits, class OnLowered>
  void settle_next(const Admits& admits, const OnLowered& lowered) {
    for (;;) {
      if (heap_.empty()) {
        radius_ = infinity<W>();
        return;
      }
      const auto [settled, u] = heap_.pop();
      if (distances_[at(u)] < settled) continue;  // outdated
      radius_ = settled;
      if (admits(u, settled)) expand(u, settled, lowered);
      return;
    }
  }

 private:
  template <class OnLowered>
  void expand(vertex_t u, W from, const OnLowered& lowered) {
    shortest_paths::for_each_arc_of(graph_, u, [&](vertex_t v, W weight) {
      const W through = extend(from, weight);
      overflows_ = overflows_ || (through == infinity<W>() && weight != infinity<W>());
      if (!(through < distances_[at(v)])) return;
      distances_[at(v)] = through;
      heap_.push(v, through, distances_.data());
      lowered(v, through);
    });
  }

  const CsrView<W> graph_;
  RadixHeap<W> heap_;
  HostVector<W> distances_;
  W radius_{0};
  bool overflows_ = false;
};

}  // namespace warpgraph::shortest_path_detail
