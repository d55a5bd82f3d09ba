// The searches of KdTreeBoruvka, for points whose lists are exhausted. Included by
// kd_tree_boruvka.hpp only.
#pragma once

#include "algorithms/emst/kd_tree/kd_tree_boruvka.hpp"

#include <atomic>

namespace warpgraph::emst {

/// Gives components without any pair so far an initial bound: the key of a pair of adjacent points
/// in the order of leaves. The search then finds this pair or a better one.
template <class T, int D, bool Mutual>
void KdTreeBoruvka<T, D, Mutual>::bound_by_adjacent_points() {
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
      if constexpr (Mutual) key = cores_.key(cores_.of_point[p], cores_.of_point[q], key);
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
template <class T, int D, bool Mutual>
void KdTreeBoruvka<T, D, Mutual>::label_nodes() {
  tree_.for_each_node_bottom_up([&](std::int32_t number) {
    const KdNode& node = tree_.nodes()[static_cast<std::size_t>(number)];
    if (node.is_leaf()) return;
    const vertex_t left = label_[static_cast<std::size_t>(number + 1)];
    const vertex_t right = label_[static_cast<std::size_t>(number + node.right)];
    label_[static_cast<std::size_t>(number)] = left == right ? left : no_vertex;
  });
}

/// The active queries of one leaf, and their search. scan_leaf_simd(searcher, number) is
/// searcher.scan_leaf(number), compiled for this CPU: see emst_cpu.cpp.
template <class T, int D, bool Mutual>
struct KdTreeBoruvka<T, D, Mutual>::Searcher {
  struct Query {
    vertex_t position;
    vertex_t component;
    Neighbour<T> found;
  };
  KdTreeBoruvka& boruvka;
  const KdTree<T, D>& tree;
  LeafSearch<T, D> leaf_search;
  std::vector<Query> queries;
  std::vector<T> points;   // of the queries, point by point
  std::vector<T> columns;  // the same, axis by axis
  std::array<T, leaf_capacity<D>> distances;
  std::array<T, leaf_capacity<D>> bounds;

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
      for (int k = 0; k < tree.dimension(); ++k) columns[k * leaf_capacity<D> + i] = point[k];
      queries.push_back({p, own, {std::numeric_limits<T>::infinity(), no_vertex}});
    }
  }

  /// Computes the keys of pairs of the query with the points of `other`. Returns whether any is at
  /// most `limit`.
  [[gnu::always_inline]] bool keys_within(const Query& query, const T* point, const KdNode& other,
                                          T limit) noexcept {
    if constexpr (!Mutual) {
      return tree.squared_distances(point, other, limit, distances.data());
    } else {
      using Hit = std::conditional_t<sizeof(T) == 4, std::int32_t, std::int64_t>;
      const Cores<T>& cores = boruvka.cores_;
      tree.squared_distances(point, other, limit, distances.data());
      const T* const of_other = cores.of_point.get() + other.first;
      const T own = cores.of_point[query.position];
      Hit hit = 0;
      for (int j = 0; j < other.last - other.first; ++j) {
        T key = distances[static_cast<std::size_t>(j)] * cores.factor;
        key = key > own ? key : own;
        key = key > of_other[j] ? key : of_other[j];
        distances[static_cast<std::size_t>(j)] = key;
        hit |= key <= limit ? Hit{1} : Hit{0};
      }
      return hit != 0;
    }
  }

  T radius(const Query& query) const { return boruvka.best_key(query.component); }

  T max_radius() const {
    T key = 0;
    for (const Query& query : queries) key = std::max(key, radius(query));
    return key;
  }

  /// Compares each query with the foreign points of leaf `number`.
  [[gnu::always_inline]] void scan_leaf(std::int32_t number) noexcept {
    const KdNode& other = tree.nodes()[static_cast<std::size_t>(number)];
    tree.bounds(columns.data(), leaf_capacity<D>, static_cast<int>(queries.size()), number,
                bounds.data());
    if constexpr (Mutual) {
      for (std::size_t i = 0; i < queries.size(); ++i) bounds[i] *= boruvka.cores_.factor;
    }
    for (std::size_t i = 0; i < queries.size(); ++i) {
      Query& query = queries[i];
      const T* point = points.data() + static_cast<int>(i) * tree.dimension();
      if (boruvka.label_[static_cast<std::size_t>(number)] == query.component) continue;
      const T limit = std::min(radius(query), query.found.key);
      if (bounds[i] > limit || !keys_within(query, point, other, limit)) continue;
      for (int j = 0; j < other.last - other.first; ++j) {
        consider(query, distances[static_cast<std::size_t>(j)], other.first + j);
      }
      if (query.found.position != no_vertex) {
        lower(boruvka.best_key_[query.component], query.found.key);
      }
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
    if constexpr (!Mutual) return distance;
    const Cores<T>& cores = boruvka.cores_;
    return std::max(distance * cores.factor, cores.of_node[static_cast<std::size_t>(node)]);
  }

  void run(std::int32_t number) {
    gather_queries(number);
    if (queries.empty()) return;
    const bool same_component =
        std::all_of(queries.begin(), queries.end(),
                    [&](const Query& query) { return query.component == queries[0].component; });
    scan_leaf_simd(*this, number);
    T limit = max_radius();
    leaf_search.run(
        number, [&](std::int32_t node) { return bound(number, node); }, [&] { return limit; },
        [&](std::int32_t node) {
          return same_component &&
                 boruvka.label_[static_cast<std::size_t>(node)] == queries[0].component;
        },
        [&](std::int32_t leaf) {
          scan_leaf_simd(*this, leaf);
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

template <class T, int D, bool Mutual>
void KdTreeBoruvka<T, D, Mutual>::search(const std::vector<std::int32_t>& numbers) {
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
