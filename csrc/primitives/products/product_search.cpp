#include "primitives/products/product_search.hpp"

#include <algorithm>
#include <bit>

namespace warpgraph {
namespace {

/// Returns the largest float that is not above a number.
float rounded_down(double number) noexcept {
  const auto nearest = static_cast<float>(number);
  return static_cast<double>(nearest) <= number ? nearest
                                                : std::nextafter(nearest, -infinity<float>());
}

/// Returns the least number of a type that is not below a number.
template <class T>
T rounded_up(double number) noexcept {
  const auto nearest = static_cast<T>(number);
  return static_cast<double>(nearest) >= number ? nearest : std::nextafter(nearest, infinity<T>());
}

/// Computes the keys of a point and some others, all at once: each is a chain of sums.
template <class T, std::size_t count>
void compute_keys(const T* point, const std::array<const T*, count>& others, std::int64_t dimension,
                  std::array<T, count>& keys) noexcept {
  keys.fill(T(0));
  for (std::int64_t k = 0; k < dimension; ++k) {
    for (std::size_t j = 0; j < count; ++j) {
      const T difference = point[k] - others[j][k];
      keys[j] += difference * difference;
    }
  }
}

}  // namespace

template <class T>
ProductSearch<T>::ProductSearch(const ProductTree<T>& of, int k)
    : of_(of),
      k_(k),
      queries_(max_panel_columns),
      moved_(static_cast<std::size_t>(max_panel_columns * of.points.dimension)),
      rows_(static_cast<std::size_t>(max_rows * of.points.dimension)),
      sums_(static_cast<std::size_t>(max_rows) * max_panel_columns),
      search_(of.tree) {
  for (Query& query : queries_) {
    query.candidates.reserve(static_cast<std::size_t>(capacity(k) + max_panel_columns));
  }
}

template <class T>
bool ProductSearch<T>::start(const std::vector<const T*>& queries) {
  constexpr double most = 1e12;  // times the largest coordinate of the points
  n_queries_ = queries.size();
  within_ = nullptr;
  columns_.clear();
  least_low_.fill(-infinity<float>());
  const std::int64_t d = of_.points.dimension;
  n_rows_ = 0;
  for (std::size_t q = 0; q < n_queries_; ++q) {
    Query& query = queries_[q];
    query.point = queries[q];
    query.square = 0;
    query.largest_key = infinity<double>();
    query.candidates.clear();
    query.settled.clear();
    float* const to = moved_.data() + static_cast<std::int64_t>(q) * d;
    for (std::int64_t k = 0; k < d; ++k) {
      to[k] = of_.scale.moved(query.point[k], k);
      if (!(std::abs(to[k]) <= most)) return false;
      query.square += double{to[k]} * double{to[k]};
    }
  }
  return true;
}

template <class T>
bool ProductSearch<T>::start_within(const std::vector<const T*>& queries, const Within& within) {
  if (!start(queries)) return false;
  within_ = &within;
  for (std::size_t q = 0; q < n_queries_; ++q) limit_keys(q, static_cast<double>(within.limit));
  return true;
}

/// Interleaves the first `n_rows` queries of query_of_row_.
template <class T>
void ProductSearch<T>::pack(int n_rows) {
  const std::int64_t d = of_.points.dimension;
  for (int first = 0; first < n_rows; first += rows_of_product) {
    float* const to = rows_.data() + first * d;
    for (int row = 0; row < rows_of_product; ++row) {
      const int of = std::min(first + row, n_rows - 1);  // the last ones are not read
      const float* const from = moved_.data() + query_of_row_[static_cast<std::size_t>(of)] * d;
      for (std::int64_t k = 0; k < d; ++k) to[k * rows_of_product + row] = from[k];
    }
  }
}

/// Sets the sums to the products of rows and points, less half the squares of the points.
template <class T>
void ProductSearch<T>::multiply(std::int32_t leaf, int n_rows) {
  const auto& panel = of_.panels.panel(leaf);
  const float* const columns = of_.panels.columns(panel);
  const float* const halves = of_.panels.halves(panel);
  const int width = panel.n_vectors() * panel_lanes;
  const std::int64_t d = of_.points.dimension;
  const auto n_groups = static_cast<std::size_t>((n_rows + rows_of_product - 1) / rows_of_product);
  std::array<float, max_panel_columns> negative;
  for (int c = 0; c < width; ++c) negative[static_cast<std::size_t>(c)] = -halves[c];
  for (std::size_t row = 0; row < n_groups * rows_of_product; ++row) {
    std::copy_n(negative.begin(), width, sums_.data() + row * max_panel_columns);
  }
  for (std::int64_t k = 0; k < d; k += max_product_depth) {
    const std::int64_t depth = std::min(max_product_depth, d - k);
    for (std::size_t group = 0; group < n_groups; ++group) {
      const auto first = static_cast<std::int64_t>(group) * d + k;
      add_products(rows_.data() + first * rows_of_product, columns + k * width, depth,
                   panel.n_vectors(), sums_.data() + group * rows_of_product * max_panel_columns);
    }
  }
}

/// Considers the points of a leaf for the queries at the set bits.
template <class T>
void ProductSearch<T>::visit_from(std::int32_t leaf, std::uint64_t searching) {
  poll();
  const int n_queries = static_cast<int>(n_queries_);
  // Packing a row takes about as long as a quarter of its products.
  const bool of_all = 4 * std::popcount(searching) > 3 * n_queries;
  int n_rows = 0;
  for (int q = 0; q < n_queries; ++q) {
    if (of_all || (searching >> q & 1) != 0) {
      query_of_row_[static_cast<std::size_t>(n_rows++)] = static_cast<std::uint8_t>(q);
    }
  }
  if (!of_all || n_rows_ == 0) pack(n_rows);
  n_rows_ = of_all ? n_rows : 0;
  multiply(leaf, n_rows);
  const int count = of_.panels.panel(leaf).n_columns;
  std::array<std::uint64_t, max_panel_columns> near;
  with_longest_vectors([&]<int bytes>() __attribute__((always_inline)) {
    using Lanes = LeafVectors<float, bytes>;
    for (std::size_t row = 0; row < static_cast<std::size_t>(n_rows); ++row) {
      const float* const sums = sums_.data() + row * max_panel_columns;
      near[row] = Lanes::bits_of(
          count, [&](int i, auto& passes) __attribute__((always_inline)) {
            passes = Lanes::at(sums + i).lanes >= least_low_[query_of_row_[row]];
          });
    }
  });
  for (std::size_t row = 0; row < static_cast<std::size_t>(n_rows); ++row) {
    if (near[row] != 0) add(row, leaf, near[row]);
  }
}

/// Adds the points of a leaf at the set bits to the candidates of the query of a row.
template <class T>
void ProductSearch<T>::add(std::size_t row, std::int32_t leaf, std::uint64_t near) {
  const std::size_t q = query_of_row_[row];
  const float* const sums = sums_.data() + row * max_panel_columns;
  const float* const errors = of_.panels.errors(of_.panels.panel(leaf));
  const vertex_t first = of_.tree.nodes()[static_cast<std::size_t>(leaf)].first;
  Query& query = queries_[q];
  for (; near != 0; near &= near - 1) {
    const int c = std::countr_zero(near);
    query.candidates.push_back({sums[c], sums[c] - errors[c], first + c});
  }
  if (within_ != nullptr) return tell_within(q);
  const std::size_t size = query.candidates.size();
  const bool is_first =
      query.largest_key == infinity<double>() && size >= static_cast<std::size_t>(k_);
  if (is_first || size >= static_cast<std::size_t>(capacity(k_))) drop_far(q);
}

/// Leaves out candidates that are certainly after k others.
template <class T>
void ProductSearch<T>::drop_far(std::size_t q) {
  Query& query = queries_[q];
  std::vector<Candidate>& candidates = query.candidates;
  const auto k = static_cast<std::size_t>(k_);
  if (candidates.size() >= k) {
    const auto last = candidates.begin() + (k_ - 1);
    std::nth_element(candidates.begin(), last, candidates.end(),
                     [](const Candidate& a, const Candidate& b) { return a.high > b.high; });
    const double error = of_.scale.errors().of_square;
    limit_squares(q, (1 + error) * query.square - 2 * double{last->high} + SquareErrors::least);
    const float least = least_low_[q];
    std::erase_if(candidates, [least](const Candidate& other) { return other.low < least; });
  }
  if (candidates.size() >= static_cast<std::size_t>(capacity(k_))) settle(q);
}

/// Lowers the limits of a query to neighbours with at most this square.
template <class T>
void ProductSearch<T>::limit_squares(std::size_t q, double largest_square) {
  const double key = of_.scale.errors().largest_key(largest_square);
  // Keys beyond their type are inf, and ids order them.
  if (key < of_.scale.errors().largest_finite_key) limit_keys(q, key);
}

/// Lowers the limits of a query to neighbours with at most this key, which may be inf.
template <class T>
void ProductSearch<T>::limit_keys(std::size_t q, double largest_key) {
  if (largest_key == infinity<double>()) return;
  Query& query = queries_[q];
  query.largest_key = std::min(query.largest_key, largest_key);
  const double square = of_.scale.errors().largest_square(largest_key);
  const double low =
      ((1 - of_.scale.errors().of_square) * query.square - square - SquareErrors::least) / 2;
  least_low_[q] = std::max(least_low_[q], rounded_down(low));
}

/// Calls take(position, key) for the candidates of a query, and forgets them.
template <class T>
template <class Take>
void ProductSearch<T>::compute_candidates(std::size_t q, Take&& take) {
  constexpr std::size_t at_once = 8;
  Query& query = queries_[q];
  const std::size_t n = query.candidates.size();
  for (std::size_t first = 0; first < n; first += at_once) {
    const std::size_t count = std::min(at_once, n - first);
    std::array<const T*, at_once> others;
    std::array<T, at_once> keys;
    for (std::size_t j = 0; j < at_once; ++j) {
      const vertex_t position = query.candidates[first + (j < count ? j : 0)].position;
      others[j] = of_.points.row(of_.tree.id(position));
    }
    compute_keys(query.point, others, of_.points.dimension, keys);
    for (std::size_t j = 0; j < count; ++j) take(query.candidates[first + j].position, keys[j]);
  }
  query.candidates.clear();
}

/// Reports the candidates within the limit, and their copies.
template <class T>
void ProductSearch<T>::tell_within(std::size_t q) {
  compute_candidates(q, [&](vertex_t position, T key) {
    if (!(key <= within_->limit)) return;
    within_->found(q, of_.tree.id(position), key);
    const Copies copies = of_.tree.copies_of(position);
    for (vertex_t p = copies.first; p < copies.last; ++p) within_->found(q, of_.tree.id(p), key);
  });
}

/// Computes the keys of the candidates, and keeps the k first.
template <class T>
void ProductSearch<T>::settle(std::size_t q) {
  std::vector<Item>& settled = queries_[q].settled;
  compute_candidates(q, [&](vertex_t position, T key) {
    settled.emplace_back(key, of_.tree.id(position));
    const Copies copies = of_.tree.copies_of(position);
    // k of them, in ascending order of ids, are enough.
    const vertex_t last = copies.first + std::min<vertex_t>(copies.last - copies.first, k_);
    for (vertex_t p = copies.first; p < last; ++p) settled.emplace_back(key, of_.tree.id(p));
    if (settled.size() > static_cast<std::size_t>(2 * k_ + max_panel_columns)) {
      std::nth_element(settled.begin(), settled.begin() + k_, settled.end());
      settled.resize(static_cast<std::size_t>(k_));
    }
  });
  if (settled.size() < static_cast<std::size_t>(k_)) return;
  std::nth_element(settled.begin(), settled.begin() + (k_ - 1), settled.end());
  settled.resize(static_cast<std::size_t>(k_));
  limit_keys(q, static_cast<double>(settled.back().first));
}

template <class T>
T ProductSearch<T>::radius() const {
  double most = 0;
  for (std::size_t q = 0; q < n_queries_; ++q) most = std::max(most, queries_[q].largest_key);
  return rounded_up<T>(most);
}

/// Returns which queries, whose coordinates are `stride` apart, may have neighbours in a leaf, as
/// bits.
template <class T>
std::uint64_t ProductSearch<T>::near_box(const T* columns, int stride, std::int32_t leaf) const {
  std::array<T, max_panel_columns> limits;
  limits.fill(-1);
  for (std::size_t q = 0; q < n_queries_; ++q) limits[q] = rounded_up<T>(queries_[q].largest_key);
  const int count = static_cast<int>(n_queries_);
  std::uint64_t near = 0;
  with_kd_tree_vectors<0>([&]<int bytes>() __attribute__((always_inline)) {
    near = of_.tree.template near_box<bytes>(columns, stride, count, leaf, T(1), limits.data());
  });
  return near;
}

template <class T>
void ProductSearch<T>::visit_near(std::int32_t leaf) {
  if (columns_.empty()) {
    const std::int64_t d = of_.points.dimension;
    columns_.assign(static_cast<std::size_t>(max_panel_columns * d), T(0));
    for (std::size_t q = 0; q < n_queries_; ++q) {
      T* to = columns_.data() + q;
      for (std::int64_t k = 0; k < d; ++k, to += max_panel_columns) *to = queries_[q].point[k];
    }
  }
  const std::uint64_t near = near_box(columns_.data(), max_panel_columns, leaf);
  if (near != 0) visit_from(leaf, near);
}

template <class T>
void ProductSearch<T>::visit_around(std::int32_t from) {
  visit(from);
  T limit = radius();
  const T* const columns = of_.tree.block(of_.tree.nodes()[static_cast<std::size_t>(from)]);
  search_.run(
      from, [&](std::int32_t node) { return of_.tree.bound(from, node); }, [&] { return limit; },
      [](std::int32_t) { return false; },
      [&](std::int32_t leaf) {
        const std::uint64_t searching = near_box(columns, static_cast<int>(n_queries_), leaf);
        if (searching == 0) return;
        visit_from(leaf, searching);
        limit = radius();
      });
}

template <class T>
auto ProductSearch<T>::finish(std::size_t q) -> const std::vector<Item>& {
  drop_far(q);
  settle(q);
  std::vector<Item>& settled = queries_[q].settled;
  std::sort(settled.begin(), settled.end());
  return settled;
}

template class ProductSearch<float>;
template class ProductSearch<double>;

}  // namespace warpgraph
