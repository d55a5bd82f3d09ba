// How Boruvka's points search beyond their lists. Included by boruvka.hpp alone.
#pragma once

#include "algorithms/emst/kd_tree/boruvka.hpp"

#include <atomic>

namespace warpgraph::emst {

/// Gives components without any pair so far some pair's key to start from: that of two points that
/// follow each other in the tree's order. It limits the search, and the search finds the pair.
template <class T, int D>
void Boruvka<T, D>::limit_by_adjacent_points() {
  const auto limitless = [&](vertex_t root) {
    return best_key(root) == std::numeric_limits<T>::infinity();
  };
  std::atomic<bool> some{false};
  roots_.for_each([&](vertex_t root) {
    if (limitless(root)) some.store(true, std::memory_order_relaxed);
  });
  if (!some.load()) return;
  const std::int64_t n_leaves = std::ssize(tree_.leaves());
  const auto dimension = static_cast<std::size_t>(tree_.dimension());
  parallel_blocks(n_leaves, leaves_per_block, [&](int, std::int64_t begin, std::int64_t end) {
    std::vector<T> a(dimension);
    std::vector<T> b(dimension);
    const auto meet = [&](std::int64_t i, vertex_t p, std::int64_t j, vertex_t q) {
      const vertex_t one = component_of(p, leaf_label(i));
      const vertex_t other = component_of(q, leaf_label(j));
      if (one == other || !(limitless(one) || limitless(other))) return;
      tree_.copy_point(leaf(i), p - leaf(i).first, a.data());
      tree_.copy_point(leaf(j), q - leaf(j).first, b.data());
      T key = 0;
      for (std::size_t k = 0; k < dimension; ++k) key += (a[k] - b[k]) * (a[k] - b[k]);
      lower(best_key_[one], key);
      lower(best_key_[other], key);
    };
    for (std::int64_t i = begin; i < end; ++i) {
      if (leaf_label(i) == nobody) {
        for (vertex_t p = leaf(i).first; p + 1 < leaf(i).last; ++p) meet(i, p, i, p + 1);
      }
      if (i + 1 < n_leaves) meet(i, leaf(i).last - 1, i + 1, leaf(i + 1).first);
    }
  });
}

/// Labels the nodes above the leaves.
template <class T, int D>
void Boruvka<T, D>::label_nodes() {
  const auto label = [&](std::int32_t number) {
    const KdNode& node = tree_.nodes()[static_cast<std::size_t>(number)];
    if (node.is_leaf()) return;
    const vertex_t left = label_[static_cast<std::size_t>(number + 1)];
    const vertex_t right = label_[static_cast<std::size_t>(number + node.right)];
    label_[static_cast<std::size_t>(number)] = left == right ? left : nobody;
  };
  // Children follow their parents in the order, so walking backwards meets them first.
  const auto& subtrees = tree_.subtrees();
  parallel_for(
      static_cast<std::int64_t>(subtrees.size()),
      [&](std::int64_t i) {
        const auto& [first, last] = subtrees[static_cast<std::size_t>(i)];
        for (std::int32_t number = last; number-- > first;) label(number);
      },
      1);
  std::int32_t end = static_cast<std::int32_t>(tree_.nodes().size());
  for (std::size_t i = subtrees.size(); i-- > 0;) {
    for (std::int32_t number = end; number-- > subtrees[i].second;) label(number);
    end = subtrees[i].first;
  }
  for (std::int32_t number = end; number-- > 0;) label(number);
}

/// The points of one leaf that must search, and their search. look_from(searcher, number) is
/// searcher.look(number), compiled for this CPU: see emst_cpu.cpp.
template <class T, int D>
struct Boruvka<T, D>::Searcher {
  struct Query {
    vertex_t position;
    vertex_t component;
    Neighbour<T> found;
  };
  Boruvka& rounds;
  const KdTree<T, D>& tree;
  LeafSearch<T, D> walk;
  std::vector<Query> queries;
  std::vector<T> points;   // of the queries, one after the other
  std::vector<T> columns;  // the same, axis by axis
  std::array<T, leaf_capacity<D>> distances;
  std::array<T, leaf_capacity<D>> bounds;

  explicit Searcher(Boruvka& r)
      : rounds(r),
        tree(r.tree_),
        walk(r.tree_),
        points(static_cast<std::size_t>(leaf_capacity<D>) *
               static_cast<std::size_t>(r.tree_.dimension())),
        columns(points.size()) {}

  void gather(std::int32_t number) {
    const KdNode& leaf = tree.nodes()[static_cast<std::size_t>(number)];
    const vertex_t label = rounds.label_[static_cast<std::size_t>(number)];
    queries.clear();
    for (vertex_t p = leaf.first; p < leaf.last; ++p) {
      const vertex_t own = rounds.component_of(p, label);
      if (!rounds.must_search(p, own)) continue;
      const auto i = static_cast<int>(queries.size());
      T* point = points.data() + i * tree.dimension();
      tree.copy_point(leaf, p - leaf.first, point);
      for (int k = 0; k < tree.dimension(); ++k) columns[k * leaf_capacity<D> + i] = point[k];
      queries.push_back({p, own, {std::numeric_limits<T>::infinity(), nobody}});
    }
  }

  T reach(const Query& query) const { return rounds.best_key(query.component); }

  T farthest_reach() const {
    T key = 0;
    for (const Query& query : queries) key = std::max(key, reach(query));
    return key;
  }

  /// Lets each query look at the points of `number` that are outside its component.
  [[gnu::always_inline]] void look(std::int32_t number) noexcept {
    const KdNode& other = tree.nodes()[static_cast<std::size_t>(number)];
    tree.bounds(columns.data(), leaf_capacity<D>, static_cast<int>(queries.size()), number,
                bounds.data());
    for (std::size_t i = 0; i < queries.size(); ++i) {
      Query& query = queries[i];
      const T* point = points.data() + static_cast<int>(i) * tree.dimension();
      if (rounds.label_[static_cast<std::size_t>(number)] == query.component) continue;
      const T limit = std::min(reach(query), query.found.key);
      if (bounds[i] > limit || !tree.squared_distances(point, other, limit, distances.data())) {
        continue;
      }
      for (int j = 0; j < other.last - other.first; ++j) {
        consider(query, distances[static_cast<std::size_t>(j)], other.first + j);
      }
      if (query.found.position != nobody) {
        lower(rounds.best_key_[query.component], query.found.key);
      }
    }
  }

  [[gnu::always_inline]] void consider(Query& query, T key, vertex_t position) const {
    Neighbour<T>& found = query.found;
    if (key > found.key || rounds.component_[position] == query.component) return;
    if (key == found.key && found.position != nobody &&
        tree.id(found.position) < tree.id(position)) {
      return;
    }
    found = {key, position};
  }

  void run(std::int32_t number) {
    gather(number);
    if (queries.empty()) return;
    const bool together = std::all_of(queries.begin(), queries.end(), [&](const Query& query) {
      return query.component == queries[0].component;
    });
    look_from(*this, number);
    T limit = farthest_reach();
    walk.run(
        number, [&] { return limit; },
        [&](std::int32_t node) {
          return together && rounds.label_[static_cast<std::size_t>(node)] == queries[0].component;
        },
        [&](std::int32_t leaf) {
          look_from(*this, leaf);
          limit = farthest_reach();
        });
    for (const Query& query : queries) keep(query);
  }

  /// What was found is the nearest outside point if nothing nearer was beyond reach. Otherwise all
  /// that the search says is that there is nothing nearer than the reach.
  void keep(const Query& query) const {
    const T limit = reach(query);
    const bool nearest = query.found.position != nobody && query.found.key <= limit;
    rounds.frontier_[query.position] = nearest ? query.found.position : nobody;
    rounds.frontier_key_[query.position] = nearest ? query.found.key : limit;
  }
};

template <class T, int D>
void Boruvka<T, D>::search(const std::vector<std::int32_t>& numbers) {
  // Few at a time: in late rounds few leaves search, and some of them far.
  parallel_blocks(std::ssize(numbers), D == 0 ? 1 : 8,
                  [&](int, std::int64_t first, std::int64_t last) {
                    Searcher searcher(*this);
                    for (std::int64_t i = first; i < last; ++i) {
                      searcher.run(numbers[static_cast<std::size_t>(i)]);
                    }
                  });
}

}  // namespace warpgraph::emst
