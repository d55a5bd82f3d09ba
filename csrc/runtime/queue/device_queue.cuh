// The circular queue in the memory of a device: its owner, and appends by whole warps.
//
// A warp makes one reservation for the items of all its lanes ("warp-aggregated atomics"; Ben-Nun,
// Sutton, Pai, Pingali: "Groute", PPoPP 2017, section 4.3): appends contend for one word.
#pragma once

#include "core/cuda/memory/buffer.hpp"
#include "core/cuda/warp.cuh"
#include "runtime/queue/circular_queue.hpp"

#include <algorithm>

namespace warpgraph::runtime {

/// Appends the items of the lanes with `has_one`, in the order of the lanes, as far as there is
/// room. Returns whether this lane's item is in the queue. All lanes must call it.
template <class T>
__device__ bool append_of_warp(const CircularQueueView<T>& queue, bool has_one, const T& item) {
  const unsigned appending = __ballot_sync(cuda::all_lanes, has_one);
  std::uint32_t first = 0;
  std::uint32_t granted = 0;
  if (cuda::lane() == 0 && appending != 0) {
    granted = queue.reserve(static_cast<std::uint32_t>(__popc(appending)), first);
  }
  first = __shfl_sync(cuda::all_lanes, first, 0);
  granted = __shfl_sync(cuda::all_lanes, granted, 0);
  __syncwarp();  // lane 0 has acquired what the consumer released, for all lanes
  const auto rank = static_cast<std::uint32_t>(__popc(appending & cuda::lanemask_lt()));
  if (!has_one || rank >= granted) return false;
  queue.items[queue.slot(first + rank)] = item;
  queue.publish(first + rank);
  return true;
}

/// Puts the items of the lanes with `has_one` before the first item, in the order of the lanes, as
/// far as there is room, if a warp is the consumer. Returns whether this lane's item is in the
/// queue.
template <class T>
__device__ bool prepend_of_warp(const CircularQueueView<T>& queue, bool has_one, const T& item) {
  const unsigned prepending = __ballot_sync(cuda::all_lanes, has_one);
  std::uint32_t first = 0;
  std::uint32_t granted = 0;
  if (cuda::lane() == 0 && prepending != 0) {
    granted = queue.move_start_back(static_cast<std::uint32_t>(__popc(prepending)), first);
  }
  first = __shfl_sync(cuda::all_lanes, first, 0);
  granted = __shfl_sync(cuda::all_lanes, granted, 0);
  const auto rank = static_cast<std::uint32_t>(__popc(prepending & cuda::lanemask_lt()));
  const bool prepended = has_one && rank < granted;
  if (prepended) queue.items[queue.slot(first + rank)] = item;
  __syncwarp();  // the lanes read each other's items
  return prepended;
}

/// Appends like append_of_warp, to queues between barriers, for callers that know that there is
/// room.
template <class T>
__device__ void append_within_room(const CircularQueueView<T>& queue, bool has_one, const T& item) {
  const unsigned appending = __ballot_sync(cuda::all_lanes, has_one);
  if (appending == 0) return;
  std::uint32_t first = 0;
  if (cuda::lane() == 0) {
    first = queue.reserve_within_room(static_cast<std::uint32_t>(__popc(appending)));
  }
  first = __shfl_sync(cuda::all_lanes, first, 0);
  const auto rank = static_cast<std::uint32_t>(__popc(appending & cuda::lanemask_lt()));
  if (has_one) queue.items[queue.slot(first + rank)] = item;
}

/// Owner of a queue in device memory. Items are trivially copyable. Only the host enlarges it,
/// while no kernel uses it.
template <class T>
class DeviceQueue {
 public:
  static constexpr std::uint32_t largest_capacity = std::uint32_t{1} << 30;

  /// Makes an empty queue; the capacity is rounded up to a power of two. Without stamps, a barrier
  /// must separate appends from consumption.
  DeviceQueue(std::uint32_t capacity, const cuda::Stream& stream, bool with_stamps = true)
      : capacity_(rounded(capacity)),
        items_(capacity_, stream),
        stamps_(with_stamps ? capacity_ : 0, stream),
        words_(n_words, stream) {
    clear(stream);
  }

  /// Empties the queue. Asynchronous.
  void clear(const cuda::Stream& stream) {
    cuda::fill_bytes(stamps_.data(), 0, stamps_.size(), stream);
    cuda::fill_bytes(words_.data(), 0, n_words, stream);
  }
  [[nodiscard]] CircularQueueView<T> view() const noexcept {
    return {items_.data(), stamps_.size() == 0 ? nullptr : stamps_.data(), words_.data(),
            reinterpret_cast<std::uint32_t*>(words_.data() + n_words / 2), capacity_};
  }
  [[nodiscard]] std::uint32_t capacity() const noexcept { return capacity_; }
  [[nodiscard]] static std::size_t bytes(std::uint32_t capacity, bool with_stamps = true) {
    const std::size_t item = sizeof(T) + (with_stamps ? sizeof(std::uint32_t) : 0);
    return rounded(capacity) * item + n_words * sizeof(std::uint64_t);
  }

  /// Enlarges the queue to at least `capacity`, with the same items. All reserved ones must be
  /// written.
  void grow(std::uint32_t capacity, const cuda::Stream& stream) {
    const std::uint32_t larger = rounded(capacity);
    if (larger <= capacity_) return;
    cuda::DeviceBuffer<T> items(larger, stream);
    cuda::DeviceBuffer<std::uint32_t> stamps(stamps_.size() == 0 ? 0 : larger, stream);
    cuda::fill_bytes(stamps.data(), 0, stamps.size(), stream);
    const std::uint64_t bounds = cuda::read_back(words_.data(), stream);
    const CircularQueueView<T> from = view();
    const CircularQueueView<T> to{items.data(), nullptr, nullptr, nullptr, larger};
    for (std::uint32_t left = from.size_of(bounds), n = 0; left > 0; left -= n) {
      // The longest part that is contiguous in both arrays.
      const std::uint32_t source = from.slot(from.pending_of(bounds) - left);
      const std::uint32_t target = to.slot(from.pending_of(bounds) - left);
      n = std::min({left, capacity_ - source, larger - target});
      cuda::copy(to.items + target, from.items + source, n, stream);
    }
    const std::uint32_t end = from.pending_of(bounds);
    cuda::copy(from.end, &end, 1, stream);  // all items are written, and have no stamps any more
    items_ = std::move(items);
    stamps_ = std::move(stamps);
    capacity_ = larger;
  }

 private:
  static constexpr std::size_t n_words = 32;  // `bounds` and `end`, in cache lines of their own

  static std::uint32_t rounded(std::uint32_t capacity) {
    EXPECTS(capacity >= 1 && capacity <= largest_capacity,
            "the capacity of a queue must be in 1..2^30, got ", capacity);
    return std::bit_ceil(capacity);
  }

  std::uint32_t capacity_;
  cuda::DeviceBuffer<T> items_;
  cuda::DeviceBuffer<std::uint32_t> stamps_;
  cuda::DeviceBuffer<std::uint64_t> words_;
};

}  // namespace warpgraph::runtime
