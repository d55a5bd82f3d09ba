// The searches of KdTreeBoruvka, for points whose lists are exhausted.
#pragma once

#include "algorithms/emst/kd_tree/kd_tree_boruvka.hpp"

#include <atomic>
#include <bit>

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
      T key = distance_of(a.data(), b.data());
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

/// The active queries of one leaf, and their search.
template <class T, int D, class Tree>
struct KdTreeBoruvka<T, D, Tree>::Searcher {
  struct Query {
    vertex_t position;
    vertex_t component;
    Neighbour<T> found;
  };
  KdTreeBoruvka& boruvka;
  const Tree& tree;
  LeafSearch<T, D> leaf_search;
  std::vector<Query> queries;
  std::vector<T> points;                     // of the queries, point by point
  std::vector<T> columns;                    // the same, axis by axis
  bool same_component = false;               // of all queries
  std::array<T, leaf_lanes<D>> distances;    // or keys
  std::array<T, leaf_lanes<D>> limits;       // of the queries' keys; below 0 beyond them
  std::array<T, leaf_lanes<D>> own_cores{};  // of the queries

  explicit Searcher(KdTreeBoruvka& r)
      : boruvka(r),
        tree(r.tree_),
        leaf_search(r.tree_),
        points(static_cast<std::size_t>(leaf_lanes<D>) *
               static_cast<std::size_t>(r.tree_.dimension())),
        columns(points.size()) {}

  void gather_queries(std::int32_t number) {
    const KdNode& leaf = tree.nodes()[static_cast<std::size_t>(number)];
    const vertex_t label = boruvka.label_[static_cast<std::size_t>(number)];
    queries.clear();
    limits.fill(-1);
    for (vertex_t p = leaf.first; p < leaf.last; ++p) {
      const vertex_t own = boruvka.component_of(p, label);
      if (!boruvka.must_search(p, own)) continue;
      const auto i = static_cast<int>(queries.size());
      T* point = points.data() + i * tree.dimension();
      tree.copy_point(leaf, p - leaf.first, point);
      if (boruvka.mutual_) own_cores[static_cast<std::size_t>(i)] = boruvka.cores_.of_point[p];
      for (int k = 0; k < tree.dimension(); ++k) columns[k * leaf_lanes<D> + i] = point[k];
      queries.push_back({p, own, {std::numeric_limits<T>::infinity(), no_vertex}});
    }
  }

  [[nodiscard]] int n_queries() const noexcept { return static_cast<int>(queries.size()); }
  /// The multiple of their component's best key up to which queries search. Best keys grow from
  /// round to round, and a point does not search again below its radius. Measured: with 1.3, all
  /// rounds take up to a fifth less than with 1, and less than with 1.6.
  static constexpr T growth = T(1.3);
  T radius(const Query& query) const { return growth * boruvka.best_key(query.component); }

  T max_radius() const {
    T key = 0;
    for (const Query& query : queries) key = std::max(key, radius(query));
    return key;
  }

  /// Compares the queries with the foreign points of leaf `number`.
  void scan_leaf(std::int32_t number) noexcept {
    with_kd_tree_vectors<D>([ this, number ]<int bytes>() __attribute__((always_inline)) {
      if (boruvka.mutual_) {
        scan_from_points<bytes>(number);
      } else {
        scan_from_queries<bytes>(number);
      }
    });
  }

  /// Scans query by query: all points of the leaf at once.
  template <int bytes>
  [[gnu::always_inline]] void scan_from_queries(std::int32_t number) noexcept {
    const KdNode& other = tree.nodes()[static_cast<std::size_t>(number)];
    for (std::uint64_t left = set_limits<bytes>(number); left != 0; left &= left - 1) {
      const int i = std::countr_zero(left);
      Query& query = queries[static_cast<std::size_t>(i)];
      const T* point = points.data() + i * tree.dimension();
      const T limit = std::min(radius(query), query.found.key);
      std::uint64_t near = keys_of_leaf<bytes>(tree, point, other, limit, distances.data());
      if (near == 0) continue;
      for (; near != 0; near &= near - 1) {
        const int j = std::countr_zero(near);
        consider(query, distances[static_cast<std::size_t>(j)], other.first + j);
      }
      share_best(query);
    }
  }

  /// Scans point by point of the leaf: all queries at once. Most points have a core above all
  /// limits. In late rounds this is so for nearly all points between clusters, beside which most
  /// points of the clusters search.
  template <int bytes>
  [[gnu::always_inline]] void scan_from_points(std::int32_t number) noexcept {
    using Lanes = LeafVectors<T, bytes>;
    const KdNode& other = tree.nodes()[static_cast<std::size_t>(number)];
    const std::uint64_t searching = set_limits<bytes>(number);
    if (searching == 0) return;
    T most = -1;
    for (std::size_t i = 0; i < queries.size(); ++i) {
      if ((searching >> i & 1) == 0) limits[i] = -1;
      most = std::max(most, limits[i]);
    }
    const T* const cores = boruvka.cores_.of_point.get() + other.first;
    const std::uint64_t low = Lanes::bits_of(
        other.last - other.first, [&](int j, auto& is_low) __attribute__((always_inline)) {
          is_low = Lanes::at(cores + j).lanes <= most;
        });
    for (std::uint64_t left = low; left != 0; left &= left - 1) {
      const int j = std::countr_zero(left);
      const vertex_t position = other.first + j;
      if (same_component && boruvka.component_[position] == queries[0].component) continue;
      consider_from(position, keys_within_limits<bytes>(tree.block(other) + j,
                                                        other.last - other.first, cores[j]));
    }
    if (low == 0) return;
    for (const Query& query : queries) share_best(query);
  }

  /// Sets the largest keys that the queries consider in leaf `number`. Returns which of them may
  /// find such keys there, as bits.
  template <int bytes>
  [[gnu::always_inline]] std::uint64_t set_limits(std::int32_t number) noexcept {
    const vertex_t label = boruvka.label_[static_cast<std::size_t>(number)];
    for (std::size_t i = 0; i < queries.size(); ++i) {
      const T limit = std::min(radius(queries[i]), queries[i].found.key);
      limits[i] = queries[i].component == label ? T(-1) : limit;
    }
    return tree.template near_box<bytes>(columns.data(), leaf_lanes<D>, n_queries(), number,
                                         boruvka.cores_.factor, limits.data());
  }

  /// Computes the keys of pairs of the queries with a point, whose coordinates are `stride` apart.
  /// Returns which are within their query's limit, as bits.
  template <int bytes>
  [[gnu::always_inline]] std::uint64_t keys_within_limits(const T* point, int stride,
                                                          T core) noexcept {
    using Lanes = LeafVectors<T, bytes>;
    using Vector = typename Lanes::Passed;
    const T factor = boruvka.cores_.factor;
    return Lanes::bits_of(
        n_queries(), [&](int i, auto& within) __attribute__((always_inline)) {
          const Vector limit = Lanes::at(limits.data() + i).lanes;
          Vector most = limit;
          Tree::unscale(most, factor);
          Vector key;
          tree.template keys_of_lanes<bytes>(columns.data() + i, leaf_lanes<D>, point, stride, most,
                                             key);
          Tree::scale(key, factor);
          const Vector own_core = Lanes::at(own_cores.data() + i).lanes;
          key = key > own_core ? key : own_core;
          key = key > core ? key : core - Vector{};
          Lanes::at(distances.data() + i).lanes = key;
          within = key <= limit;
        });
  }

  /// Considers a point for these queries, at distances[i] for the i-th.
  [[gnu::always_inline]] void consider_from(vertex_t position, std::uint64_t within) noexcept {
    for (; within != 0; within &= within - 1) {
      const auto i = static_cast<std::size_t>(std::countr_zero(within));
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

  /// Returns a lower bound of the keys of pairs of points of both nodes.
  [[nodiscard]] T bound(std::int32_t from, std::int32_t node) const noexcept {
    T distance = tree.bound(from, node);
    if (!boruvka.mutual_) return distance;
    const Cores<T>& cores = boruvka.cores_;
    Tree::scale(distance, cores.factor);
    return std::max(distance, cores.of_node[static_cast<std::size_t>(node)]);
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

  /// Stores the neighbour found. It is the nearest one if its key is within the radius. Otherwise
  /// the search has only shown that no foreign point is nearer than the radius.
  void store(const Query& query) const {
    const T limit = radius(query);
    const bool exact = query.found.position != no_vertex && query.found.key <= limit;
    boruvka.nearest_[query.position] = exact ? query.found.position : no_vertex;
    boruvka.nearest_key_[query.position] = exact ? query.found.key : limit;
  }
};

template <class T, int D, class Tree>
void KdTreeBoruvka<T, D, Tree>::search(const std::vector<std::int32_t>& numbers) {
  // Blocks are small: in late rounds few leaves search, and some of these searches are long.
  parallel_blocks(std::ssize(numbers), D == 0 ? 1 : 8,
                  [&](int, std::int64_t first, std::int64_t last) {
                    Searcher searcher(*this);
                    for (std::int64_t i = first; i < last; ++i) {
                      searcher.run(numbers[static_cast<std::size_t>(i)]);
                    }
                  });
}

}  // namespace warpgraph::emst
