// Finds a negative cycle from the distances of a Bellman-Ford search that does not converge.
//
// An arc u -> v is admissible if d[u] + w <= d[v], and violated if d[u] + w < d[v]. The weights of
// a cycle of admissible arcs add up to at most zero, and to less if one of its arcs is violated:
// such a cycle is negative. It exists if and only if a violated arc has both ends in the same
// strongly connected component of the admissible arcs. Conversely, the arc that lowered a vertex
// last stays admissible, since the distance of its tail can only have decreased since. After more
// rounds than vertices, the walk back along these arcs from a vertex that was just lowered visits
// some vertex twice: the arcs contain a cycle, and its arc out of the vertex that closed it is
// violated. So distances suffice, from whatever device, and no negative cycle is missed.
//
// Integers are compared without saturation. Otherwise a cycle whose distances have reached the
// lowest integer would have no violated arc.
#include "core/containers/at.hpp"
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
        lowlink_(distances.size()),
        next_arc_(distances.size()) {}

  /// Returns the smallest vertex of a negative cycle, or no_vertex.
  vertex_t find(bool beyond_rounding) {
    find_components();
    // One cycle per component is tested. It can be rejected only while the search continues; the
    // last call, without `beyond_rounding`, accepts every cycle.
    std::vector<char> tried(distances_.size(), 0);
    for (vertex_t u = 0; u < graph_.n_vertices; ++u) {
      if (u % vertices_between_polls == 0) poll();
      for (edge_t e = graph_.begin(u); e < graph_.end(u); ++e) {
        const vertex_t v = graph_.heads[e];
        if (component(u) != component(v) || slack_sign(u, e) >= 0 || tried[at(component(u))])
          continue;
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
  [[nodiscard]] vertex_t component(vertex_t v) const { return component_[at(v)]; }

  /// Returns the sign of d[u] + w - d[v]: -1 violated, 0 tight, 1 not admissible.
  [[nodiscard]] int slack_sign(vertex_t u, edge_t arc) const {
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

  /// Finds components by Tarjan's algorithm over admissible arcs, with an explicit stack instead of
  /// recursion. Components are named by their roots.
  void find_components() {
    for (vertex_t v = 0; v < graph_.n_vertices; ++v) {
      if (number_[at(v)] == unvisited && distances_[at(v)] != infinity<W>()) depth_first_search(v);
    }
  }

  void depth_first_search(vertex_t root) {
    std::vector<vertex_t> search_path;  // from the root to the current vertex
    enter(root, search_path);
    while (!search_path.empty()) {
      if (++steps_ % vertices_between_polls == 0) poll();
      const vertex_t u = search_path.back();
      if (advance(u, search_path)) continue;
      search_path.pop_back();
      if (!search_path.empty()) {
        lowlink_[at(search_path.back())] =
            std::min(lowlink_[at(search_path.back())], lowlink_[at(u)]);
      }
      if (lowlink_[at(u)] == number_[at(u)]) close_component(u);
    }
  }

  void enter(vertex_t v, std::vector<vertex_t>& search_path) {
    number_[at(v)] = lowlink_[at(v)] = next_number_++;
    next_arc_[at(v)] = graph_.begin(v);
    stack_.push_back(v);
    search_path.push_back(v);
  }

  /// Follows the next arcs of u; returns true if one of them led to an unvisited vertex.
  bool advance(vertex_t u, std::vector<vertex_t>& search_path) {
    for (edge_t& e = next_arc_[at(u)]; e < graph_.end(u);) {
      const edge_t arc = e++;
      if (slack_sign(u, arc) > 0) continue;
      const vertex_t v = graph_.heads[arc];
      if (number_[at(v)] == unvisited) {
        enter(v, search_path);
        return true;
      }
      if (component(v) == no_vertex) {
        lowlink_[at(u)] = std::min(lowlink_[at(u)], number_[at(v)]);
      }
    }
    return false;
  }

  void close_component(vertex_t root) {
    vertex_t v;
    do {
      v = stack_.back();
      stack_.pop_back();
      component_[at(v)] = root;
    } while (v != root);
  }

  /// Returns the vertices of a path of admissible arcs within a component, both ends included, by
  /// breadth-first search.
  std::vector<vertex_t> path(vertex_t from, vertex_t to) {
    std::vector<vertex_t>& parent = number_;  // not needed any more: all components are complete
    std::fill(parent.begin(), parent.end(), no_vertex);
    std::vector<vertex_t> queue{from};
    parent[at(from)] = from;
    for (std::size_t next = 0; parent[at(to)] == no_vertex; ++next) {
      const vertex_t u = queue[next];
      for (edge_t e = graph_.begin(u); e < graph_.end(u); ++e) {
        const vertex_t v = graph_.heads[e];
        if (component(v) != component(u) || slack_sign(u, e) > 0 || parent[at(v)] != no_vertex)
          continue;
        parent[at(v)] = u;
        queue.push_back(v);
      }
    }
    std::vector<vertex_t> vertices{to};
    while (vertices.back() != from) vertices.push_back(parent[at(vertices.back())]);
    std::reverse(vertices.begin(), vertices.end());
    return vertices;
  }

  /// Returns whether the weight of the cycle is negative beyond rounding. Each of the k additions
  /// has an error of at most half a unit in the last place of the largest distance or weight.
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
  std::vector<vertex_t> number_;   // order of discovery
  std::vector<vertex_t> lowlink_;  // Tarjan's lowlink: smallest number that the subtree reaches
  std::vector<edge_t> next_arc_;
  std::vector<vertex_t> stack_;  // Tarjan's stack: visited vertices without a component
  vertex_t next_number_ = 0;
  std::int64_t steps_ = 0;
};

}  // namespace

template <class W>
void check_negative_cycle(const CsrView<W>& graph, std::span<const W> distances,
                          bool beyond_rounding) {
  const vertex_t vertex = CycleFinder<W>(graph, distances).find(beyond_rounding);
  if (vertex != no_vertex) throw NegativeCycle(vertex);
}

WARPGRAPH_INSTANTIATE_FOR_EACH_WEIGHT(check_negative_cycle)

}  // namespace warpgraph::shortest_paths
