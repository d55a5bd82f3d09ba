#include "algorithms/shortest_path/directed_ball.hpp"
#include "algorithms/shortest_path/shortest_path.hpp"
#include "core/memory/memory_budget.hpp"
#include "primitives/relaxation/overflow.hpp"
#include "primitives/search/trace_back.hpp"

#include <limits>
#include <string_view>
#include <type_traits>

namespace warpgraph {
namespace {

using shortest_path_detail::DirectedBall;
using shortest_paths::TraceBack;

template <class W>
class TwoBalls {
 public:
  /// `max_visits`: until the searches meet; 0: any number.
  TwoBalls(const CsrView<W>& graph, const CsrView<W>& transposed, vertex_t source, vertex_t target,
           std::int64_t max_visits = 0)
      : n_vertices_(graph.n_vertices),
        target_(target),
        graph_(graph),
        transposed_(transposed),
        visits_left_(max_visits > 0 ? max_visits : std::numeric_limits<std::int64_t>::max()),
        forward_(graph, source),
        backward_(transposed, target) {
    if (source == target) connection_ = W{0};
  }

  /// Searches. The distance of the target is that of sssp afterwards, and so are those of vertices
  /// on shortest paths to it.
  void run() {
    meet();
    if (connection_ == infinity<W>() || gave_up()) return;
    const W bound = with_rounding(connection_);
    const auto in_corridor = [&](vertex_t v, W from) {
      const W to_target = backward_.distance(v);
      return to_target != infinity<W>() && !(bound < extend(from, to_target));
    };
    // Strictly less: vertices as far as the target may be its predecessors by arcs of length 0.
    while (!(forward_.distance(target_) < forward_.radius()) &&
           forward_.radius() != infinity<W>()) {
      poll_sometimes();
      forward_.settle_next(in_corridor, [](vertex_t, W) {});
    }
  }

  [[nodiscard]] W distance(vertex_t v) const { return forward_.distance(v); }
  /// Returns whether the searches have not met within the visits.
  [[nodiscard]] bool gave_up() const { return visits_left_ < 0; }
  [[nodiscard]] bool overflows() const {
    return overflows_ || forward_.overflows() || backward_.overflows();
  }

 private:
  /// Returns a function that admits every vertex that the visits suffice for, if all its arcs lower
  /// distances. Those that do not take hardly any time.
  [[nodiscard]] auto within_visits(const CsrView<W>& graph) {
    return [this, &graph](vertex_t v, W) {
      visits_left_ -= 1;
      if (visits_left_ < graph.degree(v)) visits_left_ = -1;
      return !gave_up();
    };
  }

  /// Searches from both ends until no path can be shorter than the connection, or there is none.
  void meet() {
    const auto forward = [&](vertex_t v, W from) {
      --visits_left_;
      connect(from, backward_.distance(v));
    };
    const auto backward = [&](vertex_t v, W to_end) {
      --visits_left_;
      connect(forward_.distance(v), to_end);
    };
    while (!have_met() && !gave_up()) {
      poll_sometimes();
      if (forward_.radius() <= backward_.radius()) {
        forward_.settle_next(within_visits(graph_), forward);
      } else {
        backward_.settle_next(within_visits(transposed_), backward);
      }
    }
  }

  [[nodiscard]] bool have_met() const {
    if (forward_.radius() == infinity<W>() || backward_.radius() == infinity<W>()) return true;
    if (connection_ == infinity<W>()) return false;
    return with_rounding(connection_) < extend(forward_.radius(), backward_.radius());
  }

  void connect(W from, W to_target) {
    const W through = extend(from, to_target);
    if (through < connection_) connection_ = through;
    if (std::is_integral_v<W> && through == infinity<W>()) {
      overflows_ = overflows_ || (from != infinity<W>() && to_target != infinity<W>());
    }
  }

  /// Returns an upper bound of sums along paths of at most this length in any order. Each addition
  /// is off by at most half an epsilon, and a path has fewer additions than vertices: that is one
  /// epsilon a vertex from the least sum to the largest, twice for the two paths that are compared,
  /// and as much again for products of errors. Infinite if these are not small: with float32 and
  /// 2^21 vertices or more, both searches go on until one of them has seen all that it reaches.
  [[nodiscard]] W with_rounding(W length) const {
    if constexpr (std::is_integral_v<W>) {
      return length;
    } else {
      constexpr W small = 0.25;
      const W rounding = static_cast<W>(n_vertices_) * std::numeric_limits<W>::epsilon();
      return rounding < small ? length + 4 * rounding * length : infinity<W>();
    }
  }

  void poll_sometimes() {
    if (n_settled_++ % shortest_paths::vertices_between_polls == 0) poll();
  }

  const vertex_t n_vertices_;
  const vertex_t target_;
  const CsrView<W> graph_;
  const CsrView<W> transposed_;
  std::int64_t visits_left_;
  DirectedBall<W> forward_;
  DirectedBall<W> backward_;
  W connection_ = infinity<W>();  // the shortest path through a vertex of both balls
  bool overflows_ = false;
  std::int64_t n_settled_ = 0;
};

/// Searches. Finds no vertices unless they are wanted.
template <class W>
ShortestPath<W> search(const CsrView<W>& graph, const CsrView<W>& transposed, vertex_t source,
                       vertex_t target, bool wants_vertices, std::int64_t max_visits = 0) {
  TwoBalls<W> balls(graph, transposed, source, target, max_visits);
  balls.run();
  ShortestPath<W> found;
  found.gave_up = balls.gave_up();
  if (found.gave_up) return found;
  found.length = balls.distance(target);
  found.overflows = balls.overflows();
  if (found.length == infinity<W>() || !wants_vertices) return found;
  const auto distance_of = [&](vertex_t v) { return balls.distance(v); };
  found.vertices = TraceBack<W, decltype(distance_of)>(transposed, source, distance_of).run(target);
  return found;
}

/// Searches. If no path was found and sums did not fit W, searches from the source alone, and
/// throws std::overflow_error as sssp does, which names an arc: a length that fits has been found
/// before.
template <class W>
ShortestPath<W> search_to_the_end(const CsrView<W>& graph, const CsrView<W>& transposed,
                                  vertex_t source, vertex_t target, bool wants_vertices) {
  ShortestPath<W> found = search(graph, transposed, source, target, wants_vertices);
  if (found.length < infinity<W>() || !found.overflows) return found;
  DirectedBall<W> ball(graph, source);
  for (std::int64_t n = 0; ball.radius() != infinity<W>(); ++n) {
    if (n % shortest_paths::vertices_between_polls == 0) poll();
    ball.settle_next([](vertex_t, W) { return true; }, [](vertex_t, W) {});
  }
  shortest_paths::check_overflow(graph, ball.distances());
  return found;
}

}  // namespace

template <class W>
MemoryNeed need_of_shortest_path(const CsrPattern& graph) {
  return {"searching from both ends of a path", 2 * DirectedBall<W>::bytes_needed(graph),
          "ask for a narrower dtype"};
}

template <class W>
ShortestPath<W> shortest_path_cpu(const CsrView<W>& graph, const CsrView<W>& transposed,
                                  vertex_t source, vertex_t target,
                                  const ShortestPathSettings& settings) {
  settings.budget.require(need_of_shortest_path<W>(graph));
  return search(graph, transposed, source, target, true, settings.max_visits);
}

template <class W>
PathsOfPairs<W> shortest_paths_cpu(const CsrView<W>& graph, const CsrView<W>& transposed,
                                   const Pairs& pairs, const ShortestPathSettings& settings) {
  const MemoryBudget budget = settings.budget;
  const int n_threads = shortest_paths::threads_that_fit(budget, need_of_shortest_path<W>(graph));
  // A pair costs at least the time to set up two arrays of a distance a vertex. The limit holds for
  // the searches of all threads, and for all paths, each by itself.
  return shortest_paths::find_paths_of_pairs<W>(
      pairs.sources, pairs.targets, budget, n_threads, [&](int, vertex_t source, vertex_t target) {
        return search_to_the_end(graph, transposed, source, target, pairs.wants_vertices);
      });
}

WARPGRAPH_INSTANTIATE_FOR_EACH_WEIGHT(need_of_shortest_path)
WARPGRAPH_INSTANTIATE_FOR_EACH_WEIGHT(shortest_path_cpu)
WARPGRAPH_INSTANTIATE_FOR_EACH_WEIGHT(shortest_paths_cpu)

}  // namespace warpgraph
