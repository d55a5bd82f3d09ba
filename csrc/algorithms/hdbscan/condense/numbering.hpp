// The numbers of the clusters of a condensed tree, on every device.
#pragma once

#include "algorithms/hdbscan/condensed_tree.hpp"
#include "core/atomics.hpp"

#include <vector>

namespace warpgraph::hdbscan {

/// A loop body over points that lowers `first` of each cluster to the first point that leaves it.
struct LowerFirst {
  const vertex_t* point_cluster;
  vertex_t* first;
  WARPGRAPH_HOST_DEVICE void operator()(std::int64_t p) const noexcept {
    // Most points of a cluster see a smaller one. An outdated value costs an atomic minimum.
    const auto point = static_cast<vertex_t>(p);
    vertex_t& least = first[point_cluster[p]];
    if (point < cached_load(least)) lower(least, point);
  }
};

/// Numbers clusters born at one lambda by the first points of their parents, then by their own. The
/// clusters are in the order of their births, parents before children, and `first` has the first
/// point that leaves each. Returns the new number of each cluster; nothing if none changes.
std::vector<vertex_t> number_by_birth(CondensedTree& tree, std::vector<vertex_t>&& first);

/// Numbers the clusters of a tree in this way, also those of its points.
void renumber_clusters(CondensedTree& tree);

}  // namespace warpgraph::hdbscan
