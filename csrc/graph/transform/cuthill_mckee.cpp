// Reverse Cuthill-McKee, a level at a time. In the sequential algorithm a queue hands out numbers:
// a vertex' neighbours are numbered by their degrees, as soon as it is its turn. So the vertices of
// the next level are ordered by (the first neighbour that has a number, degree, vertex), and all of
// a level can be found at once.
#include "core/atomics.hpp"
#include "core/threads/parallel.hpp"
#include "graph/transform/reorder.hpp"

#include <limits>
#include <memory>

namespace warpgraph {
namespace {

class CuthillMckee {
 public:
  explicit CuthillMckee(const CsrPattern& graph)
      : graph_(graph),
        parent_(
            std::make_unique_for_overwrite<vertex_t[]>(static_cast<std::size_t>(graph.n_vertices))),
        found_(static_cast<std::size_t>(num_threads())) {
    parallel_for(graph.n_vertices, [&](std::int64_t v) { parent_[v] = unseen; });
    order_.reserve(static_cast<std::size_t>(graph.n_vertices));
  }

  HostVector<vertex_t> run() {
    const HostVector<vertex_t> by_degree = order_by_degree(graph_);
    for (std::size_t i = by_degree.size(); i-- > 0;) {
      if (i % 1024 == 0) poll();
      if (parent_[by_degree[i]] == unseen) number_component(by_degree[i]);
    }
    std::reverse(order_.begin(), order_.end());
    return std::move(order_);
  }

 private:
  static constexpr vertex_t unseen = std::numeric_limits<vertex_t>::max();

  /// Numbers the component of `start` from a vertex at its rim: the one that is farthest from where
  /// we stand, as long as that takes us farther.
  void number_component(vertex_t start) {
    std::int64_t depth = number_from(start);
    for (int walk = 0; walk < most_walks; ++walk) {
      const vertex_t rim = rim_;
      forget_component();
      const std::int64_t farther = number_from(rim);
      if (farther <= depth) break;
      depth = farther;
    }
  }

  /// Numbers all vertices that `start` leads to. Returns the number of levels.
  std::int64_t number_from(vertex_t start) {
    component_ = order_.size();
    order_.push_back(start);
    parent_[start] = -1;
    std::size_t level = component_;
    for (std::int64_t depth = 1;; ++depth) {
      const std::size_t level_end = order_.size();
      find_next_level(level, level_end);
      if (order_.size() == level_end) {
        rim_ = *std::min_element(order_.begin() + static_cast<std::ptrdiff_t>(level), order_.end(),
                                 [&](vertex_t a, vertex_t b) { return has_lower_degree(a, b); });
        return depth;
      }
      level = level_end;
    }
  }

  void forget_component() {
    const auto first = static_cast<std::int64_t>(component_);
    parallel_for(static_cast<std::int64_t>(order_.size()) - first, [&](std::int64_t i) {
      parent_[order_[static_cast<std::size_t>(first + i)]] = unseen;
    });
    order_.resize(component_);
  }

  /// Appends the unseen neighbours of the vertices order_[first .. last].
  void find_next_level(std::size_t first, std::size_t last) {
    constexpr std::int64_t vertices_per_grain = 256;
    parallel_blocks(static_cast<std::int64_t>(last - first), vertices_per_grain,
                    [&](int thread, std::int64_t begin, std::int64_t end) {
                      auto& mine = found_[static_cast<std::size_t>(thread)];
                      for (std::int64_t i = begin; i < end; ++i) {
                        offer_neighbours(static_cast<vertex_t>(first) + static_cast<vertex_t>(i),
                                         static_cast<vertex_t>(first), mine);
                      }
                    });
    for (auto& mine : found_) {
      order_.insert(order_.end(), mine.begin(), mine.end());
      mine.clear();
    }
    parallel_sort(order_.begin() + static_cast<std::ptrdiff_t>(last), order_.end(),
                  [&](vertex_t a, vertex_t b) {
                    if (parent_[a] != parent_[b]) return parent_[a] < parent_[b];
                    return has_lower_degree(a, b);
                  });
  }

  /// `place` is where the vertex stands in order_; places before `level` are of earlier levels.
  void offer_neighbours(vertex_t place, vertex_t level, std::vector<vertex_t>& found) {
    const vertex_t u = order_[static_cast<std::size_t>(place)];
    for (edge_t e = graph_.begin(u); e < graph_.end(u); ++e) {
      const vertex_t v = graph_.heads[e];
      vertex_t seen = relaxed_load(parent_[v]);
      // What stands at an earlier level has a parent before `level`, or none (-1).
      while (place < seen && seen >= level) {
        if (!compare_and_swap(parent_[v], seen, place)) {
          seen = relaxed_load(parent_[v]);
          continue;
        }
        if (seen == unseen) found.push_back(v);  // by the first to come, once
        break;
      }
    }
  }

  [[nodiscard]] bool has_lower_degree(vertex_t a, vertex_t b) const {
    const edge_t degree_a = graph_.degree(a);
    const edge_t degree_b = graph_.degree(b);
    return degree_a != degree_b ? degree_a < degree_b : a < b;
  }

  /// Walks end by themselves after a few; a bound keeps odd graphs from costing many.
  static constexpr int most_walks = 4;

  const CsrPattern& graph_;
  std::unique_ptr<vertex_t[]> parent_;  // place in order_ of the first numbered neighbour
  HostVector<vertex_t> order_;
  std::size_t component_ = 0;  // where the component begun last starts in order_
  vertex_t rim_ = 0;           // of the vertices of its last level, the one of least degree
  std::vector<std::vector<vertex_t>> found_;  // by each thread
};

}  // namespace

HostVector<vertex_t> order_by_reverse_cuthill_mckee(const CsrPattern& graph) {
  return CuthillMckee(graph).run();
}

}  // namespace warpgraph
