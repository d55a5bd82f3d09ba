// The k-core of a graph. Contraction never removes edges between vertices that remain, so no
// contraction order can make a dense k-core sparse.
#pragma once

#include "algorithms/hierarchy/adjacency.hpp"

#include <algorithm>
#include <cstdint>
#include <vector>

namespace warpgraph::hierarchy_detail {

/// The size of the subgraph that is left when vertices of degree < k are removed until none exist.
struct KCore {
  std::int64_t vertices = 0;
  std::int64_t degree_sum = 0;
  std::int64_t max_degree = 0;
};

/// Finds the k-core. Stops and returns an empty one as soon as at most `small` vertices are left.
template <class Edge>
KCore find_k_core(const std::vector<Row<Edge>>& rows, std::int32_t k, std::int64_t small) {
  std::vector<std::int32_t> degrees(rows.size());
  std::vector<vertex_t> removed;
  for (std::size_t v = 0; v < rows.size(); ++v) {
    degrees[v] = rows[v].size;
    if (degrees[v] < k) removed.push_back(static_cast<vertex_t>(v));
  }
  const auto left = [&] { return static_cast<std::int64_t>(rows.size() - removed.size()); };
  for (std::size_t i = 0; i < removed.size() && left() > small; ++i) {
    for (const Edge& edge : rows[static_cast<std::size_t>(removed[i])]) {
      if (degrees[static_cast<std::size_t>(edge.head)]-- == k) removed.push_back(edge.head);
    }
  }
  KCore core;
  if (left() <= small) return core;
  for (const std::int32_t n : degrees) {
    if (n < k) continue;
    ++core.vertices;
    core.degree_sum += n;
    core.max_degree = std::max<std::int64_t>(core.max_degree, n);
  }
  return core;
}

}  // namespace warpgraph::hierarchy_detail
