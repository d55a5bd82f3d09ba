// How many candidates to collect in one pass over the graph. A few for each tree left are enough to
// join most trees, and then most heavier edges turn out to lie within a tree and need no more than
// a look; but each pass costs, too. Where to stop is judged by a sample of the entries. It decides
// how long a solve takes and nothing else. Private to this folder.
#pragma once

#include "algorithms/mst/edge_order.hpp"

#include <algorithm>
#include <vector>

namespace warpgraph::mst {

struct Portion {
  std::int64_t wanted;   // candidates in a pass
  std::int64_t at_most;  // if no more than this are left, all are collected
};

/// The rank before which a pass should stop. `hits` are the ranks of those of sample_size entries,
/// drawn from all, that are still to be collected.
template <class Key>
Rank<Key> end_of_portion(std::vector<Rank<Key>> hits, std::int64_t sample_size, edge_t n_arcs,
                         const Portion& portion, Rank<Key> begin, Rank<Key> end) {
  const double entries_per_hit = static_cast<double>(n_arcs) / static_cast<double>(sample_size);
  const auto wanted =
      static_cast<std::size_t>(static_cast<double>(portion.wanted) / entries_per_hit);
  const double left = static_cast<double>(hits.size()) * entries_per_hit;
  if (left <= static_cast<double>(portion.at_most) || wanted >= hits.size()) return end;
  const auto cut = hits.begin() + static_cast<std::ptrdiff_t>(wanted);
  std::nth_element(hits.begin(), cut, hits.end());
  return begin < *cut ? *cut : end;  // every pass must get on, whatever the sample
}

}  // namespace warpgraph::mst
