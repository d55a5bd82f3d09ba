// Predecessors from distances; sssp.hpp states the rule.
#include "primitives/path_trees/predecessors.hpp"

#include "core/atomics.hpp"
#include "core/containers/at.hpp"
#include "core/threads/parallel.hpp"
#include "primitives/path_trees/smallest_tail.hpp"
#include "primitives/relaxation/relax.hpp"

#include <algorithm>
#include <iterator>
#include <vector>

namespace warpgraph::shortest_paths {
namespace {

constexpr std::int64_t vertices_per_block = 256;

template <class W>
class TreeRecovery {
 public:
  TreeRecovery(const CsrView<W>& graph, std::span<const vertex_t> sources,
               std::span<const W> distances, std::span<vertex_t> predecessors)
      : graph_(graph), sources_(sources), distances_(distances), predecessors_(predecessors) {}

  void run_non_negative() {
    attach_below_nearer_vertices();
    std::int64_t missing = count_missing() - static_cast<std::int64_t>(sources_.size());
    if (missing == 0) return;
    // Other vertices got their distances over arcs that add nothing: breadth-first search along
    // such arcs, from all vertices that are in the tree.
    levels_.assign(distances_.size(), no_level);
    parallel_for(graph_.n_vertices, [&](std::int64_t v) {
      if (predecessors_[at(v)] != no_vertex) levels_[at(v)] = 0;
    });
    for (const vertex_t source : sources_) levels_[at(source)] = 0;
    const auto admits = [&](W from, W through, W to) { return from == to && through == to; };
    expand(
        graph_.n_vertices, [](std::int64_t i) { return static_cast<vertex_t>(i); }, 0, admits);
    for (vertex_t level = 1; !frontier_.empty() && missing > 0; ++level) {
      missing -= static_cast<std::int64_t>(frontier_.size());
      expand_frontier(level, admits);
    }
  }

  void run_negative() {
    levels_.assign(distances_.size(), no_level);
    std::int64_t missing = count_missing();
    add_roots(0, [&](vertex_t source) { return distances_[at(source)] == W{0}; });
    missing -= static_cast<std::int64_t>(frontier_.size());
    for (vertex_t level = 0; missing > 0; ++level) {
      expand_frontier(level, [](W, W through, W to) { return through == to; });
      if (frontier_.empty()) {
        // These vertices are reached only because of rounding: sums decreased along a cycle, so
        // that the arc over which a vertex of it was entered is not tight any more.
        const W slack = least_slack();
        if (slack == infinity<W>()) {
          add_roots(level + 1, [&](vertex_t source) { return levels_[at(source)] == no_level; });
        } else {
          expand(
              graph_.n_vertices, [](std::int64_t i) { return static_cast<vertex_t>(i); }, level,
              [slack](W, W through, W to) { return through - to <= slack; });
        }
      }
      missing -= static_cast<std::int64_t>(frontier_.size());
    }
  }

 private:
  [[nodiscard]] bool is_reached(vertex_t v) const { return distances_[at(v)] != infinity<W>(); }

  /// Calls visit(v, d[u] + w, d[v]) for the arcs of u to reached vertices.
  template <class Visit>
  void visit_arcs(vertex_t u, Visit&& visit) const {
    const W from = distances_[at(u)];
    if (from == infinity<W>()) return;
    for (edge_t e = graph_.begin(u), end = graph_.end(u); e < end; ++e) {
      const vertex_t v = graph_.heads[e];
      const W through = extend(from, weight_of(graph_, e));
      if (through == infinity<W>() || !is_reached(v)) continue;
      visit(v, through, distances_[at(v)]);
    }
  }

  /// Finds most predecessors, mostly all, in a pass over all arcs.
  void attach_below_nearer_vertices() {
    parallel_for(
        graph_.n_vertices,
        [&](std::int64_t tail) {
          const auto u = static_cast<vertex_t>(tail);
          const W from = distances_[at(u)];
          for (edge_t e = graph_.begin(u), end = graph_.end(u); e < end; ++e) {
            const vertex_t v = graph_.heads[e];
            const W through = extend(from, weight_of(graph_, e));
            if (through != distances_[at(v)] || through == infinity<W>()) continue;
            if (from < through) lower_predecessor(predecessors_[at(v)], u);
          }
        },
        vertices_per_block);
  }

  /// Returns the number of reached vertices without a predecessor, sources included.
  [[nodiscard]] std::int64_t count_missing() const {
    return parallel_reduce(
        graph_.n_vertices, std::int64_t{0},
        [&](std::int64_t i) -> std::int64_t {
          const auto v = static_cast<vertex_t>(i);
          return is_reached(v) && predecessors_[at(v)] == no_vertex;
        },
        std::plus<>{});
  }

  /// Gives the chosen sources a level, and makes them the frontier. Paths of negative weight reach
  /// the others; some of these are roots all the same if rounding lowered them along a cycle.
  template <class Chosen>
  void add_roots(vertex_t level, const Chosen& chosen) {
    frontier_.clear();
    std::copy_if(sources_.begin(), sources_.end(), std::back_inserter(frontier_), chosen);
    for (const vertex_t root : frontier_) levels_[at(root)] = level;
  }

  template <class Admits>
  void expand_frontier(vertex_t level, const Admits& admits) {
    const std::vector<vertex_t> frontier = std::move(frontier_);
    expand(
        static_cast<std::int64_t>(frontier.size()), [&](std::int64_t i) { return frontier[at(i)]; },
        level, admits);
  }

  /// Expands the frontier: vertices without a level that have an admitted arc from a vertex of at
  /// most `level` get the next level and become the frontier. Their predecessor is the smallest
  /// tail of such an arc.
  template <class VertexAt, class Admits>
  void expand(std::int64_t n, VertexAt&& vertex_at, vertex_t level, const Admits& admits) {
    std::vector<std::vector<vertex_t>> found(at(num_threads()));
    const auto attach = [&](int thread, vertex_t u, vertex_t v) {
      vertex_t seen = relaxed_load(levels_[at(v)]);
      if (seen == no_level) {
        // A thread that loses this race lost to another tail of the same round.
        if (compare_and_swap(levels_[at(v)], no_level, level + 1)) found[at(thread)].push_back(v);
        seen = level + 1;
      }
      if (seen == level + 1) lower_predecessor(predecessors_[at(v)], u);
    };
    parallel_blocks(n, vertices_per_block, [&](int thread, std::int64_t first, std::int64_t last) {
      for (std::int64_t i = first; i < last; ++i) {
        const vertex_t u = vertex_at(i);
        const vertex_t of_u = relaxed_load(levels_[at(u)]);
        if (of_u == no_level || of_u > level) continue;
        const W from = distances_[at(u)];
        visit_arcs(u, [&](vertex_t v, W through, W to) {
          if (admits(from, through, to)) attach(thread, u, v);
        });
      }
    });
    frontier_.clear();
    for (const auto& some : found) frontier_.insert(frontier_.end(), some.begin(), some.end());
  }

  /// Returns the least slack of the arcs from vertices with a level to vertices without.
  [[nodiscard]] W least_slack() const {
    return parallel_reduce(
        graph_.n_vertices, infinity<W>(),
        [&](std::int64_t tail) {
          W least = infinity<W>();
          if (levels_[at(tail)] == no_level) return least;
          visit_arcs(static_cast<vertex_t>(tail), [&](vertex_t v, W through, W to) {
            if (levels_[at(v)] == no_level) least = std::min<W>(least, through - to);
          });
          return least;
        },
        [](W a, W b) { return std::min(a, b); }, vertices_per_block);
  }

  const CsrView<W> graph_;
  const std::span<const vertex_t> sources_;
  const std::span<const W> distances_;
  const std::span<vertex_t> predecessors_;
  std::vector<vertex_t> levels_;
  std::vector<vertex_t> frontier_;
};

}  // namespace

template <class W>
void recover_predecessors(const CsrView<W>& graph, std::span<const vertex_t> sources,
                          bool negative_weights, std::span<const W> distances,
                          std::span<vertex_t> predecessors) {
  parallel_for(graph.n_vertices, [&](std::int64_t v) { predecessors[at(v)] = no_vertex; });
  TreeRecovery<W> recovery(graph, sources, distances, predecessors);
  if (negative_weights) {
    recovery.run_negative();
  } else {
    recovery.run_non_negative();
  }
}

WARPGRAPH_INSTANTIATE_FOR_EACH_WEIGHT(recover_predecessors)

}  // namespace warpgraph::shortest_paths
