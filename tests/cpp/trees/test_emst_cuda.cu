// The parts of the spanning tree over a BVH, where there is a device.
#include "algorithms/emst/emst.hpp"
#include "algorithms/emst/pair_order.hpp"
#include "core/cuda/copies/upload.hpp"
#include "graph/generate/random.hpp"
#include "on_device.hpp"
#include "primitives/bvh/knn_search.cuh"
#include "primitives/bvh/owned_bvh.cuh"
#include "support.hpp"

#include <algorithm>
#include <cmath>
#include <gtest/gtest.h>
#include <numeric>
#include <tuple>
#include <vector>

namespace warpgraph::emst {
namespace {

using bvh::HilbertOrder;
using bvh::OwnedBvh;

/// The edge of identical points.
struct IdenticalPair {
  __device__ Edge<float> operator()(vertex_t first, vertex_t copy) const {
    return {identical_key<float>, first, copy};
  }
};

class BvhEmst : public test::OnDevice {
 protected:
  std::vector<vertex_t> ids_of(const HilbertOrder<float>& order) {
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

TEST_F(BvhEmst, CurveStepsFromPointToNeighbour) {
  for (const auto& [side, dimension] : {std::tuple{16, 2}, {8, 3}, {4, 4}, {4, 5}}) {
    const std::vector<float> points = lattice(side, dimension);
    const auto n = static_cast<vertex_t>(points.size() / static_cast<std::size_t>(dimension));
    const auto rows = cuda::to_device(std::span<const float>(points), stream());
    const HilbertOrder<float> order(DevicePoints<float>{rows.data(), n, dimension}, stream());
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

TEST_F(BvhEmst, DuplicatesAreEdgesOfTheirFirst) {
  // Three distinct points, two of which share a cell of the quantisation grid.
  const std::vector<float> distinct{1e30F, 0.25F, 0.5F};
  std::vector<float> points;
  for (int i = 0; i < 90; ++i) points.push_back(distinct[static_cast<std::size_t>(i % 3)]);
  const auto rows = cuda::to_device(std::span<const float>(points), stream());
  HilbertOrder<float> order(DevicePoints<float>{rows.data(), 90, 1}, stream());
  cuda::Worklist<Edge<float>> edges(90, stream());
  order.drop_duplicates(edges, IdenticalPair{});
  EXPECT_EQ(ids_of(order), (std::vector<vertex_t>{1, 2, 0}));
  ASSERT_EQ(edges.size(stream()), 87);
  std::vector<Edge<float>> duplicates = fetched(edges.data(), 87);
  std::sort(duplicates.begin(), duplicates.end(),
            [](const auto& a, const auto& b) { return a.v < b.v; });
  for (int i = 0; i < 87; ++i) {
    EXPECT_EQ(duplicates[static_cast<std::size_t>(i)].v, i + 3);
    EXPECT_EQ(duplicates[static_cast<std::size_t>(i)].u, i % 3);
  }
}

TEST_F(BvhEmst, ListsHoldTheNearestPointsInOrder) {
  constexpr int dimension = 3;
  constexpr int length = 5;
  constexpr vertex_t n = 1500;
  std::vector<float> points(n * dimension);
  const CounterRandom random(3, 0);
  for (std::size_t i = 0; i < points.size(); ++i) {
    points[i] = static_cast<float>(random.below(i, 64));  // many ties
  }
  const auto rows_memory = cuda::to_device(std::span<const float>(points), stream());
  const DevicePoints<float> rows{rows_memory.data(), n, dimension};
  HilbertOrder<float> order(rows, stream());
  cuda::Worklist<Edge<float>> duplicates(n, stream());
  order.drop_duplicates(duplicates, IdenticalPair{});
  const std::vector<vertex_t> ids = ids_of(order);
  const auto kept = static_cast<std::int64_t>(ids.size());
  const OwnedBvh<float, dimension> tree(rows, order.ids(), order.n_kept(), stream());
  const cuda::DeviceBuffer<float> keys(ids.size() * length, stream());
  const cuda::DeviceBuffer<vertex_t> places(ids.size() * length, stream());
  const knn::DeviceLists<float> lists{keys.data(), places.data(), kept, 0};
  cuda::launch_for(stream(), std::int64_t{tree.view().n_leaves()} * bvh::branching_factor,
                   bvh::find_knn<float, dimension, length>, tree.view(), order.ids(), lists,
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

TEST_F(BvhEmst, TreeIsThatOfTheReference) {
  const CounterRandom random(5, 0);
  for (const std::int64_t dimension : {2, 8, 9}) {
    constexpr vertex_t n = 700;
    std::vector<double> points(static_cast<std::size_t>(n * dimension));
    for (std::size_t i = 0; i < points.size(); ++i) {
      points[i] = static_cast<double>(random.below(i, 16));
    }
    const PointsView<double> view{points.data(), n, dimension};
    for (const EmstOptions& options :
         {EmstOptions{}, EmstOptions{5, 1}, EmstOptions{12, 1.5}, EmstOptions{40, 1}}) {
      const EuclideanTree expected = emst_reference(view, options);
      std::vector<vertex_t> edges(2 * (n - 1));
      std::vector<double> weights(n - 1);
      emst_cuda(view, options, TreeView{edges.data(), weights.data()},
                MemoryBudget(stream().device()), stream());
      EXPECT_TRUE(std::ranges::equal(edges, expected.edges)) << options.min_samples;
      EXPECT_TRUE(std::ranges::equal(weights, expected.weights)) << options.min_samples;
    }
  }
}

}  // namespace
}  // namespace warpgraph::emst
