#include "algorithms/single_linkage/order.hpp"
#include "core/error.hpp"
#include "core/interrupt.hpp"
#include "core/threads/parallel.hpp"

#include <algorithm>
#include <limits>

namespace warpgraph {
namespace {

constexpr std::int64_t joins_per_poll = 4096;

/// How many edges ahead of the one that joins its ends are fetched, and then what they point to.
/// Every step waits for memory otherwise, since the ends of heavy edges lie anywhere.
constexpr std::size_t fetch_ahead = 16;
constexpr std::size_t follow_ahead = 8;

/// The clusters that there are so far, and the rows that their joins have written.
class Hierarchy {
 public:
  Hierarchy(vertex_t n_vertices, std::span<double> linkage)
      : linkage_(linkage), n_vertices_(n_vertices), places_(static_cast<std::size_t>(n_vertices)) {
    parallel_for(
        n_vertices,
        [&](std::int64_t v) {
          places_[static_cast<std::size_t>(v)] = {-1, no_row};
        },
        light_grain);
  }

  /// Asks for a vertex's place to be brought near; later, for its parent's.
  void fetch(vertex_t v) const noexcept { __builtin_prefetch(&place(v)); }
  void follow(vertex_t v) const noexcept {
    if (place(v).up >= 0) __builtin_prefetch(&place(place(v).up));
  }

  /// The vertex that stands for v's cluster.
  vertex_t root(vertex_t v) noexcept {
    while (true) {
      const vertex_t parent = place(v).up;
      if (parent < 0) return v;
      const vertex_t above = place(parent).up;
      if (above < 0) return parent;
      place(v).up = above;
      v = above;
    }
  }

  /// Joins the clusters of two roots; their height is in the row already.
  void join(vertex_t a, vertex_t b) {
    if (place(a).up > place(b).up) std::swap(a, b);  // paths stay short
    const std::int64_t one = cluster(a);
    const std::int64_t other = cluster(b);
    place(a).up += place(b).up;
    place(b).up = a;
    place(a).row = static_cast<std::int32_t>(n_joins_);
    double* row = linkage_.data() + 4 * n_joins_;
    row[0] = static_cast<double>(std::min(one, other));
    row[1] = static_cast<double>(std::max(one, other));
    row[3] = -static_cast<double>(place(a).up);
    if (++n_joins_ % joins_per_poll == 0) report_progress(n_joins_, n_vertices_);
  }

  /// Joins what is left, a cluster after the other in the order of their smallest vertices.
  void join_trees() {
    for (vertex_t v = 1; n_joins_ + 1 < n_vertices_; ++v) {
      const vertex_t first = root(0);
      const vertex_t next = root(v);
      if (first != next) join(first, next);
    }
  }

 private:
  static constexpr std::int32_t no_row = -1;
  /// All that a step needs of a vertex, in one cache line.
  struct Place {
    vertex_t up;       // the parent; of a root minus the number of its cluster's vertices
    std::int32_t row;  // of a root: the row that made its cluster, or no_row
  };
  Place& place(vertex_t v) noexcept { return places_[static_cast<std::size_t>(v)]; }
  [[nodiscard]] const Place& place(vertex_t v) const noexcept {
    return places_[static_cast<std::size_t>(v)];
  }
  /// The number of a root's cluster.
  [[nodiscard]] std::int64_t cluster(vertex_t v) const noexcept {
    return place(v).row == no_row ? v : n_vertices_ + place(v).row;
  }

  std::span<double> linkage_;
  std::int64_t n_vertices_;
  std::int64_t n_joins_ = 0;
  HostVector<Place> places_;
};

/// All cores bring together what one core will then walk over.
HostVector<vertex_t> ends_in_order(const ForestView& forest, const HostArray<SortedItem>& order) {
  HostVector<vertex_t> ends(forest.ends.size());
  parallel_for(std::ssize(forest.weights), [&](std::int64_t i) {
    const std::size_t e = order[i].index;
    const auto to = static_cast<std::size_t>(2 * i);
    ends[to] = forest.ends[2 * e];
    ends[to + 1] = forest.ends[2 * e + 1];
  });
  return ends;
}

/// All cores write the heights, since touching the memory for the rows first takes a good part of
/// the time that one core takes to join.
void write_heights(const ForestView& forest, const HostArray<SortedItem>& order,
                   std::span<double> linkage) {
  const std::int64_t n_edges = std::ssize(forest.weights);
  parallel_for(std::ssize(linkage) / 4, [&](std::int64_t row) {
    double& height = linkage[static_cast<std::size_t>(4 * row + 2)];
    height = row >= n_edges
                 ? std::numeric_limits<double>::infinity()
                 : forest.weights[order ? order[row].index : static_cast<std::size_t>(row)];
  });
}

}  // namespace

void single_linkage_reference(const ForestView& forest, std::span<double> linkage) {
  const HostArray<SortedItem> order = order_by_weight(forest.weights);
  const std::size_t n_edges = forest.weights.size();
  const auto edge = [&](std::size_t i) {
    return order ? std::size_t{order[static_cast<std::int64_t>(i)].index} : i;
  };
  const HostVector<vertex_t> in_order =
      order ? ends_in_order(forest, order) : HostVector<vertex_t>();
  const vertex_t* const ends = order ? in_order.data() : forest.ends.data();
  write_heights(forest, order, linkage);
  Hierarchy hierarchy(forest.n_vertices, linkage);
  for (std::size_t i = 0; i < n_edges; ++i) {
    if (i + fetch_ahead < n_edges) {
      hierarchy.fetch(ends[2 * (i + fetch_ahead)]);
      hierarchy.fetch(ends[2 * (i + fetch_ahead) + 1]);
      hierarchy.follow(ends[2 * (i + follow_ahead)]);
      hierarchy.follow(ends[2 * (i + follow_ahead) + 1]);
    }
    const vertex_t u = ends[2 * i];
    const vertex_t v = ends[2 * i + 1];
    const vertex_t a = hierarchy.root(u);
    const vertex_t b = hierarchy.root(v);
    EXPECTS(a != b, "edge ", edge(i), " (", u, ", ", v,
            ") closes a cycle: the edges are no forest");
    hierarchy.join(a, b);
  }
  hierarchy.join_trees();
}

}  // namespace warpgraph
