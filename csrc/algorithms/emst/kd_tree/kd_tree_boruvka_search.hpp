// The searches of KdTreeBoruvka, for points whose lists are exhausted. Included by
// kd_tree_boruvka.hpp only.
#pragma once

#include "algorithms/emst/kd_tree/kd_tree_boruvka.hpp"

#include <atomic>

namespace warpgraph::emst {

/// Gives components without any pair so far an initial bound: the key of a pair of adjacent points
/// in the order of leaves. The search then finds this pair or a better one.
template <class T>
void KdTreeRounds<T>::bound_by_adjacent_points() {
  const auto unbounded = [&](vertex_t root) {
    return best_key(root) == std::numeric_limits<T>::infinity();
  };
  std::atomic<bool> any{false};
  roots_.for_each([&](vertex_t root) {
    if (unbounded(root)) any.store(true, std::memory_order_relaxed);
  });
  if (!any.load()) return;
  const std::int64_t n_leaves = std::ssize(tree_.leaves());
  const auto dimension = static_cast<std::size_t>(tree_.dimension());
  parallel_blocks(n_leaves, leaves_per_block, [&](int, std::int64_t begin, std::int64_t end) {
    std::vector<T> a(dimension);
    std::vector<T> b(dimension);
    const auto bound_pair = [&](std::int64_t i, vertex_t p, std::int64_t j, vertex_t q) {
      const vertex_t one = component_of(p, leaf_label(i));
      const vertex_t other = component_of(q, leaf_label(j));
      if (one == other || !(unbounded(one) || unbounded(other))) return;
      tree_.copy_point(leaf(i), p - leaf(i).first, a.data());
      tree_.copy_point(leaf(j), q - leaf(j).first, b.data());
      T key = 0;
      for (std::size_t k = 0; k < dimension; ++k) key += (a[k] - b[k]) * (a[k] - b[k]);
      if (mutual_) key = cores_.key(cores_.of_point[p], cores_.of_point[q], key);
      lower(best_key_[one], key);
      lower(best_key_[other], key);
    };
    for (std::int64_t i = begin; i < end; ++i) {
      if (leaf_label(i) == no_vertex) {
        for (vertex_t p = leaf(i).first; p + 1 < leaf(i).last; ++p) bound_pair(i, p, i, p + 1);
      }
      if (i + 1 < n_leaves) bound_pair(i, leaf(i).last - 1, i + 1, leaf(i + 1).first);
    }
  });
}

/// Labels the inner nodes.
template <class T>
void KdTreeRounds<T>::label_nodes() {
  tree_.for_each_node_bottom_up([&](std::int32_t number) {
    const KdNode& node = tree_.nodes()[static_cast<std::size_t>(number)];
    if (node.is_leaf()) return;
    const vertex_t left = label_[static_cast<std::size_t>(number + 1)];
    const vertex_t right = label_[static_cast<std::size_t>(number + node.right)];
    label_[static_cast<std::size_t>(number)] = left == right ? left : no_vertex;
  });
}

/// The active queries of one leaf, and their search. scan_from_points_simd(searcher, number) is
/// searcher.scan_from_points(number), compiled for this CPU, and so for queries: see emst_cpu.cpp.
template <class T, int D>
struct KdTreeBoruvka<T, D>::Searcher {
  struct Query {
    vertex_t position;
    vertex_t component;
    Neighbour<T> found;
  };
  KdTreeBoruvka& boruvka;
  const KdTree<T, D>& tree;
  LeafSearch<T, D> leaf_search;
  std::vector<Query> queries;
  std::vector<T> points;                      // of the queries, point by point
  std::vector<T> columns;                     // the same, axis by axis
  bool same_component = false;                // of all queries
  std::array<T, leaf_capacity<D>> distances;  // or keys
  std::array<T, leaf_capacity<D>> bounds;
  std::array<T, leaf_capacity<D>> limits;
  std::array<T, leaf_capacity<D>> own_cores;  // of the queries
  std::array<int, leaf_capacity<D>> near;     // points of a leaf

  explicit Searcher(KdTreeBoruvka& r)
      : boruvka(r),
        tree(r.tree_),
        leaf_search(r.tree_),
        points(static_cast<std::size_t>(leaf_capacity<D>) *
               static_cast<std::size_t>(r.tree_.dimension())),
        columns(points.size()) {}

  void gather_queries(std::int32_t number) {
    const KdNode& leaf = tree.nodes()[static_cast<std::size_t>(number)];
    const vertex_t label = boruvka.label_[static_cast<std::size_t>(number)];
    queries.clear();
    for (vertex_t p = leaf.first; p < leaf.last; ++p) {
      const vertex_t own = boruvka.component_of(p, label);
      if (!boruvka.must_search(p, own)) continue;
      const auto i = static_cast<int>(queries.size());
      T* point = points.data() + i * tree.dimension();
      tree.copy_point(leaf, p - leaf.first, point);
      if (boruvka.mutual_) own_cores[static_cast<std::size_t>(i)] = boruvka.cores_.of_point[p];
      for (int k = 0; k < tree.dimension(); ++k) columns[k * leaf_capacity<D> + i] = point[k];
      queries.push_back({p, own, {std::numeric_limits<T>::infinity(), no_vertex}});
    }
  }

  [[nodiscard]] int n_queries() const noexcept { return static_cast<int>(queries.size()); }
  T radius(const Query& query) const { return boruvka.best_key(query.component); }

  T max_radius() const {
    T key = 0;
    for (const Query& query : queries) key = std::max(key, radius(query));
    return key;
  }

  /// Compares the queries with the foreign points of leaf `number`.
  void scan_leaf(std::int32_t number) noexcept {
    if (boruvka.mutual_) {
      scan_from_points_simd(*this, number);
    } else {
      scan_from_queries_simd(*this, number);
    }
  }

  /// Query by query: all points of the leaf at once.
  [[gnu::always_inline]] void scan_from_queries(std::int32_t number) noexcept {
    const KdNode& other = tree.nodes()[static_cast<std::size_t>(number)];
    tree.bounds(columns.data(), leaf_capacity<D>, n_queries(), number, bounds.data());
    for (std::size_t i = 0; i < queries.size(); ++i) {
      Query& query = queries[i];
      const T* point = points.data() + static_cast<int>(i) * tree.dimension();
      if (boruvka.label_[static_cast<std::size_t>(number)] == query.component) continue;
      const T limit = std::min(radius(query), query.found.key);
      if (bounds[i] > limit || !tree.squared_distances(point, other, limit, distances.data())) {
        continue;
      }
      for (int j = 0; j < other.last - other.first; ++j) {
        consider(query, distances[static_cast<std::size_t>(j)], other.first + j);
      }
      share_best(query);
    }
  }

  /// Point by point of the leaf: all queries at once. Most points have a core above all limits. In
  /// late rounds this is so for nearly all points between clusters, beside which most points of the
  /// clusters search.
  [[gnu::always_inline]] void scan_from_points(std::int32_t number) noexcept {
    const KdNode& other = tree.nodes()[static_cast<std::size_t>(number)];
    const T most = find_limits(number);
    const int count = other.last - other.first;
    const T* const cores = boruvka.cores_.of_point.get() + other.first;
    int n_near = 0;
    for (int j = 0; j < count; ++j) {
      near[static_cast<std::size_t>(n_near)] = j;
      n_near += cores[j] <= most ? 1 : 0;
    }
    for (int i = 0; i < n_near; ++i) {
      const int j = near[static_cast<std::size_t>(i)];
      const vertex_t position = other.first + j;
      if (same_component && boruvka.component_[position] == queries[0].component) continue;
      if (keys_within_limits(tree.block(other) + j, count, cores[j])) consider_from(position);
    }
    if (n_near == 0) return;
    for (const Query& query : queries) share_best(query);
  }

  /// Sets limits[i] to the largest key that the i-th query considers in this leaf; below 0, none.
  /// Returns the largest of these.
  [[gnu::always_inline]] T find_limits(std::int32_t number) noexcept {
    const vertex_t label = boruvka.label_[static_cast<std::size_t>(number)];
    tree.bounds(columns.data(), leaf_capacity<D>, n_queries(), number, bounds.data());
    T most = -1;
    for (std::size_t i = 0; i < queries.size(); ++i) {
      const T limit = std::min(radius(queries[i]), queries[i].found.key);
      const bool skips = queries[i].component == label || bounds[i] * boruvka.cores_.factor > limit;
      limits[i] = skips ? T(-1) : limit;
      most = std::max(most, limits[i]);
    }
    return most;
  }

  /// Computes the keys of pairs of the queries with a point, whose coordinates are `stride` apart.
  /// Returns whether any is within its query's limit.
  [[gnu::always_inline]] bool keys_within_limits(const T* point, int stride, T core) noexcept {
    using Hit = std::conditional_t<sizeof(T) == 4, std::int32_t, std::int64_t>;
    const T factor = boruvka.cores_.factor;
    const int n = n_queries();
    Hit hit = 0;
    std::array<T, leaf_capacity<D>>& keys = distances;
    if constexpr (D == 0) std::fill(keys.begin(), keys.begin() + n, T(0));
    for (int k = 0; D == 0 && k < tree.dimension(); ++k) {
      const T* const column = columns.data() + k * leaf_capacity<D>;
      const T x = point[static_cast<std::int64_t>(k) * stride];
      for (int i = 0; i < n; ++i) {
        keys[static_cast<std::size_t>(i)] += (column[i] - x) * (column[i] - x);
      }
    }
    for (int i = 0; i < n; ++i) {
      const auto at = static_cast<std::size_t>(i);
      T sum = keys[at];
      if constexpr (D > 0) {
        sum = (columns[at] - point[0]) * (columns[at] - point[0]);
        for (int k = 1; k < D; ++k) {
          const T difference =
              columns[at + static_cast<std::size_t>(k * leaf_capacity<D>)] - point[k * stride];
          sum += difference * difference;
        }
      }
      sum *= factor;
      sum = sum > own_cores[at] ? sum : own_cores[at];
      sum = sum > core ? sum : core;
      keys[at] = sum;
      hit |= sum <= limits[at] ? Hit{1} : Hit{0};
    }
    return hit != 0;
  }

  [[gnu::always_inline]] void consider_from(vertex_t position) noexcept {
    for (std::size_t i = 0; i < queries.size(); ++i) {
      if (distances[i] > limits[i]) continue;
      consider(queries[i], distances[i], position);
      limits[i] = std::min(limits[i], queries[i].found.key);
    }
  }

  void share_best(const Query& query) const {
    if (query.found.position != no_vertex) {
      lower(boruvka.best_key_[query.component], query.found.key);
    }
  }

  [[gnu::always_inline]] void consider(Query& query, T key, vertex_t position) const {
    Neighbour<T>& found = query.found;
    if (key > found.key || boruvka.component_[position] == query.component) return;
    if (key == found.key && found.position != no_vertex &&
        tree.id(found.position) < tree.id(position)) {
      return;
    }
    found = {key, position};
  }

  /// A lower bound of the keys of pairs of points of both nodes.
  [[nodiscard]] T bound(std::int32_t from, std::int32_t node) const noexcept {
    const T distance = tree.bound(from, node);
    if (!boruvka.mutual_) return distance;
    const Cores<T>& cores = boruvka.cores_;
    return std::max(distance * cores.factor, cores.of_node[static_cast<std::size_t>(node)]);
  }

  void run(std::int32_t number) {
    gather_queries(number);
    if (queries.empty()) return;
    same_component = std::all_of(queries.begin(), queries.end(), [&](const Query& query) {
      return query.component == queries[0].component;
    });
    scan_leaf(number);
    T limit = max_radius();
    leaf_search.run(
        number, [&](std::int32_t node) { return bound(number, node); }, [&] { return limit; },
        [&](std::int32_t node) {
          return same_component &&
                 boruvka.label_[static_cast<std::size_t>(node)] == queries[0].component;
        },
        [&](std::int32_t leaf) {
          scan_leaf(leaf);
          limit = max_radius();
        });
    for (const Query& query : queries) store(query);
  }

  /// The neighbour found is the nearest one if its key is within the radius. Otherwise the search
  /// has only shown that no foreign point is nearer than the radius.
  void store(const Query& query) const {
    const T limit = radius(query);
    const bool exact = query.found.position != no_vertex && query.found.key <= limit;
    boruvka.nearest_[query.position] = exact ? query.found.position : no_vertex;
    boruvka.nearest_key_[query.position] = exact ? query.found.key : limit;
  }
};

template <class T, int D>
void KdTreeBoruvka<T, D>::search(const std::vector<std::int32_t>& numbers) {
  // Small blocks: in late rounds few leaves search, and some of these searches are long.
  parallel_blocks(std::ssize(numbers), D == 0 ? 1 : 8,
                  [&](int, std::int64_t first, std::int64_t last) {
                    Searcher searcher(*this);
                    for (std::int64_t i = first; i < last; ++i) {
                      searcher.run(numbers[static_cast<std::size_t>(i)]);
                    }
                  });
}

}  // namespace warpgraph::emst
