// The order in which the edges of a forest merge clusters.
#pragma once

#include "algorithms/single_linkage/single_linkage.hpp"
#include "core/containers/radix_sort.hpp"
#include "core/order_key.hpp"

namespace warpgraph {

/// Returns the edges from light to heavy, ties in input order. Empty if they are in order already.
inline HostArray<SortedItem> order_by_weight(std::span<const double> weights) {
  const double* weight = weights.data();
  const auto n = static_cast<std::int64_t>(weights.size());
  const auto decreases = [&](std::int64_t i) { return weight[i + 1] < weight[i]; };
  if (n < 2 || parallel_find_first(n - 1, decreases) == n - 1) return {};
  return sorted_by_key(n, [&](std::int64_t i) { return order_key(weight[i]); });
}

}  // namespace warpgraph
