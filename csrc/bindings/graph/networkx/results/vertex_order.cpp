#include "bindings/graph/networkx/results/vertex_order.hpp"

#include "core/containers/at.hpp"
#include "core/containers/radix_sort.hpp"
#include "core/order_key.hpp"

#include <algorithm>
#include <numeric>

namespace warpgraph {
namespace {

template <class W>
bool is_reached(W distance) {
  if constexpr (std::is_same_v<W, vertex_t>) return distance >= 0;
  return distance < infinity<W>();
}

/// The smallest and the largest key of the vertices that were reached, and how many these are.
template <class W>
struct Reached {
  order_key_t<W> nearest = ~order_key_t<W>{0};
  order_key_t<W> farthest = 0;
  std::size_t count = 0;
};

/// Calls visit(vertex, key) for the vertices that were reached.
template <class W, class Visit>
void for_each_reached(std::span<const W> distances, Visit&& visit) {
  constexpr std::size_t vertices_between_polls = 1 << 20;
  for (std::size_t v = 0; v < distances.size(); ++v) {
    if (v % vertices_between_polls == 0) poll();
    if (is_reached(distances[v])) visit(static_cast<vertex_t>(v), order_key(distances[v]));
  }
}

template <class W>
Reached<W> reached_of(std::span<const W> distances) {
  Reached<W> found;
  for_each_reached(distances, [&](vertex_t, order_key_t<W> key) {
    found.nearest = std::min(found.nearest, key);
    found.farthest = std::max(found.farthest, key);
    ++found.count;
  });
  return found;
}

/// Orders the vertices with a counting sort.
template <class W>
void count_into(HostVector<vertex_t>& order, std::span<const W> distances, const Reached<W>& all) {
  const auto place_of = [&](order_key_t<W> key) {
    return static_cast<std::size_t>(key - all.nearest);
  };
  HostVector<std::size_t> next(place_of(all.farthest) + 2, 0);
  for_each_reached(distances, [&](vertex_t, order_key_t<W> key) { ++next[place_of(key) + 1]; });
  std::partial_sum(next.begin(), next.end(), next.begin());
  for_each_reached(distances,
                   [&](vertex_t v, order_key_t<W> key) { order[next[place_of(key)]++] = v; });
}

template <class W>
void sort_into(HostVector<vertex_t>& order, std::span<const W> distances) {
  HostVector<vertex_t> reached(order.size());
  auto place = reached.begin();
  for_each_reached(distances, [&](vertex_t v, order_key_t<W>) { *place++ = v; });
  const auto sorted = sorted_by_key(std::ssize(reached), [&](std::int64_t i) {
    return order_key(distances[at(reached[static_cast<std::size_t>(i)])]);
  });
  for (std::size_t i = 0; i < order.size(); ++i) {
    order[i] = reached[sorted[static_cast<std::int64_t>(i)].index];
  }
}

}  // namespace

template <class W>
HostVector<vertex_t> order_by_distance(std::span<const W> distances) {
  const Reached<W> all = reached_of(distances);
  HostVector<vertex_t> order(all.count);
  if (all.count == 0) return order;
  // Hops and lengths of small integers are few different numbers. Keys of floats are far apart.
  const auto range = static_cast<std::uint64_t>(all.farthest - all.nearest);
  if (range < all.count) {
    count_into(order, distances, all);
  } else {
    sort_into(order, distances);
  }
  return order;
}

WARPGRAPH_INSTANTIATE_FOR_EACH_WEIGHT(order_by_distance)

}  // namespace warpgraph
