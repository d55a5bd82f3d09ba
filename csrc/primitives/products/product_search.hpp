// The k nearest neighbours of some queries, exact, from products of rows with panels.
//
// A product gives a lower and an upper bound of a pair's square. The k-th least upper bound of a
// query so far bounds the square of its last neighbour, so pairs with lower bounds above it are
// left out. At the end, the candidates that remain, few more than k, get their keys, and are
// ordered by these and their ids: results are those of comparing keys alone, bit for bit.
//
// If many candidates cannot be told apart, their keys are computed before the end.
//
// All neighbours within a limit are found in the same way: the limit is known from the beginning,
// and candidates get their keys leaf by leaf.
#pragma once

#include "core/function_ref.hpp"
#include "primitives/kd_tree/leaf_search.hpp"
#include "primitives/products/product_panels.hpp"

#include <utility>

namespace warpgraph {

/// Points with their panels.
template <class T>
struct ProductTree {
  ProductTree(PointsView<T> of, const PanelScale<T>& their_scale)
      : points(of), tree(of), scale(their_scale), panels(of, tree, scale) {}

  static std::size_t bytes(std::size_t n, std::size_t dimension) {
    return KdTree<T, 0>::bytes(n, dimension) + ProductPanels<T>::bytes(n, dimension) +
           2 * dimension * sizeof(double);
  }

  PointsView<T> points;
  KdTree<T, 0> tree;
  PanelScale<T> scale;  // which is usable
  ProductPanels<T> panels;
};

/// The search of one thread, from up to max_panel_columns queries at a time.
template <class T>
class ProductSearch {
 public:
  using Item = std::pair<T, vertex_t>;  // key and id

  ProductSearch(const ProductTree<T>& of, int k);

  static std::size_t bytes(int k, std::size_t dimension) {
    const std::size_t of_query =
        static_cast<std::size_t>(capacity(k) + max_panel_columns) * sizeof(Candidate) +
        static_cast<std::size_t>(16 * k + 4 * max_panel_columns) * sizeof(Item);
    return max_rows * (of_query + (2 * dimension + max_panel_columns) * sizeof(float)) +
           max_panel_columns * dimension * sizeof(T);
  }

  /// Starts a search from these queries. Returns false if one is too far from the points.
  bool start(const std::vector<const T*>& queries);
  /// Points with keys of at most `limit`: found(query, id, key) is called for each, in any order.
  struct Within {
    T limit;
    FunctionRef<void(std::size_t, vertex_t, T)> found;
  };
  /// Starts a search for these, which must outlive it, and not for the nearest.
  bool start_within(const std::vector<const T*>& queries, const Within& within);
  /// Considers the points of a leaf for all queries.
  void visit(std::int32_t leaf) { visit_from(leaf, ~std::uint64_t{0} >> (64 - n_queries_)); }
  /// Considers the points of a leaf for the queries that may be near it.
  void visit_near(std::int32_t leaf);
  /// Considers the points of all leaves that may be near the queries, which are those of `from`.
  void visit_around(std::int32_t from);
  /// Returns the neighbours of a query, k of them, in order.
  const std::vector<Item>& finish(std::size_t query);

 private:
  static constexpr int max_rows =
      (max_panel_columns + rows_of_product - 1) / rows_of_product * rows_of_product;

  struct Candidate {
    float low;   // larger for pairs with a smaller lower bound
    float high;  // and upper bound
    vertex_t position;
  };
  struct Query {
    const T* point = nullptr;
    double square = 0;                        // of its length
    double largest_key = infinity<double>();  // of a neighbour
    std::vector<Candidate> candidates;
    std::vector<Item> settled;
  };

  static int capacity(int k) { return 2 * k + max_panel_columns; }
  [[nodiscard]] std::uint64_t near_box(const T* columns, int stride, std::int32_t leaf) const;
  void visit_from(std::int32_t leaf, std::uint64_t searching);
  void pack(int n_rows);
  void multiply(std::int32_t leaf, int n_rows);
  void add(std::size_t query, std::int32_t leaf, std::uint64_t near);
  void drop_far(std::size_t query);
  void settle(std::size_t query);
  void tell_within(std::size_t query);
  template <class Take>
  void compute_candidates(std::size_t query, Take&& take);
  void limit_squares(std::size_t query, double largest_square);
  void limit_keys(std::size_t query, double largest_key);
  [[nodiscard]] T radius() const;

  const ProductTree<T>& of_;
  int k_;
  const Within* within_ = nullptr;
  std::size_t n_queries_ = 0;
  std::vector<Query> queries_;
  std::array<float, max_rows> least_low_;  // of a candidate
  std::vector<T> columns_;                 // queries, axis by axis; empty if not needed yet
  std::vector<float> moved_;               // queries, one by one
  std::vector<float> rows_;                // of some of them, for products
  std::array<std::uint8_t, max_panel_columns> query_of_row_{};
  int n_rows_ = 0;  // of all queries; 0: rows_ has those of some
  std::vector<float> sums_;
  LeafSearch<T, 0> search_;
};

extern template class ProductSearch<float>;
extern template class ProductSearch<double>;

}  // namespace warpgraph
