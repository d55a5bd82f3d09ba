#include "algorithms/single_linkage/single_linkage.hpp"

#include "core/error.hpp"
#include "core/interrupt.hpp"
#include "core/parallel.hpp"

#include <algorithm>
#include <limits>
#include <vector>

namespace warpgraph {
namespace {

constexpr std::int64_t joins_per_poll = 4096;

/// The clusters that there are so far, and the rows that their joins have written.
class Hierarchy {
 public:
  Hierarchy(vertex_t n_vertices, std::span<double> linkage)
      : linkage_(linkage),
        n_vertices_(n_vertices),
        parent_(static_cast<std::size_t>(n_vertices)),
        cluster_(parent_.size()),
        size_(parent_.size(), 1) {
    for (vertex_t v = 0; v < n_vertices; ++v) at(parent_, v) = at(cluster_, v) = v;
  }

  /// The vertex that stands for v's cluster.
  vertex_t root(vertex_t v) {
    while (at(parent_, v) != v) {
      at(parent_, v) = at(parent_, at(parent_, v));
      v = at(parent_, v);
    }
    return v;
  }

  /// Joins the clusters of two roots.
  void join(vertex_t a, vertex_t b, double height) {
    if (at(size_, a) < at(size_, b)) std::swap(a, b);  // paths stay short
    at(parent_, b) = a;
    at(size_, a) += at(size_, b);
    const auto [first, second] = std::minmax(at(cluster_, a), at(cluster_, b));
    double* row = linkage_.data() + 4 * n_joins_;
    row[0] = static_cast<double>(first);
    row[1] = static_cast<double>(second);
    row[2] = height;
    row[3] = static_cast<double>(at(size_, a));
    at(cluster_, a) = n_vertices_ + n_joins_;
    if (++n_joins_ % joins_per_poll == 0) report_progress(n_joins_, n_vertices_);
  }

  /// Joins what is left, a cluster after the other in the order of their smallest vertices.
  void join_trees() {
    for (vertex_t v = 1; n_joins_ + 1 < n_vertices_; ++v) {
      const vertex_t first = root(0);
      const vertex_t next = root(v);
      if (first != next) join(first, next, std::numeric_limits<double>::infinity());
    }
  }

 private:
  template <class T>
  static T& at(std::vector<T>& values, vertex_t v) {
    return values[static_cast<std::size_t>(v)];
  }

  std::span<double> linkage_;
  std::int64_t n_vertices_;
  std::int64_t n_joins_ = 0;
  std::vector<vertex_t> parent_;
  std::vector<std::int64_t> cluster_;  // of a root: its cluster's number
  std::vector<vertex_t> size_;         // of a root: vertices of its cluster
};

/// The edges from light to heavy, ties in the order given; empty: they are so already.
std::vector<std::int64_t> order_by_weight(std::span<const double> weights) {
  if (std::is_sorted(weights.begin(), weights.end())) return {};
  std::vector<std::int64_t> order(weights.size());
  parallel_for(static_cast<std::int64_t>(order.size()),
               [&](std::int64_t i) { order[static_cast<std::size_t>(i)] = i; });
  const double* weight = weights.data();
  parallel_sort(order.begin(), order.end(), [weight](std::int64_t a, std::int64_t b) {
    return weight[a] != weight[b] ? weight[a] < weight[b] : a < b;
  });
  return order;
}

}  // namespace

void single_linkage(const ForestView& forest, std::span<double> linkage) {
  const std::vector<std::int64_t> order = order_by_weight(forest.weights);
  Hierarchy hierarchy(forest.n_vertices, linkage);
  for (std::size_t i = 0; i < forest.weights.size(); ++i) {
    const std::size_t e = order.empty() ? i : static_cast<std::size_t>(order[i]);
    const vertex_t u = forest.ends[2 * e];
    const vertex_t v = forest.ends[2 * e + 1];
    const vertex_t a = hierarchy.root(u);
    const vertex_t b = hierarchy.root(v);
    EXPECTS(a != b, "edge ", e, " (", u, ", ", v, ") closes a cycle: the edges are no forest");
    hierarchy.join(a, b, forest.weights[e]);
  }
  hierarchy.join_trees();
}

}  // namespace warpgraph
