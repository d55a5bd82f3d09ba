// One thread's search by buckets, which can be made again and again from other sources.
//
// Vertices of a bucket are relaxed in the order in which they were lowered, and again if they are
// lowered within it. With a suitable width that is rare. Where weights span many decades no width
// suits, and it may come to many times the arcs of the graph. So after twice as many the search is
// given up, and a heap finishes it: distances that are too long yet are a start like any other.
// So it is when the lists of the search have used their budget, since each vertex may be lowered
// once for each of its arcs, and wait once for each. A heap's memory is in proportion to vertices.
#pragma once

#include "core/containers/heap.hpp"
#include "primitives/search/buckets.hpp"
#include "primitives/search/dijkstra_search.hpp"

#include <algorithm>
#include <optional>
#include <span>

namespace warpgraph::shortest_paths {

/// Up to so many targets, what is farther than all of them was when a piece began is left out. A
/// bucket of a power-law graph holds far more than a near target needs.
inline constexpr std::size_t most_targets_watched = 8;

/// Arcs that are relaxed before a search by buckets is given up. With a suitable width it is
/// hardly more than each once.
inline edge_t most_arcs_by_buckets(edge_t n_arcs) { return 2 * n_arcs + (1 << 12); }

/// Arcs between two looks at Ctrl-C: a tenth of a millisecond.
inline constexpr edge_t arcs_between_looks = 1 << 13;

/// Dijkstra's algorithm from distances that some walks have already. settle() and touch() as for
/// search_from().
template <class W, class Settle, class Touch>
void finish_search(const CsrView<W>& graph, const SearchEnd<W>& end, W* distance, Settle&& settle,
                   Touch&& touch) {
  RadixHeap<W> heap(graph.n_vertices);
  for (vertex_t v = 0; v < graph.n_vertices; ++v) {
    if (distance[v] != infinity<W>()) heap.push(v, distance[v], distance);
  }
  search_on<W>(graph, end, heap, distance, settle, touch);
}

/// Bytes that a search by buckets has to be left: the heap that may finish it must find them, and
/// lists get a quarter more, at least, than power-law graphs and cliques were seen to need.
template <class W>
std::size_t min_list_bytes(vertex_t n_vertices, edge_t n_arcs) {
  const auto n = static_cast<std::size_t>(n_vertices);
  const std::size_t n_pushed = n + static_cast<std::size_t>(n_arcs);
  return std::max(8 * sizeof(W) * n, RadixHeap<W>::bytes_needed(n_vertices, n_pushed));
}

/// What is lowered beyond the current bucket is left to a `Later`: Bins or a Pile.
template <class W, template <class> class Later = Bins>
class BucketSearch {
 public:
  /// `list_bytes`: upper bound of the bytes of the lists, or ListBudget::unbounded.
  BucketSearch(const CsrView<W>& graph, double width, std::size_t list_bytes)
      : graph_(graph), piece_(piece_of(graph)), bucket_of_(width), list_budget_(list_bytes) {}

  /// On entry all distances are infinite. keep_on(n), where n vertices have been relaxed, is asked
  /// now and then; touch(v) is told each vertex that gets a distance, perhaps more than once. False
  /// if a sum of integers may not have fitted.
  template <class KeepOn, class Touch>
  bool run(vertex_t source, const SearchEnd<W>& end, W* distance, KeepOn&& keep_on, Touch&& touch) {
    if (search_within_budget(source, end, distance, keep_on, touch)) return arcs_->fits_all();
    finish_search(graph_, end, distance, now_and_then([&] { return keep_on(relaxed_); }), touch);
    return !std::is_integral_v<W>;
  }

 private:
  /// False if it was given up.
  template <class KeepOn, class Touch>
  bool search_within_budget(vertex_t source, const SearchEnd<W>& end, W* distance, KeepOn&& keep_on,
                            Touch&& touch) {
    const WithListBudget within(list_budget_);
    try {
      if (search_buckets(source, end, distance, keep_on, touch)) return true;
    } catch (const ListBudgetExceeded&) {
    }
    if (list_budget_.is_bounded()) {
      later_.release();
      again_.release();
    }
    return false;
  }

  /// False if it relaxed too many arcs. One function without the exception handler of its caller,
  /// into which all that it calls is inlined: one thread's searches are 6 to 18 % faster for it.
  template <class KeepOn, class Touch>
  [[gnu::noinline, gnu::flatten]] bool search_buckets(vertex_t source, const SearchEnd<W>& end,
                                                      W* distance, KeepOn&& keep_on,
                                                      Touch&& touch) {
    begin(source, end, distance);
    touch(source);
    std::span<const Lowered<W>> waiting(&start_, 1);
    bool going = true;
    while (going && now_ != no_bucket && wants(now_)) {
      again_.clear();
      later_.begin_round(now_, bucket_of_, [&](const Lowered<W>& entry) {
        if (arcs_->is_current(entry)) put(entry);
      });
      going = relax(waiting, keep_on, touch) && relax(again_, keep_on, touch);
      now_ = later_.first(now_, bucket_of_);
      waiting = later_.lend(now_);
    }
    return arcs_->n_relaxed() <= most_arcs_by_buckets(graph_.n_arcs);
  }

  void begin(vertex_t source, const SearchEnd<W>& end, W* distance) {
    distance[source] = W{0};
    start_ = {W{0}, source};
    arcs_.emplace(graph_, end.limit, distance);
    targets_ = end.targets;
    watches_ = !targets_.empty() && targets_.size() <= most_targets_watched;
    later_.clear();
    now_ = 0;
    relaxed_ = 0;
    next_look_ = 0;
  }

  /// Whether the bucket may hold what is wanted.
  bool wants(Bucket bucket) {
    if (targets_.empty()) return true;
    const auto is_settled = [&](vertex_t v) { return bucket_of_(arcs_->distance_of(v)) < bucket; };
    while (!targets_.empty() && is_settled(targets_.front())) targets_ = targets_.subspan(1);
    return !targets_.empty();
  }

  /// False: the search is to end. `entries` may grow meanwhile.
  template <class List, class KeepOn, class Touch>
  bool relax(const List& entries, KeepOn&& keep_on, Touch&& touch) {
    const auto lowered = [&](const Lowered<W>& entry) {
      touch(entry.vertex);
      put(entry);
    };
    const edge_t most_arcs = most_arcs_by_buckets(graph_.n_arcs);
    std::int64_t first = 0;
    while (first < static_cast<std::int64_t>(entries.size())) {
      if (watches_) arcs_->tighten(farthest_target());
      const auto size = static_cast<std::int64_t>(entries.size());
      const Range range{first, std::min(first + piece_, size), size, first == 0};
      relaxed_ += arcs_->relax(entries, range, most_arcs, lowered, [](const Lowered<W>&) {});
      first = range.last;
      if (arcs_->n_relaxed() < next_look_) continue;
      next_look_ = arcs_->n_relaxed() + arcs_between_looks;
      if (!keep_on(relaxed_) || arcs_->n_relaxed() > most_arcs) return false;
    }
    return true;
  }

  void put(const Lowered<W>& entry) {
    const Bucket bucket = bucket_of_(entry.distance);
    if (bucket == now_) {
      again_.push(entry);
    } else {
      later_.put(entry, bucket, now_);
    }
  }

  [[nodiscard]] W farthest_target() const {
    return farthest_wanted<W>(infinity<W>(), targets_,
                              [&](vertex_t v) { return arcs_->distance_of(v); });
  }

  const CsrView<W> graph_;
  const std::int64_t piece_;
  const Bucketing bucket_of_;
  Later<W> later_;
  ListBudget list_budget_;
  GrowingList<Lowered<W>> again_;  // lowered into the bucket that is being relaxed
  // Of the present search:
  std::optional<ForwardRelaxation<W, false>> arcs_;
  Lowered<W> start_{};
  std::span<const vertex_t> targets_;  // without some that are settled
  bool watches_ = false;               // whether the targets are few enough
  Bucket now_ = 0;
  std::int64_t relaxed_ = 0;  // vertices
  edge_t next_look_ = 0;      // by arcs relaxed
};

}  // namespace warpgraph::shortest_paths
