// Boruvka's rounds over a k-d tree. Each round, every component finds its first pair with an
// outside point, and all of them become edges: the order of pairs is total, so they close no cycle.
//
// Every point has a frontier: its nearest neighbour outside its component as far as its list
// (NeighbourLists) knows; a spent list leaves a lower bound. Only a point whose bound is not above
// its component's best pair so far searches the tree. Searches pass by subtrees that lie in the
// searching component, and reach as far as the component's best pair so far, which all threads
// lower together. How soon a search ends depends on the threads; the lowest pair does not, since
// pairs exactly at the reach are still seen.
#pragma once

#include "algorithms/emst/neighbour_lists.hpp"
#include "core/union_find.hpp"

#include <atomic>

namespace warpgraph::emst {

template <class T, int D>
class Boruvka {
 public:
  explicit Boruvka(const KdTree<T, D>& tree);

  /// Bytes that the rounds take for n points, beside the tree.
  static std::size_t bytes(std::size_t n) {
    return NeighbourLists<T, D>::bytes(n) + n * (2 * sizeof(vertex_t) + 1 + 2 * sizeof(T) +
                                                 sizeof(std::uint64_t) + 2 * sizeof(Edge<T>));
  }

  /// The tree's edges in any order.
  std::vector<Edge<T>> run();

  struct Searcher;

 private:
  static constexpr std::uint64_t no_pair = ~std::uint64_t{0};
  static constexpr vertex_t nobody = -1;
  static constexpr std::int64_t leaves_per_block = 64;

  template <class Body>
  void for_each_leaf(Body&& body) const {
    parallel_for(static_cast<std::int64_t>(tree_.leaves().size()), body, leaves_per_block);
  }
  const KdNode& leaf(std::int64_t i) const {
    return tree_.nodes()[static_cast<std::size_t>(tree_.leaves()[static_cast<std::size_t>(i)])];
  }
  template <class Body>
  void for_each_point(Body&& body) const {
    for_each_leaf([&](std::int64_t i) {
      for (vertex_t p = leaf(i).first; p < leaf(i).last; ++p) body(p);
    });
  }

  void start();
  void flatten();
  void move_frontiers();
  bool someone_must_search() const;
  void limit_by_adjacent_points();
  void label_nodes();
  void search();
  void choose_pairs();
  void join();

  [[nodiscard]] bool must_search(vertex_t p) const {
    return frontier_[p] == nobody && frontier_key_[p] <= relaxed_load(best_key_[component_[p]]);
  }
  [[nodiscard]] bool pair_before(std::uint64_t a, std::uint64_t b) const;

  const KdTree<T, D>& tree_;
  NeighbourLists<T, D> lists_;
  std::int64_t n_;
  // Of positions. Between rounds a point's parent is its component's root, which names it.
  std::unique_ptr<vertex_t[]> component_;
  std::unique_ptr<std::uint8_t[]> cursor_;      // where in its list a point stands
  std::unique_ptr<vertex_t[]> frontier_;        // nearest outside point, or nobody:
  std::unique_ptr<T[]> frontier_key_;           // its key; or the lower bound
  std::unique_ptr<T[]> best_key_;               // of a root: the least key of the round so far
  std::unique_ptr<std::uint64_t[]> best_pair_;  // of a root: the positions, smaller id's first
  std::vector<vertex_t> label_;  // of a node: the component of all its points, or nobody
  std::vector<Edge<T>> edges_;
};

template <class T, int D>
Boruvka<T, D>::Boruvka(const KdTree<T, D>& tree)
    : tree_(tree), lists_(tree), n_(tree.n_positions()), label_(tree.nodes().size()) {
  const auto n = static_cast<std::size_t>(n_);
  component_ = std::make_unique_for_overwrite<vertex_t[]>(n);
  cursor_ = std::make_unique_for_overwrite<std::uint8_t[]>(n);
  frontier_ = std::make_unique_for_overwrite<vertex_t[]>(n);
  frontier_key_ = std::make_unique_for_overwrite<T[]>(n);
  best_key_ = std::make_unique_for_overwrite<T[]>(n);
  best_pair_ = std::make_unique_for_overwrite<std::uint64_t[]>(n);
}

template <class T, int D>
std::vector<Edge<T>> Boruvka<T, D>::run() {
  start();
  while (static_cast<std::int64_t>(edges_.size()) + 1 < n_) {
    move_frontiers();
    if (someone_must_search()) {
      limit_by_adjacent_points();
      label_nodes();
      search();
    }
    choose_pairs();
    join();
    flatten();
    report_progress(n_ + static_cast<std::int64_t>(edges_.size()), 2 * n_);
  }
  return std::move(edges_);
}

template <class T, int D>
void Boruvka<T, D>::start() {
  edges_.reserve(static_cast<std::size_t>(n_));
  edges_ = tree_.twins();
  for_each_point([&](vertex_t p) {
    component_[p] = p;
    cursor_[p] = 0;
    frontier_[p] = lists_.of(p)->position;
    frontier_key_[p] = lists_.of(p)->key;
    best_key_[p] = std::numeric_limits<T>::infinity();
    best_pair_[p] = no_pair;
  });
}

/// Names every point's component by its root, and forgets the round's best pairs.
template <class T, int D>
void Boruvka<T, D>::flatten() {
  const UnionFind sets{component_.get()};
  for_each_point([&](vertex_t p) {
    // Roots stay roots here, and writes shorten paths: as in UnionFind::find.
    relaxed_store(component_[p], sets.root(p));
    best_key_[p] = std::numeric_limits<T>::infinity();
    best_pair_[p] = no_pair;
  });
}

/// Lets every point step over neighbours that its component has taken in, and offers what it then
/// stands at to the component.
template <class T, int D>
void Boruvka<T, D>::move_frontiers() {
  for_each_point([&](vertex_t p) {
    const vertex_t own = component_[p];
    while (frontier_[p] != nobody && component_[frontier_[p]] == own) {
      if (cursor_[p] + 1 < NeighbourLists<T, D>::length) {
        const Neighbour<T>& next = lists_.of(p)[++cursor_[p]];
        frontier_[p] = next.position;
        frontier_key_[p] = next.key;
      } else {
        frontier_[p] = nobody;  // and its key is the bound from now on
      }
    }
    if (frontier_[p] != nobody) lower(best_key_[own], frontier_key_[p]);
  });
}

template <class T, int D>
bool Boruvka<T, D>::someone_must_search() const {
  return parallel_reduce(
      static_cast<std::int64_t>(tree_.leaves().size()), false,
      [&](std::int64_t i) {
        for (vertex_t p = leaf(i).first; p < leaf(i).last; ++p) {
          if (must_search(p)) return true;
        }
        return false;
      },
      std::logical_or<>{}, leaves_per_block);
}

template <class T, int D>
bool Boruvka<T, D>::pair_before(std::uint64_t a, std::uint64_t b) const {
  if (b == no_pair) return true;
  const auto upper = [&](std::uint64_t pair) {
    return tree_.id(static_cast<vertex_t>(pair >> 32));
  };
  const auto lower_half = [&](std::uint64_t pair) {
    return tree_.id(static_cast<vertex_t>(pair & 0xffffffffU));
  };
  return upper(a) != upper(b) ? upper(a) < upper(b) : lower_half(a) < lower_half(b);
}

/// Among the pairs that have their component's best key, the one with the smallest ids.
template <class T, int D>
void Boruvka<T, D>::choose_pairs() {
  for_each_point([&](vertex_t p) {
    const vertex_t q = frontier_[p];
    if (q == nobody || frontier_key_[p] != best_key_[component_[p]]) return;
    const bool p_first = tree_.id(p) < tree_.id(q);
    const auto pair = static_cast<std::uint64_t>(p_first ? p : q) << 32 |
                      static_cast<std::uint64_t>(p_first ? q : p);
    std::uint64_t& best = best_pair_[component_[p]];
    std::uint64_t seen = relaxed_load(best);
    while (pair_before(pair, seen) && !compare_and_swap(best, seen, pair)) {
      seen = relaxed_load(best);
    }
  });
}

/// Makes the components' pairs edges. Two components that chose the same pair unite only once.
template <class T, int D>
void Boruvka<T, D>::join() {
  const UnionFind sets{component_.get()};
  const auto n_leaves = static_cast<std::int64_t>(tree_.leaves().size());
  std::atomic<std::size_t> n_edges{edges_.size()};
  edges_.resize(static_cast<std::size_t>(n_) - 1);
  parallel_blocks(n_leaves, leaves_per_block, [&](int, std::int64_t begin, std::int64_t end) {
    std::vector<Edge<T>> found;
    for (std::int64_t i = begin; i < end; ++i) {
      for (vertex_t root = leaf(i).first; root < leaf(i).last; ++root) {
        if (best_pair_[root] == no_pair) continue;
        const auto a = static_cast<vertex_t>(best_pair_[root] >> 32);
        const auto b = static_cast<vertex_t>(best_pair_[root] & 0xffffffffU);
        if (sets.unite(a, b)) found.push_back({best_key_[root], tree_.id(a), tree_.id(b)});
      }
    }
    const std::size_t at = n_edges.fetch_add(found.size(), std::memory_order_relaxed);
    std::copy(found.begin(), found.end(), edges_.begin() + static_cast<std::ptrdiff_t>(at));
  });
  edges_.resize(n_edges.load());
}

}  // namespace warpgraph::emst

#include "algorithms/emst/boruvka_search.hpp"  // how points search beyond their lists
