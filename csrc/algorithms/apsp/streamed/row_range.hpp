// Ranges of the matrix's rows or columns, in whole tiles. Not for use outside this folder.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
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

/// The pivots of a stage, all of them rows of one member.
struct Stage {
  RowRange pivots;
  int owner;
};

/// Divides the rows of members into stages of at most `depth` pivots.
[[nodiscard]] inline std::vector<Stage> stages_of(const std::vector<RowRange>& rows,
                                                  std::int64_t depth) {
  std::vector<Stage> stages;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    for (std::int64_t first = rows[i].first; first < rows[i].end; first += depth) {
      stages.push_back({{first, std::min(first + depth, rows[i].end)}, static_cast<int>(i)});
    }
  }
  return stages;
}

}  // namespace warpgraph::apsp_detail
