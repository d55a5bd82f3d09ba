// Distances to the target. Not for use outside this folder.
#pragma once

#include "core/containers/at.hpp"
#include "core/error.hpp"
#include "core/interrupt.hpp"
#include "graph/csr.hpp"
#include "primitives/relaxation/relax.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <stdexcept>
#include <type_traits>
#include <vector>

namespace warpgraph::k_shortest_paths_detail {

using shortest_paths::weight_of;

/// The length of a path. A cycle is never shorter than nothing: it has arcs.
template <class W>
struct Length {
  W weight = infinity<W>();
  vertex_t n_arcs = 0;

  friend bool operator<(Length a, Length b) {
    return a.weight < b.weight || (a.weight == b.weight && a.n_arcs < b.n_arcs);
  }
  friend bool operator==(Length, Length) = default;
  [[nodiscard]] bool is_finite() const noexcept { return weight != infinity<W>(); }
  /// Returns the length of this path and an arc after it.
  [[nodiscard]] Length with_arc(W arc) const noexcept { return {extend(weight, arc), n_arcs + 1}; }
  [[nodiscard]] Length with(Length rest) const noexcept {
    return {extend(weight, rest.weight), n_arcs + rest.n_arcs};
  }
};

/// Calls visit(vertex, head, weight) for the arcs of u that may be used.
template <class W, class Visit>
void for_each_usable_arc(const CsrView<W>& graph, vertex_t u, Visit&& visit) {
  for (edge_t e = graph.begin(u), end = graph.end(u); e < end; ++e) {
    const W weight = weight_of(graph, e);
    if (weight != infinity<W>()) visit(graph.heads[e], weight);
  }
}

/// Returns the weight of the lightest of the arcs between two vertices.
template <class W>
W lightest(const CsrView<W>& graph, vertex_t u, vertex_t v) {
  W least = infinity<W>();
  for_each_usable_arc(graph, u, [&](vertex_t head, W weight) {
    if (head == v) least = std::min(least, weight);
  });
  return least;
}

/// The length of a shortest path from each vertex to the target: of the shortest ones, one with the
/// fewest arcs.
template <class W>
class Potentials {
 public:
  Potentials(const CsrView<W>& graph, const CsrView<W>& transposed, std::span<const W> to_target,
             vertex_t target)
      : graph_(graph),
        weight_(to_target.data()),
        n_arcs_(to_target.size(), unreached),
        next_(to_target.size(), no_vertex) {
    count_arcs(transposed, target);
  }

  static constexpr std::size_t bytes(vertex_t n_vertices) {
    return 3 * sizeof(vertex_t) * static_cast<std::size_t>(n_vertices);  // with a queue
  }

  [[nodiscard]] Length<W> operator[](vertex_t v) const {
    const vertex_t n_arcs = n_arcs_[at(v)];
    return n_arcs == unreached ? Length<W>{} : Length<W>{weight_[v], n_arcs};
  }

  /// Returns the length of the best path that continues one up to v. It is not finite if there is
  /// none, or if it does not fit its type. Throws if it is below the least number.
  Length<W> over(Length<W> up_to, vertex_t v) {
    const Length<W> rest = (*this)[v];
    if (!rest.is_finite()) return {};
    const Length<W> sum = up_to.with(rest);
    if constexpr (std::is_integral_v<W>) {
      const bool is_beyond = !up_to.is_finite();
      if (up_to.weight == detail::lowest<W> || (is_beyond && rest.weight < 0)) throw_beyond(v);
      overflowed_ |= is_beyond || !sum.is_finite();
      if (is_beyond) return {};
    } else if (up_to.weight == -infinity<W>() || sum.weight == -infinity<W>()) {
      throw_beyond(v);
    }
    return sum;
  }
  /// Returns whether a path was left out because its length does not fit its type.
  [[nodiscard]] bool overflowed() const noexcept { return overflowed_; }

  /// Returns the vertex after `u` on the first of its shortest paths: the smallest. `u` reaches the
  /// target.
  vertex_t next(vertex_t u) {
    vertex_t& known = next_[at(u)];
    if (known != no_vertex) return known;
    vertex_t smallest = infinity<vertex_t>();
    for_each_usable_arc(graph_, u, [&](vertex_t v, W weight) {
      if (v < smallest && is_on_shortest(u, v, weight)) smallest = v;
    });
    return known = smallest;
  }

 private:
  static constexpr vertex_t unreached = -1;

  [[noreturn]] static void throw_beyond(vertex_t v) {
    throw Naming<std::overflow_error>({"the length of a path from the source to vertex ", ByName{v},
                                       " does not fit its type; ask for a wider dtype"});
  }

  [[nodiscard]] bool is_on_shortest(vertex_t u, vertex_t v, W weight) const {
    const vertex_t behind = n_arcs_[at(v)];
    return behind != unreached && n_arcs_[at(u)] == behind + 1 &&
           weight_[u] == extend(weight_[v], weight);
  }

  /// Counts the arcs of shortest paths by a breadth-first search from the target along these.
  void count_arcs(const CsrView<W>& transposed, vertex_t target) {
    std::vector<vertex_t> queue{target};
    queue.reserve(n_arcs_.size());
    n_arcs_[at(target)] = 0;
    for (std::size_t i = 0; i < queue.size(); ++i) {
      const vertex_t v = queue[i];
      if (i % 4096 == 0) poll();
      for_each_usable_arc(transposed, v, [&](vertex_t u, W weight) {
        if (n_arcs_[at(u)] != unreached || weight_[u] != extend(weight_[v], weight)) return;
        n_arcs_[at(u)] = n_arcs_[at(v)] + 1;
        queue.push_back(u);
      });
    }
  }

  const CsrView<W>& graph_;
  const W* weight_;
  std::vector<vertex_t> n_arcs_;
  std::vector<vertex_t> next_;  // no_vertex: not known yet
  bool overflowed_ = false;
};

/// A set of vertices that is emptied in constant time.
class VertexSet {
 public:
  explicit VertexSet(vertex_t n_vertices) : added_in_(at(n_vertices)) {}
  static constexpr std::size_t bytes(vertex_t n_vertices) {
    return sizeof(std::uint32_t) * static_cast<std::size_t>(n_vertices);
  }
  [[nodiscard]] bool has(vertex_t v) const { return added_in_[at(v)] == round_; }
  void add(vertex_t v) { added_in_[at(v)] = round_; }
  void clear() {
    if (++round_ != 0) return;
    std::fill(added_in_.begin(), added_in_.end(), 0);
    round_ = 1;
  }

 private:
  std::vector<std::uint32_t> added_in_;
  std::uint32_t round_ = 1;
};

}  // namespace warpgraph::k_shortest_paths_detail
