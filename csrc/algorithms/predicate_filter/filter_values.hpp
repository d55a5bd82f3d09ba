// The loop of predicate_filter on a core.
#pragma once

#include "algorithms/predicate_filter/predicate_filter.hpp"

namespace warpgraph {

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
