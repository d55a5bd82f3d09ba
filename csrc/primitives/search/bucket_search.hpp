// A bucket search by one thread: delta-stepping without parallelism. It can be repeated from other
// sources. A search from several sources finds the distances from the nearest.
//
// The vertices of a bucket are relaxed in the order in which they were lowered. A vertex that is
// lowered again within the bucket is relaxed again. With a suitable width this is rare, but if
// weights span many decades, no width suits, and the search may relax many times the arcs of the
// graph. So it gives up after a fixed number of arcs, and Dijkstra's algorithm finishes it from the
// distances found so far, which are lengths of walks. The search also gives up when its lists
// exceed their budget: a vertex may be lowered once per incoming arc, and has a list entry each
// time. The memory of the heap is proportional to the number of vertices.
#pragma once

#include "core/containers/heap.hpp"
#include "primitives/search/buckets.hpp"
#include "primitives/search/dijkstra_search.hpp"

#include <algorithm>
#include <optional>
#include <span>
#include <vector>

namespace warpgraph::shortest_paths {

/// Number of targets up to which vertices farther than all of them are pruned. The distances of the
/// targets are read once per chunk. A bucket of a power-law graph holds far more vertices than a
/// near target needs.
inline constexpr std::size_t max_pruning_targets = 8;

/// Returns the number of relaxed arcs after which a bucket search gives up. With a suitable width
/// it relaxes hardly more than each arc once.
inline edge_t max_arcs_of_bucket_search(edge_t n_arcs) { return 2 * n_arcs + (1 << 12); }

/// Number of arcs between two polls for Ctrl-C: a tenth of a millisecond.
inline constexpr edge_t arcs_between_polls = 1 << 13;

/// Runs Dijkstra's algorithm from distances that are lengths of walks. settle() and touch() are as
/// for search_from().
template <class W, class Settle, class Touch>
void finish_search(const CsrView<W>& graph, const SearchEnd<W>& end, W* distance, Settle&& settle,
                   Touch&& touch) {
  RadixHeap<W> heap(graph.n_vertices);
  for (vertex_t v = 0; v < graph.n_vertices; ++v) {
    if (distance[v] != infinity<W>()) heap.push(v, distance[v], distance);
  }
  search_from_heap<W>(graph, end, heap, distance, settle, touch);
}

/// Returns the least budget of the lists of a bucket search: the heap that may finish the search
/// must fit, and lists get at least a quarter more than power-law graphs and cliques were measured
/// to need.
template <class W>
std::size_t min_list_bytes(vertex_t n_vertices, edge_t n_arcs) {
  const auto n = static_cast<std::size_t>(n_vertices);
  const std::size_t n_pushed = n + static_cast<std::size_t>(n_arcs);
  return std::max(8 * sizeof(W) * n, RadixHeap<W>::bytes_needed(n_vertices, n_pushed));
}

/// A bucket search. `LaterBuckets` holds the vertices that are lowered beyond the current bucket.
template <class W, template <class> class LaterBuckets = Bins>
class BucketSearch {
 public:
  /// Makes a search; `list_bytes` limits the bytes of the lists, or is ListBudget::unbounded.
  BucketSearch(const CsrView<W>& graph, double width, std::size_t list_bytes)
      : graph_(graph),
        chunk_size_(chunk_size_of(graph)),
        bucket_of_(width),
        list_budget_(list_bytes) {}

  /// Searches from the sources. On entry all distances are infinite. keep_on(n) is called between
  /// chunks, n vertices having been relaxed. touch(v) is called at least once for each vertex that
  /// gets a distance. Returns false if a sum of integers may have overflowed.
  template <class KeepOn, class Touch>
  bool run(std::span<const vertex_t> sources, const SearchEnd<W>& end, W* distance,
           KeepOn&& keep_on, Touch&& touch) {
    if (search_within_budget(sources, end, distance, keep_on, touch)) return arcs_->fits_all();
    finish_search(graph_, end, distance, every_1024th([&] { return keep_on(n_relaxed_); }), touch);
    return !std::is_integral_v<W>;
  }

 private:
  /// Searches by buckets. Returns false if the search gave up.
  template <class KeepOn, class Touch>
  bool search_within_budget(std::span<const vertex_t> sources, const SearchEnd<W>& end, W* distance,
                            KeepOn&& keep_on, Touch&& touch) {
    const WithListBudget within(list_budget_);
    try {
      if (search_buckets(sources, end, distance, keep_on, touch)) return true;
    } catch (const ListBudgetExceeded&) {
    }
    if (list_budget_.is_bounded()) {
      later_.release();
      lowered_.release();
    }
    return false;
  }

  /// Relaxes all buckets. Returns false if it relaxed too many arcs. A function of its own without
  /// an exception handler, into which all calls are inlined: next to the handler, GCC keeps the
  /// state of the search in memory.
  template <class KeepOn, class Touch>
  [[gnu::noinline, gnu::flatten]] bool search_buckets(std::span<const vertex_t> sources,
                                                      const SearchEnd<W>& end, W* distance,
                                                      KeepOn&& keep_on, Touch&& touch) {
    begin(sources, end, distance);
    for (const vertex_t source : sources) touch(source);
    std::span<const Lowered<W>> bucket = starts_;
    bool going = true;
    while (going && current_ != no_bucket && may_hold_target(current_)) {
      lowered_.clear();
      later_.begin_round(current_, bucket_of_, [&](const Lowered<W>& entry) {
        if (arcs_->is_current(entry)) put(entry);
      });
      going = relax(bucket, keep_on, touch) && relax(lowered_, keep_on, touch);
      current_ = later_.first(current_, bucket_of_);
      bucket = later_.publish(current_);
    }
    return arcs_->n_relaxed() <= max_arcs_of_bucket_search(graph_.n_arcs);
  }

  void begin(std::span<const vertex_t> sources, const SearchEnd<W>& end, W* distance) {
    starts_.clear();
    for (const vertex_t source : sources) {
      distance[source] = W{0};
      starts_.push_back({W{0}, source});
    }
    arcs_.emplace(graph_, end.limit, distance);
    targets_ = end.targets;
    prunes_ = !targets_.empty() && targets_.size() <= max_pruning_targets;
    later_.clear();
    current_ = 0;
    n_relaxed_ = 0;
    next_poll_ = 0;
  }

  /// Returns whether a target may lie in the bucket or beyond; true without targets.
  bool may_hold_target(Bucket bucket) {
    if (targets_.empty()) return true;
    const auto is_settled = [&](vertex_t v) { return bucket_of_(arcs_->distance_of(v)) < bucket; };
    while (!targets_.empty() && is_settled(targets_.front())) targets_ = targets_.subspan(1);
    return !targets_.empty();
  }

  /// Relaxes a list. Returns false if the search is to end. `entries` may grow meanwhile.
  template <class List, class KeepOn, class Touch>
  bool relax(const List& entries, KeepOn&& keep_on, Touch&& touch) {
    const auto on_lowered = [&](const Lowered<W>& entry) {
      touch(entry.vertex);
      put(entry);
    };
    const edge_t max_arcs = max_arcs_of_bucket_search(graph_.n_arcs);
    std::int64_t first = 0;
    while (first < static_cast<std::int64_t>(entries.size())) {
      if (prunes_) arcs_->tighten(farthest_target());
      const auto size = static_cast<std::int64_t>(entries.size());
      const Chunk chunk{first, std::min(first + chunk_size_, size), size, first == 0};
      n_relaxed_ += arcs_->relax(entries, chunk, max_arcs, on_lowered, [](const Lowered<W>&) {});
      first = chunk.last;
      if (arcs_->n_relaxed() < next_poll_) continue;
      next_poll_ = arcs_->n_relaxed() + arcs_between_polls;
      if (!keep_on(n_relaxed_) || arcs_->n_relaxed() > max_arcs) return false;
    }
    return true;
  }

  void put(const Lowered<W>& entry) {
    const Bucket bucket = bucket_of_(entry.distance);
    if (bucket == current_) {
      lowered_.push(entry);
    } else {
      later_.put(entry, bucket, current_);
    }
  }

  [[nodiscard]] W farthest_target() const {
    return farthest_wanted<W>(infinity<W>(), targets_,
                              [&](vertex_t v) { return arcs_->distance_of(v); });
  }

  const CsrView<W> graph_;
  const std::int64_t chunk_size_;
  const Bucketing bucket_of_;
  LaterBuckets<W> later_;
  ListBudget list_budget_;
  GrowingList<Lowered<W>> lowered_;  // into the current bucket, while it is relaxed
  // State of the current search:
  std::optional<NonNegativeRelaxation<W, false>> arcs_;
  std::vector<Lowered<W>> starts_;
  std::span<const vertex_t> targets_;  // without leading ones that are settled
  bool prunes_ = false;                // true if targets are few enough
  Bucket current_ = 0;
  std::int64_t n_relaxed_ = 0;  // number of vertices
  edge_t next_poll_ = 0;        // number of relaxed arcs
};

}  // namespace warpgraph::shortest_paths
