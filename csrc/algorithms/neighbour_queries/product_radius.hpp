// Neighbours within a radius, in many dimensions, by products of matrices.
#pragma once

#include "algorithms/neighbour_queries/neighbour_queries.hpp"
#include "core/containers/at.hpp"
#include "core/threads/parallel.hpp"
#include "primitives/kd_tree/point_search.hpp"
#include "primitives/products/product_search.hpp"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <numeric>
#include <vector>

namespace warpgraph {

/// Two searches, as of RadiusSearch, in which queries search together: own ones are the points of a
/// leaf, which leave out leaves that are far from theirs; others are consecutive.
template <class T>
class ProductRadius {
 public:
  using Item = typename ProductSearch<T>::Item;

  /// limit: the largest key of a neighbour.
  ProductRadius(const ProductTree<T>& products, PointsView<T> queries, const RadiusOptions& options,
                T limit)
      : products_(products), queries_(queries), options_(options), limit_(limit) {}

  /// Returns the bytes of the neighbours that all threads order at once, after counting them.
  [[nodiscard]] std::size_t bytes_of_fill() const noexcept {
    return static_cast<std::size_t>(num_threads()) *
           static_cast<std::size_t>(most_of_group_.load(std::memory_order_relaxed)) * sizeof(Item);
  }

  /// Returns where the neighbours of each point begin, and at the end their number.
  HostVector<std::int64_t> count() {
    HostVector<std::int64_t> offsets(static_cast<std::size_t>(queries_.n_points) + 1);
    const std::int64_t others = options_.are_own && !options_.include_self ? -1 : 0;
    for_each_group(0, [&](ProductSearch<T>& search, std::int64_t group) {
      std::array<std::int64_t, max_panel_columns> found{};
      visit(search, group, [&](std::size_t q, vertex_t, T) { ++found[q]; });
      for_each_query(group, [&](std::size_t q, vertex_t id) {
        offsets[static_cast<std::size_t>(id) + 1] = found[q] + others;
      });
      const std::int64_t all = std::accumulate(found.begin(), found.end(), std::int64_t{0});
      std::int64_t most = most_of_group_.load(std::memory_order_relaxed);
      while (most < all && !most_of_group_.compare_exchange_weak(most, all)) {
      }
    });
    offsets[0] = 0;
    std::partial_sum(offsets.begin(), offsets.end(), offsets.begin());
    return offsets;
  }

  /// Writes the neighbours where the offsets are.
  void fill(NeighbourRows& rows) {
    for_each_group(1, [&](ProductSearch<T>& search, std::int64_t group) {
      std::array<std::vector<Item>, max_panel_columns> found;
      for_each_query(group, [&](std::size_t q, vertex_t id) {
        found[q].reserve(at(rows.offsets[at(id + 1)] - rows.offsets[at(id)] + 1));
      });
      visit(search, group,
            [&](std::size_t q, vertex_t id, T key) { found[q].emplace_back(key, id); });
      for (std::vector<Item>& of_point : found) std::sort(of_point.begin(), of_point.end());
      for_each_query(group, [&](std::size_t q, vertex_t id) { put(rows, id, found[q]); });
    });
  }

 private:
  [[nodiscard]] std::int64_t n_groups() const noexcept {
    return options_.are_own ? std::ssize(products_.tree.leaves())
                            : (queries_.n_points + max_panel_columns - 1) / max_panel_columns;
  }

  /// Calls body(search, group) for all groups of queries, on all threads; pass: 0 or 1 of both.
  template <class Body>
  void for_each_group(std::int64_t pass, Body&& body) const {
    const std::int64_t n = n_groups();
    std::atomic<std::int64_t> finished{pass * n};
    parallel_tasks(n, num_threads(), 0, [&](const TaskContext& context, std::int64_t i) {
      ProductSearch<T> search(products_, 0);
      body(search, i);
      const std::int64_t done = finished.fetch_add(1, std::memory_order_relaxed) + 1;
      if (context.rank() == 0) report_progress(done, 2 * n);
    });
    report_progress((pass + 1) * n, 2 * n);
  }

  template <class Found>
  void visit(ProductSearch<T>& search, std::int64_t group, Found&& found) const {
    std::vector<const T*> rows;
    const auto [first, last] = places_of(group);
    for (vertex_t i = first; i < last; ++i) rows.push_back(row(i));
    const typename ProductSearch<T>::Within within{limit_, found};
    if (!search.start_within(rows, within)) {  // others that are far from the points
      PointSearch<T, 0> alone(products_.tree);
      for (std::size_t q = 0; q < rows.size(); ++q) {
        alone.run(
            rows[q], queries_.dimension, [&] { return limit_; },
            [&](vertex_t id, T key) { found(q, id, key); });
      }
    } else if (options_.are_own) {
      search.visit_around(products_.tree.leaves()[at(group)]);
    } else {
      for (const std::int32_t leaf : products_.tree.leaves()) search.visit_near(leaf);
    }
  }

  /// Returns the positions in the tree of own queries, else the numbers of the queries.
  [[nodiscard]] std::pair<vertex_t, vertex_t> places_of(std::int64_t group) const {
    if (options_.are_own) {
      const KdNode& node = products_.tree.nodes()[at(products_.tree.leaves()[at(group)])];
      return {node.first, node.last};
    }
    const auto first = static_cast<vertex_t>(group * max_panel_columns);
    return {first, std::min<vertex_t>(queries_.n_points, first + max_panel_columns)};
  }
  [[nodiscard]] const T* row(vertex_t place) const {
    return queries_.row(options_.are_own ? products_.tree.id(place) : place);
  }

  /// Calls put(number of the search, query) for the queries of a group and their copies.
  template <class Put>
  void for_each_query(std::int64_t group, Put&& put) const {
    const KdTree<T, 0>& tree = products_.tree;
    const auto [first, last] = places_of(group);
    for (vertex_t place = first; place < last; ++place) {
      const auto q = static_cast<std::size_t>(place - first);
      if (!options_.are_own) {
        put(q, place);
        continue;
      }
      put(q, tree.id(place));
      const Copies copies = tree.copies_of(place);
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
    if (options_.are_own && options_.include_self) write(id, T(0));
    for (const auto& [key, neighbour] : found) {
      if (!options_.are_own || neighbour != id) write(neighbour, key);
    }
  }

  const ProductTree<T>& products_;
  PointsView<T> queries_;
  const RadiusOptions& options_;
  T limit_;
  std::atomic<std::int64_t> most_of_group_{0};
};

}  // namespace warpgraph
