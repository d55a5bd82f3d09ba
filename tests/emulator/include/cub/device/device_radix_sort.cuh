// Stands in for CUB's header of this name: stable, by the bits begin_bit .. end_bit - 1 of a key
// whose bits are mapped to an unsigned number of the same order.
#pragma once

#include "emulator/scratch.hpp"

#include <algorithm>
#include <bit>
#include <numeric>
#include <type_traits>
#include <vector>

namespace cub {

/// Two arrays, one of which has the items; an algorithm may leave them in either.
template <class T>
struct DoubleBuffer {
  T* d_buffers[2] = {nullptr, nullptr};
  int selector = 0;

  DoubleBuffer() = default;
  DoubleBuffer(T* current, T* alternate) : d_buffers{current, alternate} {}
  T* Current() { return d_buffers[selector]; }
  T* Alternate() { return d_buffers[selector ^ 1]; }
};

struct DeviceRadixSort {
  template <class K, class N>
  static cudaError_t SortKeys(void* scratch, std::size_t& bytes, const K* in, K* out, N n,
                              int begin_bit = 0, int end_bit = 8 * sizeof(K),
                              cudaStream_t stream = nullptr) {
    return sort<K, K>(scratch, bytes, in, out, nullptr, nullptr, n, begin_bit, end_bit, false,
                      stream);
  }
  template <class K, class V, class N>
  static cudaError_t SortPairs(void* scratch, std::size_t& bytes, const K* in, K* out,
                               const V* values_in, V* values_out, N n, int begin_bit = 0,
                               int end_bit = 8 * sizeof(K), cudaStream_t stream = nullptr) {
    return sort(scratch, bytes, in, out, values_in, values_out, n, begin_bit, end_bit, false,
                stream);
  }
  template <class K, class V, class N>
  static cudaError_t SortPairs(void* scratch, std::size_t& bytes, DoubleBuffer<K>& keys,
                               DoubleBuffer<V>& values, N n, int begin_bit = 0,
                               int end_bit = 8 * sizeof(K), cudaStream_t stream = nullptr) {
    const cudaError_t status =
        sort(scratch, bytes, keys.Current(), keys.Alternate(), values.Current(), values.Alternate(),
             n, begin_bit, end_bit, false, stream);
    if (scratch != nullptr) {
      keys.selector ^= 1;
      values.selector ^= 1;
    }
    return status;
  }
  template <class K, class V, class N>
  static cudaError_t SortPairsDescending(void* scratch, std::size_t& bytes, const K* in, K* out,
                                         const V* values_in, V* values_out, N n, int begin_bit = 0,
                                         int end_bit = 8 * sizeof(K),
                                         cudaStream_t stream = nullptr) {
    return sort(scratch, bytes, in, out, values_in, values_out, n, begin_bit, end_bit, true,
                stream);
  }

 private:
  template <class K>
  static std::uint64_t digits(K key, int begin_bit, int end_bit) {
    using Bits =
        std::conditional_t<sizeof(K) == 8, std::uint64_t,
                           std::conditional_t<sizeof(K) == 4, std::uint32_t, std::uint16_t>>;
    constexpr auto top = static_cast<Bits>(Bits{1} << (8 * sizeof(K) - 1));
    auto bits = std::bit_cast<Bits>(key);
    if constexpr (std::is_floating_point_v<K>) {
      bits = (bits & top) != 0 ? static_cast<Bits>(~bits) : static_cast<Bits>(bits | top);
    } else if constexpr (std::is_signed_v<K>) {
      bits = static_cast<Bits>(bits ^ top);
    }
    const int n_bits = end_bit - begin_bit;
    const std::uint64_t mask = n_bits >= 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << n_bits) - 1;
    return n_bits <= 0 ? 0 : (std::uint64_t{bits} >> begin_bit) & mask;
  }

  template <class K, class V, class N>
  static cudaError_t sort(void* scratch, std::size_t& bytes, const K* in, K* out,
                          const V* values_in, V* values_out, N n, int begin_bit, int end_bit,
                          bool descending, cudaStream_t stream) {
    return emulator::run_algorithm(scratch, bytes, stream, [=] {
      std::vector<std::size_t> order(static_cast<std::size_t>(n));
      std::iota(order.begin(), order.end(), std::size_t{0});
      std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
        const std::uint64_t of_a = digits(in[a], begin_bit, end_bit);
        const std::uint64_t of_b = digits(in[b], begin_bit, end_bit);
        return descending ? of_b < of_a : of_a < of_b;
      });
      for (std::size_t i = 0; i < order.size(); ++i) out[i] = in[order[i]];
      for (std::size_t i = 0; values_in != nullptr && i < order.size(); ++i) {
        values_out[i] = values_in[order[i]];
      }
    });
  }
};

}  // namespace cub
