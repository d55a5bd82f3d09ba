// Left packing: each step compares a vector of values and moves those that pass to its front. The
// whole vector is stored, and the place of the next one depends on how many have passed. So there
// are no branches, whose mispredictions take 4 times as long as all else where half of the values
// pass.
//
// AVX-512 has an instruction that packs values of every size (VBMI2). Its form that packs in a
// register is used, since some processors execute the form that stores to memory in microcode. For
// AVX2 a table has the permutation of each mask.
#include "core/processor/filter_values.hpp"

#include "core/processor/intrinsics.hpp"
#include "core/processor/vectors.hpp"

#include <algorithm>
#include <array>
#include <bit>

namespace warpgraph {
namespace {

/// Filters one value at a time; n have passed before. Every value is stored, without a branch, and
/// the next one replaces it if it does not pass.
template <class T>
std::size_t filter_each(std::span<const T> values, Interval<T> interval, T* passed,
                        std::size_t n = 0) {
  for (const T value : values) {
    passed[n] = value;
    n += static_cast<std::size_t>(value >= interval.low) &
         static_cast<std::size_t>(value <= interval.high);
  }
  return n;
}

/// Returns the number of values before the first cache line. NumPy's large arrays begin within a
/// line, and a load across two lines takes 1.5 times as long.
template <class T>
std::size_t before_line(std::span<const T> values) {
  constexpr std::size_t line_bytes = 64;
  const std::size_t bytes = -reinterpret_cast<std::uintptr_t>(values.data()) % line_bytes;
  return std::min(bytes / sizeof(T), values.size());
}

#if WARPGRAPH_X86_64

/// Returns, for each mask of values, the permutation of lanes of 32 bits that packs the values
/// whose bits are set. A value has `width` lanes.
template <int values, int width>
constexpr auto packing_permutations() {
  std::array<std::array<int, values * width>, 1 << values> lanes{};
  for (unsigned mask = 0; mask < lanes.size(); ++mask) {
    int n = 0;
    for (int value = 0; value < values; ++value) {
      if ((mask >> value & 1) == 0) continue;
      for (int part = 0; part < width; ++part) {
        lanes[mask][static_cast<std::size_t>(n++)] = value * width + part;
      }
    }
  }
  return lanes;
}

template <int values, int width>
constexpr auto permutation_of_mask = packing_permutations<values, width>();

template <class T>
[[gnu::target("avx2,popcnt")]] std::size_t filter_avx2(std::span<const T> values,
                                                       Interval<T> interval, T* passed) {
  using Vector = typename VectorOf<T, 32>::unaligned;
  constexpr std::size_t in_vector = 32 / sizeof(T);
  std::size_t i = before_line(values);
  std::size_t n = filter_each(values.first(i), interval, passed);
  for (; i + in_vector <= values.size(); i += in_vector) {
    const Vector loaded = *reinterpret_cast<const Vector*>(values.data() + i);
    const auto passes = (loaded >= interval.low) & (loaded <= interval.high);
    int mask = 0;
    if constexpr (sizeof(T) == 8) {
      mask = _mm256_movemask_pd(reinterpret_cast<__m256d>(passes));
    } else {
      mask = _mm256_movemask_ps(reinterpret_cast<__m256>(passes));
    }
    const auto& lanes =
        permutation_of_mask<in_vector, sizeof(T) / 4>[static_cast<std::size_t>(mask)];
    const __m256i order = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(lanes.data()));
    const __m256i front = _mm256_permutevar8x32_epi32(reinterpret_cast<__m256i>(loaded), order);
    _mm256_storeu_si256(reinterpret_cast<__m256i*>(passed + n), front);
    n += static_cast<std::size_t>(std::popcount(static_cast<unsigned>(mask)));
  }
  return filter_each(values.subspan(i), interval, passed, n);
}

#define AVX512 "avx512f,avx512bw,avx512dq,avx512vbmi2,popcnt"

template <class T>
[[gnu::target(AVX512)]] std::size_t filter_avx512(std::span<const T> values, Interval<T> interval,
                                                  T* passed) {
  using Vector = typename VectorOf<T, 64>::unaligned;
  constexpr std::size_t in_vector = 64 / sizeof(T);
  std::size_t i = before_line(values);
  std::size_t n = filter_each(values.first(i), interval, passed);
  for (; i + in_vector <= values.size(); i += in_vector) {
    const Vector loaded = *reinterpret_cast<const Vector*>(values.data() + i);
    const auto passes =
        reinterpret_cast<__m512i>((loaded >= interval.low) & (loaded <= interval.high));
    const auto items = reinterpret_cast<__m512i>(loaded);
    __m512i front;
    std::uint64_t mask = 0;
    if constexpr (sizeof(T) == 8) {
      mask = _mm512_movepi64_mask(passes);
      front = _mm512_maskz_compress_epi64(static_cast<__mmask8>(mask), items);
    } else if constexpr (sizeof(T) == 4) {
      mask = _mm512_movepi32_mask(passes);
      front = _mm512_maskz_compress_epi32(static_cast<__mmask16>(mask), items);
    } else if constexpr (sizeof(T) == 2) {
      mask = _mm512_movepi16_mask(passes);
      front = _mm512_maskz_compress_epi16(static_cast<__mmask32>(mask), items);
    } else {
      mask = _mm512_movepi8_mask(passes);
      front = _mm512_maskz_compress_epi8(mask, items);
    }
    _mm512_storeu_si512(passed + n, front);
    n += static_cast<std::size_t>(std::popcount(mask));
  }
  return filter_each(values.subspan(i), interval, passed, n);
}

#undef AVX512
#endif

}  // namespace

FilterVectors widest_filter_vectors() noexcept {
  if (has_avx512_compress()) return FilterVectors::avx512;
  if (has_avx2()) return FilterVectors::avx2;
  return FilterVectors::none;
}

template <class T>
std::size_t filter_values(std::span<const T> values, Interval<T> interval, T* passed,
                          [[maybe_unused]] FilterVectors vectors) {
#if WARPGRAPH_X86_64
  if (vectors == FilterVectors::avx512) return filter_avx512(values, interval, passed);
  if constexpr (sizeof(T) >= 4) {
    if (vectors == FilterVectors::avx2) return filter_avx2(values, interval, passed);
  }
#endif
  return filter_each(values, interval, passed);
}

template <class T>
std::size_t filter_values_within(std::span<const T> values, Interval<T> interval,
                                 std::span<T> memory) {
  // filter_values() needs room for all values, which `memory` may not have. So each block is
  // filtered into an array, small enough for the nearest cache, and copied: that costs about as
  // much as to write to memory only once.
  constexpr std::size_t block = 2048 / sizeof(T);
  std::array<T, block> passed;
  const FilterVectors vectors = widest_filter_vectors();
  std::size_t n_passed = 0;
  // All blocks but the first begin with a cache line.
  for (std::size_t begin = 0, end = before_line(values); begin < values.size();
       begin = end, end = std::min(begin + block, values.size())) {
    const std::size_t n =
        filter_values(values.subspan(begin, end - begin), interval, passed.data(), vectors);
    const std::span<T> room = memory.subspan(std::min(n_passed, memory.size()));
    std::copy_n(passed.data(), std::min(n, room.size()), room.data());
    n_passed += n;
  }
  return n_passed;
}

#define INSTANTIATE(T)                                                                       \
  template std::size_t filter_values<T>(std::span<const T>, Interval<T>, T*, FilterVectors); \
  template std::size_t filter_values_within<T>(std::span<const T>, Interval<T>, std::span<T>);
WARPGRAPH_FOR_EACH_FILTERED(INSTANTIATE)
#undef INSTANTIATE

}  // namespace warpgraph
