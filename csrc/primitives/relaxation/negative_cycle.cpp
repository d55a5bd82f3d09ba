// Finding a negative cycle in the distances of a Bellman-Ford search that does not end.
//
// Call an arc u -> v admissible if d[u] + w <= d[v], and violated if it is less. Going round a
// cycle of admissible arcs, the weights add up to at most zero, and to less if one of the arcs is
// violated: such a cycle is negative. It exists exactly if a violated arc has both ends in one
// strongly connected component of the admissible arcs. Conversely, the arcs over which vertices
// were lowered last stay admissible, since the tail can only have fallen further. After more rounds
// than vertices, following them back from a vertex just lowered comes to some vertex twice: they
// contain a cycle, and one of its arcs, behind the vertex that closed it, is violated. So the
// search for one needs distances only, whichever device they come from, and misses none.
//
// Integers are compared without their saturation, or a cycle whose distances have fallen to the
// lowest integer would look harmless.
#include "core/error.hpp"
#include "core/interrupt.hpp"
#include "primitives/relaxation/overflow.hpp"
#include "primitives/relaxation/relax.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

namespace warpgraph::shortest_paths {
namespace {

constexpr std::int64_t vertices_between_polls = 1 << 12;

template <class W>
class CycleFinder {
 public:
  CycleFinder(const CsrView<W>& graph, std::span<const W> distances)
      : graph_(graph),
        distances_(distances),
        component_(distances.size(), no_vertex),
        number_(distances.size(), unvisited),
        lowest_(distances.size()),
        next_arc_(distances.size()) {}

  /// The smallest vertex of a negative cycle, or no_vertex.
  vertex_t find(bool beyond_rounding) {
    find_components();
    // One try a component is enough: they are tries only while the search goes on, and the last
    // one accepts every cycle.
    std::vector<char> tried(distances_.size(), 0);
    for (vertex_t u = 0; u < graph_.n_vertices; ++u) {
      if (u % vertices_between_polls == 0) poll();
      for (edge_t e = graph_.begin(u); e < graph_.end(u); ++e) {
        const vertex_t v = graph_.heads[e];
        if (component(u) != component(v) || order(u, e) >= 0 || tried[at(component(u))]) continue;
        tried[at(component(u))] = 1;
        const std::vector<vertex_t> cycle = path(v, u);
        if (!beyond_rounding || certainly_negative(cycle)) {
          return *std::min_element(cycle.begin(), cycle.end());
        }
      }
    }
    return no_vertex;
  }

 private:
  static constexpr vertex_t unvisited = -1;
  static std::size_t at(vertex_t v) { return static_cast<std::size_t>(v); }
  [[nodiscard]] vertex_t component(vertex_t v) const { return component_[at(v)]; }

  /// d[u] + w compared with d[v]: -1 violated, 0 tight, 1 slack.
  [[nodiscard]] int order(vertex_t u, edge_t arc) const {
    const W from = distances_[at(u)];
    const W weight = weight_of(graph_, arc);
    const W to = distances_[at(graph_.heads[arc])];
    if (from == infinity<W>() || weight == infinity<W>()) return 1;
    if constexpr (std::is_integral_v<W>) {
      W through;
      if (__builtin_add_overflow(from, weight, &through)) return weight < 0 ? -1 : 1;
      return through < to ? -1 : through > to;
    } else {
      return from + weight < to ? -1 : from + weight > to;
    }
  }

  /// Tarjan's algorithm over admissible arcs, with a stack of its own instead of recursion. Numbers
  /// components by their roots.
  void find_components() {
    for (vertex_t v = 0; v < graph_.n_vertices; ++v) {
      if (number_[at(v)] == unvisited && distances_[at(v)] != infinity<W>()) search_from(v);
    }
  }

  void search_from(vertex_t root) {
    std::vector<vertex_t> trail;  // from the root to the vertex at hand
    enter(root, trail);
    while (!trail.empty()) {
      if (++steps_ % vertices_between_polls == 0) poll();
      const vertex_t u = trail.back();
      if (advance(u, trail)) continue;
      trail.pop_back();
      if (!trail.empty()) {
        lowest_[at(trail.back())] = std::min(lowest_[at(trail.back())], lowest_[at(u)]);
      }
      if (lowest_[at(u)] == number_[at(u)]) close_component(u);
    }
  }

  void enter(vertex_t v, std::vector<vertex_t>& trail) {
    number_[at(v)] = lowest_[at(v)] = next_number_++;
    next_arc_[at(v)] = graph_.begin(v);
    open_.push_back(v);
    trail.push_back(v);
  }

  /// Goes on along u's arcs; true if that led to a new vertex.
  bool advance(vertex_t u, std::vector<vertex_t>& trail) {
    for (edge_t& e = next_arc_[at(u)]; e < graph_.end(u);) {
      const edge_t arc = e++;
      if (order(u, arc) > 0) continue;
      const vertex_t v = graph_.heads[arc];
      if (number_[at(v)] == unvisited) {
        enter(v, trail);
        return true;
      }
      if (component(v) == no_vertex) {
        lowest_[at(u)] = std::min(lowest_[at(u)], number_[at(v)]);
      }
    }
    return false;
  }

  void close_component(vertex_t root) {
    vertex_t v;
    do {
      v = open_.back();
      open_.pop_back();
      component_[at(v)] = root;
    } while (v != root);
  }

  /// The vertices of a path of admissible arcs within a component, both ends included.
  std::vector<vertex_t> path(vertex_t from, vertex_t to) {
    std::vector<vertex_t>& parent = number_;  // free again: all components are closed
    std::fill(parent.begin(), parent.end(), no_vertex);
    std::vector<vertex_t> queue{from};
    parent[at(from)] = from;
    for (std::size_t next = 0; parent[at(to)] == no_vertex; ++next) {
      const vertex_t u = queue[next];
      for (edge_t e = graph_.begin(u); e < graph_.end(u); ++e) {
        const vertex_t v = graph_.heads[e];
        if (component(v) != component(u) || order(u, e) > 0 || parent[at(v)] != no_vertex) continue;
        parent[at(v)] = u;
        queue.push_back(v);
      }
    }
    std::vector<vertex_t> vertices{to};
    while (vertices.back() != from) vertices.push_back(parent[at(vertices.back())]);
    std::reverse(vertices.begin(), vertices.end());
    return vertices;
  }

  /// Whether going round lowers distances of this magnitude however the sums are rounded: each of
  /// k additions is off by half a unit in the last place at most.
  [[nodiscard]] bool certainly_negative(const std::vector<vertex_t>& cycle) const {
    if constexpr (std::is_integral_v<W>) return true;
    long double total = 0;
    long double largest = 0;
    for (std::size_t i = 0; i < cycle.size(); ++i) {
      const W weight = lightest_arc(cycle[i], cycle[(i + 1) % cycle.size()]);
      total += weight;
      largest = std::max<long double>(largest, std::abs(distances_[at(cycle[i])]));
      largest = std::max<long double>(largest, std::abs(weight));
    }
    const auto k = static_cast<long double>(cycle.size());
    return total < -k * std::numeric_limits<W>::epsilon() * 2 * largest;
  }

  [[nodiscard]] W lightest_arc(vertex_t u, vertex_t v) const {
    W lightest = infinity<W>();
    for (edge_t e = graph_.begin(u); e < graph_.end(u); ++e) {
      if (graph_.heads[e] == v) lightest = std::min(lightest, weight_of(graph_, e));
    }
    return lightest;
  }

  const CsrView<W> graph_;
  const std::span<const W> distances_;
  std::vector<vertex_t> component_;
  std::vector<vertex_t> number_;  // in the order of discovery
  std::vector<vertex_t> lowest_;  // number that the subtree can reach
  std::vector<edge_t> next_arc_;
  std::vector<vertex_t> open_;  // visited, component not known yet
  vertex_t next_number_ = 0;
  std::int64_t steps_ = 0;
};

}  // namespace

template <class W>
void look_for_negative_cycle(const CsrView<W>& graph, std::span<const W> distances,
                             bool beyond_rounding) {
  const vertex_t vertex = CycleFinder<W>(graph, distances).find(beyond_rounding);
  if (vertex != no_vertex) throw NegativeCycle(vertex);
}

#define WARPGRAPH_INSTANTIATE(W) \
  template void look_for_negative_cycle<W>(const CsrView<W>&, std::span<const W>, bool);
WARPGRAPH_FOR_EACH_WEIGHT(WARPGRAPH_INSTANTIATE)
#undef WARPGRAPH_INSTANTIATE

}  // namespace warpgraph::shortest_paths
