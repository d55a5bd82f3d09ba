// Loops over the points of a leaf, a vector at a time.
//
// The last vector of a leaf may extend beyond it: arrays have space for that, and results of these
// lanes are masked out. Vectors are no longer than those of the machine: GCC divides longer ones
// number by number.
// Written out, since the compiler's own vectorisation tests whether arrays overlap and treats the
// last few points one by one, and both took longer than the vectors of a leaf.
#pragma once

#include "core/processor/vectors.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstring>
#include <type_traits>

namespace warpgraph {

/// Upper bound on the points of a leaf of any tree.
inline constexpr int max_leaf_points = 64;

template <class T, int bytes = longest_vector>
struct LeafVectors {
  static constexpr int lanes = bytes / static_cast<int>(sizeof(T));
  /// An integer as wide as T: comparisons of vectors have such lanes, with all bits set where they
  /// hold.
  using Word = std::conditional_t<sizeof(T) == 4, std::int32_t, std::int64_t>;
  using Vector = typename VectorOf<T, bytes>::unaligned;
  using Words = typename VectorOf<Word, bytes>::unaligned;
  /// Vectors that are passed by reference: templates that deduce the type of one forget that it is
  /// unaligned.
  using Passed = typename VectorOf<T, bytes>::type;
  using PassedWords = typename VectorOf<Word, bytes>::type;

  /// A vector in memory. Clang forgets the alignment of `Vector` where a function returns a
  /// reference to it, but not that of a packed struct.
  struct [[gnu::packed, gnu::may_alias]] Stored {
    typename VectorOf<T, bytes>::type lanes;
  };
  /// Returns the vector of the items from `items` on.
  [[gnu::always_inline]] static Stored& at(T* items) noexcept {
    return *reinterpret_cast<Stored*>(items);
  }
  [[gnu::always_inline]] static const Stored& at(const T* items) noexcept {
    return *reinterpret_cast<const Stored*>(items);
  }

  /// Returns a mask whose bit i is set if item i of 0 .. count - 1 <= max_leaf_points passes a
  /// test. test(i, passes) sets `passes` to the comparison of the vector of items from i on.
  template <class Test>
  [[gnu::always_inline]] static std::uint64_t bits_of(int count, Test&& test) noexcept {
    constexpr int word_bits = 8 * static_cast<int>(sizeof(Word));
    std::uint64_t bits = 0;
    for (int first = 0; first < count; first += word_bits) {
      const int end = std::min(count, first + word_bits);
      Words bit = *reinterpret_cast<const Words*>(bit_of_lane.data());
      Words passed{};
      for (int i = first; i < end; i += lanes) {
        typename VectorOf<Word, bytes>::type passes;
        test(i, passes);
        passed |= passes & bit;
        bit <<= lanes % word_bits;
      }
      using Unsigned = std::make_unsigned_t<Word>;
      bits |= std::uint64_t{static_cast<Unsigned>(any<bytes>(passed))} << first;
    }
    return count < max_leaf_points ? bits & ((std::uint64_t{1} << count) - 1) : bits;
  }

  /// Returns the largest lane.
  [[gnu::always_inline]] static T largest(const Vector& vector) noexcept {
    T most = vector[0];
    for (int lane = 1; lane < lanes; ++lane) most = std::max(most, vector[lane]);
    return most;
  }

 private:
  static constexpr auto bit_of_lane = [] {
    std::array<Word, lanes> bits{};
    for (std::size_t lane = 0; lane < lanes; ++lane) bits[lane] = Word{1} << lane;
    return bits;
  }();
  /// Returns the union of the lanes' bits.
  template <int size, class Lanes>
  [[gnu::always_inline]] static Word any(const Lanes& words) noexcept {
    if constexpr (size == sizeof(Word)) {
      return words[0];
    } else {
      using Half = typename VectorOf<Word, size / 2>::unaligned;
      Half low;
      Half high;
      std::memcpy(&low, &words, size / 2);
      std::memcpy(&high, reinterpret_cast<const char*>(&words) + size / 2, size / 2);
      low |= high;
      return any<size / 2>(low);
    }
  }
};

}  // namespace warpgraph
