// A look at a graph before it is contracted: does it have a core that no order of contractions can
// thin out? Links between vertices that remain stay, whatever is contracted around them.
#pragma once

#include "algorithms/hierarchy/links.hpp"

#include <algorithm>
#include <cstdint>
#include <vector>

namespace warpgraph::hierarchy_steps {

/// What is left of a graph when vertices of few neighbours are taken away until there are none.
struct DenseCore {
  std::int64_t vertices = 0;
  std::int64_t links = 0;
  std::int64_t most_links = 0;  // of a vertex
};

/// All that remain have `least` neighbours or more among themselves. Empty, too, if hardly more
/// than `few` can be left.
template <class Link>
DenseCore find_dense_core(const std::vector<Row<Link>>& rows, std::int32_t least,
                          std::int64_t few) {
  std::vector<std::int32_t> links(rows.size());
  std::vector<vertex_t> taken;
  for (std::size_t v = 0; v < rows.size(); ++v) {
    links[v] = rows[v].size;
    if (links[v] < least) taken.push_back(static_cast<vertex_t>(v));
  }
  const auto left = [&] { return static_cast<std::int64_t>(rows.size() - taken.size()); };
  for (std::size_t i = 0; i < taken.size() && left() > few; ++i) {
    for (const Link& link : rows[static_cast<std::size_t>(taken[i])]) {
      if (links[static_cast<std::size_t>(link.head)]-- == least) taken.push_back(link.head);
    }
  }
  DenseCore core;
  if (left() <= few) return core;
  for (const std::int32_t n : links) {
    if (n < least) continue;
    ++core.vertices;
    core.links += n;
    core.most_links = std::max<std::int64_t>(core.most_links, n);
  }
  return core;
}

}  // namespace warpgraph::hierarchy_steps
