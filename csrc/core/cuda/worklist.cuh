// A list that many threads append to concurrently, such as the frontier of a search.
//
// Threads of a warp that push together share one atomic addition. The order of items is arbitrary:
// results must not depend on it.
//
// Items are visible to the next launch, and within a cooperative launch after the next grid
// barrier; a thread that reads while others push sees an undefined subset of them.
#pragma once

#include "core/atomics.hpp"
#include "core/cuda/memory/buffer.hpp"
#include "core/cuda/warp.cuh"

#include <cooperative_groups.h>

#include <algorithm>
#include <utility>

namespace warpgraph::cuda {

/// View of a worklist, for kernels.
template <class T>
struct WorklistView {
  T* items = nullptr;
  unsigned long long* count = nullptr;
  std::int64_t capacity = 0;

  /// Appends an item. Any subset of a warp's threads may call this together. An item beyond the
  /// capacity is counted but not stored; Worklist::size() then throws, so the loss does not go
  /// unnoticed.
  __device__ void push(T item) const {
    const auto together = cooperative_groups::coalesced_threads();
    unsigned long long first = 0;
    if (together.thread_rank() == 0) {
      first = atomicAdd(count, static_cast<unsigned long long>(together.size()));
    }
    const auto place = static_cast<std::int64_t>(together.shfl(first, 0) + together.thread_rank());
    if (place < capacity) items[place] = item;
  }
  __device__ std::int64_t size() const {
    const auto pushed = static_cast<std::int64_t>(relaxed_load(*count));
    return pushed < capacity ? pushed : capacity;
  }
  __device__ T operator[](std::int64_t i) const { return items[i]; }
};

/// A buffer in shared memory for the items that a warp pushes. In a kernel where nearly every warp
/// pushes in every step, it adds to the list's counter once per hundred items instead of once per
/// step, so that address is no bottleneck. Declare a __shared__ array of them, one per warp.
template <class T>
class WarpStage {
 public:
  /// Empties the buffer. Call this before the other functions; full warps must call all of them.
  __device__ void open() {
    if (lane_without_sign() == 0) count_ = 0;
    __syncwarp();
  }
  /// Pushes the items of the lanes with `has_one`.
  __device__ void push(bool has_one, T item, const WorklistView<T>& list) {
    const unsigned pushing = __ballot_sync(all_lanes, has_one);
    if (pushing == 0) return;
    const unsigned lane = lane_without_sign();
    const unsigned count = count_;
    if (has_one) items_[count + static_cast<unsigned>(__popc(pushing & ((1u << lane) - 1)))] = item;
    __syncwarp();
    if (lane == 0) count_ = count + static_cast<unsigned>(__popc(pushing));
    __syncwarp();
    if (count_ + warp_lanes > capacity) flush(list);
  }
  /// Appends the buffered items to `list`.
  __device__ void flush(const WorklistView<T>& list) {
    const unsigned lane = lane_without_sign();
    const unsigned count = count_;
    unsigned long long first = 0;
    if (lane == 0 && count != 0) {
      first = atomicAdd(list.count, static_cast<unsigned long long>(count));
    }
    first = __shfl_sync(all_lanes, first, 0);
    for (unsigned i = lane; i < count; i += warp_lanes) {
      const auto place = static_cast<std::int64_t>(first + i);
      if (place < list.capacity) list.items[place] = items_[i];
    }
    __syncwarp();
    open();
  }

 private:
  static constexpr unsigned capacity = 4 * warp_lanes;
  T items_[capacity];
  unsigned count_;
};

/// A buffer in shared memory for the items that a block pushes. The items of a flush are contiguous
/// in the list, which preserves locality. Declare it __shared__.
template <class T, unsigned capacity>
struct BlockStage {
  T items[capacity];
  unsigned count;
  unsigned flushed;
  unsigned long long first;

  /// Empties the buffer. All threads of the block call this before the first push.
  __device__ void open() {
    if (threadIdx.x == 0) count = 0;
    __syncthreads();
  }
  /// Adds an item. Any thread may call this, at most `capacity` times between two flushes of the
  /// block.
  __device__ void push(T item) {
    const auto together = cooperative_groups::coalesced_threads();
    unsigned place = 0;
    if (together.thread_rank() == 0) place = atomicAdd(&count, together.size());
    items[together.shfl(place, 0) + together.thread_rank()] = item;
  }
  /// Appends the buffered items to `list`. All threads of the block call this.
  __device__ void flush(const WorklistView<T>& list) {
    __syncthreads();
    if (threadIdx.x == 0) {
      flushed = count;
      count = 0;
      if (flushed != 0) first = atomicAdd(list.count, static_cast<unsigned long long>(flushed));
    }
    __syncthreads();
    for (unsigned i = threadIdx.x; i < flushed; i += blockDim.x) {
      const auto place = static_cast<std::int64_t>(first + i);
      if (place < list.capacity) list.items[place] = items[i];
    }
    __syncthreads();
  }
};

/// Owner of a worklist, which is initially empty.
template <class T>
class Worklist {
 public:
  Worklist(std::int64_t capacity, const Stream& stream)
      : items_(static_cast<std::size_t>(capacity), stream), count_(1, stream) {
    reset(stream);
  }

  [[nodiscard]] WorklistView<T> view() const noexcept {
    return {items_.data(), count_.data(), static_cast<std::int64_t>(items_.size())};
  }
  [[nodiscard]] const T* data() const noexcept { return items_.data(); }
  /// Empties the list. Asynchronous.
  void reset(const Stream& stream) { fill_bytes(count_.data(), 0, 1, stream); }
  /// Waits for the stream and returns the number of items. Throws if some did not fit: the
  /// algorithm that chose the capacity is then wrong.
  [[nodiscard]] std::int64_t size(const Stream& stream) const {
    const auto pushed = static_cast<std::int64_t>(read_back(count_.data(), stream));
    if (pushed > static_cast<std::int64_t>(items_.size())) {
      throw std::length_error(
          concat(pushed, " items were pushed to a worklist of capacity ", items_.size()));
    }
    return pushed;
  }

 private:
  DeviceBuffer<T> items_;
  DeviceBuffer<unsigned long long> count_;
};

/// The list that a round reads and the list that it fills.
template <class T>
class WorklistPair {
 public:
  WorklistPair(std::int64_t capacity, const Stream& stream)
      : current_(capacity, stream), next_(capacity, stream) {}

  [[nodiscard]] Worklist<T>& current() noexcept { return current_; }
  [[nodiscard]] Worklist<T>& next() noexcept { return next_; }
  /// Swaps the lists: the filled one becomes the current one, and the other one is emptied.
  void flip(const Stream& stream) {
    std::swap(current_, next_);
    next_.reset(stream);
  }
  /// Returns the bytes of both lists, for the MemoryBudget.
  [[nodiscard]] static constexpr std::size_t bytes(std::int64_t capacity) noexcept {
    return 2 * (static_cast<std::size_t>(capacity) * sizeof(T) + sizeof(unsigned long long));
  }

 private:
  Worklist<T> current_;
  Worklist<T> next_;
};

}  // namespace warpgraph::cuda
