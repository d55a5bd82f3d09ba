#include "algorithms/mst/mst.hpp"
#include "core/error.hpp"
#include "core/interrupt.hpp"
#include "core/union_find.hpp"

#include <numeric>

namespace warpgraph {

void forest_labels(std::span<const vertex_t> ends, std::span<vertex_t> labels) {
  constexpr std::size_t edges_between_polls = 1 << 14;
  std::iota(labels.begin(), labels.end(), 0);
  const UnionFind sets{labels.data()};
  for (std::size_t i = 0; i < ends.size() / 2; ++i) {
    if (i % edges_between_polls == 0) poll();
    EXPECTS(sets.unite(ends[2 * i], ends[2 * i + 1]), "edges[", i, "] is (", ends[2 * i], ", ",
            ends[2 * i + 1], "), which closes a cycle; a forest has none");
  }
  // Parents are smaller than their children, so they have their label already.
  vertex_t n_trees = 0;
  for (std::size_t v = 0; v < labels.size(); ++v) {
    const auto parent = static_cast<std::size_t>(labels[v]);
    labels[v] = parent == v ? n_trees++ : labels[parent];
  }
}

}  // namespace warpgraph
