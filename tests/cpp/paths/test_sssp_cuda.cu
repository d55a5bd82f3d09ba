// Shortest paths on a CUDA device, where there is one, against Dijkstra's algorithm on the host,
// bit by bit: both methods, on graphs that reach each of their branches. Small enough for
// compute-sanitizer.
#include "algorithms/sssp/sssp.hpp"
#include "on_device.hpp"
#include "paths/graphs_to_search.hpp"
#include "support.hpp"

#include <gtest/gtest.h>
#include <span>
#include <stdexcept>
#include <type_traits>
#include <utility>
#include <vector>

namespace warpgraph {
namespace {

using test::grid;
using test::SymmetricGraph;
using test::wheel;

template <class W>
class SsspCuda : public test::OnDevice {
 protected:
  void search(const Csr<W>& graph, const SsspOptions<W>& options, std::vector<W>& found) const {
    const test::CopiedGraph<W> there(graph.view(), stream());
    found.assign(graph.offsets.size() - 1, W{-1});
    const vertex_t source = 1;
    sssp_cuda<W>(there.view(), graph.view(), {&source, 1}, options, {found, {}, false}, stream());
  }

  void compare(const Csr<W>& graph, SsspOptions<W> options = {}) const {
    std::vector<W> expected(graph.offsets.size() - 1);
    options.method = SsspMethod::dijkstra;
    sssp_cpu<W>(graph.view(), 1, options, {expected, {}, false});
    for (const SsspMethod method : {SsspMethod::near_far, SsspMethod::bellman_ford}) {
      options.method = method;
      for (const bool symmetric : {false, true}) {
        options.symmetric = symmetric && method == SsspMethod::bellman_ford;
        std::vector<W> found;
        search(graph, options, found);
        EXPECT_EQ(found, expected);
      }
    }
  }
};

using Weights = testing::Types<float, double, std::int32_t, std::int64_t>;
TYPED_TEST_SUITE(SsspCuda, Weights);

TYPED_TEST(SsspCuda, Grid) { this->compare(grid<TypeParam>(40, 130)); }

TYPED_TEST(SsspCuda, Wheel) { this->compare(wheel<TypeParam>(5000)); }

TYPED_TEST(SsspCuda, LimitAndTargets) {
  const Csr<TypeParam> graph = grid<TypeParam>(40, 60);
  const std::vector<vertex_t> targets{0, 70, 700};
  SsspOptions<TypeParam> options;
  options.limit = static_cast<TypeParam>(900);
  this->compare(graph, options);
  options.targets = targets;
  this->compare(graph, options);
}

/// Sums of two heavy weights overflow, unless a lighter path exists.
TYPED_TEST(SsspCuda, DistancesThatDoNotFit) {
  if constexpr (std::is_integral_v<TypeParam>) {
    constexpr TypeParam heavy = infinity<TypeParam>() / 2 + 1;
    for (const bool has_light_path : {false, true}) {
      SymmetricGraph<TypeParam> rows(4);
      rows.join(1, 2, heavy);
      rows.join(2, 3, heavy);
      if (has_light_path) rows.join(1, 3, 7);
      const Csr<TypeParam> graph = rows.graph();
      SsspOptions<TypeParam> options;
      options.method = SsspMethod::near_far;
      std::vector<TypeParam> found;
      const auto run = [&] { this->search(graph, options, found); };
      if (has_light_path) {
        run();
        EXPECT_EQ(found, (std::vector<TypeParam>{infinity<TypeParam>(), 0, heavy, 7}));
      } else {
        EXPECT_THROW(run(), std::overflow_error);
      }
    }
  }
}

/// Only bellman_ford accepts negative weights.
TYPED_TEST(SsspCuda, NegativeWeights) {
  Csr<TypeParam> graph = test::random_graph<TypeParam>(3000, 9000, 3);
  for (std::size_t u = 0; u + 1 < graph.offsets.size(); ++u) {
    for (auto e = static_cast<std::size_t>(graph.offsets[u]);
         e < static_cast<std::size_t>(graph.offsets[u + 1]); ++e) {
      // Differences of potentials make no cycle negative.
      const auto difference =
          static_cast<TypeParam>((graph.heads[e] % 7) - static_cast<int>(u % 7));
      graph.weights[e] += 20 * difference;
    }
  }
  SsspOptions<TypeParam> options;
  options.method = SsspMethod::bellman_ford;
  options.negative_weights = true;
  std::vector<TypeParam> expected(graph.offsets.size() - 1);
  sssp_cpu<TypeParam>(graph.view(), 1, options, {expected, {}, false});
  std::vector<TypeParam> found;
  this->search(graph, options, found);
  EXPECT_EQ(found, expected);
}

}  // namespace
}  // namespace warpgraph
