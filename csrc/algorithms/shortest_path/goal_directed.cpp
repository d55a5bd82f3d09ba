#include "algorithms/shortest_path/goal_directed.hpp"

#include "core/containers/at.hpp"
#include "core/memory/host_vector.hpp"
#include "core/memory/memory_budget.hpp"
#include "core/threads/parallel.hpp"
#include "primitives/search/dijkstra_search.hpp"
#include "primitives/search/trace_back.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <mutex>
#include <type_traits>

namespace warpgraph {
namespace {

constexpr double double_epsilon = std::numeric_limits<double>::epsilon();
/// Lines below this may lose digits, since their squares underflow. They bound no ratio.
constexpr double shortest_line = 1e-150;
/// Lines below this bound no distance, since arcs without a bound may add up to a part of them.
constexpr double shortest_bound = 1e-120;

/// Returns the relative error of a line and of a product with it.
double line_rounding(const VertexPoints& points) {
  return (16.0 + static_cast<double>(points.n_dimensions)) * double_epsilon;
}

/// A search by Dijkstra's algorithm with keys that add a lower bound on the rest of the path (A*).
template <class W>
class GoalDirectedSearch {
 public:
  GoalDirectedSearch(const CsrView<W>& graph, vertex_t source, vertex_t target,
                     const VertexPoints& points, double ratio)
      : graph_(graph),
        target_(target),
        points_(points),
        ratio_(ratio),
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
    const double key = static_cast<double>(distance) + bound_of_rest(v);
    heap_.push_back({key, distance, v});
    std::push_heap(heap_.begin(), heap_.end());
  }

  /// Returns a lower bound on the distance to the target; 0 where the line is too short or too long
  /// to give one.
  [[nodiscard]] double bound_of_rest(vertex_t v) const {
    const double line = points_.line(v, target_);
    const double bound = ratio_ * line;
    return line > shortest_bound && std::isfinite(bound) ? bound : 0;
  }

  /// Returns an upper bound of the keys of vertices on shortest paths to the target. Sums along a
  /// path are off by an epsilon for each of its vertices at most, and keys by a few.
  [[nodiscard]] double farthest() const {
    const W length = distance(target_);
    if (length == infinity<W>()) return std::numeric_limits<double>::infinity();
    double rounding = 4 * line_rounding(points_);
    if constexpr (std::is_floating_point_v<W>) {
      rounding += 4.0 * graph_.n_vertices * double{std::numeric_limits<W>::epsilon()};
    }
    constexpr double small = 1.0;  // beyond it, products of errors would count
    return rounding < small ? static_cast<double>(length) * (1 + rounding)
                            : std::numeric_limits<double>::infinity();
  }

  const CsrView<W> graph_;
  const vertex_t target_;
  const VertexPoints points_;
  const double ratio_;
  HostVector<W> distances_;
  HostVector<Entry> heap_;
  bool overflows_ = false;
};

}  // namespace

double VertexPoints::line(vertex_t u, vertex_t v) const noexcept {
  const double* const a = coordinates.data() + u * n_dimensions;
  const double* const b = coordinates.data() + v * n_dimensions;
  double squares = 0;
  for (std::int64_t i = 0; i < n_dimensions; ++i) squares += (a[i] - b[i]) * (a[i] - b[i]);
  return std::sqrt(squares);
}

template <class W>
double least_ratio(const CsrView<W>& graph, const VertexPoints& points) {
  constexpr double none = std::numeric_limits<double>::infinity();
  constexpr edge_t arcs_per_block = 1 << 14;
  const double rounded_down = 1 - 2 * line_rounding(points);
  double least = none;
  std::mutex mutex;
  parallel_blocks(graph.n_arcs, arcs_per_block, [&](int, edge_t first, edge_t last) {
    double of_block = none;
    for_each_arc(graph, first, last, [&](vertex_t u, vertex_t v, edge_t e) {
      const double line = points.line(u, v);
      if (line < shortest_line) return;
      // Rounded down, so that the bound holds.
      const double ratio =
          static_cast<double>(shortest_paths::weight_of(graph, e)) / line * rounded_down;
      of_block = std::min(of_block, ratio);
    });
    const std::lock_guard lock(mutex);
    least = std::min(least, of_block);
  });
  return std::isfinite(least) ? least : 0;
}

template <class W>
ShortestPath<W> shortest_path_goal_directed(const CsrView<W>& graph, const CsrView<W>& transposed,
                                            vertex_t source, vertex_t target,
                                            const VertexPoints& points, double ratio,
                                            const ShortestPathSettings& settings) {
  using Search = GoalDirectedSearch<W>;
  MemoryBudget(Device{}, settings.memory_limit)
      .require("searching towards the target of a path", Search::bytes_needed(graph),
               "ask for a narrower dtype");
  Search search(graph, source, target, points, ratio);
  search.run();
  ShortestPath<W> found{search.distance(target), {}, search.overflows()};
  if (found.length == infinity<W>()) return found;
  const auto distance_of = [&](vertex_t v) { return search.distance(v); };
  found.vertices =
      shortest_paths::TraceBack<W, decltype(distance_of)>(transposed, source, distance_of)
          .run(target);
  return found;
}

WARPGRAPH_INSTANTIATE_FOR_EACH_WEIGHT(least_ratio)
WARPGRAPH_INSTANTIATE_FOR_EACH_WEIGHT(shortest_path_goal_directed)

}  // namespace warpgraph
