#include "algorithms/mst/mst.hpp"
#include "core/containers/union_find.hpp"
#include "core/error.hpp"
#include "core/interrupt.hpp"
#include "core/threads/parallel.hpp"
#include "primitives/boruvka/canonical_labels.hpp"

#include <numeric>

namespace warpgraph {
namespace {

/// Throws an error that names an edge whose ends are no vertices: a caller may have assigned it.
void refuse_other_ends(std::span<const vertex_t> ends, std::int64_t n_vertices) {
  parallel_for(std::ssize(ends), [&](std::int64_t i) {
    const vertex_t end = ends[static_cast<std::size_t>(i)];
    EXPECTS(end >= 0 && end < n_vertices, "edges[", i / 2, "] has the end ", end,
            ", which is no vertex of a forest with ", n_vertices, " vertices");
  });
}

/// Throws an error that names the first edge that closes a cycle, which a sequential search finds.
[[noreturn]] void name_cycle(std::span<const vertex_t> ends, std::span<vertex_t> labels) {
  constexpr std::size_t edges_between_polls = 1 << 14;
  std::iota(labels.begin(), labels.end(), 0);
  const UnionFind sets{labels.data()};
  for (std::size_t i = 0; i < ends.size() / 2; ++i) {
    if (i % edges_between_polls == 0) poll();
    EXPECTS(sets.unite(ends[2 * i], ends[2 * i + 1]), "edges[", i, "] is (", ends[2 * i], ", ",
            ends[2 * i + 1], "), which closes a cycle; a forest has none");
  }
  throw std::logic_error("a forest was taken for a graph with a cycle");
}

}  // namespace

void forest_labels(std::span<const vertex_t> ends, std::span<vertex_t> labels) {
  const std::int64_t n = std::ssize(labels);
  refuse_other_ends(ends, n);
  const UnionFind sets{labels.data()};
  parallel_for(n, [&](std::int64_t v) { sets.make_singleton(static_cast<vertex_t>(v)); });
  std::atomic<bool> has_cycle{false};
  parallel_for(std::ssize(ends) / 2, [&](std::int64_t e) {
    const auto i = static_cast<std::size_t>(2 * e);
    if (!sets.unite(ends[i], ends[i + 1])) has_cycle.store(true, std::memory_order_relaxed);
  });
  if (has_cycle.load()) name_cycle(ends, labels);
  parallel_for(n, [&](std::int64_t v) { sets.point_to_root(static_cast<vertex_t>(v)); });
  number_components(labels);
}

}  // namespace warpgraph
