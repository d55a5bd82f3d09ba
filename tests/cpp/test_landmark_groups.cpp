// The groups of sources that form batches on a CUDA device.
#include "algorithms/many_to_many/batched/landmark_groups.hpp"

#include <algorithm>
#include <gtest/gtest.h>
#include <vector>

namespace warpgraph::many_to_many_detail {
namespace {

std::vector<std::int64_t> sorted(std::vector<std::int64_t> rows) {
  std::sort(rows.begin(), rows.end());
  return rows;
}

std::vector<std::int64_t> counted(std::int64_t n) {
  std::vector<std::int64_t> rows(static_cast<std::size_t>(n));
  std::iota(rows.begin(), rows.end(), std::int64_t{0});
  return rows;
}

/// Sources on a line, in shuffled order, with landmarks at both ends.
TEST(LandmarkGroups, CutsALineIntoPieces) {
  constexpr std::int64_t n = 103;
  constexpr std::int64_t size = 8;
  std::vector<std::int64_t> positions;
  std::vector<double> distances;
  for (std::int64_t row = 0; row < n; ++row) {
    positions.push_back(row * 37 % n);
    distances.push_back(static_cast<double>(positions.back()));
    distances.push_back(static_cast<double>(n - positions.back()));
  }
  const LandmarkGroups groups(std::span<const double>(distances), 2, size);
  ASSERT_EQ(sorted(groups.order()), counted(n));
  ASSERT_EQ(groups.centres().size(), 13u);
  for (std::size_t g = 0; g < groups.centres().size(); ++g) {
    const auto first = groups.order().begin() + static_cast<std::ptrdiff_t>(g) * size;
    const auto last = std::min(first + size, groups.order().end());
    std::vector<std::int64_t> piece;
    for (auto row = first; row < last; ++row)
      piece.push_back(positions[static_cast<std::size_t>(*row)]);
    std::sort(piece.begin(), piece.end());
    EXPECT_EQ(piece.back() - piece.front(), last - first - 1) << "group " << g;
    const std::int64_t centre = positions[static_cast<std::size_t>(groups.centres()[g])];
    EXPECT_LE(std::max(piece.back() - centre, centre - piece.front()), (last - first) / 2);
  }
}

/// Sources that no landmark reaches form their own group.
TEST(LandmarkGroups, KeepsTheUnreachedApart) {
  std::vector<float> distances;
  for (int row = 0; row < 64; ++row) {
    distances.push_back(row % 2 == 0 ? infinity<float>() : static_cast<float>(row));
  }
  const LandmarkGroups groups(std::span<const float>(distances), 1, 32);
  ASSERT_EQ(groups.centres().size(), 2u);
  for (std::size_t i = 0; i < 32; ++i) EXPECT_EQ(groups.order()[i] % 2, 1);
  EXPECT_EQ(groups.centres()[0] % 2, 1);
  EXPECT_EQ(groups.centres()[1] % 2, 0);
}

}  // namespace
}  // namespace warpgraph::many_to_many_detail
