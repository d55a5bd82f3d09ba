#include "algorithms/shortest_path/goal_directed.hpp"

#include "algorithms/shortest_path/goal_directed_search.hpp"
#include "core/threads/parallel.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <mutex>

namespace warpgraph {
namespace {

/// Arcs whose straight line is shorter than this do not count for the least ratio: their squares
/// underflow, so the length of the line may have lost digits.
constexpr double shortest_line = 1e-150;
/// Lines below this bound no distance: the arcs that do not count may add up to a part of the line
/// that is not negligible. No path has enough of them for that in a longer line.
constexpr double shortest_bound = 1e-120;

/// Returns the relative error of the length of a straight line, and of its product with a number.
double line_rounding(const VertexPoints& points) {
  constexpr double double_epsilon = std::numeric_limits<double>::epsilon();
  return (16.0 + static_cast<double>(points.n_dimensions)) * double_epsilon;
}

/// A lower bound on the distance to the target: the straight line to it times the least ratio of a
/// weight to the line of its arc.
class StraightLines {
 public:
  StraightLines(const VertexPoints& points, double ratio, vertex_t target)
      : points_(points), ratio_(ratio), target_(target) {}

  /// Returns the bound; 0 where the line is too short or too long to give one.
  double operator()(vertex_t v) const {
    const double line = points_.line(v, target_);
    const double bound = ratio_ * line;
    return line > shortest_bound && std::isfinite(bound) ? bound : 0;
  }
  [[nodiscard]] double rounding() const { return line_rounding(points_); }

 private:
  const VertexPoints points_;
  const double ratio_;
  const vertex_t target_;
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
MemoryNeed need_of_search_towards(const CsrPattern& graph) {
  using Search = shortest_path_detail::GoalDirectedSearch<W, StraightLines>;  // as by other bounds
  return {"searching towards the target of a path", Search::bytes_needed(graph),
          "ask for a narrower dtype"};
}

template <class W>
ShortestPath<W> shortest_path_goal_directed(const CsrView<W>& graph, const CsrView<W>& transposed,
                                            vertex_t source, vertex_t target,
                                            const VertexPoints& points, double ratio,
                                            const ShortestPathSettings& settings) {
  settings.budget.require(need_of_search_towards<W>(graph));
  const StraightLines bound(points, ratio, target);
  return shortest_path_detail::search_towards(graph, transposed, source, target, bound);
}

WARPGRAPH_INSTANTIATE_FOR_EACH_WEIGHT(least_ratio)
WARPGRAPH_INSTANTIATE_FOR_EACH_WEIGHT(need_of_search_towards)
WARPGRAPH_INSTANTIATE_FOR_EACH_WEIGHT(shortest_path_goal_directed)

}  // namespace warpgraph
