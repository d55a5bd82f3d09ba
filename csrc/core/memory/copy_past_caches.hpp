// A copy of what is not read again soon.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>

#if defined(__x86_64__)
#include <emmintrin.h>
#endif

namespace warpgraph {

/// As memcpy. Whole lines of the target go to memory past the caches, which would read each of them
/// before they write it: for arrays larger than the caches.
inline void copy_past_caches(void* to, const void* from, std::size_t bytes) noexcept {
#if defined(__x86_64__)
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

}  // namespace warpgraph
