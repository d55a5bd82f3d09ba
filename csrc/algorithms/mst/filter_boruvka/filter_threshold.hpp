// The number of candidates to collect in one pass over the graph. A few per remaining tree suffice
// to join most trees; then most heavier edges lie within a tree and cost a single test. But each
// pass costs, too. The threshold rank is estimated from a sample of the entries. It affects the
// running time only. Private to this folder.
#pragma once

#include "algorithms/mst/edge_order.hpp"

#include <algorithm>
#include <vector>

namespace warpgraph::mst {

/// Numbers of candidates, which are the edges that a pass collects.
struct FilterLimits {
  std::int64_t target;   // in a pass
  std::int64_t at_most;  // if no more than this are left, all are collected
};

/// Returns the rank before which a pass should stop; `end` if it should collect all edges that are
/// left, whose ranks are from `begin` to before `end`. Of sample_size entries drawn from all,
/// `hits` are the ranks of those that are still to be collected.
template <class Key>
Rank<Key> filter_threshold(std::vector<Rank<Key>> hits, std::int64_t sample_size, edge_t n_arcs,
                           const FilterLimits& limits, Rank<Key> begin, Rank<Key> end) {
  const double entries_per_hit = static_cast<double>(n_arcs) / static_cast<double>(sample_size);
  const auto target =
      static_cast<std::size_t>(static_cast<double>(limits.target) / entries_per_hit);
  const double left = static_cast<double>(hits.size()) * entries_per_hit;
  if (left <= static_cast<double>(limits.at_most) || target >= hits.size()) return end;
  const auto cut = hits.begin() + static_cast<std::ptrdiff_t>(target);
  std::nth_element(hits.begin(), cut, hits.end());
  return begin < *cut ? *cut : end;  // every pass must make progress, whatever the sample
}

}  // namespace warpgraph::mst
