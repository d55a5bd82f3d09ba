// A*, as goal_directed.hpp and landmarks.hpp describe it, with any lower bound on what is left.
#pragma once

#include "algorithms/shortest_path/shortest_path.hpp"
#include "core/containers/at.hpp"
#include "core/interrupt.hpp"
#include "core/memory/host_vector.hpp"
#include "core/memory/memory_budget.hpp"
#include "primitives/search/dijkstra_search.hpp"
#include "primitives/search/trace_back.hpp"

#include <algorithm>
#include <limits>
#include <type_traits>

namespace warpgraph::shortest_path_detail {

/// Search from the source towards the target. bound(v) is a lower bound on the distance from v to
/// the target: at most that distance, as a real number, times 1 + bound.rounding(), and 0 where
/// that distance is 0.
template <class W, class Bound>
class GoalDirectedSearch {
 public:
  GoalDirectedSearch(const CsrView<W>& graph, vertex_t source, vertex_t target, const Bound& bound)
      : graph_(graph),
        target_(target),
        bound_(bound),
        distances_(at(graph.n_vertices), infinity<W>()) {
    lower(source, W{0});
  }

  static std::size_t bytes_needed(const CsrPattern& graph) {
    return at(graph.n_vertices) * sizeof(W) + 2 * most_entries(graph) * sizeof(Entry);
  }

  /// Searches. Distances of vertices on shortest paths to the target are those of sssp afterwards.
  void run() {
    for (std::int64_t step = 0; !heap_.empty(); ++step) {
      if (step % shortest_paths::vertices_between_polls == 0) poll();
      std::pop_heap(heap_.begin(), heap_.end());
      const Entry next = heap_.back();
      heap_.pop_back();
      if (next.key > farthest()) return;
      if (!is_outdated(next)) expand(next.vertex, next.distance);
    }
  }

  [[nodiscard]] W distance(vertex_t v) const { return distances_[at(v)]; }
  [[nodiscard]] bool overflows() const { return overflows_; }

 private:
  struct Entry {
    double key;
    W distance;
    vertex_t vertex;
    bool operator<(const Entry& other) const noexcept { return key > other.key; }
  };

  static std::size_t most_entries(const CsrPattern& graph) { return 2 * at(graph.n_vertices) + 64; }

  [[nodiscard]] bool is_outdated(const Entry& entry) const {
    return distance(entry.vertex) < entry.distance;
  }

  void expand(vertex_t u, W from) {
    shortest_paths::for_each_arc_of(graph_, u, [&](vertex_t v, W weight) {
      const W through = extend(from, weight);
      overflows_ = overflows_ || (through == infinity<W>() && weight != infinity<W>());
      if (through < distance(v)) lower(v, through);
    });
  }

  void lower(vertex_t v, W distance) {
    distances_[at(v)] = distance;
    if (heap_.size() == most_entries(graph_)) {
      std::erase_if(heap_, [&](const Entry& entry) { return is_outdated(entry); });
      std::make_heap(heap_.begin(), heap_.end());
    }
    heap_.push_back({static_cast<double>(distance) + bound_(v), distance, v});
    std::push_heap(heap_.begin(), heap_.end());
  }

  /// Returns an upper bound of the keys of vertices on shortest paths to the target. Sums along a
  /// path are off by an epsilon for each of its vertices at most, and keys by a few.
  [[nodiscard]] double farthest() const {
    const W length = distance(target_);
    if (length == infinity<W>()) return std::numeric_limits<double>::infinity();
    double rounding = 4 * bound_.rounding();
    if constexpr (std::is_floating_point_v<W>) {
      rounding += 4.0 * graph_.n_vertices * double{std::numeric_limits<W>::epsilon()};
    }
    constexpr double small = 1.0;  // beyond it, products of errors would count
    return rounding < small ? static_cast<double>(length) * (1 + rounding)
                            : std::numeric_limits<double>::infinity();
  }

  const CsrView<W> graph_;
  const vertex_t target_;
  const Bound& bound_;
  HostVector<W> distances_;
  HostVector<Entry> heap_;
  bool overflows_ = false;
};

/// Returns the shortest path, as shortest_path_cpu does.
template <class W, class Bound>
ShortestPath<W> search_towards(const CsrView<W>& graph, const CsrView<W>& transposed,
                               vertex_t source, vertex_t target, const Bound& bound) {
  GoalDirectedSearch<W, Bound> search(graph, source, target, bound);
  search.run();
  ShortestPath<W> found{search.distance(target), {}, search.overflows()};
  if (found.length == infinity<W>()) return found;
  const auto distance_of = [&](vertex_t v) { return search.distance(v); };
  found.vertices =
      shortest_paths::TraceBack<W, decltype(distance_of)>(transposed, source, distance_of)
          .run(target);
  return found;
}

}  // namespace warpgraph::shortest_path_detail
