#include "algorithms/betweenness/betweenness.hpp"
#include "graph/generate/random.hpp"

namespace warpgraph {

/// Draws k vertices without replacement by Floyd's method ([4] in betweenness.hpp), 0 <= k <= n.
std::vector<vertex_t> sample_vertices(vertex_t n, vertex_t k, std::uint64_t seed) {
  const CounterRandom random(seed, 0);
  std::vector<bool> is_drawn(static_cast<std::size_t>(n));
  // Adds one of the first `end` vertices or, if it has been drawn, the last of them.
  for (std::int64_t end = std::int64_t{n} - k + 1; end <= n; ++end) {
    const std::uint64_t drawn =
        random.below(/*index=*/static_cast<std::uint64_t>(end), static_cast<std::uint64_t>(end));
    is_drawn[is_drawn[drawn] ? static_cast<std::size_t>(end - 1) : drawn] = true;
  }
  std::vector<vertex_t> vertices;
  vertices.reserve(static_cast<std::size_t>(k));
  for (vertex_t v = 0; v < n; ++v) {
    if (is_drawn[static_cast<std::size_t>(v)]) vertices.push_back(v);
  }
  return vertices;
}

}  // namespace warpgraph
