#include "algorithms/knn/knn.hpp"
#include "core/containers/at.hpp"
#include "primitives/kd_tree/knn_rows.hpp"
#include "primitives/products/product_search.hpp"

#include <cmath>

namespace warpgraph {
namespace {

template <class T>
double root_of(T square) {
  return std::sqrt(static_cast<double>(square));
}

/// Returns the number of nearest points that are searched, among which may be the point itself.
int searched_neighbours(const KnnOptions& options) {
  return options.n_neighbors + (options.include_self ? 0 : 1);
}

template <class T, int D>
void search_kd_tree(PointsView<T> points, const KnnOptions& options, const NeighboursView& out) {
  const KdTree<T, D> tree(points);
  for_each_neighbour_row(tree, options.n_neighbors, options.include_self,
                         [&](const auto& row) { out.put(row, options.n_neighbors, root_of<T>); });
}

/// The neighbours of a point among those of all that are identical to it, which have one more.
template <class T>
struct RowOfProducts {
  const std::vector<std::pair<T, vertex_t>>& found;
  vertex_t id;
  int n_others;
  bool include_self;

  [[nodiscard]] vertex_t point() const noexcept { return id; }
  [[nodiscard]] T last_key() const noexcept {
    T last = 0;
    for_each([&](int, vertex_t, T key) { last = key; });
    return last;
  }
  template <class Put>
  void for_each(Put&& put) const {
    int i = 0;
    if (include_self) put(i++, id, T(0));
    const int count = i + n_others;
    for (std::size_t j = 0; i < count; ++j) {
      if (found[j].second != id) put(i++, found[j].second, found[j].first);
    }
  }
};

/// Finds the neighbours of the points of a leaf.
template <class T>
void search_leaf(ProductSearch<T>& search, const ProductTree<T>& products, std::int32_t leaf,
                 const KnnOptions& options, const NeighboursView& out) {
  const KdTree<T, 0>& tree = products.tree;
  const KdNode& node = tree.nodes()[static_cast<std::size_t>(leaf)];
  std::vector<const T*> queries;
  for (vertex_t p = node.first; p < node.last; ++p) {
    queries.push_back(products.points.row(tree.id(p)));
  }
  search.start(queries);
  search.visit_around(leaf);
  const int n_others = options.n_neighbors - (options.include_self ? 1 : 0);
  for (vertex_t p = node.first; p < node.last; ++p) {
    const auto& found = search.finish(static_cast<std::size_t>(p - node.first));
    const auto put = [&](vertex_t position) {
      out.put(RowOfProducts<T>{found, tree.id(position), n_others, options.include_self},
              options.n_neighbors, root_of<T>);
    };
    put(p);
    const Copies copies = tree.copies_of(p);
    for (vertex_t copy = copies.first; copy < copies.last; ++copy) put(copy);
  }
}

/// Returns false if the points are too far from each other, or too near.
template <class T>
bool search_products(PointsView<T> points, const KnnOptions& options, const NeighboursView& out) {
  const PanelScale<T> scale = panel_scale(points);
  if (!scale.is_usable()) return false;
  const ProductTree<T> products(points, scale);
  const auto& leaves = products.tree.leaves();
  constexpr std::int64_t leaves_per_block = 2;
  std::atomic<std::int64_t> done{0};
  parallel_blocks(
      std::ssize(leaves), leaves_per_block, [&](int, std::int64_t first, std::int64_t last) {
        ProductSearch<T> search(products, searched_neighbours(options));
        for (std::int64_t i = first; i < last; ++i) {
          search_leaf(search, products, leaves[static_cast<std::size_t>(i)], options, out);
        }
        const auto before = done.fetch_add(last - first, std::memory_order_relaxed);
        report_progress(before * points.n_points / std::ssize(leaves), points.n_points);
      });
  report_progress(points.n_points, points.n_points);
  return true;
}

template <class T>
std::size_t bytes_of_searches(PointsView<T> points, const KnnOptions& options) {
  const std::size_t n = at(points.n_points);
  const int k = searched_neighbours(options);
  if (options.by_products) {
    const std::size_t dimension = at(points.dimension);
    return ProductTree<T>::bytes(n, dimension) +
           at(num_threads()) * ProductSearch<T>::bytes(k, dimension);
  }
  return with_kd_tree_dimension(points.dimension, [&](auto d) {
    const std::size_t dimension = at(d > 0 ? d : points.dimension);
    return KdTree<T, d>::bytes(n, dimension) +
           at(num_threads()) * KnnSearch<T, d>::bytes(k, dimension);
  });
}

}  // namespace

template <class T>
MemoryNeed need_of_knn(PointsView<T> points, const KnnOptions& options) {
  return {"finding the neighbours of " + std::to_string(points.n_points) + " points",
          bytes_of_searches(points, options), "pass fewer points, or float32 instead of float64"};
}

template <class T>
void knn_cpu(PointsView<T> points, const KnnOptions& options, const NeighboursView& out,
             MemoryBudget budget) {
  budget.require(need_of_knn(points, options));
  if (options.by_products) {
    if (search_products(points, options, out)) return;
    return knn_cpu(points, {options.n_neighbors, options.include_self}, out, budget);
  }
  with_kd_tree_dimension(points.dimension,
                         [&](auto d) { search_kd_tree<T, d>(points, options, out); });
}

WARPGRAPH_INSTANTIATE_FOR_EACH_FLOAT(need_of_knn)
WARPGRAPH_INSTANTIATE_FOR_EACH_FLOAT(knn_cpu)

}  // namespace warpgraph
