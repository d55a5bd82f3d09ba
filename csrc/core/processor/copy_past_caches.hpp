// Copies of data that are not read again soon.
#pragma once

#include "core/processor/instructions.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>

#if WARPGRAPH_X86_64
#include <emmintrin.h>
#endif

namespace warpgraph {

/// Copies like memcpy, but writes whole cache lines of the target to memory past the caches, which
/// would read each line before they write it. For arrays larger than the caches.
inline void copy_past_caches(void* to, const void* from, std::size_t bytes) noexcept {
#if WARPGRAPH_X86_64
  constexpr std::size_t line = 64;
  auto* target = static_cast<std::byte*>(to);
  const auto* source = static_cast<const std::byte*>(from);
  const std::size_t before = std::min(bytes, -reinterpret_cast<std::uintptr_t>(to) % line);
  std::memcpy(target, source, before);
  const std::byte* const end = target + bytes;
  for (target += before, source += before; end - target >= static_cast<std::ptrdiff_t>(line);
       target += line, source += line) {
    const auto* const read = reinterpret_cast<const __m128i*>(source);
    auto* const written = reinterpret_cast<__m128i*>(target);
    const __m128i first = _mm_loadu_si128(read);
    const __m128i second = _mm_loadu_si128(read + 1);
    const __m128i third = _mm_loadu_si128(read + 2);
    const __m128i fourth = _mm_loadu_si128(read + 3);
    _mm_stream_si128(written, first);
    _mm_stream_si128(written + 1, second);
    _mm_stream_si128(written + 2, third);
    _mm_stream_si128(written + 3, fourth);
  }
  _mm_sfence();  // the processor does not order such writes with later ones
  std::memcpy(target, source, static_cast<std::size_t>(end - target));
#else
  std::memcpy(to, from, bytes);
#endif
}

/// The byte that widens to -1.
inline constexpr std::uint8_t widest_byte = 255;

/// Converts bytes to integers of 32 bits, and `widest_byte` to -1. Writes them as copy_past_caches
/// does.
inline void widen_past_caches(std::int32_t* to, const std::uint8_t* from, std::size_t n) noexcept {
  const auto widen = [&](std::size_t first, std::size_t last) {
    for (std::size_t i = first; i < last; ++i) {
      to[i] = from[i] == widest_byte ? -1 : std::int32_t{from[i]};
    }
  };
#if WARPGRAPH_X86_64
  constexpr std::size_t at_once = 16;
  const auto address = reinterpret_cast<std::uintptr_t>(to);
  if (address % sizeof(std::int32_t) != 0) return widen(0, n);
  const std::size_t before = std::min(n, -address % (4 * at_once) / sizeof(std::int32_t));
  const std::size_t end = before + (n - before) / at_once * at_once;
  widen(0, before);
  const __m128i ones = _mm_set1_epi8(-1);
  for (std::size_t i = before; i < end; i += at_once) {
    const __m128i bytes = _mm_loadu_si128(reinterpret_cast<const __m128i*>(from + i));
    auto* const written = reinterpret_cast<__m128i*>(to + i);
    // The upper byte of a half-word, and then its upper half-word, are all ones for -1 alone.
    const __m128i signs = _mm_cmpeq_epi8(bytes, ones);
    const auto store = [&](int k, __m128i halves, __m128i upper) {
      _mm_stream_si128(written + k, _mm_unpacklo_epi16(halves, upper));
      _mm_stream_si128(written + k + 1, _mm_unpackhi_epi16(halves, upper));
    };
    store(0, _mm_unpacklo_epi8(bytes, signs), _mm_unpacklo_epi8(signs, signs));
    store(2, _mm_unpackhi_epi8(bytes, signs), _mm_unpackhi_epi8(signs, signs));
  }
  _mm_sfence();  // the processor does not order such writes with later ones
  widen(end, n);
#else
  widen(0, n);
#endif
}

}  // namespace warpgraph
