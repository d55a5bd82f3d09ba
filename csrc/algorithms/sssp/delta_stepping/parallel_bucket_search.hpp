// Delta-stepping. Distances are divided into buckets of equal width. The vertices of a bucket are
// relaxed together; a vertex that is lowered within the bucket is relaxed again.
//
// Each thread keeps the vertices that it lowered in its own bins, one per bucket. After a round it
// publishes its first bin that is not empty. When all threads have, they share the bins of the
// smallest bucket: a thread takes chunks of its own bin, then of the others'. It relaxes what it
// lowers into the same bucket at once (bucket fusion), which saves most of the rounds on road
// networks, whose buckets are small. So threads synchronise once per round: see shared_buckets.hpp.
//
// Entries are not removed when their vertices are lowered further; an outdated entry is skipped. A
// vertex with very many arcs is split into arc ranges, which are shared in the next round;
// otherwise all threads would wait for the thread that relaxes a hub. A search by a single thread
// needs none of this: see bucket_search.hpp.
#pragma once

#include "algorithms/sssp/delta_stepping/shared_buckets.hpp"
#include "algorithms/sssp/sssp.hpp"
#include "core/atomics.hpp"
#include "core/threads/parallel.hpp"
#include "primitives/search/bucket_search.hpp"

#include <array>
#include <atomic>
#include <span>
#include <vector>

namespace warpgraph::shortest_paths {

/// The most chunks that a thread lowers into the current bucket and relaxes alone: more are shared
/// in another round.
inline constexpr std::int64_t max_fused_chunks = 16;

/// The most chunks with which one thread continues alone instead of waking the others, until it has
/// relaxed `max_relaxed_alone` vertices: half a millisecond's work, after which targets and
/// progress are checked.
inline constexpr std::int64_t max_chunks_alone = 4;
inline constexpr std::int64_t max_relaxed_alone = 1 << 14;

/// The number of arcs from which on a vertex is split into ranges of as many: about 10
/// microseconds.
inline constexpr edge_t arcs_per_range = 1 << 12;

/// Returns the vertices that a thread takes from a shared bucket at a time. On road networks, each
/// of 16 threads has about 100 vertices in a bucket, and waits twice as long for the others with
/// chunks of 64 as with chunks of 16; two threads have about 1000, and smaller chunks only add
/// contention.
inline std::int64_t shared_chunk_size(const CsrPattern& graph, int threads) {
  return std::clamp<std::int64_t>(128 / threads, 16, chunk_size_of(graph));
}

template <class W>
void report_relaxed(const CsrView<W>& graph, std::int64_t n_relaxed) {
  report_progress(std::min<std::int64_t>(n_relaxed, graph.n_vertices), graph.n_vertices);
}

template <class W>
std::vector<Lowered<W>> at_distance_zero(std::span<const vertex_t> sources) {
  std::vector<Lowered<W>> starts;
  for (const vertex_t source : sources) starts.push_back({W{0}, source});
  return starts;
}

/// One thread's part of the search. `LaterBuckets`, such as Bins, holds the vertices that were
/// lowered into later buckets than the current one.
template <class W, template <class> class LaterBuckets>
class SearchThread {
 public:
  SearchThread(const CsrView<W>& graph, Bucketing bucket_of, const SsspOptions<W>& options,
               W* distance, std::int64_t chunk_size)
      : graph_(graph),
        options_(options),
        chunk_size_(chunk_size),
        max_fused_(max_fused_chunks * chunk_size_of(graph)),
        arcs_(graph, options.limit, distance),
        bucket_of_(bucket_of) {}

  /// Begins a round after all threads have ended the round before: no thread reads the lists that
  /// were shared in it any more.
  void begin_round(Bucket bucket) {
    current_ = bucket;
    parity_ ^= 1;
    fused_ = &fused_by_parity_[parity_];
    fused_->clear();
    next_fused_ = 0;
    arc_ranges_ = &arc_ranges_by_parity_[parity_];
    arc_ranges_->clear();
    later_buckets_.begin_round(current_, bucket_of_, [this](const Lowered<W>& entry) {
      if (arcs_.is_current(entry)) put(entry);
    });
  }

  void relax_shared(SharedBucket<W>& shared, bool is_owner, const Team& team) {
    take_chunks(shared.n_entries, shared.entries_taken, chunk_size_, is_owner, team,
                [&](const Chunk& chunk) { relax(shared.entries, chunk); });
    take_chunks(shared.n_arc_ranges, shared.arc_ranges_taken, 1, is_owner, team,
                [&](const Chunk& chunk) {
                  arcs_.relax(shared.arc_ranges[chunk.first],
                              [this](const Lowered<W>& entry) { put(entry); });
                });
  }

  void relax_fused(const Team& team) {
    const std::int64_t relaxed_limit = n_relaxed_ + max_relaxed_alone;
    while (fused_->size() > next_fused_ && n_relaxed_ < relaxed_limit && may_go_on(team)) {
      if (fused_->size() - next_fused_ > max_fused_) break;
      const std::int64_t first = next_fused_;
      next_fused_ = std::min(first + chunk_size_, fused_->size());
      relax(*fused_, {first, next_fused_, fused_->size(), false});
    }
  }

  /// Runs rounds as long as no other thread has work and this thread has too little to share. Near
  /// the source, or along a path, that saves most of the waiting.
  void run_alone(SharedBucket<W>& shared, const Team& team) {
    const std::int64_t relaxed_limit = n_relaxed_ + max_relaxed_alone;
    while (shared.bucket != no_bucket && shared.n_entries <= max_chunks_alone * chunk_size_ &&
           shared.n_arc_ranges == 0 && n_relaxed_ < relaxed_limit && may_go_on(team)) {
      begin_round(shared.bucket);
      relax_shared(shared, true, team);
      relax_fused(team);
      share_next(shared);
    }
  }

  [[nodiscard]] bool fits_all() const { return arcs_.fits_all(); }

  /// Puts the rest of the current bucket, or the first bucket after it, into `shared`.
  void share_next(SharedBucket<W>& shared) {
    shared.n_relaxed = n_relaxed_;
    shared.n_arcs_relaxed = arcs_.n_relaxed();
    shared.arc_ranges = arc_ranges_->data();
    shared.n_arc_ranges = arc_ranges_->size();
    shared.arc_ranges_taken.store(0, std::memory_order_relaxed);
    shared.entries_taken.store(0, std::memory_order_relaxed);
    if (next_fused_ < fused_->size() || !arc_ranges_->empty()) {
      shared.bucket = current_;
      shared.entries = fused_->data() + next_fused_;
      shared.n_entries = fused_->size() - next_fused_;
      later_buckets_.publish(no_bucket);
      return;
    }
    shared.bucket = later_buckets_.first(current_, bucket_of_);
    const std::span<const Lowered<W>> waiting = later_buckets_.publish(shared.bucket);
    shared.entries = waiting.data();
    shared.n_entries = static_cast<std::int64_t>(waiting.size());
  }

 private:
  template <class List>
  void relax(const List& entries, const Chunk& chunk) {
    if (!options_.targets.empty() && options_.targets.size() <= max_pruning_targets) {
      arcs_.tighten(farthest_wanted(options_.limit, options_.targets,
                                    [&](vertex_t v) { return arcs_.distance_of(v); }));
    }
    n_relaxed_ += arcs_.relax(
        entries, chunk, arcs_per_range, [this](const Lowered<W>& entry) { put(entry); },
        [this](const Lowered<W>& hub) { split_row(hub); });
  }

  void put(const Lowered<W>& entry) {
    const Bucket bucket = bucket_of_(entry.distance);
    if (bucket == current_) {
      fused_->push(entry);
    } else {
      later_buckets_.put(entry, bucket, current_);
    }
  }

  void split_row(const Lowered<W>& hub) {
    const edge_t end = graph_.end(hub.vertex);
    for (edge_t e = graph_.begin(hub.vertex); e < end; e += arcs_per_range) {
      arc_ranges_->push({hub, e, std::min(e + arcs_per_range, end)});
    }
  }

  const CsrView<W> graph_;
  const SsspOptions<W> options_;
  const std::int64_t chunk_size_;
  const std::int64_t max_fused_;
  NonNegativeRelaxation<W, true> arcs_;
  const Bucketing bucket_of_;
  LaterBuckets<W> later_buckets_;
  Bucket current_ = 0;
  std::size_t parity_ = 0;
  std::int64_t n_relaxed_ = 0;
  std::int64_t next_fused_ = 0;
  // These are the lists of this round, and those of the last round, which are shared in this one.
  std::array<GrowingList<Lowered<W>>, 2> fused_by_parity_;
  std::array<GrowingList<ArcRange<W>>, 2> arc_ranges_by_parity_;
  GrowingList<Lowered<W>>* fused_ = nullptr;
  GrowingList<ArcRange<W>>* arc_ranges_ = nullptr;
};

/// The state that the threads have in common: rounds, shared buckets, and the decision to stop.
template <class W, template <class> class LaterBuckets>
class ParallelBucketSearch {
 public:
  ParallelBucketSearch(const CsrView<W>& graph, std::span<const vertex_t> sources,
                       const SsspOptions<W>& options, double width, std::span<W> distances,
                       int threads)
      : graph_(graph),
        options_(options),
        distance_(distances.data()),
        bucket_of_(width),
        threads_(threads),
        chunk_size_(shared_chunk_size(graph, threads)),
        list_budget_(options.budget.left()),
        starts_(at_distance_zero<W>(sources)),
        shared_buckets_(threads, starts_) {}

  /// Searches. Returns false if an integer sum may not have fitted.
  bool run() {
    try {
      run_team(threads_, [this](const Team& team) { run_thread(team); });
    } catch (const ListBudgetExceeded&) {
      gave_up_ = true;
    }
    if (!gave_up_) return fits_all_.load(std::memory_order_relaxed);
    finish_search(graph_, SearchEnd<W>{options_.limit, options_.targets}, distance_,
                  every_1024th([] { return poll(), true; }), [](vertex_t) {});
    return !std::is_integral_v<W>;
  }

 private:
  void run_thread(const Team& team) {
    const auto rank = static_cast<std::size_t>(team.rank());
    const WithListBudget within(list_budget_);
    // The thread itself constructs it, so that its pages are local to it (first touch).
    SearchThread<W, LaterBuckets> thread(graph_, bucket_of_, options_, distance_, chunk_size_);
    for (std::uint32_t round = SharedBuckets<W>::first_round;; ++round) {
      const std::span<SharedBucket<W>> published = shared_buckets_.wait_for_all(team, round);
      const Bucket current = min_bucket(published);
      if (current == no_bucket || current == stop_request) break;
      SharedBucket<W>& next = shared_buckets_.slot(team, round + 1);
      const bool done = team.guard([&] {
        thread.begin_round(current);
        for (std::size_t i = 0; i < published.size(); ++i) {
          SharedBucket<W>& shared = published[(rank + i) % published.size()];
          if (shared.bucket == current) thread.relax_shared(shared, i == 0, team);
        }
        thread.relax_fused(team);
        thread.share_next(next);
        if (is_alone(published, rank)) thread.run_alone(next, team);
      });
      // All threads must agree on whether to stop, so a request to stop is published like a bucket.
      if (!done || (rank == 0 && should_stop(team, current, published))) next.bucket = stop_request;
      next.round.set(round + 1);
    }
    if (!thread.fits_all()) fits_all_.store(false, std::memory_order_relaxed);
  }

  static Bucket min_bucket(std::span<const SharedBucket<W>> published) {
    Bucket lowest = no_bucket;
    for (const SharedBucket<W>& shared : published) lowest = std::min(lowest, shared.bucket);
    return lowest;
  }

  /// Returns whether only this thread has a bucket, and too little in it for others to take chunks:
  /// then no other thread works in this round.
  [[nodiscard]] bool is_alone(std::span<const SharedBucket<W>> published, std::size_t rank) const {
    const SharedBucket<W>& own = published[rank];
    if (own.n_entries > chunk_size_ || own.n_arc_ranges > 0) return false;
    for (std::size_t i = 0; i < published.size(); ++i) {
      if (i != rank && published[i].bucket != no_bucket) return false;
    }
    return own.bucket != no_bucket;
  }

  bool should_stop(const Team& team, Bucket current, std::span<const SharedBucket<W>> published) {
    std::int64_t n_relaxed = 0;
    edge_t n_arcs_relaxed = 0;
    for (const SharedBucket<W>& shared : published) {
      n_relaxed += shared.n_relaxed;
      n_arcs_relaxed += shared.n_arcs_relaxed;
    }
    if (!team.guard([&] { report_relaxed(graph_, n_relaxed); })) return true;
    gave_up_ = n_arcs_relaxed > max_arcs_of_bucket_search(graph_.n_arcs);
    if (gave_up_) return true;
    // Buckets before the current one are final.
    const std::span<const vertex_t> targets = options_.targets;
    while (settled_targets_ < targets.size() &&
           bucket_of_(relaxed_load(distance_[targets[settled_targets_]])) < current) {
      ++settled_targets_;
    }
    return !targets.empty() && settled_targets_ == targets.size();
  }

  const CsrView<W> graph_;
  const SsspOptions<W> options_;
  W* const distance_;
  const Bucketing bucket_of_;
  const int threads_;
  const std::int64_t chunk_size_;
  ListBudget list_budget_;
  std::size_t settled_targets_ = 0;
  bool gave_up_ = false;  // written by one thread, read after the parallel region
  std::atomic<bool> fits_all_{true};
  const std::vector<Lowered<W>> starts_;
  SharedBuckets<W> shared_buckets_;
};

/// Searches by buckets of a width on some threads. Returns false if an integer sum may not have
/// fitted.
template <template <class> class LaterBuckets, class W>
bool search_by_buckets(const CsrView<W>& graph, std::span<const vertex_t> sources,
                       const SsspOptions<W>& options, double width, int threads,
                       std::span<W> distances) {
  if (threads > 1) {
    return ParallelBucketSearch<W, LaterBuckets>(graph, sources, options, width, distances, threads)
        .run();
  }
  const auto keep_on = [&](std::int64_t n_relaxed) {
    return report_relaxed(graph, n_relaxed), true;
  };
  return BucketSearch<W, LaterBuckets>(graph, width, options.budget.left())
      .run(sources, {options.limit, options.targets}, distances.data(), keep_on, [](vertex_t) {});
}

}  // namespace warpgraph::shortest_paths
