#include "primitives/distance_bounds/distance_bound.hpp"

#include "core/containers/at.hpp"
#include "core/threads/parallel.hpp"
#include "primitives/distance_bounds/weight_summary.hpp"
#include "primitives/relaxation/relax.hpp"

#include <array>
#include <numeric>
#include <vector>

namespace warpgraph::shortest_paths {
namespace {

constexpr std::int64_t unknown = std::numeric_limits<std::int64_t>::max();
/// Number of arcs between two polls for cancellation. Fewer arcs do not pay for a second thread.
constexpr edge_t arcs_per_poll = 1 << 16;

/// Upper bounds on the distances from and to each component's root, by relaxation rounds over all
/// arcs within components. Every value is the length of a real path after any number of rounds, and
/// values only decrease.
template <class R>
class RootDistances {
 public:
  RootDistances(const CsrView<R>& graph, std::span<const vertex_t> component, vertex_t n_components)
      : graph_(graph),
        component_(component),
        from_(component.size(), unknown),
        to_(component.size(), unknown),
        changed_(component.size(), 0),
        bounds_(at(n_components), unknown) {
    std::vector<vertex_t> roots(bounds_.size(), no_vertex);
    for (vertex_t v = 0; v < graph.n_vertices; ++v) {
      vertex_t& root = roots[at(component[at(v)])];
      if (root == no_vertex || graph.degree(v) > graph.degree(root)) root = v;
    }
    for (const vertex_t root : roots) from_[at(root)] = to_[at(root)] = 0;
    for (const vertex_t root : roots) changed_[at(root)] = 1;
  }

  /// Runs at most `rounds` rounds. Stops early when no path length decreases or when the largest
  /// bound is at most `close_enough`.
  void run(std::int64_t rounds, std::int64_t close_enough) {
    for (bool decreased = true; decreased && rounds > 0 && update_bounds() > close_enough;
         --rounds) {
      std::array<char, 2> decreased_by{};
      const int threads = graph_.n_arcs < arcs_per_poll ? 1 : num_threads();
      parallel_tasks(2, threads, 0, [&](const TaskContext& context, std::int64_t direction) {
        decreased_by[at(direction)] =
            direction == 0 ? relax_from_roots(context) : relax_to_roots(context);
      });
      decreased = decreased_by[0] != 0 || decreased_by[1] != 0;
    }
    update_bounds();
  }

  /// Returns a bound for each component, after run(): no two of its vertices are farther apart. It
  /// is `unknown` if no bound was found.
  [[nodiscard]] const std::vector<std::int64_t>& bounds() const noexcept { return bounds_; }

 private:
  /// Recomputes all bounds and returns the largest.
  std::int64_t update_bounds() {
    std::vector<std::int64_t> farthest_to_root(bounds_.size(), 0);
    std::fill(bounds_.begin(), bounds_.end(), 0);
    for (std::size_t v = 0; v < from_.size(); ++v) {
      std::int64_t& from_root = bounds_[at(component_[v])];
      std::int64_t& to_root = farthest_to_root[at(component_[v])];
      from_root = std::max(from_root, from_[v]);
      to_root = std::max(to_root, to_[v]);
    }
    std::int64_t most = 0;
    for (std::size_t c = 0; c < bounds_.size(); ++c) {
      const bool known = bounds_[c] != unknown && farthest_to_root[c] != unknown;
      bounds_[c] = known ? add_bounds(bounds_[c], farthest_to_root[c]) : unknown;
      most = std::max(most, bounds_[c]);
    }
    return most;
  }

  /// Returns the weight of an arc within a component, or no_bound.
  [[nodiscard]] std::int64_t weight_within_component(vertex_t u, edge_t arc) const {
    if (component_[at(u)] != component_[at(graph_.heads[arc])]) return no_bound;
    return magnitude_of(weight_of(graph_, arc));  // no_bound if infinite
  }

  /// Polls after every `arcs_per_poll` arcs. Returns false on cancellation.
  static bool poll_after(const TaskContext& context, edge_t& arcs, edge_t more) {
    arcs += more;
    if (arcs < arcs_per_poll) return true;
    arcs = 0;
    return context.keep_on();
  }

  /// Relaxes paths from the roots, over the arcs of vertices whose value has decreased.
  char relax_from_roots(const TaskContext& context) {
    char decreased = 0;
    edge_t arcs = 0;
    for (vertex_t u = 0; u < graph_.n_vertices; ++u) {
      if (changed_[at(u)] == 0) continue;
      changed_[at(u)] = 0;
      for (edge_t e = graph_.begin(u); e < graph_.end(u); ++e) {
        const std::int64_t length = from_[at(u)] + weight_within_component(u, e);
        std::int64_t& known = from_[at(graph_.heads[e])];
        if (length >= known || length >= no_bound) continue;
        known = length;
        changed_[at(graph_.heads[e])] = decreased = 1;
      }
      if (!poll_after(context, arcs, graph_.degree(u))) return 0;
    }
    return decreased;
  }

  /// Relaxes paths to the roots, from the last vertex to the first.
  char relax_to_roots(const TaskContext& context) {
    char decreased = 0;
    edge_t arcs = 0;
    for (vertex_t u = graph_.n_vertices; u-- > 0;) {
      std::int64_t best = to_[at(u)];
      for (edge_t e = graph_.begin(u); e < graph_.end(u); ++e) {
        const std::int64_t rest = to_[at(graph_.heads[e])];
        if (rest >= best) continue;
        const std::int64_t length = rest + weight_within_component(u, e);
        if (length < no_bound) best = std::min(best, length);
      }
      if (best < to_[at(u)]) decreased = 1;
      to_[at(u)] = best;
      if (!poll_after(context, arcs, graph_.degree(u))) return 0;
    }
    return decreased;
  }

  const CsrView<R> graph_;
  const std::span<const vertex_t> component_;
  std::vector<std::int64_t> from_;  // path lengths from the root
  std::vector<std::int64_t> to_;    // path lengths to the root
  std::vector<char> changed_;
  std::vector<std::int64_t> bounds_;
};

/// The vertices grouped by component (CSR).
struct ComponentMembers {
  ComponentMembers(std::span<const vertex_t> component, std::size_t n_components)
      : first(n_components + 1, 0), vertices(component.size()) {
    for (const vertex_t c : component) ++first[at(c) + 1];
    std::partial_sum(first.begin(), first.end(), first.begin());
    std::vector<std::size_t> next(first.begin(), first.end() - 1);
    for (std::size_t v = 0; v < component.size(); ++v) {
      vertices[next[at(component[v])]++] = static_cast<vertex_t>(v);
    }
  }
  std::vector<std::size_t> first;
  std::vector<vertex_t> vertices;
};

/// Returns the longest path in the acyclic graph of components, in which visiting a component costs
/// its bound.
template <class R>
std::int64_t longest_path(const CsrView<R>& graph, std::span<const vertex_t> component,
                          const std::vector<std::int64_t>& bounds) {
  const auto component_of = [&](vertex_t v) { return at(component[static_cast<std::size_t>(v)]); };
  const auto for_each_outgoing_arc = [&](vertex_t u, auto&& visit) {
    for (edge_t e = graph.begin(u); e < graph.end(u); ++e) {
      const std::size_t to = component_of(graph.heads[e]);
      if (to != component_of(u)) visit(to, weight_of(graph, e));
    }
    poll();
  };
  std::vector<edge_t> in_degree(bounds.size(), 0);
  for (vertex_t u = 0; u < graph.n_vertices; ++u) {
    for_each_outgoing_arc(u, [&](std::size_t to, R) { ++in_degree[to]; });
  }
  std::vector<std::size_t> ready;
  for (std::size_t c = 0; c < bounds.size(); ++c) {
    if (in_degree[c] == 0) ready.push_back(c);
  }
  const ComponentMembers members(component, bounds.size());
  std::vector<std::int64_t> before(bounds.size(), 0);  // the longest path to the component
  std::int64_t longest = 0;
  while (!ready.empty()) {
    const std::size_t c = ready.back();
    ready.pop_back();
    const std::int64_t here = add_bounds(before[c], bounds[c]);
    longest = std::max(longest, here);
    for (std::size_t i = members.first[c]; i < members.first[c + 1]; ++i) {
      for_each_outgoing_arc(members.vertices[i], [&](std::size_t to, R weight) {
        if (weight != infinity<R>())
          before[to] = std::max(before[to], add_bounds(here, magnitude_of(weight)));
        if (--in_degree[to] == 0) ready.push_back(to);
      });
    }
  }
  return longest;
}

}  // namespace

template <class R>
std::optional<std::int64_t> bound_through_roots(const CsrView<R>& graph,
                                                std::span<const vertex_t> component,
                                                vertex_t n_components, std::int64_t close_enough,
                                                std::int64_t rounds) {
  if (graph.n_vertices == 0) return 0;
  RootDistances<R> distances(graph, component, n_components);
  distances.run(rounds, close_enough);
  const std::vector<std::int64_t>& bounds = distances.bounds();
  if (std::ranges::any_of(bounds, [](std::int64_t bound) { return bound >= no_bound; })) {
    return std::nullopt;
  }
  if (n_components == 1) return bounds[0];
  const std::int64_t longest = longest_path<R>(graph, component, bounds);
  if (longest >= no_bound) return std::nullopt;
  return longest;
}

template <class R>
std::int64_t largest_distance_reference(const CsrView<R>& graph) {
  std::int64_t largest = 0;
  std::vector<std::int64_t> distances(at(graph.n_vertices));
  const auto relax = [&](vertex_t u, edge_t e) {
    const std::int64_t from = distances[at(u)];
    std::int64_t& to = distances[at(graph.heads[e])];
    const R weight = weight_of(graph, e);
    if (from == unknown || weight == infinity<R>()) return;
    to = std::min(to, from + static_cast<std::int64_t>(weight));
  };
  for (vertex_t source = 0; source < graph.n_vertices; ++source) {
    std::fill(distances.begin(), distances.end(), unknown);
    distances[at(source)] = 0;
    for (vertex_t round = 1; round < graph.n_vertices; ++round) {
      for (vertex_t u = 0; u < graph.n_vertices; ++u) {
        for (edge_t e = graph.begin(u); e < graph.end(u); ++e) relax(u, e);
      }
    }
    for (const std::int64_t distance : distances) {
      if (distance != unknown) largest = std::max(largest, distance);
    }
  }
  return largest;
}

WARPGRAPH_INSTANTIATE_FOR_EACH_WEIGHT(bound_through_roots)
WARPGRAPH_INSTANTIATE_FOR_EACH_WEIGHT(largest_distance_reference)

}  // namespace warpgraph::shortest_paths
