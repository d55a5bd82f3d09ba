// Boruvka's algorithm over a k-d tree. In each round, every component finds its first pair with a
// foreign point (a point outside the component), and all these pairs become edges. The order of
// pairs is total, so they close no cycle.
//
// Every point has a candidate for its nearest foreign neighbour, taken from its list
// (NeighbourLists). An exhausted list leaves a lower bound. Only a point whose bound is not above
// its component's best key so far searches the tree. Searches prune subtrees that are in the
// searching component, and use the component's best key so far, which all threads lower, as their
// radius. How early a search ends depends on the timing of threads; the result does not, since
// pairs exactly at the radius are still considered.
//
// In late rounds, most points are in leaves that belong to one component and are farther from all
// foreign points than the component's best key. A leaf stores the smallest bound of its points, and
// such leaves are skipped without reading their points.
//
// If `mutual`, keys are mutual-reachability distances. Many of them are equal, since every pair of
// a point with those within its core that have smaller cores has the point's core as its key. A
// search prunes nodes by the least core of their points, too. Identical points whose core is 0 are
// edges at once. With another core, each copy of a point is a leaf of the tree: whatever leads to
// it leads to the point itself by an equal key and a smaller id. Its edge is its first pair, with a
// neighbour that has no larger key than the core, or with the point.
//
// kd_tree_boruvka_search.hpp defines the searches: files that run the algorithm include it.
#pragma once

#include "algorithms/emst/kd_tree/neighbour_lists.hpp"
#include "core/containers/shrinking_list.hpp"
#include "core/containers/union_find.hpp"

#include <functional>

namespace warpgraph::emst {

/// The rounds, compiled once for all dimensions. Functions that GCC would inline for each of them
/// are marked.
template <class T>
class KdTreeRounds {
 public:
  KdTreeRounds(const KdTreeRounds&) = delete;
  KdTreeRounds& operator=(const KdTreeRounds&) = delete;

  /// Returns the tree's edges in any order. Called once.
  [[gnu::noinline, gnu::noclone]] HostVector<Edge<T>> run();

 protected:
  using FindLists = std::function<NeighbourLists<T>(Cores<T>&, T* best_key)>;
  [[gnu::noinline, gnu::noclone]] KdTreeRounds(const KdTreePoints<T>& tree, bool mutual,
                                               const FindLists& find_lists);
  ~KdTreeRounds() = default;

  /// Searches from the points of these leaves that must search.
  virtual void search(const std::vector<std::int32_t>& numbers) = 0;
  /// Returns the distance of two points, or its square, as the tree has it.
  virtual T distance_of(const T* a, const T* b) const = 0;

  static constexpr std::uint64_t no_pair = ~std::uint64_t{0};
  static constexpr std::int64_t leaves_per_block = 64;

  struct LeafState {
    T min_key;        // lower bound of nearest_key_ of the leaf's points
    bool may_search;  // a point may have to search
  };

  template <class Body>
  void for_each_leaf(Body&& body) const {
    parallel_for(std::ssize(tree_.leaves()), body, leaves_per_block);
  }
  const KdNode& leaf(std::int64_t i) const {
    return tree_.nodes()[static_cast<std::size_t>(tree_.leaves()[static_cast<std::size_t>(i)])];
  }
  /// Returns the component of all points of a leaf, or no_vertex.
  vertex_t& leaf_label(std::int64_t i) {
    return label_[static_cast<std::size_t>(tree_.leaves()[static_cast<std::size_t>(i)])];
  }
  /// Returns the component of a point in a leaf with this label.
  [[nodiscard]] vertex_t component_of(vertex_t p, vertex_t label) const {
    return label != no_vertex ? label : component_[p];
  }
  /// Returns a pair in 64 bits; the position of the smaller id comes first.
  [[nodiscard]] std::uint64_t pack_pair(vertex_t p, vertex_t q) const {
    const bool p_first = tree_.id(p) < tree_.id(q);
    return static_cast<std::uint64_t>(p_first ? p : q) << 32 |
           static_cast<std::uint64_t>(p_first ? q : p);
  }
  [[nodiscard]] T best_key(vertex_t root) const { return relaxed_load(best_key_[root]); }
  /// Returns whether no point of a leaf can have its component's best key.
  [[nodiscard]] bool is_idle(const LeafState& state, vertex_t label) const {
    return label != no_vertex && state.min_key > best_key(label);
  }

  /// Makes every point a component.
  void init() {
    for_each_leaf([&](std::int64_t i) { init_leaf(i); });
    parallel_for(std::ssize(tree_.copies()), [&](std::int64_t i) {
      const Copies& copies = tree_.copies()[static_cast<std::size_t>(i)];
      for (vertex_t p = copies.first; p < copies.last; ++p) {
        component_[p] = copies.kept;
        best_pair_[p] = no_pair;
        edges_[static_cast<std::size_t>(p)] = {identical_key<T>, tree_.id(copies.kept),
                                               tree_.id(p)};
      }
    });
  }
  void init_leaf(std::int64_t i) {
    LeafState& state = leaf_state_[static_cast<std::size_t>(i)];
    state = {T(0), false};
    leaf_label(i) = no_vertex;
    const LeafLists<T> lists = lists_.of(leaf(i));
    for (vertex_t p = leaf(i).first; p < leaf(i).last; ++p) {
      const vertex_t nearest = lists.positions[lists.item(0, p - leaf(i).first)];
      const T key = listed_key(p, lists, 0, p - leaf(i).first);
      component_[p] = p;
      nearest_[p] = nearest;
      nearest_key_[p] = key;
      cursor_[p] = nearest == no_vertex ? end_of_list() : std::uint8_t{0};
      if (mutual_) {  // best_key_ is an upper bound already
        best_pair_[p] = no_pair;
        state.may_search = state.may_search || must_search(p, p);
      } else {
        best_key_[p] = key;
        best_pair_[p] = nearest == no_vertex ? no_pair : pack_pair(p, nearest);
      }
    }
  }
  /// Finds the first pairs by mutual-reachability keys: lists do not have those of all points.
  void find_first_pairs() {
    search_exhausted();
    attach_copies();
    choose_pairs();
  }
  /// Makes the first pair of each copy of a point with a core above 0 its edge.
  void attach_copies() {
    parallel_for(std::ssize(tree_.copies()), [&](std::int64_t i) {
      const auto& [kept, first, last] = tree_.copies()[static_cast<std::size_t>(i)];
      const T core = cores_.of_point[kept];
      if (core == T(0)) return;
      vertex_t to = tree_.id(kept);
      if (nearest_[kept] != no_vertex && nearest_key_[kept] == core) {
        to = std::min(to, tree_.id(nearest_[kept]));
      }
      for (vertex_t p = first; p < last; ++p) {
        edges_[static_cast<std::size_t>(p)] = make_edge(core, to, tree_.id(p));
      }
    });
  }
  /// Advances every point that may have its component's best key past neighbours that are in its
  /// component by now, and lowers the best key to that of its next neighbour.
  void advance_all_nearest() {
    for_each_leaf([&](std::int64_t i) {
      const vertex_t label = leaf_label(i);
      LeafState& state = leaf_state_[static_cast<std::size_t>(i)];
      state.may_search = false;
      if (is_idle(state, label)) return;
      state.min_key = std::numeric_limits<T>::infinity();
      const LeafLists<T> lists = lists_.of(leaf(i));
      for (vertex_t p = leaf(i).first; p < leaf(i).last; ++p) {
        const vertex_t own = component_of(p, label);
        if (nearest_key_[p] <= best_key(own)) {
          advance_nearest(p, own, lists, p - leaf(i).first);
          if (nearest_[p] != no_vertex) {
            lower(best_key_[own], nearest_key_[p]);
          } else {
            state.may_search = state.may_search || must_search(p, own);
          }
        }
        state.min_key = std::min(state.min_key, nearest_key_[p]);
      }
    });
  }
  /// Returns the key of the neighbour at a level of the list of p, the i-th point of a leaf; at the
  /// end of the list, the lower bound of all others.
  [[nodiscard]] T listed_key(vertex_t p, const LeafLists<T>& lists, int level, int i) const {
    const std::size_t item = lists.item(level, i);
    const vertex_t q = lists.positions[item];
    if (q == no_vertex && lists.bounds != nullptr) return lists.bounds[i];
    return lists.keys != nullptr ? lists.keys[item] : cores_.key_within(p, q);
  }
  [[nodiscard]] std::uint8_t end_of_list() const {
    return static_cast<std::uint8_t>(lists_.length() - 1);
  }
  /// Advances p, the i-th point of a leaf, which has these lists, to its next foreign neighbour.
  void advance_nearest(vertex_t p, vertex_t own, const LeafLists<T>& lists, int i) {
    const UnionFind sets{component_.get()};
    while (nearest_[p] != no_vertex && sets.root(nearest_[p]) == own) {
      if (cursor_[p] < end_of_list()) {
        const int level = ++cursor_[p];
        nearest_[p] = lists.positions[lists.item(level, i)];
        nearest_key_[p] = listed_key(p, lists, level, i);
        if (nearest_[p] == no_vertex) cursor_[p] = end_of_list();
      } else {
        nearest_[p] = no_vertex;  // nearest_key_ keeps the last key: the lower bound from now on
      }
    }
  }
  [[nodiscard]] bool must_search(vertex_t p, vertex_t own) const {
    return nearest_[p] == no_vertex && nearest_key_[p] <= best_key(own);
  }
  /// Returns the node numbers of leaves with points that must search.
  std::vector<std::int32_t> searching_leaves() {
    for_each_leaf([&](std::int64_t i) {
      LeafState& state = leaf_state_[static_cast<std::size_t>(i)];
      if (!state.may_search) return;
      const vertex_t label = leaf_label(i);
      state.may_search = false;
      for (vertex_t p = leaf(i).first; p < leaf(i).last && !state.may_search; ++p) {
        state.may_search = must_search(p, component_of(p, label));
      }
    });
    std::vector<std::int32_t> numbers;
    for (std::size_t i = 0; i < leaf_state_.size(); ++i) {
      if (leaf_state_[i].may_search) numbers.push_back(tree_.leaves()[i]);
    }
    return numbers;
  }
  void search_exhausted() {
    if (const auto numbers = searching_leaves(); !numbers.empty()) {
      bound_by_adjacent_points();
      label_nodes();
      search(numbers);
    }
  }
  void bound_by_adjacent_points();
  void label_nodes();
  /// Chooses the pair with the smallest ids among those with their component's best key.
  void choose_pairs() {
    for_each_leaf([&](std::int64_t i) {
      const vertex_t label = leaf_label(i);
      if (is_idle(leaf_state_[static_cast<std::size_t>(i)], label)) return;
      for (vertex_t p = leaf(i).first; p < leaf(i).last; ++p) {
        const vertex_t own = component_of(p, label);
        if (nearest_key_[p] == best_key_[own] && nearest_[p] != no_vertex) choose_pair(p, own);
      }
    });
  }
  void choose_pair(vertex_t p, vertex_t own) {
    const std::uint64_t pair = pack_pair(p, nearest_[p]);
    std::uint64_t& best = best_pair_[own];
    std::uint64_t seen = relaxed_load(best);
    while (pair_before(pair, seen) && !compare_and_swap(best, seen, pair)) {
      seen = relaxed_load(best);
    }
  }
  [[nodiscard]] bool pair_before(std::uint64_t a, std::uint64_t b) const {
    if (b == no_pair) return true;
    const auto upper = [&](std::uint64_t pair) {
      return tree_.id(static_cast<vertex_t>(pair >> 32));
    };
    const auto lower_half = [&](std::uint64_t pair) {
      return tree_.id(static_cast<vertex_t>(pair & 0xffffffffU));
    };
    return upper(a) != upper(b) ? upper(a) < upper(b) : lower_half(a) < lower_half(b);
  }
  /// Makes the components' pairs edges. Two components that chose the same pair unite only once.
  /// Each edge is stored at the position that stopped being a root.
  void merge_components() {
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
  /// Drops roots that have merged into another component, and resets the pairs of the others.
  std::int64_t retain_roots() {
    const UnionFind sets{component_.get()};
    return roots_.retain([&](vertex_t root) {
      if (relaxed_load(component_[root]) != root) {
        sets.point_to_root(root);
        return false;
      }
      best_key_[root] = std::numeric_limits<T>::infinity();
      best_pair_[root] = no_pair;
      return true;
    });
  }
  /// Updates the labels of leaves, and in leaves without a label the roots of points.
  void relabel_points() {
    const UnionFind sets{component_.get()};
    for_each_leaf([&](std::int64_t i) {
      vertex_t& label = leaf_label(i);
      if (label != no_vertex) {
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

  const KdTreePoints<T>& tree_;
  const bool mutual_;
  std::int64_t n_;
  Cores<T> cores_;  // if mutual_
  // The next arrays are indexed by position. This one has the parents of UnionFind. Between rounds,
  // a point of a leaf without a label has the root of its component; points of other leaves may be
  // several steps below theirs.
  HostArray<vertex_t> component_;
  HostArray<std::uint8_t> cursor_;  // index into the point's list
  HostArray<vertex_t> nearest_;     // nearest foreign neighbour, or no_vertex;
  HostArray<T> nearest_key_;        // its key, or a lower bound
  HostArray<T> best_key_;           // of a root: the smallest key of the round so far
  NeighbourLists<T> lists_;
  HostArray<std::uint64_t> best_pair_;  // of a root: two positions, that of the smaller id first
  HostVector<Edge<T>> edges_;           // by which a position stopped being a root; none at 0
  ShrinkingList<vertex_t> roots_;
  std::vector<LeafState> leaf_state_;
  HostVector<vertex_t> label_;  // of a node: the component of all its points, or no_vertex
};

/// The rounds with their searches, which depend on the dimension, and on the keys of the tree.
template <class T, int D, class Tree = KdTree<T, D>>
class KdTreeBoruvka final : public KdTreeRounds<T> {
 public:
  KdTreeBoruvka(const Tree& tree, const EmstOptions& options)
      : KdTreeRounds<T>(tree, is_mutual(options),
                        [&](Cores<T>& cores, T* best_key) {
                          return find_lists(tree, options, cores, best_key);
                        }),
        tree_(tree) {}

  /// Returns the bytes that the algorithm takes for n points, in addition to the k-d tree.
  static std::size_t bytes(std::size_t n, const EmstOptions& options) {
    const bool mutual = is_mutual(options);
    const int length = mutual ? NeighbourLists<T>::mutual_length(options.min_samples)
                              : NeighbourLists<T>::template plain_length<D>;
    Cores<T> cores;
    set_factor(cores, options.alpha);
    const bool has_keys =
        !mutual || NeighbourLists<T>::mutual_has_keys(static_cast<std::int64_t>(n),
                                                      options.min_samples, cores.enlarges());
    return NeighbourLists<T>::bytes(n, length, mutual, has_keys) +
           n * (3 * sizeof(vertex_t) + 1 + (mutual ? 3 : 2) * sizeof(T) + sizeof(std::uint64_t) +
                2 * sizeof(Edge<T>));
  }

  struct Searcher;

 private:
  /// Trees of distances divide these by alpha; of squares, the square of 1 / alpha is a factor.
  static void set_factor(Cores<T>& cores, double alpha) {
    cores.divides = Tree::divides_by_factor;
    cores.factor = cores.divides ? static_cast<T>(alpha) : distance_factor<T>(alpha);
  }
  static bool is_mutual(const EmstOptions& options) {
    return options.min_samples != 1 || options.alpha != 1;
  }
  static NeighbourLists<T> find_lists(const Tree& tree, const EmstOptions& options, Cores<T>& cores,
                                      T* best_key) {
    if (!is_mutual(options)) return NeighbourLists<T>::by_distance(tree);
    set_factor(cores, options.alpha);
    return NeighbourLists<T>::by_mutual_reachability(tree, options.min_samples, cores, best_key);
  }
  void search(const std::vector<std::int32_t>& numbers) override;
  T distance_of(const T* a, const T* b) const override { return tree_.key_of(a, b); }

  const Tree& tree_;
};

template <class T>
KdTreeRounds<T>::KdTreeRounds(const KdTreePoints<T>& tree, bool mutual, const FindLists& find_lists)
    : tree_(tree),
      mutual_(mutual),
      n_(tree.n_positions()),
      component_(n_),
      cursor_(n_),
      nearest_(n_),
      nearest_key_(n_),
      best_key_(n_),
      lists_(find_lists(cores_, best_key_.get())),
      best_pair_(n_),
      edges_(static_cast<std::size_t>(n_)),
      roots_(n_, [](std::int64_t p) { return static_cast<vertex_t>(p); }),
      leaf_state_(tree.leaves().size()),
      label_(tree.nodes().size()) {}

template <class T>
HostVector<Edge<T>> KdTreeRounds<T>::run() {
  init();
  if (mutual_) find_first_pairs();
  merge_components();
  for (std::int64_t n_roots = retain_roots(); n_roots > 1; n_roots = retain_roots()) {
    report_progress(2 * n_ - n_roots, 2 * n_);
    relabel_points();
    advance_all_nearest();
    search_exhausted();
    choose_pairs();
    merge_components();
  }
  edges_[0] = edges_.back();
  edges_.pop_back();
  return std::move(edges_);
}

}  // namespace warpgraph::emst
