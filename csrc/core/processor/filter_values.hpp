// Copies of the values of an array that lie between two bounds.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

// Types of values that can be filtered.
#define WARPGRAPH_FOR_EACH_SIGNED(X) X(std::int8_t) X(std::int16_t) X(std::int32_t) X(std::int64_t)
#define WARPGRAPH_FOR_EACH_UNSIGNED(X) \
  X(std::uint8_t) X(std::uint16_t) X(std::uint32_t) X(std::uint64_t)
#define WARPGRAPH_FOR_EACH_FILTERED(X) \
  X(float) X(double) WARPGRAPH_FOR_EACH_SIGNED(X) WARPGRAPH_FOR_EACH_UNSIGNED(X)

namespace warpgraph {

/// The values from `low` to `high`, both included. A NaN does not pass.
template <class T>
struct Interval {
  T low;
  T high;
};

/// The vectors that a processor has: none are used, those of 32 bytes, or those of 64 bytes with
/// the instructions that move values of every size (VBMI2).
enum class FilterVectors { none, avx2, avx512 };

/// Returns the widest vectors of this processor.
[[nodiscard]] FilterVectors widest_filter_vectors() noexcept;

/// Copies the values that pass to `passed`, in their order; returns their number. `passed` has room
/// for all values, and the items after those that pass may change. The vectors, which the processor
/// must have, do not change the result.
template <class T>
std::size_t filter_values(std::span<const T> values, Interval<T> interval, T* passed,
                          FilterVectors vectors = widest_filter_vectors());

/// Copies the values that pass to memory of which no other item may change: as many values are
/// written as it has room for. Returns their number.
template <class T>
std::size_t filter_values_within(std::span<const T> values, Interval<T> interval,
                                 std::span<T> memory);

}  // namespace warpgraph
