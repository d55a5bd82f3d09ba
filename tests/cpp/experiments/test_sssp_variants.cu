// Variants of the searches on a CUDA device against Dijkstra's algorithm on the host, bit by bit.
#include "experiments/sssp/variants.hpp"
#include "on_device.hpp"
#include "paths/graphs_to_search.hpp"

#include <gtest/gtest.h>
#include <initializer_list>

namespace warpgraph::experiments {
namespace {

template <class W>
class NearFarVariants : public test::OnDevice {
 protected:
  void search(const Csr<W>& graph, const SsspOptions<W>& options, const NearFarVariant& variant,
              std::vector<W>& found) const {
    const test::CopiedGraph<W> there(graph.view(), stream());
    const cuda::DeviceBuffer<W> distances(graph.offsets.size() - 1, stream());
    near_far<W>(there.view(), graph.view(), 1, options, variant,
                {distances.data(), distances.size()}, stream());
    found = fetched(distances);
  }
};

using Weights = testing::Types<float, double, std::int32_t, std::int64_t>;
TYPED_TEST_SUITE(NearFarVariants, Weights);

TYPED_TEST(NearFarVariants, FindTheSameDistances) {
  const std::vector<vertex_t> targets{0, 70, 700};
  for (const Csr<TypeParam>& graph :
       {test::grid<TypeParam>(30, 60), test::wheel<TypeParam>(3000),
        test::star<TypeParam>(3000, 999), test::star<TypeParam>(3000, 1),
        test::cycle_of_zeros<TypeParam>(1000)}) {
    for (const bool has_targets : {false, true}) {
      SsspOptions<TypeParam> options;
      if (has_targets) options.targets = targets;
      std::vector<TypeParam> expected(graph.offsets.size() - 1);
      options.method = SsspMethod::dijkstra;
      sssp_cpu<TypeParam>(graph.view(), 1, options, {expected, {}, false});
      for (const NearFarVariant& variant : std::initializer_list<NearFarVariant>{
               {0, 24, 32, 1},       // one warp
               {0, 2, 512, 1},       // one block
               {0, 0, 64, 2},        // two blocks that meet after each hop
               {1, 3, 96, 3},        // narrow windows
               {1e3, 200, 64, 0},    // many hops between two barriers
               {1e300, 24, 128}}) {  // one window
        std::vector<TypeParam> found;
        this->search(graph, options, variant, found);
        EXPECT_EQ(found, expected);
      }
    }
  }
}

using BellmanFordVariants = test::OnDevice;

TEST_F(BellmanFordVariants, FindTheSameDistances) {
  for (const Csr<double>& graph : {test::grid<double>(30, 60), test::wheel<double>(3000)}) {
    std::vector<double> expected(graph.offsets.size() - 1);
    SsspOptions<double> by_dijkstra;
    by_dijkstra.method = SsspMethod::dijkstra;
    sssp_cpu<double>(graph.view(), 1, by_dijkstra, {expected, {}, false});
    const test::CopiedGraph<double> there(graph.view(), stream());
    const cuda::DeviceBuffer<double> distances(expected.size(), stream());
    for (const bool symmetric : {false, true}) {
      for (const BellmanFordVariant& variant :
           {BellmanFordVariant{true, true, 0}, BellmanFordVariant{true, true, 10},
            BellmanFordVariant{true, false, 0}, BellmanFordVariant{false, true, 100},
            BellmanFordVariant{false, false, 0}}) {
        SsspOptions<double> options;
        options.symmetric = symmetric;
        bellman_ford<double>(there.view(), graph.view(), 1, options, variant,
                             {distances.data(), distances.size()}, stream());
        EXPECT_EQ(fetched(distances), expected);
      }
    }
  }
}

}  // namespace
}  // namespace warpgraph::experiments
