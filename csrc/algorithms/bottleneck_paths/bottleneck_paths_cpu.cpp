#include "algorithms/bottleneck_paths/bottleneck_paths.hpp"
#include "core/containers/at.hpp"
#include "core/containers/radix_sort.hpp"
#include "core/error.hpp"
#include "core/interrupt.hpp"
#include "core/order_key.hpp"
#include "core/threads/parallel.hpp"

#include <limits>
#include <utility>

namespace warpgraph {
namespace {

constexpr std::int64_t joins_per_poll = 1 << 14;

/// The sets that a forest's edges join, in their order.
class JoinedSets {
 public:
  explicit JoinedSets(vertex_t n_vertices) : entries_(at(n_vertices)) {
    parallel_for(n_vertices, [&](std::int64_t v) {
      entries_[at(v)] = {static_cast<vertex_t>(v), 1, never};
    });
  }

  static std::size_t bytes_needed(vertex_t n_vertices) { return at(n_vertices) * sizeof(Entry); }

  /// Joins the sets of two vertices. Returns false if they are one.
  bool join(vertex_t u, vertex_t v, std::int32_t order) {
    u = root(u);
    v = root(v);
    if (u == v) return false;
    if (entry(u).size < entry(v).size) std::swap(u, v);
    entry(u).size += entry(v).size;
    entry(v).above = u;
    entry(v).joined = order;
    return true;
  }

  /// Returns when two different vertices have been joined; never, if they are in two sets.
  [[nodiscard]] std::int32_t joined(vertex_t u, vertex_t v) const {
    std::int32_t last = never;
    while (u != v) {
      if (entry(v).joined < entry(u).joined) std::swap(u, v);
      last = entry(u).joined;
      if (last == never) return never;
      u = entry(u).above;
    }
    return last;
  }

  static constexpr std::int32_t never = std::numeric_limits<std::int32_t>::max();

 private:
  struct Entry {
    vertex_t above;
    vertex_t size;  // of the set, at its root
    std::int32_t joined;
  };
  [[nodiscard]] Entry& entry(vertex_t v) { return entries_[at(v)]; }
  [[nodiscard]] const Entry& entry(vertex_t v) const { return entries_[at(v)]; }
  [[nodiscard]] vertex_t root(vertex_t v) const {
    while (entry(v).above != v) v = entry(v).above;
    return v;
  }

  HostVector<Entry> entries_;
};

/// Returns the edges in Kruskal's order, ties as they come.
template <class W>
HostArray<SortedItem> kruskals_order(std::span<const W> weights, bool heaviest_first) {
  using Key = order_key_t<W>;
  const Key flip = heaviest_first ? std::numeric_limits<Key>::max() : Key{0};
  return sorted_by_key(std::ssize(weights),
                       [=](std::int64_t i) { return order_key(weights[at(i)]) ^ flip; });
}

}  // namespace

MemoryNeed need_of_bottlenecks(vertex_t n_vertices, std::size_t n_edges) {
  return {"finding bottleneck paths",
          JoinedSets::bytes_needed(n_vertices) + n_edges * 2 * sizeof(SortedItem),
          "use a smaller forest"};
}

template <class W>
void bottleneck_edges_cpu(const WeightedForest<W>& forest, std::span<const vertex_t> sources,
                          std::span<const vertex_t> targets, const BottleneckOptions& options,
                          std::span<edge_t> edges) {
  options.budget.require(need_of_bottlenecks(forest.n_vertices, forest.weights.size()));
  const auto order = kruskals_order(forest.weights, options.maximum);
  JoinedSets sets(forest.n_vertices);
  const auto n_edges = static_cast<std::int32_t>(forest.weights.size());
  for (std::int32_t i = 0; i < n_edges; ++i) {
    if (i % joins_per_poll == 0) poll();
    const std::size_t e = order[i].index;
    const vertex_t u = forest.ends[2 * e];
    const vertex_t v = forest.ends[2 * e + 1];
    EXPECTS(sets.join(u, v, i), "edges[", e, "] is (", u, ", ", v,
            "), which closes a cycle; a forest has none");
  }
  parallel_for(std::ssize(sources), [&](std::int64_t i) {
    const vertex_t u = sources[at(i)];
    const vertex_t v = targets[at(i)];
    const std::int32_t joined = u == v ? JoinedSets::never : sets.joined(u, v);
    edges[at(i)] = joined != JoinedSets::never ? edge_t{order[joined].index}
                   : u == v                    ? no_edge_between
                                               : no_path_between;
  });
}

WARPGRAPH_INSTANTIATE_FOR_EACH_WEIGHT(bottleneck_edges_cpu)

}  // namespace warpgraph
