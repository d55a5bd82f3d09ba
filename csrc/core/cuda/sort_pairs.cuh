// Stable radix sorts of keys and of (key, value) pairs. All are asynchronous.
#pragma once

#include "core/cuda/memory/buffer.hpp"
#include "core/cuda/memory/scratch.cuh"

#include <cub/device/device_radix_sort.cuh>

namespace warpgraph::cuda {

/// A double buffer for radix sorts: each pass moves the items from one array to the other.
template <class T>
class SortBuffer {
 public:
  SortBuffer() = default;
  SortBuffer(std::int64_t n, const Stream& stream)
      : first_(static_cast<std::size_t>(n), stream),
        second_(static_cast<std::size_t>(n), stream),
        both_(first_.data(), second_.data()) {}

  [[nodiscard]] T* data() noexcept { return both_.Current(); }
  [[nodiscard]] cub::DoubleBuffer<T>& both() noexcept { return both_; }
  /// Frees the alternate array. Call after the last sort.
  void finish() { (both_.Current() == first_.data() ? second_ : first_) = DeviceBuffer<T>(); }

 private:
  DeviceBuffer<T> first_;
  DeviceBuffer<T> second_;
  cub::DoubleBuffer<T> both_;
};

/// Sorts n pairs by the lowest `bits` bits of their keys, in place from the caller's view.
template <class Key, class Value>
void sort_pairs(SortBuffer<Key>& keys, SortBuffer<Value>& values, std::int64_t n, int bits,
                const Stream& stream) {
  if (n == 0) return;
  with_scratch(stream, [&](void* scratch, std::size_t& bytes) {
    return cub::DeviceRadixSort::SortPairs(scratch, bytes, keys.both(), values.both(), n, 0, bits,
                                           stream.get());
  });
}

/// The same to other arrays. The input stays, so the sort takes scratch memory for n pairs. CUB has
/// other kernels for an n of 32 bits than for one of 64.
template <class Key, class Value, class Count>
void sort_pairs(const Key* keys, Key* sorted_keys, const Value* values, Value* sorted_values,
                Count n, int bits, const Stream& stream) {
  with_scratch(stream, [&](void* scratch, std::size_t& bytes) {
    return cub::DeviceRadixSort::SortPairs(scratch, bytes, keys, sorted_keys, values, sorted_values,
                                           n, 0, bits, stream.get());
  });
}

/// The same for keys alone.
template <class Key, class Count>
void sort_keys(const Key* keys, Key* sorted_keys, Count n, int bits, const Stream& stream) {
  with_scratch(stream, [&](void* scratch, std::size_t& bytes) {
    return cub::DeviceRadixSort::SortKeys(scratch, bytes, keys, sorted_keys, n, 0, bits,
                                          stream.get());
  });
}

}  // namespace warpgraph::cuda
