#include "algorithms/single_linkage/weight_order.hpp"
#include "core/error.hpp"
#include "core/interrupt.hpp"
#include "core/threads/parallel.hpp"

#include <algorithm>
#include <limits>

namespace warpgraph {
namespace {

constexpr std::int64_t merges_per_poll = 4096;

/// The edges ahead at which the entries of the ends are prefetched, and then those of their
/// parents. Otherwise every step waits for memory, since the ends of consecutive edges are at
/// random addresses.
constexpr std::size_t prefetch_ahead = 16;
constexpr std::size_t prefetch_parent_ahead = 8;

/// The union-find structure of clusters. Writes the rows of the linkage matrix: as in SciPy, the
/// numbers of two clusters, their height, and the size of the merged cluster.
class LinkageBuilder {
 public:
  LinkageBuilder(vertex_t n_vertices, std::span<double> linkage)
      : linkage_(linkage), n_vertices_(n_vertices), entries_(static_cast<std::size_t>(n_vertices)) {
    parallel_for(
        n_vertices,
        [&](std::int64_t v) {
          entries_[static_cast<std::size_t>(v)] = {-1, no_row};
        },
        light_grain);
  }

  /// Prefetches a vertex's entry; later, its parent's.
  [[gnu::always_inline]] void prefetch(vertex_t v) const noexcept { __builtin_prefetch(&entry(v)); }
  [[gnu::always_inline]] void prefetch_parent(vertex_t v) const noexcept {
    if (entry(v).parent_or_size >= 0) __builtin_prefetch(&entry(entry(v).parent_or_size));
  }

  /// Returns the root of v's cluster; halves the path.
  vertex_t root(vertex_t v) noexcept {
    while (true) {
      const vertex_t parent = entry(v).parent_or_size;
      if (parent < 0) return v;
      const vertex_t above = entry(parent).parent_or_size;
      if (above < 0) return parent;
      entry(v).parent_or_size = above;
      v = above;
    }
  }

  /// Merges the clusters of two roots. Their height has been written already, by write_heights().
  void merge(vertex_t a, vertex_t b) {
    if (entry(a).parent_or_size > entry(b).parent_or_size) std::swap(a, b);  // union by size
    const std::int64_t one = cluster(a);
    const std::int64_t other = cluster(b);
    entry(a).parent_or_size += entry(b).parent_or_size;
    entry(b).parent_or_size = a;
    entry(a).row = static_cast<std::int32_t>(n_merges_);
    double* row = linkage_.data() + 4 * n_merges_;
    row[0] = static_cast<double>(std::min(one, other));
    row[1] = static_cast<double>(std::max(one, other));
    row[3] = -static_cast<double>(entry(a).parent_or_size);
    if (++n_merges_ % merges_per_poll == 0) report_progress(n_merges_, n_vertices_);
  }

  /// Merges the remaining clusters one by one, in the order of their smallest vertices.
  void merge_trees() {
    for (vertex_t v = 1; n_merges_ + 1 < n_vertices_; ++v) {
      const vertex_t first = root(0);
      const vertex_t next = root(v);
      if (first != next) merge(first, next);
    }
  }

 private:
  static constexpr std::int32_t no_row = -1;
  /// The data that a step reads of a vertex, in one cache line.
  struct Entry {
    vertex_t parent_or_size;  // the parent; of a root: minus the size of its cluster
    std::int32_t row;         // of a root: the row that made its cluster, or no_row
  };
  Entry& entry(vertex_t v) noexcept { return entries_[static_cast<std::size_t>(v)]; }
  [[nodiscard]] const Entry& entry(vertex_t v) const noexcept {
    return entries_[static_cast<std::size_t>(v)];
  }
  /// Returns the number of a root's cluster.
  [[nodiscard]] std::int64_t cluster(vertex_t v) const noexcept {
    return entry(v).row == no_row ? v : n_vertices_ + entry(v).row;
  }

  std::span<double> linkage_;
  std::int64_t n_vertices_;
  std::int64_t n_merges_ = 0;
  HostVector<Entry> entries_;
};

/// Gathers the ends in order on all cores, so that the sequential loop reads them contiguously.
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

/// Writes the heights on all cores, since first-touching the memory of the rows takes a good part
/// of the sequential loop's time.
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
  LinkageBuilder builder(forest.n_vertices, linkage);
  for (std::size_t i = 0; i < n_edges; ++i) {
    if (i + prefetch_ahead < n_edges) {
      builder.prefetch(ends[2 * (i + prefetch_ahead)]);
      builder.prefetch(ends[2 * (i + prefetch_ahead) + 1]);
      builder.prefetch_parent(ends[2 * (i + prefetch_parent_ahead)]);
      builder.prefetch_parent(ends[2 * (i + prefetch_parent_ahead) + 1]);
    }
    const vertex_t u = ends[2 * i];
    const vertex_t v = ends[2 * i + 1];
    const vertex_t a = builder.root(u);
    const vertex_t b = builder.root(v);
    EXPECTS(a != b, "edge ", edge(i), " (", u, ", ", v,
            ") closes a cycle: the edges are no forest");
    builder.merge(a, b);
  }
  builder.merge_trees();
}

}  // namespace warpgraph
