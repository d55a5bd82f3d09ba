// How the threads of a search by buckets meet and share: each publishes an offer for a round, and
// begins the round when it has seen the offers of all. So there is no barrier that all write to,
// and what a thread must know of another one comes in one cache line: where each core has caches of
// its own, a line that another one wrote last is 100 to 200 ns away.
#pragma once

#include "core/threads/barrier.hpp"
#include "core/threads/parallel.hpp"
#include "primitives/search/buckets.hpp"

#include <array>
#include <atomic>
#include <cstddef>
#include <vector>

namespace warpgraph::shortest_paths {

inline constexpr Bucket leave = -1;  // offered by a thread that wants all to stop

/// What a thread has for the bucket that is its first.
template <class W>
struct alignas(64) BucketOffer {
  Signal round;  // that it is for
  Bucket bucket = no_bucket;
  const Lowered<W>* entries = nullptr;
  std::int64_t n_entries = 0;
  const Slice<W>* slices = nullptr;
  std::int64_t n_slices = 0;
  std::int64_t relaxed = 0;  // vertices that the thread has relaxed so far
  edge_t arcs_relaxed = 0;
  // Written by those that share the lists; the line before is only read when it is published.
  alignas(64) std::atomic<std::int64_t> entries_taken{0};
  alignas(64) std::atomic<std::int64_t> slices_taken{0};
};

/// The offers of all threads for this round and for the next. A slot is written again two rounds
/// later, when everybody has begun the round between, and thus read it for the last time.
template <class W>
class BucketOffers {
 public:
  /// The first thread alone has an offer for the first round: `source`, in bucket 0.
  BucketOffers(int threads, const Lowered<W>* source) {
    for (auto& slots : slots_)
      slots = std::vector<BucketOffer<W>>(static_cast<std::size_t>(threads));
    for (BucketOffer<W>& offer : slots_[first_round % 2]) offer.round.set(first_round);
    BucketOffer<W>& first = slots_[first_round % 2][0];
    first.bucket = 0;
    first.entries = source;
    first.n_entries = 1;
  }

  static constexpr std::uint32_t first_round = 1;

  /// Waits for the team's offers for a round.
  std::span<BucketOffer<W>> meet(const Team& team, std::uint32_t round) {
    const auto size = static_cast<std::size_t>(team.size());
    const auto rank = static_cast<std::size_t>(team.rank());
    const std::span<BucketOffer<W>> offers(slots_[round % 2].data(), size);
    for (std::size_t i = 1; i < size; ++i) team.wait_for(offers[(rank + i) % size].round, round);
    return offers;
  }

  /// Where a thread prepares its offer for a round, which it publishes by setting `round`.
  BucketOffer<W>& slot(const Team& team, std::uint32_t round) {
    return slots_[round % 2][static_cast<std::size_t>(team.rank())];
  }

 private:
  std::array<std::vector<BucketOffer<W>>, 2> slots_;
};

}  // namespace warpgraph::shortest_paths
