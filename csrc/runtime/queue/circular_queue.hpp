// A circular queue in an array: any thread appends, one thread consumes and prepends.
//
// Positions are numbers of 31 bits that wrap around; the item at position p lies in slot
// p mod capacity. Three of them describe the queue:
//
//   start     first item that is not consumed
//   end       items before it are known to be written; only the consumer reads and moves it
//   pending   first position that no producer has reserved
//
// A producer reserves positions by moving `pending`, writes its items, and stamps each slot with
// the lap of its position (position / capacity, plus one). The consumer moves `end` over slots
// whose stamp is right. Thus no producer waits for another one, and an item is never read before it
// is written. The consumer prepends by moving `start` back: it competes with no producer for a
// slot.
//
// `start` and `pending` share one word of 64 bits, since the test for room and the reservation must
// be one atomic step: with two words, a prepend between a producer's test and its reservation would
// give the same slot to both. The word also has the flag "closed", after which no reservation
// succeeds; growing_queue.hpp needs it.
//
// Memory order. A producer's swap of the word acquires the consumer's last swap, so the consumer
// has left a slot before it is written again. The stamp is released by the producer and acquired by
// the consumer, which therefore sees the item. Only the consumer reads what it has prepended.
//
// On a device, a producer is a warp: device_queue.cuh reserves positions for all of its lanes at
// once (Groute, section 4.3). Kernels whose rounds are
// separated by barriers need no stamps: they append by reserve_within_room(), and after the barrier
// all items up to `pending` are written.
//
// Lock-free: a producer that stalls between reservation and stamp delays the consumer at its slots,
// but no other producer. Laps have 31 - log2(capacity) bits: for a stamp to be mistaken, that many
// laps would have to pass without a write to its slot, but each lap writes each slot: `pending`
// only moves forward, whatever is prepended.
#pragma once

#include "core/atomics.hpp"
#include "core/error.hpp"
#include "core/ordered_atomics.hpp"

#include <bit>
#include <cstdint>
#include <memory>
#include <utility>

namespace warpgraph::runtime {

/// View of a circular queue: trivially copyable, passed by value.
template <class T>
struct CircularQueueView {
  T* items = nullptr;
  // nullptr if barriers separate appends from consumption; then only reserve_within_room(), size(),
  // operator[] and consume_alone() may be called.
  std::uint32_t* stamps = nullptr;
  // From the highest bit on: closed (1 bit), start (31), unused (1), pending (31).
  std::uint64_t* bounds = nullptr;
  std::uint32_t* end = nullptr;
  std::uint32_t capacity = 0;  // a power of two, at most 2^30: full and empty differ modulo 2^31

  static constexpr std::uint32_t wrap = 0x7fffffff;
  static constexpr std::uint64_t closed_bit = std::uint64_t{1} << 63;

  // Functions for producers.

  /// Appends one item. Returns false if the queue is full or closed; `item` is unchanged then.
  WARPGRAPH_HOST_DEVICE bool try_append(T& item) const {
    std::uint32_t position = 0;
    if (reserve(1, position) == 0) return false;
    items[slot(position)] = std::move(item);
    publish(position);
    return true;
  }
  /// Reserves as many consecutive positions as there is room for, at most n: the first step of
  /// appends. Returns their number.
  WARPGRAPH_HOST_DEVICE std::uint32_t reserve(std::uint32_t n, std::uint32_t& first) const {
    std::uint64_t seen = acquire_load(*bounds);
    std::uint32_t granted = 0;
    do {
      const std::uint32_t room = capacity - size_of(seen);
      granted = (seen & closed_bit) != 0 ? 0 : n < room ? n : room;
      if (granted == 0) return 0;
      first = pending_of(seen);
    } while (!acquire_release_swap(*bounds, seen, word(start_of(seen), first + granted)));
    return granted;
  }
  /// Reserves n positions by one addition and returns the first, for producers that know that there
  /// is room for all appends up to the next consume(), and that a barrier separates appends from
  /// consumption. Closed queues take them, too. A carry, of which there is at most one, goes to the
  /// unused bit of the word; the next consume clears it.
  WARPGRAPH_HOST_DEVICE std::uint32_t reserve_within_room(std::uint32_t n) const {
    return pending_of(relaxed_fetch_add(*bounds, std::uint64_t{n}));
  }
  /// Publishes a reserved position after the item was written to its slot: the second step of
  /// appends.
  WARPGRAPH_HOST_DEVICE void publish(std::uint32_t position) const {
    release_store(stamps[slot(position)], stamp_of(position));
  }
  [[nodiscard]] WARPGRAPH_HOST_DEVICE std::uint32_t slot(std::uint32_t position) const {
    return position & (capacity - 1);
  }

  // Functions for the consumer.

  /// Returns the number of items that can be consumed now.
  [[nodiscard]] WARPGRAPH_HOST_DEVICE std::uint32_t readable() const {
    const std::uint64_t seen = acquire_load(*bounds);
    const std::uint32_t pending = pending_of(seen);
    while (*end != pending && acquire_load(stamps[slot(*end)]) == stamp_of(*end)) {
      *end = (*end + 1) & wrap;
    }
    return (*end - start_of(seen)) & wrap;
  }
  /// Returns the i-th of the readable items.
  [[nodiscard]] WARPGRAPH_HOST_DEVICE T& operator[](std::uint32_t i) const {
    return items[slot(start_of(acquire_load(*bounds)) + i)];
  }
  /// Removes the first n of the readable items. Items keep what they own until they are
  /// overwritten.
  WARPGRAPH_HOST_DEVICE void consume(std::uint32_t n) const {
    std::uint64_t seen = acquire_load(*bounds);
    while (!acquire_release_swap(*bounds, seen, seen_with_start(seen, start_of(seen) + n))) {
    }
  }
  /// Removes the first n of the readable items while no thread appends or prepends, as between
  /// barriers, without an atomic operation.
  WARPGRAPH_HOST_DEVICE void consume_alone(std::uint32_t n) const {
    const std::uint64_t seen = relaxed_load(*bounds);
    relaxed_store(*bounds, seen_with_start(seen, start_of(seen) + n));
  }
  /// Puts an item before the first one. Returns false if the queue is full.
  WARPGRAPH_HOST_DEVICE bool try_prepend(T& item) const {
    std::uint32_t first = 0;
    if (move_start_back(1, first) == 0) return false;
    items[slot(first)] = std::move(item);
    return true;
  }
  /// Makes room before the first item for up to n items, as far as there is any; the consumer then
  /// writes them to the positions from `first` on. Returns their number.
  WARPGRAPH_HOST_DEVICE std::uint32_t move_start_back(std::uint32_t n, std::uint32_t& first) const {
    std::uint64_t seen = acquire_load(*bounds);
    std::uint32_t granted = 0;
    do {
      const std::uint32_t room = capacity - size_of(seen);
      granted = n < room ? n : room;
      if (granted == 0) return 0;
      first = (start_of(seen) - granted) & wrap;
    } while (!acquire_release_swap(*bounds, seen, seen_with_start(seen, first)));
    return granted;
  }

  // Functions for producers and the consumer.

  /// Makes all later appends fail.
  WARPGRAPH_HOST_DEVICE void close() const {
    std::uint64_t seen = acquire_load(*bounds);
    while (!acquire_release_swap(*bounds, seen, seen | closed_bit)) {
    }
  }
  /// Returns the number of items that are reserved and not consumed, whether they are written or
  /// not.
  [[nodiscard]] WARPGRAPH_HOST_DEVICE std::uint32_t size() const {
    return size_of(acquire_load(*bounds));
  }

  // Access to the parts of *bounds.

  WARPGRAPH_HOST_DEVICE static std::uint32_t start_of(std::uint64_t bounds) {
    return static_cast<std::uint32_t>(bounds >> 32) & wrap;
  }
  WARPGRAPH_HOST_DEVICE static std::uint32_t pending_of(std::uint64_t bounds) {
    return static_cast<std::uint32_t>(bounds) & wrap;
  }
  WARPGRAPH_HOST_DEVICE static std::uint32_t size_of(std::uint64_t bounds) {
    return (pending_of(bounds) - start_of(bounds)) & wrap;
  }

 private:
  WARPGRAPH_HOST_DEVICE static std::uint64_t word(std::uint32_t start, std::uint32_t pending) {
    return (static_cast<std::uint64_t>(start & wrap) << 32) | (pending & wrap);
  }
  WARPGRAPH_HOST_DEVICE static std::uint64_t seen_with_start(std::uint64_t seen,
                                                             std::uint32_t start) {
    return word(start, pending_of(seen)) | (seen & closed_bit);
  }
  /// Returns the stamp of a position: one more than its lap, so that zeroed stamps mean "not
  /// written". It fits 32 bits even where the capacity is 1.
  [[nodiscard]] WARPGRAPH_HOST_DEVICE std::uint32_t stamp_of(std::uint32_t position) const {
    return (position & wrap) / capacity + 1;
  }
};

/// Owner of the arrays of a queue on the host.
template <class T>
class CircularQueue {
 public:
  static constexpr std::uint32_t largest_capacity = std::uint32_t{1} << 30;

  /// Makes an empty queue; the capacity is rounded up to a power of two.
  explicit CircularQueue(std::uint32_t capacity) {
    EXPECTS(capacity >= 1 && capacity <= largest_capacity,
            "the capacity of a queue must be in 1..2^30, got ", capacity);
    capacity_ = std::bit_ceil(capacity);
    items_ = std::make_unique<T[]>(capacity_);
    stamps_ = std::make_unique<std::uint32_t[]>(capacity_);
  }

  [[nodiscard]] CircularQueueView<T> view() noexcept {
    return {items_.get(), stamps_.get(), &bounds_, &end_, capacity_};
  }
  [[nodiscard]] std::uint32_t capacity() const noexcept { return capacity_; }

 private:
  std::unique_ptr<T[]> items_;
  std::unique_ptr<std::uint32_t[]> stamps_;
  // On separate cache lines: producers write `bounds_`, the consumer uses `end_` all the time.
  alignas(64) std::uint64_t bounds_ = 0;
  alignas(64) std::uint32_t end_ = 0;
  std::uint32_t capacity_ = 0;
};

}  // namespace warpgraph::runtime
