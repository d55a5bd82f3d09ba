#include "algorithms/apsp/bound.hpp"

#include "algorithms/connected_components/connected_components.hpp"
#include "core/threads/parallel.hpp"
#include "primitives/relaxation/relax.hpp"

#include <array>
#include <cmath>
#include <numeric>
#include <vector>

namespace warpgraph::apsp_steps {
namespace {

using shortest_paths::weight_of;

constexpr std::int64_t rows_per_block = 16;
constexpr std::int64_t unknown = std::numeric_limits<std::int64_t>::max();
/// Arcs between two looks whether to go on. So few are not worth a second thread.
constexpr edge_t arcs_per_look = 1 << 16;

/// A whole number of less than 2^51: adding 1.5 * 2^52 rounds to whole numbers.
template <class R>
bool is_small_integer(R weight) {
  constexpr double rounder = 6755399441055744.0;
  const auto value = static_cast<double>(weight);
  return value + rounder - rounder == value;
}

/// |weight|, at most no_bound.
template <class R>
std::int64_t clipped(R weight) {
  if constexpr (std::is_integral_v<R>) {
    if (weight <= -no_bound || weight >= no_bound) return no_bound;
    return weight < 0 ? -static_cast<std::int64_t>(weight) : weight;
  } else {
    const double magnitude = std::abs(static_cast<double>(weight));
    return magnitude < static_cast<double>(no_bound) ? static_cast<std::int64_t>(magnitude)
                                                     : no_bound;
  }
}

std::int64_t add(std::int64_t a, std::int64_t b) { return std::min(a + b, no_bound); }

WeightSummary combine(const WeightSummary& a, const WeightSummary& b) {
  return {a.integers && b.integers, a.negative || b.negative, std::max(a.largest, b.largest),
          add(a.sum, b.sum)};
}

template <class R>
WeightSummary summarise_row(const CsrView<R>& graph, vertex_t u) {
  R least{};
  R most{};
  bool integers = true;
  for (edge_t e = graph.begin(u); e < graph.end(u); ++e) {
    const R weight = graph.weights[e] == infinity<R>() ? R{} : graph.weights[e];
    least = weight < least ? weight : least;
    most = weight > most ? weight : most;
    if constexpr (std::is_floating_point_v<R>) integers &= is_small_integer(weight);
  }
  const double largest = std::max(-static_cast<double>(least), static_cast<double>(most));
  return {integers, least < R{}, largest, std::max(clipped(least), clipped(most))};
}

/// Ways from each component's root to its vertices and back, found in rounds over all arcs within
/// components. They are ways from the first round on, and only get shorter.
template <class R>
class WaysThroughRoots {
 public:
  WaysThroughRoots(const CsrView<R>& graph, std::span<const vertex_t> component,
                   vertex_t n_components)
      : graph_(graph),
        component_(component),
        from_(component.size(), unknown),
        to_(component.size(), unknown),
        changed_(component.size(), 0),
        bounds_(static_cast<std::size_t>(n_components), unknown) {
    std::vector<vertex_t> roots(bounds_.size(), no_vertex);
    for (vertex_t v = 0; v < graph.n_vertices; ++v) {
      vertex_t& root = roots[at(component[at(v)])];
      if (root == no_vertex || graph.degree(v) > graph.degree(root)) root = v;
    }
    for (const vertex_t root : roots) from_[at(root)] = to_[at(root)] = 0;
    for (const vertex_t root : roots) changed_[at(root)] = 1;
  }

  /// Goes on for so many rounds, until ways get no shorter, or until all together are short enough.
  void search(std::int64_t rounds, std::int64_t close_enough) {
    for (bool shortened = true; shortened && rounds > 0 && longest() > close_enough; --rounds) {
      std::array<char, 2> shorter{};
      const int threads = graph_.n_arcs < arcs_per_look ? 1 : num_threads();
      parallel_tasks(2, threads, 0, [&](const Worker& worker, std::int64_t way) {
        shorter[at(way)] = way == 0 ? go_forth(worker) : go_back(worker);
      });
      shortened = shorter[0] != 0 || shorter[1] != 0;
    }
    longest();
  }

  /// Of each component after a search: no two of its vertices are farther apart. `unknown` if not.
  [[nodiscard]] const std::vector<std::int64_t>& bounds() const noexcept { return bounds_; }

 private:
  template <class Index>
  static std::size_t at(Index i) {
    return static_cast<std::size_t>(i);
  }

  /// The largest of all bounds, which are brought up to date.
  std::int64_t longest() {
    std::vector<std::int64_t> farthest(bounds_.size(), 0);
    std::fill(bounds_.begin(), bounds_.end(), 0);
    for (std::size_t v = 0; v < from_.size(); ++v) {
      std::int64_t& there = bounds_[at(component_[v])];
      std::int64_t& back = farthest[at(component_[v])];
      there = std::max(there, from_[v]);
      back = std::max(back, to_[v]);
    }
    std::int64_t most = 0;
    for (std::size_t c = 0; c < bounds_.size(); ++c) {
      const bool known = bounds_[c] != unknown && farthest[c] != unknown;
      bounds_[c] = known ? add(bounds_[c], farthest[c]) : unknown;
      most = std::max(most, bounds_[c]);
    }
    return most;
  }

  /// The weight of an arc within a component, or no_bound.
  [[nodiscard]] std::int64_t inner_weight(vertex_t u, edge_t arc) const {
    if (component_[at(u)] != component_[at(graph_.heads[arc])]) return no_bound;
    return clipped(weight_of(graph_, arc));  // no_bound if infinite
  }

  /// Whether to go on after so many more arcs.
  static bool look(const Worker& worker, edge_t& arcs, edge_t more) {
    arcs += more;
    if (arcs < arcs_per_look) return true;
    arcs = 0;
    return worker.keep_on();
  }

  /// From the roots, over the arcs of vertices whose ways have become shorter.
  char go_forth(const Worker& worker) {
    char shorter = 0;
    edge_t arcs = 0;
    for (vertex_t u = 0; u < graph_.n_vertices; ++u) {
      if (changed_[at(u)] == 0) continue;
      changed_[at(u)] = 0;
      for (edge_t e = graph_.begin(u); e < graph_.end(u); ++e) {
        const std::int64_t way = from_[at(u)] + inner_weight(u, e);
        std::int64_t& known = from_[at(graph_.heads[e])];
        if (way >= known || way >= no_bound) continue;
        known = way;
        changed_[at(graph_.heads[e])] = shorter = 1;
      }
      if (!look(worker, arcs, graph_.degree(u))) return 0;
    }
    return shorter;
  }

  /// To the roots, from the last vertex to the first.
  char go_back(const Worker& worker) {
    char shorter = 0;
    edge_t arcs = 0;
    for (vertex_t u = graph_.n_vertices; u-- > 0;) {
      std::int64_t best = to_[at(u)];
      for (edge_t e = graph_.begin(u); e < graph_.end(u); ++e) {
        const std::int64_t rest = to_[at(graph_.heads[e])];
        if (rest >= best) continue;
        const std::int64_t way = rest + inner_weight(u, e);
        if (way < no_bound) best = std::min(best, way);
      }
      if (best < to_[at(u)]) shorter = 1;
      to_[at(u)] = best;
      if (!look(worker, arcs, graph_.degree(u))) return 0;
    }
    return shorter;
  }

  const CsrView<R> graph_;
  const std::span<const vertex_t> component_;
  std::vector<std::int64_t> from_;  // the root
  std::vector<std::int64_t> to_;    // the root
  std::vector<char> changed_;
  std::vector<std::int64_t> bounds_;
};

/// The vertices, grouped by their components.
struct Members {
  Members(std::span<const vertex_t> component, std::size_t n_components)
      : first(n_components + 1, 0), vertices(component.size()) {
    for (const vertex_t c : component) ++first[static_cast<std::size_t>(c) + 1];
    std::partial_sum(first.begin(), first.end(), first.begin());
    std::vector<std::size_t> next(first.begin(), first.end() - 1);
    for (std::size_t v = 0; v < component.size(); ++v) {
      vertices[next[static_cast<std::size_t>(component[v])]++] = static_cast<vertex_t>(v);
    }
  }
  std::vector<std::size_t> first;
  std::vector<vertex_t> vertices;
};

/// The longest path in the acyclic graph of components, each of which costs its bound.
template <class R>
std::int64_t longest_path(const CsrView<R>& graph, std::span<const vertex_t> component,
                          const std::vector<std::int64_t>& bounds) {
  const auto component_of = [&](vertex_t v) {
    return static_cast<std::size_t>(component[static_cast<std::size_t>(v)]);
  };
  const auto for_each_way_out = [&](vertex_t u, auto&& visit) {
    for (edge_t e = graph.begin(u); e < graph.end(u); ++e) {
      const std::size_t to = component_of(graph.heads[e]);
      if (to != component_of(u)) visit(to, weight_of(graph, e));
    }
    poll();
  };
  std::vector<edge_t> ways_in(bounds.size(), 0);
  for (vertex_t u = 0; u < graph.n_vertices; ++u) {
    for_each_way_out(u, [&](std::size_t to, R) { ++ways_in[to]; });
  }
  std::vector<std::size_t> ready;
  for (std::size_t c = 0; c < bounds.size(); ++c) {
    if (ways_in[c] == 0) ready.push_back(c);
  }
  const Members members(component, bounds.size());
  std::vector<std::int64_t> before(bounds.size(), 0);  // the longest path to the component
  std::int64_t longest = 0;
  while (!ready.empty()) {
    const std::size_t c = ready.back();
    ready.pop_back();
    const std::int64_t here = add(before[c], bounds[c]);
    longest = std::max(longest, here);
    for (std::size_t i = members.first[c]; i < members.first[c + 1]; ++i) {
      for_each_way_out(members.vertices[i], [&](std::size_t to, R weight) {
        if (weight != infinity<R>()) before[to] = std::max(before[to], add(here, clipped(weight)));
        if (--ways_in[to] == 0) ready.push_back(to);
      });
    }
  }
  return longest;
}

}  // namespace

template <class R>
WeightSummary summarise(const CsrView<R>& graph) {
  if (graph.weights == nullptr) {
    return {true, false, 1, std::min<std::int64_t>(graph.n_vertices, graph.n_arcs)};
  }
  return parallel_reduce(
      graph.n_vertices, WeightSummary{},
      [&](std::int64_t u) { return summarise_row(graph, static_cast<vertex_t>(u)); }, combine,
      rows_per_block);
}

template <class R>
std::optional<std::int64_t> bound_through_roots(const CsrView<R>& graph, std::int64_t close_enough,
                                                std::int64_t rounds) {
  const auto n = static_cast<std::size_t>(graph.n_vertices);
  if (n == 0) return 0;
  if (rounds == 0) return std::nullopt;
  std::vector<vertex_t> component(n, 0);
  WaysThroughRoots<R> together(graph, component, 1);
  together.search(rounds, close_enough);
  if (together.bounds()[0] < no_bound) return together.bounds()[0];
  const vertex_t n_components = strong_components_cpu(graph, component);
  WaysThroughRoots<R> apart(graph, component, n_components);
  apart.search(rounds, close_enough);
  for (const std::int64_t bound : apart.bounds()) {
    if (bound >= no_bound) return std::nullopt;
  }
  const std::int64_t longest = longest_path<R>(graph, component, apart.bounds());
  if (longest >= no_bound) return std::nullopt;
  return longest;
}

#define WARPGRAPH_INSTANTIATE(R)                                                               \
  template WeightSummary summarise<R>(const CsrView<R>&);                                      \
  template std::optional<std::int64_t> bound_through_roots<R>(const CsrView<R>&, std::int64_t, \
                                                              std::int64_t);
WARPGRAPH_FOR_EACH_WEIGHT(WARPGRAPH_INSTANTIATE)
#undef WARPGRAPH_INSTANTIATE

}  // namespace warpgraph::apsp_steps
