// Prefix sums in place, of integers. All are asynchronous. CUB's kernels are compiled once, in
// scan.cu, for unsigned numbers: the bits of a sum are those of the sum of signed ones.
#pragma once

#include "core/cuda/cub/as_bits.hpp"
#include "core/cuda/stream.hpp"

#include <concepts>
#include <cstdint>

namespace warpgraph::cuda {

namespace detail {

template <class T>
void scan_inclusive(T* values, std::int64_t n, const Stream& stream);
template <class T>
void scan_exclusive(T* values, std::int64_t n, const Stream& stream);

}  // namespace detail

/// Sets values[i] to values[0] + ... + values[i]: inclusive scan.
template <std::integral T>
void inclusive_sum(T* values, std::int64_t n, const Stream& stream) {
  detail::scan_inclusive(as_bits(values), n, stream);
}

/// Sets values[i] to values[0] + ... + values[i - 1]: exclusive scan.
template <std::integral T>
void exclusive_sum(T* values, std::int64_t n, const Stream& stream) {
  detail::scan_exclusive(as_bits(values), n, stream);
}

}  // namespace warpgraph::cuda
