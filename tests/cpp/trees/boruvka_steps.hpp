// Targets of trees for tests of the step of Boruvka's algorithm.
#pragma once

#include "graph/generate/random.hpp"

#include <vector>

namespace warpgraph::test {

/// Paths as long as the number of trees, upwards and downwards, with and without a mutual pair at
/// their ends; random trees; and trees without a choice.
inline std::vector<std::vector<vertex_t>> step_targets() {
  std::vector<std::vector<vertex_t>> cases{
      {no_vertex}, {1, 0}, std::vector<vertex_t>(100, no_vertex)};
  for (const vertex_t n : {40, 10'000}) {
    std::vector<vertex_t> up, down, random;
    for (vertex_t tree = 0; tree < n; ++tree) {
      up.push_back(tree + 1 < n ? tree + 1 : no_vertex);
      down.push_back(tree > 0 ? tree - 1 : 1);
      const auto i = static_cast<std::uint64_t>(tree);
      const auto below = static_cast<vertex_t>(CounterRandom(1, 0).below(i, i + 1));
      random.push_back(below < tree ? below : no_vertex);
    }
    cases.insert(cases.end(), {up, down, random});
  }
  return cases;
}

}  // namespace warpgraph::test
