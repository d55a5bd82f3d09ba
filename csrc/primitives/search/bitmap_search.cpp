#include "primitives/search/bitmap_search.hpp"

#include "core/processor/intrinsics.hpp"

#include <bit>

namespace warpgraph {

namespace {

#if WARPGRAPH_X86_64

constexpr int lanes = 8;

/// Returns a bit for each of eight vertices.
[[gnu::target("avx2")]] inline unsigned test_eight(const std::uint64_t* words,
                                                   const vertex_t* vertices) {
  const __m256i eight = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(vertices));
  const auto* const halves = reinterpret_cast<const int*>(words);
  const __m256i bits = _mm256_i32gather_epi32(halves, _mm256_srli_epi32(eight, 5), 4);
  // The bit of each vertex becomes the sign of its lane.
  const __m256i to_sign = _mm256_andnot_si256(eight, _mm256_set1_epi32(31));
  const __m256i signs = _mm256_sllv_epi32(bits, to_sign);
  return static_cast<unsigned>(_mm256_movemask_ps(_mm256_castsi256_ps(signs)));
}

/// Searches eight vertices at a time. The last vector overlaps the one before: loads of a part of a
/// vector take longer.
[[gnu::target("avx2")]] const vertex_t* find_with_avx2(const std::uint64_t* words,
                                                       const vertex_t* first,
                                                       const vertex_t* last) {
  if (last - first < lanes) return find_in_bitmap(words, first, last);
  while (first != last) {
    if (last - first < lanes) first = last - lanes;
    const unsigned found = test_eight(words, first);
    if (found != 0) return first + std::countr_zero(found);
    first += lanes;
  }
  return last;
}

#endif

}  // namespace

BitmapSearch fastest_bitmap_search() noexcept {
#if WARPGRAPH_X86_64
  if (has_avx2()) return find_with_avx2;
#endif
  return find_in_bitmap;
}

}  // namespace warpgraph
