// Ranges of the matrix's rows or columns, in whole tiles. Not for use outside this folder.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <vector>

namespace warpgraph::apsp_detail {

/// The rows, or columns, first .. end - 1.
struct RowRange {
  std::int64_t first = 0;
  std::int64_t end = 0;
  [[nodiscard]] std::int64_t size() const { return end - first; }
};

/// Returns the common part of two ranges.
[[nodiscard]] inline RowRange common(RowRange range, RowRange other) {
  return {std::clamp(other.first, range.first, range.end),
          std::clamp(other.end, range.first, range.end)};
}

/// Returns the parts of a range before and after the pivots; either may be empty.
[[nodiscard]] inline std::array<RowRange, 2> around(RowRange range, RowRange pivots) {
  const RowRange within = common(range, pivots);
  return {{{range.first, within.first}, {within.end, range.end}}};
}

/// Divides the rows of a matrix, whose side is a multiple of that of a tile, among members in whole
/// tiles; their numbers of tiles differ by at most one.
[[nodiscard]] inline std::vector<RowRange> rows_of_members(std::int64_t side, std::int64_t tile,
                                                           std::size_t n_members) {
  const auto n = static_cast<std::int64_t>(n_members);
  std::vector<RowRange> rows;
  for (std::int64_t i = 0; i < n; ++i) {
    const auto start = [&](std::int64_t member) { return side / tile * member / n * tile; };
    rows.push_back({start(i), start(i + 1)});
  }
  return rows;
}

}  // namespace warpgraph::apsp_detail
