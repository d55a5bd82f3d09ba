// The bottom-up step of a search: finds a neighbour of a vertex that is in the frontier.
#pragma once

#include "core/types.hpp"

#include <cstdint>

namespace warpgraph {

/// Function that returns the first of the vertices first .. last - 1 whose bit in `words`, as in
/// Bitmap, is set, or last. No other thread may write to the words meanwhile.
using BitmapSearch = const vertex_t* (*)(const std::uint64_t* words, const vertex_t* first,
                                         const vertex_t* last);

/// Tests one vertex after the other.
inline const vertex_t* find_in_bitmap(const std::uint64_t* words, const vertex_t* first,
                                      const vertex_t* last) {
  for (; first != last; ++first) {
    if ((words[*first / 64] >> (*first % 64) & 1u) != 0) break;
  }
  return first;
}

/// Returns the fastest search of many vertices on this machine: with AVX2, eight are tested at a
/// time.
BitmapSearch fastest_bitmap_search() noexcept;

}  // namespace warpgraph
