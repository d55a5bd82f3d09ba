#include "primitives/boruvka/boruvka.hpp"

namespace warpgraph::boruvka {

std::vector<vertex_t> join_trees_reference(std::span<const vertex_t> targets) {
  const auto target_of = [&](vertex_t tree) { return targets[static_cast<std::size_t>(tree)]; };
  const auto is_root = [&](vertex_t tree) {
    const vertex_t target = target_of(tree);
    return target == no_vertex || (tree < target && target_of(target) == tree);
  };
  std::vector<vertex_t> numbers;
  vertex_t n_roots = 0;
  for (vertex_t tree = 0; tree < std::ssize(targets); ++tree) {
    numbers.push_back(is_root(tree) ? n_roots++ : no_vertex);
  }
  for (vertex_t tree = 0; tree < std::ssize(targets); ++tree) {
    vertex_t root = tree;
    while (!is_root(root)) root = target_of(root);
    numbers[static_cast<std::size_t>(tree)] = numbers[static_cast<std::size_t>(root)];
  }
  return numbers;
}

}  // namespace warpgraph::boruvka
