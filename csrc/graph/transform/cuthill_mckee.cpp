// Reverse Cuthill-McKee, level by level. The sequential algorithm numbers vertices from a queue:
// when a vertex leaves the queue, its neighbours are numbered by increasing degree. So the vertices
// of the next level are ordered by (position of the first numbered neighbour, degree, vertex), and
// a whole level can be computed at once.
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
        buffers_(static_cast<std::size_t>(num_threads())) {
    parallel_for(graph.n_vertices, [&](std::int64_t v) { parent_[v] = unvisited; });
    order_.reserve(static_cast<std::size_t>(graph.n_vertices));
  }

  HostVector<vertex_t> run() {
    const HostVector<vertex_t> by_degree = order_by_degree(graph_);
    for (std::size_t i = by_degree.size(); i-- > 0;) {
      if (i % 1024 == 0) poll();
      if (parent_[by_degree[i]] == unvisited) number_component(by_degree[i]);
    }
    std::reverse(order_.begin(), order_.end());
    return std::move(order_);
  }

 private:
  static constexpr vertex_t unvisited = std::numeric_limits<vertex_t>::max();

  /// Numbers the component of `start` from a pseudo-peripheral vertex: restarts from a vertex of
  /// least degree in the last level as long as the number of levels grows.
  void number_component(vertex_t start) {
    std::int64_t depth = number_from(start);
    for (int search = 0; search < max_searches; ++search) {
      const vertex_t peripheral = peripheral_;
      reset_component();
      const std::int64_t new_depth = number_from(peripheral);
      if (new_depth <= depth) break;
      depth = new_depth;
    }
  }

  /// Numbers all vertices that are reachable from `start`. Returns the number of levels.
  std::int64_t number_from(vertex_t start) {
    component_ = order_.size();
    order_.push_back(start);
    parent_[start] = -1;
    std::size_t level = component_;
    for (std::int64_t depth = 1;; ++depth) {
      const std::size_t level_end = order_.size();
      find_next_level(level, level_end);
      if (order_.size() == level_end) {
        peripheral_ =
            *std::min_element(order_.begin() + static_cast<std::ptrdiff_t>(level), order_.end(),
                              [&](vertex_t a, vertex_t b) { return has_lower_degree(a, b); });
        return depth;
      }
      level = level_end;
    }
  }

  void reset_component() {
    const auto first = static_cast<std::int64_t>(component_);
    parallel_for(static_cast<std::int64_t>(order_.size()) - first, [&](std::int64_t i) {
      parent_[order_[static_cast<std::size_t>(first + i)]] = unvisited;
    });
    order_.resize(component_);
  }

  /// Appends the unvisited neighbours of order_[first .. last) to order_, in the order of the
  /// level.
  void find_next_level(std::size_t first, std::size_t last) {
    constexpr std::int64_t vertices_per_block = 256;
    parallel_blocks(static_cast<std::int64_t>(last - first), vertices_per_block,
                    [&](int thread, std::int64_t begin, std::int64_t end) {
                      auto& buffer = buffers_[static_cast<std::size_t>(thread)];
                      for (std::int64_t i = begin; i < end; ++i) {
                        update_parents(static_cast<vertex_t>(first) + static_cast<vertex_t>(i),
                                       static_cast<vertex_t>(first), buffer);
                      }
                    });
    for (auto& buffer : buffers_) {
      order_.insert(order_.end(), buffer.begin(), buffer.end());
      buffer.clear();
    }
    parallel_sort_rows(std::span(order_).subspan(last), [&](vertex_t a, vertex_t b) {
      if (parent_[a] != parent_[b]) return parent_[a] < parent_[b];
      return has_lower_degree(a, b);
    });
  }

  /// Lowers the parents of the neighbours of order_[position]. Positions before `level` belong to
  /// earlier levels.
  void update_parents(vertex_t position, vertex_t level, std::vector<vertex_t>& found) {
    const vertex_t u = order_[static_cast<std::size_t>(position)];
    for (edge_t e = graph_.begin(u); e < graph_.end(u); ++e) {
      const vertex_t v = graph_.heads[e];
      vertex_t current = relaxed_load(parent_[v]);
      // A vertex of an earlier level has a parent before `level`, or none (-1).
      while (position < current && current >= level) {
        if (!compare_and_swap(parent_[v], current, position)) {
          current = relaxed_load(parent_[v]);
          continue;
        }
        // Only the thread that visits v first adds it.
        if (current == unvisited) found.push_back(v);
        break;
      }
    }
  }

  [[nodiscard]] bool has_lower_degree(vertex_t a, vertex_t b) const {
    const edge_t degree_a = graph_.degree(a);
    const edge_t degree_b = graph_.degree(b);
    return degree_a != degree_b ? degree_a < degree_b : a < b;
  }

  /// Upper bound on the searches of a component. The restarts usually end after a few; this limits
  /// their cost on unusual graphs.
  static constexpr int max_searches = 4;

  const CsrPattern& graph_;
  std::unique_ptr<vertex_t[]> parent_;  // position in order_ of the first numbered neighbour
  HostVector<vertex_t> order_;
  std::size_t component_ = 0;  // start of the current component in order_
  // A vertex of least degree in the component's last level.
  vertex_t peripheral_ = 0;
  std::vector<std::vector<vertex_t>> buffers_;  // per thread
};

}  // namespace

HostVector<vertex_t> order_by_reverse_cuthill_mckee(const CsrPattern& graph) {
  return CuthillMckee(graph).run();
}

}  // namespace warpgraph
