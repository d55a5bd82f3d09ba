#include "algorithms/neighbour_queries/neighbour_queries.hpp"
#include "algorithms/neighbour_queries/product_radius.hpp"
#include "core/containers/at.hpp"
#include "core/threads/parallel.hpp"
#include "primitives/kd_tree/point_search.hpp"
#include "primitives/nearest_heap.hpp"
#include "primitives/products/product_search.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace warpgraph {
namespace {

/// A neighbour, in the order of neighbours.
template <class T>
using KeyAndId = std::pair<T, vertex_t>;

/// Queries of a loop's block: some microseconds each.
constexpr std::int64_t queries_per_block = 64;

template <class T>
double distance_of(T square) {
  return std::sqrt(static_cast<double>(square));
}

/// Returns the largest number whose square root, in double, is at most `radius`.
template <class T>
T largest_square(double radius) {
  if (std::isinf(radius)) return infinity<T>();
  constexpr auto most = static_cast<double>(std::numeric_limits<T>::max());
  T square = static_cast<T>(std::min(radius * radius, most));
  while (square > 0 && distance_of(square) > radius) square = std::nextafter(square, T(0));
  for (T next = std::nextafter(square, infinity<T>()); distance_of(next) <= radius;
       next = std::nextafter(square, infinity<T>())) {
    square = next;
  }
  return square;
}

/// Calls visit(search, found, number of the query) for all queries, on all threads. The queries of
/// a block share `found`, a copy of `empty`, so that its memory is allocated once for all of them.
template <class T, int D, class Found, class Visit>
void for_each_query(const KdTree<T, D>& tree, std::int64_t n, std::int64_t done, std::int64_t total,
                    const Found& empty, Visit&& visit) {
  std::atomic<std::int64_t> finished{done};
  parallel_blocks(n, queries_per_block, [&](int, std::int64_t first, std::int64_t last) {
    PointSearch<T, D> search(tree);
    Found found(empty);
    for (std::int64_t i = first; i < last; ++i) visit(search, found, i);
    const std::int64_t before = finished.fetch_add(last - first, std::memory_order_relaxed);
    report_progress(before, total);
  });
  report_progress(done + n, total);
}

/// Returns the bytes of searches in a tree of boxes.
template <class T>
std::size_t bytes_in_boxes(PointsView<T> points) {
  return with_kd_tree_dimension(points.dimension, [&](auto d) {
    const std::size_t dimension = at(d > 0 ? d : points.dimension);
    return KdTree<T, d>::bytes(at(points.n_points), dimension) +
           at(num_threads()) * (dimension * sizeof(T) + (1U << 12));
  });
}

/// Returns the bytes of searches by products that keep k neighbours of each query.
template <class T>
std::size_t bytes_of_products(PointsView<T> points, std::int32_t k) {
  return ProductTree<T>::bytes(at(points.n_points), at(points.dimension)) +
         at(num_threads()) * ProductSearch<T>::bytes(k, at(points.dimension));
}

/// Writes the neighbours of a query.
template <class T>
void write_row(const NeighboursView& out, std::int64_t query, const std::vector<KeyAndId<T>>& row) {
  std::int64_t at = query * std::ssize(row);
  for (const auto& [square, id] : row) {
    if (out.neighbours != nullptr) out.neighbours[at] = id;
    if (out.distances != nullptr) out.distances[at] = distance_of(square);
    if (out.farthest != nullptr) out.farthest[query] = distance_of(square);
    ++at;
  }
}

/// Returns the neighbours of a query, in order, in the memory of the heap.
template <class T, int D>
const std::vector<KeyAndId<T>>& find_nearest(PointSearch<T, D>& search, NearestHeap<T>& heap,
                                             PointsView<T> queries, std::int64_t query) {
  heap.clear();
  search.run(
      queries.row(query), queries.dimension, [&] { return heap.limit(); },
      [&](vertex_t id, T square) { heap.add(id, square); });
  return heap.sorted();
}

template <class T, int D>
void search_nearest(PointsView<T> points, PointsView<T> queries, std::int32_t k,
                    const NeighboursView& out) {
  const KdTree<T, D> tree(points);
  const std::int64_t n = queries.n_points;
  for_each_query(tree, n, 0, n, NearestHeap<T>(k),
                 [&](PointSearch<T, D>& search, NearestHeap<T>& heap, std::int64_t i) {
                   write_row(out, i, find_nearest(search, heap, queries, i));
                 });
}

/// Compares blocks of queries with all points, by products. Returns false if the points are too far
/// from each other, or too near.
template <class T>
bool search_products_of_queries(PointsView<T> points, PointsView<T> queries, std::int32_t k,
                                const NeighboursView& out) {
  const PanelScale<T> scale = panel_scale(points);
  if (!scale.is_usable()) return false;
  const ProductTree<T> products(points, scale);
  const std::int64_t n = queries.n_points;
  std::atomic<std::int64_t> finished{0};
  parallel_blocks(n, max_panel_columns, [&](int, std::int64_t first, std::int64_t last) {
    ProductSearch<T> search(products, k);
    std::vector<const T*> rows;
    for (std::int64_t i = first; i < last; ++i) rows.push_back(queries.row(i));
    if (search.start(rows)) {
      for (const std::int32_t leaf : products.tree.leaves()) {
        poll();
        search.visit(leaf);
      }
      for (std::int64_t i = first; i < last; ++i) {
        write_row(out, i, search.finish(static_cast<std::size_t>(i - first)));
      }
    } else {
      PointSearch<T, 0> alone(products.tree);
      NearestHeap<T> heap(k);
      for (std::int64_t i = first; i < last; ++i) {
        write_row(out, i, find_nearest(alone, heap, queries, i));
      }
    }
    report_progress(finished.fetch_add(last - first, std::memory_order_relaxed), n);
  });
  report_progress(n, n);
  return true;
}

/// Two searches from all queries.
template <class T, int D>
class RadiusSearch {
 public:
  RadiusSearch(PointsView<T> points, PointsView<T> queries, const RadiusOptions& options)
      : tree_(points),
        queries_(queries),
        options_(options),
        limit_(largest_square<T>(options.radius)) {}

  /// Returns the bytes of the neighbours that all threads order at once, after counting them.
  [[nodiscard]] std::size_t bytes_of_fill() const noexcept {
    return static_cast<std::size_t>(num_threads()) * static_cast<std::size_t>(longest_row_) *
           sizeof(KeyAndId<T>);
  }

  /// Returns where the neighbours of each query begin, and at the end their number.
  HostVector<std::int64_t> count() {
    const std::int64_t n = queries_.n_points;
    HostVector<std::int64_t> offsets(static_cast<std::size_t>(n) + 1);
    const std::int64_t others = options_.are_own && !options_.include_self ? -1 : 0;
    const auto count_one = [&](PointSearch<T, D>& search, std::int64_t& found, std::int64_t i) {
      const vertex_t query = query_at(i);
      found = others;
      run(search, query, [&](vertex_t, T) { ++found; });
      offsets[static_cast<std::size_t>(query) + 1] = found;
    };
    for_each_query(tree_, n, 0, 2 * n, std::int64_t{0}, count_one);
    offsets[0] = 0;
    longest_row_ = *std::max_element(offsets.begin(), offsets.end());
    std::partial_sum(offsets.begin(), offsets.end(), offsets.begin());
    return offsets;
  }

  /// Writes the neighbours where the offsets are.
  void fill(NeighbourRows& rows) {
    const std::int64_t n = queries_.n_points;
    using Found = std::vector<KeyAndId<T>>;
    const auto fill_one = [&](PointSearch<T, D>& search, Found& found, std::int64_t i) {
      const vertex_t query = query_at(i);
      auto at = static_cast<std::size_t>(rows.offsets[static_cast<std::size_t>(query)]);
      found.clear();
      found.reserve(static_cast<std::size_t>(rows.offsets[static_cast<std::size_t>(query) + 1]) -
                    at);
      run(search, query, [&](vertex_t id, T square) {
        if (!options_.are_own || id != query) found.emplace_back(square, id);
      });
      std::sort(found.begin(), found.end());
      const auto put = [&](vertex_t id, T square) {
        rows.ids[at] = id;
        if (options_.with_distances) rows.distances[at] = distance_of(square);
        ++at;
      };
      if (options_.are_own && options_.include_self) put(query, T(0));
      for (const auto& [square, id] : found) put(id, square);
    };
    for_each_query(tree_, n, n, 2 * n, Found(), fill_one);
  }

 private:
  [[nodiscard]] vertex_t query_at(std::int64_t i) const {
    return options_.are_own ? tree_.id(static_cast<vertex_t>(i)) : static_cast<vertex_t>(i);
  }
  template <class Visit>
  void run(PointSearch<T, D>& search, vertex_t query, Visit&& visit) {
    search.run(
        queries_.row(query), queries_.dimension, [&] { return limit_; }, visit);
  }

  KdTree<T, D> tree_;
  PointsView<T> queries_;
  const RadiusOptions& options_;
  T limit_;
  std::int64_t longest_row_ = 0;  // as counted
};

/// Counts, asks for the memory of what was counted, and writes it. needed: bytes of the search.
template <class Search>
NeighbourRows count_and_fill(Search& search, std::size_t needed, const RadiusOptions& options,
                             MemoryBudget budget) {
  NeighbourRows rows{search.count(), {}, {}};
  const auto found = static_cast<std::size_t>(rows.offsets.back());
  budget.require("storing " + std::to_string(found) + " neighbours",
                 needed + search.bytes_of_fill() + found * bytes_of_neighbour,
                 "choose a smaller radius");
  rows.ids.resize(found);
  if (options.with_distances) rows.distances.resize(found);
  search.fill(rows);
  return rows;
}

/// Compares queries with all points by products. Returns nothing if the points are too far from
/// each other, or too near.
template <class T>
std::optional<NeighbourRows> radius_by_products(PointsView<T> points, PointsView<T> queries,
                                                const RadiusOptions& options, std::size_t needed,
                                                MemoryBudget budget) {
  const PanelScale<T> scale = panel_scale(points);
  if (!scale.is_usable()) return std::nullopt;
  const ProductTree<T> products(points, scale);
  ProductRadius<T> search(products, queries, options, largest_square<T>(options.radius));
  return count_and_fill(search, needed, options, budget);
}

}  // namespace

template <class T>
MemoryNeed need_of_nearest_of_queries(PointsView<T> points, std::int64_t n_queries,
                                      const KnnOptions& options) {
  const std::int32_t k = options.n_neighbors;
  const std::size_t heaps = at(num_threads()) * at(k) * sizeof(KeyAndId<T>);
  return {"searching the neighbours of " + std::to_string(n_queries) + " points",
          options.by_products ? bytes_of_products(points, k) : bytes_in_boxes(points) + heaps,
          "fit to fewer points"};
}

template <class T>
void nearest_of_queries(PointsView<T> points, PointsView<T> queries, const KnnOptions& options,
                        const NeighboursView& out, MemoryBudget budget) {
  budget.require(need_of_nearest_of_queries(points, queries.n_points, options));
  const std::int32_t k = options.n_neighbors;
  if (options.by_products) {
    if (search_products_of_queries(points, queries, k, out)) return;
    return nearest_of_queries(points, queries, {k}, out, budget);
  }
  with_kd_tree_dimension(points.dimension, [&](auto d) {
    search_nearest<T, decltype(d)::value>(points, queries, k, out);
  });
}

template <class T>
MemoryNeed need_of_radius_neighbours(PointsView<T> points, std::int64_t n_queries,
                                     const RadiusOptions& options) {
  const std::size_t of_search =
      options.by_products ? bytes_of_products(points, 0) : bytes_in_boxes(points);
  return {"searching the neighbours of " + std::to_string(n_queries) + " points",
          of_search + (at(n_queries) + 1) * sizeof(std::int64_t), "pass fewer points"};
}

template <class T>
NeighbourRows radius_neighbours(PointsView<T> points, PointsView<T> queries,
                                const RadiusOptions& options, MemoryBudget budget) {
  const MemoryNeed need = need_of_radius_neighbours(points, queries.n_points, options);
  budget.require(need);
  if (options.by_products) {
    auto rows = radius_by_products(points, queries, options, need.bytes, budget);
    if (rows) return std::move(*rows);
    RadiusOptions in_boxes = options;
    in_boxes.by_products = false;
    return radius_neighbours(points, queries, in_boxes, budget);
  }
  return with_kd_tree_dimension(points.dimension, [&](auto d) {
    RadiusSearch<T, decltype(d)::value> search(points, queries, options);
    return count_and_fill(search, need.bytes, options, budget);
  });
}

WARPGRAPH_INSTANTIATE_FOR_EACH_FLOAT(need_of_nearest_of_queries)
WARPGRAPH_INSTANTIATE_FOR_EACH_FLOAT(nearest_of_queries)
WARPGRAPH_INSTANTIATE_FOR_EACH_FLOAT(need_of_radius_neighbours)
WARPGRAPH_INSTANTIATE_FOR_EACH_FLOAT(radius_neighbours)

}  // namespace warpgraph
