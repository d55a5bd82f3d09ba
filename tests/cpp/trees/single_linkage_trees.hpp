// Trees whose shapes are hard for a contraction.
#pragma once

#include "algorithms/single_linkage/single_linkage.hpp"
#include "graph/generate/random.hpp"

#include <array>
#include <numeric>
#include <utility>
#include <vector>

namespace warpgraph::test {

enum class TreeShape { rising_path, shuffled_path, random_path, star, random, ties, forest };

inline constexpr std::array all_shapes{
    TreeShape::rising_path, TreeShape::shuffled_path, TreeShape::random_path, TreeShape::star,
    TreeShape::random,      TreeShape::ties,          TreeShape::forest};

struct Tree {
  vertex_t n_vertices;
  std::vector<vertex_t> ends;
  std::vector<double> weights;
  [[nodiscard]] ForestView view() const { return {n_vertices, ends, weights}; }
};

inline Tree make_tree(TreeShape shape, vertex_t n) {
  const CounterRandom random(static_cast<std::uint64_t>(n), static_cast<std::uint64_t>(shape));
  const auto below = [&](std::uint64_t draw, vertex_t bound) {
    return static_cast<vertex_t>(random.below(draw, static_cast<std::uint64_t>(bound)));
  };
  std::vector<vertex_t> names(static_cast<std::size_t>(n));
  std::iota(names.begin(), names.end(), 0);
  std::uint64_t draw = 0;
  const bool shuffled = shape != TreeShape::rising_path && shape != TreeShape::star;
  for (vertex_t i = n - 1; shuffled && i > 0; --i) {
    std::swap(names[static_cast<std::size_t>(i)],
              names[static_cast<std::size_t>(below(draw++, i + 1))]);
  }
  Tree tree{n, {}, {}};
  for (vertex_t i = 1; i < n; ++i) {
    if (shape == TreeShape::forest && below(draw++, 4) == 0) continue;
    const bool attached = shape == TreeShape::random || shape == TreeShape::forest;
    vertex_t to = i - 1;
    if (attached || shape == TreeShape::ties) to = below(draw++, i);
    if (shape == TreeShape::star) to = 0;
    tree.ends.push_back(names[static_cast<std::size_t>(to)]);
    tree.ends.push_back(names[static_cast<std::size_t>(i)]);
    const bool rises = shape == TreeShape::rising_path || shape == TreeShape::shuffled_path;
    tree.weights.push_back(rises ? i : below(draw++, shape == TreeShape::ties ? 3 : 1 << 30));
  }
  return tree;
}

inline std::vector<double> reference_of(const Tree& tree) {
  std::vector<double> rows(4 * (static_cast<std::size_t>(tree.n_vertices) - 1));
  single_linkage_reference(tree.view(), rows);
  return rows;
}

}  // namespace warpgraph::test
