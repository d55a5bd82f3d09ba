// The bottom-up step of a search: which neighbour of a vertex is in the frontier.
#pragma once

#include "core/types.hpp"

#include <cstdint>

namespace warpgraph {

/// Returns the first of the vertices first .. last - 1 whose bit in `words`, as in Bitmap, is set,
/// or last. Nobody may write to the words meanwhile.
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

/// The fastest search of many vertices that this machine has: with AVX2, eight are tested at a
/// time.
BitmapSearch fastest_bitmap_search() noexcept;

}  // namespace warpgraph
