// The neighbours of every point of a tree as rows, each point before all others if it is its own
// neighbour.
#pragma once

#include "primitives/kd_tree/knn_search.hpp"

#include <algorithm>

namespace warpgraph {

/// The neighbours of a point.
template <class T>
struct NeighbourRow {
  const KdTreeNodes& tree;
  // Those of all points that are identical to it: the first neighbours of their location, one more
  // than the row has without the point itself.
  const FoundNeighbours<T>& found;
  vertex_t position;  // of the point
  int n_others;       // neighbours without the point itself
  bool include_self;

  [[nodiscard]] vertex_t point() const noexcept { return tree.id(position); }
  /// Returns the key of the last neighbour.
  [[nodiscard]] T last_key() const noexcept {
    if (n_others == 0) return T(0);
    const vertex_t* const end = found.positions + n_others;
    return found.keys[std::find(found.positions, end, position) == end ? n_others - 1 : n_others];
  }
  /// Calls put(i, neighbour, key) for the i-th neighbour.
  template <class Put>
  void for_each(Put&& put) const {
    int i = 0;
    if (include_self) put(i++, point(), T(0));
    const int count = i + n_others;
    // The point itself is not among the neighbours if enough others of smaller ids are as near.
    for (std::int64_t j = 0; i < count; ++j) {
      if (found.positions[j] == position) continue;
      put(i++, tree.id(found.positions[j]), found.keys[j]);
    }
  }
};

/// Calls visit(row) for the row of `n_neighbors` neighbours of each point. Identical points share a
/// search. Reports progress up to the number of points.
template <class Tree>
void for_each_neighbour_row(const Tree& tree, int n_neighbors, bool include_self,
                            FunctionRef<void(const NeighbourRow<typename Tree::Number>&)> visit) {
  using T = typename Tree::Number;
  const int n_others = n_neighbors - (include_self ? 1 : 0);
  const std::int64_t n = tree.n_positions();
  for_each_knn_search(
      tree, n_others + 1, true, n, [&](const KnnLists<T>& search, std::int32_t number) {
        const KdNode& leaf = tree.nodes()[static_cast<std::size_t>(number)];
        for (vertex_t p = leaf.first; p < leaf.last; ++p) {
          const FoundNeighbours<T> found = search.neighbours(p - leaf.first);
          NeighbourRow<T> row{tree, found, p, n_others, include_self};
          visit(row);
          const Copies copies = tree.copies_of(p);
          for (row.position = copies.first; row.position < copies.last; ++row.position) visit(row);
        }
      });
  report_progress(n, n);
}

}  // namespace warpgraph
