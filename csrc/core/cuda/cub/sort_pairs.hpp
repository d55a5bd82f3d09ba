// Stable radix sorts of keys and of (key, value) pairs. All are asynchronous.
//
// Keys and values have 32 or 64 bits, and keys are ordered as unsigned numbers. CUB's kernels take
// seconds to compile, so all callers share those of sort_pairs.cu.
#pragma once

#include "core/cuda/cub/as_bits.hpp"
#include "core/cuda/memory/buffer.hpp"

#include <cstdint>
#include <utility>

namespace warpgraph::cuda {

namespace detail {

template <class Key, class Value>
void radix_sort_pairs(const Key* keys, Key* sorted_keys, const Value* values, Value* sorted_values,
                      std::int64_t n, int bits, const Stream& stream);
/// Sorts by passes that each move the pairs from one array to the other. Returns whether the result
/// is in the alternate arrays.
template <class Key, class Value>
bool radix_sort_to_either(Key* keys, Key* other_keys, Value* values, Value* other_values,
                          std::int64_t n, int bits, const Stream& stream);
template <class Key>
void radix_sort_keys(const Key* keys, Key* sorted_keys, std::int64_t n, int bits,
                     const Stream& stream);

}  // namespace detail

/// A double buffer for radix sorts.
template <class T>
class SortBuffer {
 public:
  SortBuffer() = default;
  SortBuffer(std::int64_t n, const Stream& stream)
      : items_(static_cast<std::size_t>(n), stream),
        alternate_(static_cast<std::size_t>(n), stream) {}

  [[nodiscard]] T* data() noexcept { return items_.data(); }
  [[nodiscard]] T* alternate() noexcept { return alternate_.data(); }
  void swap() noexcept { std::swap(items_, alternate_); }
  /// Frees the alternate array, after the last sort.
  void finish() { alternate_ = DeviceBuffer<T>(); }

 private:
  DeviceBuffer<T> items_;
  DeviceBuffer<T> alternate_;
};

/// Sorts n pairs by the lowest `bits` bits of their keys; data() of both buffers is then sorted.
template <class Key, class Value>
void sort_pairs(SortBuffer<Key>& keys, SortBuffer<Value>& values, std::int64_t n, int bits,
                const Stream& stream) {
  if (n == 0) return;
  if (detail::radix_sort_to_either(as_bits(keys.data()), as_bits(keys.alternate()),
                                   as_bits(values.data()), as_bits(values.alternate()), n, bits,
                                   stream)) {
    keys.swap();
    values.swap();
  }
}

/// Sorts n pairs to other arrays. The input stays, so the sort takes scratch memory for n pairs.
template <class Key, class Value>
void sort_pairs(const Key* keys, Key* sorted_keys, const Value* values, Value* sorted_values,
                std::int64_t n, int bits, const Stream& stream) {
  detail::radix_sort_pairs(as_bits(keys), as_bits(sorted_keys), as_bits(values),
                           as_bits(sorted_values), n, bits, stream);
}

/// Sorts n keys without values to another array.
template <class Key>
void sort_keys(const Key* keys, Key* sorted_keys, std::int64_t n, int bits, const Stream& stream) {
  detail::radix_sort_keys(as_bits(keys), as_bits(sorted_keys), n, bits, stream);
}

}  // namespace warpgraph::cuda
