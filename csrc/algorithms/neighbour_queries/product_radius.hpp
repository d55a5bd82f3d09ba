// The own neighbours of points within a radius, in many dimensions, by products of matrices.
#pragma once

#include "algorithms/neighbour_queries/neighbour_queries.hpp"
#include "core/containers/at.hpp"
#include "core/threads/parallel.hpp"
#include "primitives/products/product_search.hpp"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <numeric>
#include <vector>

namespace warpgraph {

/// Two searches, as of RadiusSearch, in which the points of a leaf search together.
template <class T>
class ProductRadius {
 public:
  using Item = typename ProductSearch<T>::Item;

  /// limit: the largest key of a neighbour.
  ProductRadius(const ProductTree<T>& products, const RadiusOptions& options, T limit)
      : products_(products), options_(options), limit_(limit) {}

  static std::size_t bytes(PointsView<T> points) {
    const auto dimension = static_cast<std::size_t>(points.dimension);
    return ProductTree<T>::bytes(static_cast<std::size_t>(points.n_points), dimension) +
           static_cast<std::size_t>(num_threads()) * ProductSearch<T>::bytes(0, dimension);
  }
  /// Returns the bytes of the neighbours that all threads order at once, once they are counted.
  [[nodiscard]] std::size_t bytes_of_fill() const noexcept {
    return static_cast<std::size_t>(num_threads()) *
           static_cast<std::size_t>(most_of_leaf_.load(std::memory_order_relaxed)) * sizeof(Item);
  }

  /// Returns where the neighbours of each point begin, and at the end their number.
  HostVector<std::int64_t> count() {
    HostVector<std::int64_t> offsets(static_cast<std::size_t>(products_.points.n_points) + 1);
    const std::int64_t others = options_.include_self ? 0 : -1;
    for_each_leaf(0, [&](ProductSearch<T>& search, std::int32_t leaf) {
      std::array<std::int64_t, max_panel_columns> found{};
      visit(search, leaf, [&](std::size_t q, vertex_t, T) { ++found[q]; });
      for_each_point(leaf, [&](std::size_t q, vertex_t id) {
        offsets[static_cast<std::size_t>(id) + 1] = found[q] + others;
      });
      const std::int64_t all = std::accumulate(found.begin(), found.end(), std::int64_t{0});
      std::int64_t most = most_of_leaf_.load(std::memory_order_relaxed);
      while (most < all && !most_of_leaf_.compare_exchange_weak(most, all)) {
      }
    });
    offsets[0] = 0;
    std::partial_sum(offsets.begin(), offsets.end(), offsets.begin());
    return offsets;
  }

  /// Writes the neighbours where the offsets are.
  void fill(NeighbourRows& rows) {
    for_each_leaf(1, [&](ProductSearch<T>& search, std::int32_t leaf) {
      std::array<std::vector<Item>, max_panel_columns> found;
      for_each_point(leaf, [&](std::size_t q, vertex_t id) {
        found[q].reserve(at(rows.offsets[at(id + 1)] - rows.offsets[at(id)] + 1));
      });
      visit(search, leaf,
            [&](std::size_t q, vertex_t id, T key) { found[q].emplace_back(key, id); });
      for (std::vector<Item>& of_point : found) std::sort(of_point.begin(), of_point.end());
      for_each_point(leaf, [&](std::size_t q, vertex_t id) { put(rows, id, found[q]); });
    });
  }

 private:
  /// Calls body(search, leaf) for all leaves, on all threads; pass: 0 or 1 of both.
  template <class Body>
  void for_each_leaf(std::int64_t pass, Body&& body) const {
    const auto& leaves = products_.tree.leaves();
    const std::int64_t n = std::ssize(leaves);
    std::atomic<std::int64_t> finished{pass * n};
    parallel_tasks(n, num_threads(), 0, [&](const TaskContext& context, std::int64_t i) {
      ProductSearch<T> search(products_, 0);
      body(search, leaves[at(i)]);
      const std::int64_t done = finished.fetch_add(1, std::memory_order_relaxed) + 1;
      if (context.rank() == 0) report_progress(done, 2 * n);
    });
    report_progress((pass + 1) * n, 2 * n);
  }

  template <class Found>
  void visit(ProductSearch<T>& search, std::int32_t leaf, Found&& found) const {
    const KdNode& node = products_.tree.nodes()[at(leaf)];
    std::vector<const T*> points;
    for (vertex_t p = node.first; p < node.last; ++p) {
      points.push_back(products_.points.row(products_.tree.id(p)));
    }
    const typename ProductSearch<T>::Within within{limit_, found};
    search.start_within(points, within);  // points are near enough to themselves
    search.visit_around(leaf);
  }

  /// Calls put(number of the search, id) for the points of a leaf and their copies.
  template <class Put>
  void for_each_point(std::int32_t leaf, Put&& put) const {
    const KdTree<T, 0>& tree = products_.tree;
    const KdNode& node = tree.nodes()[at(leaf)];
    for (vertex_t p = node.first; p < node.last; ++p) {
      const auto q = static_cast<std::size_t>(p - node.first);
      put(q, tree.id(p));
      const Copies copies = tree.copies_of(p);
      for (vertex_t copy = copies.first; copy < copies.last; ++copy) put(q, tree.id(copy));
    }
  }

  void put(NeighbourRows& rows, vertex_t id, const std::vector<Item>& found) const {
    auto place = at(rows.offsets[at(id)]);
    const auto write = [&](vertex_t neighbour, T key) {
      rows.ids[place] = neighbour;
      if (options_.with_distances) rows.distances[place] = std::sqrt(static_cast<double>(key));
      ++place;
    };
    if (options_.include_self) write(id, T(0));
    for (const auto& [key, neighbour] : found) {
      if (neighbour != id) write(neighbour, key);
    }
  }

  const ProductTree<T>& products_;
  const RadiusOptions& options_;
  T limit_;
  std::atomic<std::int64_t> most_of_leaf_{0};
};

}  // namespace warpgraph
