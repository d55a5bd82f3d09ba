// Boruvka's rounds over a k-d tree. Each round, every component finds its first pair with an
// outside point, and all of them become edges: the order of pairs is total, so they close no cycle.
//
// Every point has a frontier: its nearest neighbour outside its component as far as its list
// (NeighbourLists) knows; a spent list leaves a lower bound. Only a point whose bound is not above
// its component's best pair so far searches the tree. Searches pass by subtrees that lie in the
// searching component, and reach as far as the component's best pair so far, which all threads
// lower together. How soon a search ends depends on the threads; the lowest pair does not, since
// pairs exactly at the reach are still seen.
//
// Most of a late round's points lie in leaves that belong to one component and are farther from
// everything outside than its best pair. A leaf remembers the least bound of its points, and such
// leaves are passed by without a look at their points.
#pragma once

#include "algorithms/emst/kd_tree/neighbour_lists.hpp"
#include "core/containers/shrinking_list.hpp"
#include "core/containers/union_find.hpp"

namespace warpgraph::emst {

template <class T, int D>
class Boruvka {
 public:
  explicit Boruvka(const KdTree<T, D>& tree);

  /// Bytes that the rounds take for n points, beside the tree.
  static std::size_t bytes(std::size_t n) {
    return NeighbourLists<T, D>::bytes(n) + n * (3 * sizeof(vertex_t) + 1 + 2 * sizeof(T) +
                                                 sizeof(std::uint64_t) + 2 * sizeof(Edge<T>));
  }

  /// The tree's edges in any order. To be called once.
  HostVector<Edge<T>> run();

  struct Searcher;

 private:
  static constexpr std::uint64_t no_pair = ~std::uint64_t{0};
  static constexpr vertex_t nobody = -1;
  static constexpr std::int64_t leaves_per_block = 64;

  struct LeafState {
    T least;    // no point's frontier key or bound is lower
    bool asks;  // a point may have to search
  };

  template <class Body>
  void for_each_leaf(Body&& body) const {
    parallel_for(std::ssize(tree_.leaves()), body, leaves_per_block);
  }
  const KdNode& leaf(std::int64_t i) const {
    return tree_.nodes()[static_cast<std::size_t>(tree_.leaves()[static_cast<std::size_t>(i)])];
  }
  /// The component of all points of a leaf, or nobody.
  vertex_t& leaf_label(std::int64_t i) {
    return label_[static_cast<std::size_t>(tree_.leaves()[static_cast<std::size_t>(i)])];
  }
  /// The component of a point of a leaf with that label.
  [[nodiscard]] vertex_t component_of(vertex_t p, vertex_t label) const {
    return label != nobody ? label : component_[p];
  }
  /// The smaller id's position first.
  [[nodiscard]] std::uint64_t make_pair(vertex_t p, vertex_t q) const {
    const bool p_first = tree_.id(p) < tree_.id(q);
    return static_cast<std::uint64_t>(p_first ? p : q) << 32 |
           static_cast<std::uint64_t>(p_first ? q : p);
  }
  [[nodiscard]] T best_key(vertex_t root) const { return relaxed_load(best_key_[root]); }
  /// Whether a leaf has no part in its component's best pair.
  [[nodiscard]] bool is_idle(const LeafState& state, vertex_t label) const {
    return label != nobody && state.least > best_key(label);
  }

  void start();
  void start_leaf(std::int64_t i);
  void move_frontiers();
  void move_frontier(vertex_t p, vertex_t own);
  [[nodiscard]] bool must_search(vertex_t p, vertex_t own) const {
    return frontier_[p] == nobody && frontier_key_[p] <= best_key(own);
  }
  std::vector<std::int32_t> searching_leaves();
  void limit_by_adjacent_points();
  void label_nodes();
  void search(const std::vector<std::int32_t>& numbers);
  void choose_pairs();
  void choose_pair(vertex_t p, vertex_t own);
  [[nodiscard]] bool pair_before(std::uint64_t a, std::uint64_t b) const;
  void join();
  std::int64_t drop_joined();
  void relabel_points();

  const KdTree<T, D>& tree_;
  NeighbourLists<T, D> lists_;
  std::int64_t n_;
  // Of positions. The parents of UnionFind; a point of a leaf without a label has its component's
  // root between rounds, which names it, and others are some steps below theirs.
  HostArray<vertex_t> component_;
  HostArray<std::uint8_t> cursor_;      // where in its list a point stands
  HostArray<vertex_t> frontier_;        // nearest outside point, or nobody:
  HostArray<T> frontier_key_;           // its key; or the lower bound
  HostArray<T> best_key_;               // of a root: the least key of the round so far
  HostArray<std::uint64_t> best_pair_;  // of a root: the positions, smaller id's first
  HostVector<Edge<T>> edges_;           // that made a position no root; no edge at position 0
  ShrinkingList<vertex_t> roots_;
  std::vector<LeafState> leaf_state_;
  HostVector<vertex_t> label_;  // of a node: the component of all its points, or nobody
};

template <class T, int D>
Boruvka<T, D>::Boruvka(const KdTree<T, D>& tree)
    : tree_(tree),
      lists_(tree),
      n_(tree.n_positions()),
      component_(n_),
      cursor_(n_),
      frontier_(n_),
      frontier_key_(n_),
      best_key_(n_),
      best_pair_(n_),
      edges_(static_cast<std::size_t>(n_)),
      roots_(n_, [](std::int64_t p) { return static_cast<vertex_t>(p); }),
      leaf_state_(tree.leaves().size()),
      label_(tree.nodes().size()) {}

template <class T, int D>
HostVector<Edge<T>> Boruvka<T, D>::run() {
  start();
  join();
  for (std::int64_t n_roots = drop_joined(); n_roots > 1; n_roots = drop_joined()) {
    report_progress(2 * n_ - n_roots, 2 * n_);
    relabel_points();
    move_frontiers();
    if (const auto numbers = searching_leaves(); !numbers.empty()) {
      limit_by_adjacent_points();
      label_nodes();
      search(numbers);
    }
    choose_pairs();
    join();
  }
  edges_[0] = edges_.back();
  edges_.pop_back();
  return std::move(edges_);
}

/// The first round: every point is a component, and its pair is the first of its list.
template <class T, int D>
void Boruvka<T, D>::start() {
  for_each_leaf([&](std::int64_t i) { start_leaf(i); });
  // The holes of a leaf are the twins that it had, in the same order.
  std::size_t twin = 0;
  for (std::int64_t i = 0; twin < tree_.twins().size(); ++i) {
    const vertex_t end =
        i + 1 < std::ssize(tree_.leaves()) ? leaf(i + 1).first : tree_.n_positions();
    for (vertex_t p = leaf(i).last; p < end; ++p) {
      component_[p] = leaf(i).first;
      best_pair_[p] = no_pair;
      edges_[static_cast<std::size_t>(p)] = tree_.twins()[twin++];
    }
  }
}

template <class T, int D>
void Boruvka<T, D>::start_leaf(std::int64_t i) {
  for (vertex_t p = leaf(i).first; p < leaf(i).last; ++p) {
    const auto& [key, nearest] = *lists_.of(p);
    component_[p] = p;
    cursor_[p] = 0;
    frontier_[p] = nearest;
    frontier_key_[p] = key;
    best_key_[p] = key;
    best_pair_[p] = nearest == nobody ? no_pair : make_pair(p, nearest);
  }
  leaf_label(i) = nobody;
  leaf_state_[static_cast<std::size_t>(i)] = {T(0), false};
}

/// Drops roots that have become part of another component, and forgets the others' pairs.
template <class T, int D>
std::int64_t Boruvka<T, D>::drop_joined() {
  const UnionFind sets{component_.get()};
  return roots_.retain([&](vertex_t root) {
    if (relaxed_load(component_[root]) != root) {
      // Roots stay roots here, and writes shorten paths: as in UnionFind::find.
      relaxed_store(component_[root], sets.root(root));
      return false;
    }
    best_key_[root] = std::numeric_limits<T>::infinity();
    best_pair_[root] = no_pair;
    return true;
  });
}

/// Names the components of leaves, and of points where a leaf has several, by their roots.
template <class T, int D>
void Boruvka<T, D>::relabel_points() {
  const UnionFind sets{component_.get()};
  for_each_leaf([&](std::int64_t i) {
    vertex_t& label = leaf_label(i);
    if (label != nobody) {
      label = sets.root(label);
      return;
    }
    const KdNode& node = leaf(i);
    const vertex_t first = sets.root(node.first);
    bool same = true;
    for (vertex_t p = node.first; p < node.last; ++p) {
      const vertex_t own = sets.root(p);
      relaxed_store(component_[p], own);
      same = same && own == first;
    }
    if (same) label = first;
  });
}

/// Lets every point that may have a part in its component's best pair step over neighbours that the
/// component has taken in, and offer what it then stands at.
template <class T, int D>
void Boruvka<T, D>::move_frontiers() {
  for_each_leaf([&](std::int64_t i) {
    const vertex_t label = leaf_label(i);
    LeafState& state = leaf_state_[static_cast<std::size_t>(i)];
    state.asks = false;
    if (is_idle(state, label)) return;
    state.least = std::numeric_limits<T>::infinity();
    for (vertex_t p = leaf(i).first; p < leaf(i).last; ++p) {
      const vertex_t own = component_of(p, label);
      if (frontier_key_[p] <= best_key(own)) {
        move_frontier(p, own);
        if (frontier_[p] != nobody) {
          lower(best_key_[own], frontier_key_[p]);
        } else {
          state.asks = state.asks || must_search(p, own);
        }
      }
      state.least = std::min(state.least, frontier_key_[p]);
    }
  });
}

template <class T, int D>
void Boruvka<T, D>::move_frontier(vertex_t p, vertex_t own) {
  const UnionFind sets{component_.get()};
  while (frontier_[p] != nobody && sets.root(frontier_[p]) == own) {
    if (cursor_[p] + 1 < NeighbourLists<T, D>::length) {
      const Neighbour<T>& next = lists_.of(p)[++cursor_[p]];
      frontier_[p] = next.position;
      frontier_key_[p] = next.key;
    } else {
      frontier_[p] = nobody;  // and its key is the bound from now on
    }
  }
}

/// The numbers of leaves with points that must search.
template <class T, int D>
std::vector<std::int32_t> Boruvka<T, D>::searching_leaves() {
  for_each_leaf([&](std::int64_t i) {
    LeafState& state = leaf_state_[static_cast<std::size_t>(i)];
    if (!state.asks) return;
    const vertex_t label = leaf_label(i);
    state.asks = false;
    for (vertex_t p = leaf(i).first; p < leaf(i).last && !state.asks; ++p) {
      state.asks = must_search(p, component_of(p, label));
    }
  });
  std::vector<std::int32_t> numbers;
  for (std::size_t i = 0; i < leaf_state_.size(); ++i) {
    if (leaf_state_[i].asks) numbers.push_back(tree_.leaves()[i]);
  }
  return numbers;
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
  for_each_leaf([&](std::int64_t i) {
    const vertex_t label = leaf_label(i);
    if (is_idle(leaf_state_[static_cast<std::size_t>(i)], label)) return;
    for (vertex_t p = leaf(i).first; p < leaf(i).last; ++p) {
      const vertex_t own = component_of(p, label);
      if (frontier_key_[p] == best_key_[own] && frontier_[p] != nobody) choose_pair(p, own);
    }
  });
}

template <class T, int D>
void Boruvka<T, D>::choose_pair(vertex_t p, vertex_t own) {
  const std::uint64_t pair = make_pair(p, frontier_[p]);
  std::uint64_t& best = best_pair_[own];
  std::uint64_t seen = relaxed_load(best);
  while (pair_before(pair, seen) && !compare_and_swap(best, seen, pair)) {
    seen = relaxed_load(best);
  }
}

/// Makes the components' pairs edges. Two components that chose the same pair unite only once. Each
/// edge lies where the root was that it made none.
template <class T, int D>
void Boruvka<T, D>::join() {
  const UnionFind sets{component_.get()};
  roots_.for_each([&](vertex_t root) {
    if (best_pair_[root] == no_pair) return;
    const auto a = static_cast<vertex_t>(best_pair_[root] >> 32);
    const auto b = static_cast<vertex_t>(best_pair_[root] & 0xffffffffU);
    const vertex_t hooked = sets.hook(a, b);
    if (hooked < 0) return;
    edges_[static_cast<std::size_t>(hooked)] = {best_key_[root], tree_.id(a), tree_.id(b)};
  });
}

}  // namespace warpgraph::emst

#include "algorithms/emst/kd_tree/boruvka_search.hpp"  // how points search beyond their lists
