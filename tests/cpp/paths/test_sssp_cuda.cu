// Shortest paths on a CUDA device, where there is one, against Dijkstra's algorithm on the host,
// bit by bit: both methods, on graphs that reach each of their branches. Small enough for
// compute-sanitizer.
#include "algorithms/sssp/variants.hpp"
#include "on_device.hpp"
#include "support.hpp"

#include <gtest/gtest.h>
#include <initializer_list>
#include <span>
#include <stdexcept>
#include <type_traits>
#include <utility>
#include <vector>

namespace warpgraph {
namespace {

/// Builds a symmetric graph edge by edge.
template <class W>
class SymmetricGraph {
 public:
  explicit SymmetricGraph(vertex_t n) : rows_(static_cast<std::size_t>(n)) {}

  void join(vertex_t u, vertex_t v, W weight) {
    rows_[static_cast<std::size_t>(u)].push_back({v, weight});
    rows_[static_cast<std::size_t>(v)].push_back({u, weight});
  }
  [[nodiscard]] Csr<W> graph() const {
    Csr<W> graph;
    for (const auto& row : rows_) {
      for (const auto& [head, weight] : row) {
        graph.heads.push_back(head);
        graph.weights.push_back(weight);
      }
      graph.offsets.push_back(static_cast<edge_t>(graph.heads.size()));
    }
    return graph;
  }

 private:
  std::vector<std::vector<std::pair<vertex_t, W>>> rows_;
};

/// A grid: rounds of few arcs, which one block processes.
template <class W>
Csr<W> grid(vertex_t rows, vertex_t columns) {
  const CounterRandom random(5, 0);
  SymmetricGraph<W> grid(rows * columns);
  std::uint64_t next = 0;
  const auto weight = [&] { return static_cast<W>(random.below(next++, 1000)) / W{3}; };
  for (vertex_t i = 0; i < rows; ++i) {
    for (vertex_t j = 0; j < columns; ++j) {
      if (j + 1 < columns) grid.join(i * columns + j, i * columns + j + 1, weight());
      if (i + 1 < rows) grid.join(i * columns + j, (i + 1) * columns + j, weight());
    }
  }
  return grid.graph();
}

/// Two hubs whose rows are divided into pieces, and a cycle of the other vertices.
template <class W>
Csr<W> wheel(vertex_t n) {
  const CounterRandom random(6, 0);
  SymmetricGraph<W> wheel(n);
  for (vertex_t v = 2; v < n; ++v) {
    const auto at = static_cast<std::uint64_t>(v);
    wheel.join(v % 2, v, static_cast<W>(1 + random.below(3 * at, 500)));
    wheel.join(v, v + 1 < n ? v + 1 : 2, static_cast<W>(random.below(3 * at + 1, 20)));
  }
  return wheel.graph();
}

/// A hub with more leaves than the lists of near and of far vertices hold.
template <class W>
Csr<W> star(vertex_t n, int weights) {
  const CounterRandom random(7, 0);
  SymmetricGraph<W> star(n);
  for (vertex_t v = 0; v < n; ++v) {
    if (v != 1)
      star.join(1, v, static_cast<W>(random.below(static_cast<std::uint64_t>(v), weights)));
  }
  return star.graph();
}

/// A cycle without weight, with chords of weight 1.
template <class W>
Csr<W> cycle_of_zeros(vertex_t n) {
  const CounterRandom random(8, 0);
  SymmetricGraph<W> cycle(n);
  for (vertex_t v = 0; v < n; ++v) {
    cycle.join(v, (v + 1) % n, 0);
    cycle.join(v, static_cast<vertex_t>(random.below(static_cast<std::uint64_t>(v), n)), 1);
  }
  return cycle.graph();
}

template <class W>
class SsspCuda : public test::OnDevice {
 protected:
  void search(const Csr<W>& graph, const SsspOptions<W>& options, std::vector<W>& found,
              const shortest_paths::SsspVariant& variant = {}) const {
    const test::CopiedGraph<W> there(graph.view(), stream());
    found.assign(graph.offsets.size() - 1, W{-1});
    const vertex_t source = 1;
    sssp_cuda_variant<W>(there.view(), graph.view(), {&source, 1}, options, variant,
                         {found, {}, false}, stream());
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

TYPED_TEST(SsspCuda, NearFarVariants) {
  const std::vector<vertex_t> targets{0, 70, 700};
  for (const Csr<TypeParam>& graph :
       {grid<TypeParam>(30, 60), wheel<TypeParam>(3000), star<TypeParam>(3000, 999),
        star<TypeParam>(3000, 1), cycle_of_zeros<TypeParam>(1000)}) {
    for (const bool has_targets : {false, true}) {
      SsspOptions<TypeParam> options;
      if (has_targets) options.targets = targets;
      std::vector<TypeParam> expected(graph.offsets.size() - 1);
      options.method = SsspMethod::dijkstra;
      sssp_cpu<TypeParam>(graph.view(), 1, options, {expected, {}, false});
      options.method = SsspMethod::near_far;
      for (const shortest_paths::NearFarVariant& variant :
           std::initializer_list<shortest_paths::NearFarVariant>{
               {0, 24, 32, 1},       // one warp
               {0, 2, 512, 1},       // one block
               {0, 0, 64, 2},        // two blocks that meet after each hop
               {1, 3, 96, 3},        // narrow windows
               {1e3, 200, 64, 0},    // many hops between two barriers
               {1e300, 24, 128}}) {  // one window
        std::vector<TypeParam> found;
        this->search(graph, options, found, {{}, variant});
        EXPECT_EQ(found, expected);
      }
    }
  }
}

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
