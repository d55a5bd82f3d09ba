// A worker's part of a search that several workers share.
//
// A worker relaxes the arcs of its own vertices. Of other vertices it knows the least distance that
// it has sent or passed on, which filters what it sends: each has its own array of all distances.
//
// Distances are divided into buckets, and 64 consecutive ones have the same priority. No worker
// begins with a priority before all have finished the smaller ones. Within a priority, a worker
// relaxes the vertices of its first bucket that is not empty, as delta-stepping does. What arrives
// later may belong to an earlier bucket; then some vertices are relaxed again.
//
// If weights span many decades, no width of buckets suits. So a worker that has relaxed its arcs
// several times takes the vertices of a priority from a heap from then on.
#pragma once

#include "core/interrupt.hpp"
#include "core/memory/host_vector.hpp"
#include "graph/partition/partition.hpp"
#include "primitives/search/bucket_search.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <span>

namespace warpgraph::shortest_paths {

template <class W>
class PartSearch {
 public:
  /// `width` is the width of a bucket.
  PartSearch(const CsrView<W>& graph, const PartitionView& partition, int part, double width,
             W limit)
      : graph_(graph),
        begin_(partition.begin(part)),
        end_(partition.end(part)),
        limit_(limit),
        buckets_per_unit_(1.0 / width),
        priority_of_(width * n_buckets),
        max_arcs_(max_rounds_of_arcs *
                  max_arcs_of_bucket_search(graph.offsets[end_] - graph.offsets[begin_])),
        distances_(graph.n_vertices),
        arcs_(graph, limit, distances_.get()) {
    std::fill_n(distances_.get(), graph.n_vertices, infinity<W>());
  }

  [[nodiscard]] bool owns(vertex_t v) const { return begin_ <= v && v < end_; }
  [[nodiscard]] W distance_of(vertex_t v) const { return distances_[v]; }
  /// Returns the distances of the part's vertices, in their order.
  [[nodiscard]] std::span<const W> own_distances() const {
    return {distances_.get() + begin_, static_cast<std::size_t>(end_ - begin_)};
  }
  [[nodiscard]] vertex_t first_vertex() const { return begin_; }
  /// Returns false if a sum of integers may have overflowed.
  [[nodiscard]] bool fits_all() const { return arcs_.fits_all() && !(uses_heap_ && is_integral); }
  /// Returns how often vertices were relaxed.
  [[nodiscard]] std::int64_t n_relaxed() const { return n_relaxed_; }

  /// Lowers the distance that is known of a vertex. Returns false if it was not larger.
  bool lower(const Lowered<W>& to) {
    return to.distance <= limit_ && lower_distance<false>(distances_[to.vertex], to.distance);
  }
  /// Adds a vertex of the part's own, for which lower() has returned true.
  void add(const Lowered<W>& entry) {
    if (!arcs_.is_current(entry)) return;
    const Bucket priority = priority_of_(entry.distance);
    if (priority <= priority_) {
      put_into_bucket(entry);
    } else {
      later_.put(entry, priority, priority_);
    }
  }

  /// Lowers the limit: distances beyond it are not wanted any more.
  void tighten(W limit) {
    limit_ = std::min(limit_, limit);
    arcs_.tighten(limit);
  }
  /// Begins a priority, when all workers have finished smaller ones.
  void begin(Bucket priority) {
    for (Bucket next = later_.first(priority_, priority_of_); next <= priority;
         next = later_.first(priority_, priority_of_)) {
      const std::span<const Lowered<W>> entries = later_.publish(next);
      priority_ = next;
      later_.begin_round(next, priority_of_, [&](const Lowered<W>& entry) { add(entry); });
      for (const Lowered<W>& entry : entries) add(entry);
    }
  }
  /// Relaxes vertices of the priorities that have begun, until there is none or it is time to look
  /// at what has arrived.
  void relax_some() {
    const edge_t enough = arcs_.n_relaxed() + arcs_between_looks;
    while (filled_ != 0 && arcs_.n_relaxed() < enough) {
      const int bucket = std::countr_zero(filled_);
      if (relax(buckets_[static_cast<std::size_t>(bucket)])) {
        filled_ &= ~(std::uint64_t{1} << bucket);
      } else {
        begin_heap();
      }
    }
    relax_from_heap();
  }
  /// Returns the least priority of a vertex that has to be relaxed; no_bucket if there is none.
  [[nodiscard]] Bucket next_priority() const {
    if (filled_ != 0 || !heap_.empty()) return priority_;
    const Bucket next = later_.first(priority_, priority_of_);
    return next > priority_of_(limit_) ? no_bucket : next;
  }
  /// Calls send(entry) for vertices of other parts that have been lowered since the last call.
  template <class Send>
  void send_lowered(Send&& send) {
    for (std::int64_t i = 0; i < of_others_.size(); ++i) {
      if (arcs_.is_current(of_others_[i])) send(of_others_[i]);
    }
    of_others_.clear();
  }

 private:
  static constexpr bool is_integral = std::is_integral_v<W>;
  static constexpr int n_buckets = 64;
  /// Arcs that take a tenth of a millisecond on roads. With eight times as many, a worker relaxes
  /// more vertices in vain, until it hears of shorter paths.
  static constexpr edge_t arcs_between_looks = 1 << 13;
  /// The arcs that may be relaxed before the heap takes over, in those after which a bucket search
  /// of the part gives up. More than one, since distances that others lower later make a worker
  /// relax arcs again.
  static constexpr edge_t max_rounds_of_arcs = 2;

  void put_into_bucket(const Lowered<W>& entry) {
    if (uses_heap_) return push(entry);
    // Any bucket is right; that of the distance saves work.
    const double place = static_cast<double>(entry.distance) * buckets_per_unit_ -
                         static_cast<double>(priority_) * n_buckets;
    const auto bucket = static_cast<std::size_t>(std::clamp(place, 0.0, n_buckets - 1.0));
    buckets_[bucket].push(entry);
    filled_ |= std::uint64_t{1} << bucket;
  }

  void put(const Lowered<W>& entry) {
    if (owns(entry.vertex)) {
      add(entry);
    } else {
      of_others_.push(entry);
    }
  }

  /// Relaxes and removes the entries, to which others are added meanwhile. Returns false if too
  /// many arcs have been relaxed, so that the width does not suit.
  bool relax(GrowingList<Lowered<W>>& entries) {
    const std::int64_t chunk_size = chunk_size_of(graph_);
    for (std::int64_t first = 0; first < entries.size();) {
      poll();
      if (arcs_.n_relaxed() > max_arcs_) return false;
      const std::int64_t size = entries.size();
      const Chunk chunk{first, std::min(first + chunk_size, size), size, first == 0};
      n_relaxed_ += arcs_.relax(
          entries, chunk, graph_.n_arcs, [&](const Lowered<W>& entry) { put(entry); },
          [](const Lowered<W>&) {});
      first = chunk.last;
    }
    entries.clear();
    return true;
  }

  /// Moves the entries of all buckets to the heap, which replaces them from now on.
  void begin_heap() {
    uses_heap_ = true;
    for (GrowingList<Lowered<W>>& bucket : buckets_) {
      for (std::int64_t i = 0; i < bucket.size(); ++i) {
        if (arcs_.is_current(bucket[i])) push(bucket[i]);
      }
      bucket.release();
    }
    filled_ = 0;
  }
  void push(const Lowered<W>& entry) {
    heap_.push(entry);
    std::push_heap(heap_.data(), heap_.data() + heap_.size(), is_farther);
  }
  static bool is_farther(const Lowered<W>& a, const Lowered<W>& b) {
    return a.distance > b.distance;
  }

  /// Relaxes the nearest vertices in the heap, until it is time to look at what has arrived.
  void relax_from_heap() {
    poll();
    for (edge_t n_arcs = 0; n_arcs < arcs_between_looks && !heap_.empty();) {
      std::pop_heap(heap_.data(), heap_.data() + heap_.size(), is_farther);
      const Lowered<W> nearest = heap_[heap_.size() - 1];
      heap_.shrink_to(heap_.size() - 1);
      if (!arcs_.is_current(nearest) || nearest.distance > limit_) continue;
      ++n_relaxed_;
      n_arcs += graph_.degree(nearest.vertex);
      for_each_arc_of(graph_, nearest.vertex, [&](vertex_t v, W weight) {
        const Lowered<W> entry{extend(nearest.distance, weight), v};
        if (lower(entry)) put(entry);
      });
    }
  }

  const CsrView<W> graph_;
  const vertex_t begin_;
  const vertex_t end_;
  W limit_;
  const double buckets_per_unit_;
  const Bucketing priority_of_;
  const edge_t max_arcs_;
  HostArray<W> distances_;
  NonNegativeRelaxation<W, false> arcs_;
  std::array<GrowingList<Lowered<W>>, n_buckets> buckets_;  // of priority_
  std::uint64_t filled_ = 0;                                // a bit for each that is not empty
  Bins<W> later_;                                           // of the priorities beyond
  Bucket priority_ = 0;
  GrowingList<Lowered<W>> of_others_;
  bool uses_heap_ = false;
  GrowingList<Lowered<W>> heap_;  // instead of the buckets. What arrives may precede all
  std::int64_t n_relaxed_ = 0;
};

}  // namespace warpgraph::shortest_paths
