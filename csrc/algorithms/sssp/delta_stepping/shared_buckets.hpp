// Synchronisation and work sharing of the threads of a parallel bucket search. For each round, each
// thread publishes the first bucket that it has vertices in, and begins the round when it has seen
// the published buckets of all threads. So there is no barrier that all threads write to, and a
// thread reads one cache line per other thread: where each core has its own caches, a line last
// written by another core is 100 to 200 ns away.
#pragma once

#include "core/threads/barrier.hpp"
#include "core/threads/parallel.hpp"
#include "primitives/search/buckets.hpp"

#include <array>
#include <atomic>
#include <cstddef>
#include <span>
#include <vector>

namespace warpgraph::shortest_paths {

inline constexpr Bucket stop_request = -1;  // as the bucket of a thread: all threads stop

/// The first bucket that a thread has vertices in, and its vertices there, for all threads to take
/// chunks of.
template <class W>
struct alignas(64) SharedBucket {
  Signal round;  // in which it is to be relaxed
  Bucket bucket = no_bucket;
  const Lowered<W>* entries = nullptr;
  std::int64_t n_entries = 0;
  const ArcRange<W>* arc_ranges = nullptr;
  std::int64_t n_arc_ranges = 0;
  std::int64_t n_relaxed = 0;  // vertices that the thread has relaxed so far
  edge_t n_arcs_relaxed = 0;
  // Written by all threads that take chunks. The line above is only read once it is published.
  alignas(64) std::atomic<std::int64_t> entries_taken{0};
  alignas(64) std::atomic<std::int64_t> arc_ranges_taken{0};
};

/// The shared buckets of all threads for this round and for the next. A slot is reused two rounds
/// later: all threads have then begun the round in between, so none reads the slot any more.
template <class W>
class SharedBuckets {
 public:
  /// Prepares the first round, in which thread 0 has `starts` in bucket 0, and the other threads
  /// have nothing.
  SharedBuckets(int threads, std::span<const Lowered<W>> starts) {
    for (auto& slots : slots_)
      slots = std::vector<SharedBucket<W>>(static_cast<std::size_t>(threads));
    for (SharedBucket<W>& shared : slots_[first_round % 2]) shared.round.set(first_round);
    SharedBucket<W>& first = slots_[first_round % 2][0];
    first.bucket = 0;
    first.entries = starts.data();
    first.n_entries = static_cast<std::int64_t>(starts.size());
  }

  static constexpr std::uint32_t first_round = 1;

  /// Waits until all threads have published their buckets for a round, and returns these.
  std::span<SharedBucket<W>> wait_for_all(const Team& team, std::uint32_t round) {
    const auto size = static_cast<std::size_t>(team.size());
    const auto rank = static_cast<std::size_t>(team.rank());
    const std::span<SharedBucket<W>> published(slots_[round % 2].data(), size);
    for (std::size_t i = 1; i < size; ++i) team.wait_for(published[(rank + i) % size].round, round);
    return published;
  }

  /// Returns the slot where a thread prepares its bucket for a round; it publishes the bucket by
  /// setting `round`.
  SharedBucket<W>& slot(const Team& team, std::uint32_t round) {
    return slots_[round % 2][static_cast<std::size_t>(team.rank())];
  }

 private:
  std::array<std::vector<SharedBucket<W>>, 2> slots_;
};

}  // namespace warpgraph::shortest_paths
