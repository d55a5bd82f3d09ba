// The parts of the spanning tree over boxes, where there is a device.
#include "algorithms/emst/bvh/box_tree_build.cuh"
#include "algorithms/emst/bvh/near_points.cuh"
#include "algorithms/emst/emst.hpp"
#include "graph/generate/random.hpp"
#include "on_device.hpp"
#include "support.hpp"

#include <algorithm>
#include <cmath>
#include <gtest/gtest.h>
#include <numeric>
#include <tuple>
#include <vector>

namespace warpgraph::emst {
namespace {

class TreeOfBoxes : public test::OnDevice {
 protected:
  std::vector<vertex_t> ids_of(const CurveOrder<float>& order) {
    return fetched(order.ids(), order.n_kept());
  }
};

/// All points of a lattice with `side` points on each axis, one after the other.
std::vector<float> lattice(int side, int dimension) {
  std::vector<float> points;
  const auto n = static_cast<int>(std::pow(side, dimension));
  for (int p = 0; p < n; ++p) {
    for (int k = 0, rest = p; k < dimension; ++k, rest /= side) {
      points.push_back(static_cast<float>(rest % side));
    }
  }
  return points;
}

TEST_F(TreeOfBoxes, CurveStepsFromPointToNeighbour) {
  for (const auto& [side, dimension] : {std::tuple{16, 2}, {8, 3}, {4, 4}, {4, 5}}) {
    const std::vector<float> points = lattice(side, dimension);
    const auto n = static_cast<vertex_t>(points.size() / static_cast<std::size_t>(dimension));
    const auto rows = cuda::to_device(std::span<const float>(points), stream());
    const CurveOrder<float> order(DeviceRows<float>{rows.data(), n, dimension}, stream());
    const std::vector<vertex_t> ids = ids_of(order);
    ASSERT_EQ(ids.size(), static_cast<std::size_t>(n));
    for (std::size_t i = 1; i < ids.size(); ++i) {
      float apart = 0;
      for (int k = 0; k < dimension; ++k) {
        apart += std::abs(points[static_cast<std::size_t>(ids[i] * dimension + k)] -
                          points[static_cast<std::size_t>(ids[i - 1] * dimension + k)]);
      }
      ASSERT_EQ(apart, 1) << "step " << i << " in " << dimension << " dimensions";
    }
  }
}

TEST_F(TreeOfBoxes, TwinsAreEdgesOfTheirFirst) {
  // Three places, two of which share a cell of the grid over all.
  const std::vector<float> places{1e30F, 0.25F, 0.5F};
  std::vector<float> points;
  for (int i = 0; i < 90; ++i) points.push_back(places[static_cast<std::size_t>(i % 3)]);
  const auto rows = cuda::to_device(std::span<const float>(points), stream());
  CurveOrder<float> order(DeviceRows<float>{rows.data(), 90, 1}, stream());
  cuda::Worklist<Edge<float>> edges(90, stream());
  order.drop_twins(edges);
  EXPECT_EQ(ids_of(order), (std::vector<vertex_t>{1, 2, 0}));
  ASSERT_EQ(edges.size(stream()), 87);
  std::vector<Edge<float>> twins = fetched(edges.data(), 87);
  std::sort(twins.begin(), twins.end(), [](const auto& a, const auto& b) { return a.v < b.v; });
  for (int i = 0; i < 87; ++i) {
    EXPECT_EQ(twins[static_cast<std::size_t>(i)].v, i + 3);
    EXPECT_EQ(twins[static_cast<std::size_t>(i)].u, i % 3);
  }
}

TEST_F(TreeOfBoxes, ListsHoldTheNearestPointsInOrder) {
  constexpr int dimension = 3;
  constexpr int length = 5;
  constexpr vertex_t n = 1500;
  std::vector<float> points(n * dimension);
  const CounterRandom random(3, 0);
  for (std::size_t i = 0; i < points.size(); ++i) {
    points[i] = static_cast<float>(random.below(i, 64));  // many ties
  }
  const auto rows_memory = cuda::to_device(std::span<const float>(points), stream());
  const DeviceRows<float> rows{rows_memory.data(), n, dimension};
  CurveOrder<float> order(rows, stream());
  cuda::Worklist<Edge<float>> twins(n, stream());
  order.drop_twins(twins);
  const std::vector<vertex_t> ids = ids_of(order);
  const auto kept = static_cast<std::int64_t>(ids.size());
  const OwnedBoxTree<float, dimension> tree(rows, order.ids(), order.n_kept(), stream());
  const cuda::DeviceBuffer<float> keys(ids.size() * length, stream());
  const cuda::DeviceBuffer<vertex_t> places(ids.size() * length, stream());
  const NearLists<float> lists{keys.data(), places.data(), kept};
  cuda::launch_for(stream(), std::int64_t{tree.view().n_leaves()} * fan,
                   find_near_points<float, dimension, length>, tree.view(), order.ids(), lists,
                   std::int64_t{0});
  const std::vector<vertex_t> found = fetched(places);
  for (std::size_t p = 0; p < ids.size(); p += 7) {
    std::vector<std::pair<float, vertex_t>> all;
    for (const vertex_t q : ids) {
      if (q == ids[p]) continue;
      float key = 0;
      for (int k = 0; k < dimension; ++k) {
        const float apart = points[static_cast<std::size_t>(ids[p] * dimension + k)] -
                            points[static_cast<std::size_t>(q * dimension + k)];
        key += apart * apart;
      }
      all.emplace_back(key, q);
    }
    std::sort(all.begin(), all.end());
    for (std::size_t j = 0; j < length; ++j) {
      const vertex_t at = found[j * ids.size() + p];
      ASSERT_EQ(ids[static_cast<std::size_t>(at)], all[j].second) << "of point " << ids[p];
    }
  }
}

TEST_F(TreeOfBoxes, TreeIsThatOfTheReference) {
  const CounterRandom random(5, 0);
  for (const std::int64_t dimension : {2, 8, 9}) {
    constexpr vertex_t n = 700;
    std::vector<double> points(static_cast<std::size_t>(n * dimension));
    for (std::size_t i = 0; i < points.size(); ++i) {
      points[i] = static_cast<double>(random.below(i, 16));
    }
    const PointsView<double> view{points.data(), n, dimension};
    const EuclideanTree expected = emst_reference(view);
    std::vector<vertex_t> edges(2 * (n - 1));
    std::vector<double> weights(n - 1);
    emst_cuda(view, TreeView{edges.data(), weights.data()}, MemoryBudget(stream().device()),
              stream());
    EXPECT_TRUE(std::ranges::equal(edges, expected.edges));
    EXPECT_TRUE(std::ranges::equal(weights, expected.weights));
  }
}

}  // namespace
}  // namespace warpgraph::emst
