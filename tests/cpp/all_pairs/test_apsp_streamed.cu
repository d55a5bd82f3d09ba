// All pairs with a matrix that does not fit the device: the same bits as with one that does, for
// every accumulator, and for stages and bands of all shapes.
#include "algorithms/apsp/streamed/streamed.hpp"
#include "algorithms/apsp/tiles/device_rounds.hpp"
#include "core/cuda/copies/upload.hpp"
#include "core/cuda/launch.cuh"
#include "core/error.hpp"
#include "on_device.hpp"
#include "support.hpp"

#include <gtest/gtest.h>
#include <vector>

namespace warpgraph::apsp_detail {
namespace {

template <Accumulator acc_, class R_>
struct AccumulatorAndResult {
  static constexpr Accumulator acc = acc_;
  using R = R_;
};

/// A graph on host and device.
template <class R>
struct Graph {
  Csr<R> host;
  test::CopiedGraph<R> copy;

  Graph(Csr<R>&& graph, const cuda::Stream& stream)
      : host(std::move(graph)), copy(host.view(), stream) {}
};

template <class Pair>
class ApspStreamed : public test::OnDevice {
 protected:
  static constexpr Accumulator acc = Pair::acc;
  using R = typename Pair::R;
  using Value = AccumulatorValue<acc>;
  static constexpr std::int64_t gap = 3;

  /// Floats have fractions, so that sums are rounded.
  static Csr<R> graph_of(vertex_t n, edge_t arcs) {
    Csr<R> graph = test::random_graph<R>(n, arcs, static_cast<std::uint64_t>(n));
    if constexpr (std::is_same_v<Value, R> && std::is_floating_point_v<R>) {
      for (R& weight : graph.weights) weight = (weight + 1) / 7;
    }
    return graph;
  }

  static std::vector<R> empty_result(std::int64_t n) {
    return std::vector<R>(static_cast<std::size_t>(n * (n + gap)), R{7});
  }

  std::vector<R> in_memory(const Graph<R>& graph) {
    const std::int64_t n = graph.host.view().n_vertices;
    const auto side = padded_side(graph.host.view().n_vertices, ApspMethod::blocked);
    const cuda::DeviceBuffer<Value> memory(static_cast<std::size_t>(side * side), stream());
    const DistanceView<acc> matrix{memory.data(), side, side, side};
    const cuda::DeviceBuffer<vertex_t> negative(1, stream());
    cuda::fill(negative.data(), no_vertex, 1, stream());
    const cuda::DeviceBuffer<std::int64_t> overflow_position(1, stream());
    write_adjacency<acc, R>(graph.copy.view(), 0, 0, matrix, stream());
    BatchQueue batches(negative.data(), stream());
    run_blocked_rounds<acc>(matrix, tile_side(graph.host.view().n_vertices), true, negative.data(),
                            batches, stream());
    batches.finish();
    const std::vector<R> empty = empty_result(n);
    const auto distances = cuda::to_device(std::span<const R>(empty), stream());
    write_result<acc, R>(matrix.submatrix(0, 0, n, n), {distances.data(), n + gap, n, n}, 0, 0,
                         overflow_position.data(), stream());
    return fetched(distances);
  }

  std::vector<R> streamed(const Graph<R>& graph, std::int64_t depth, std::int64_t band,
                          std::size_t n_members = 1) {
    const vertex_t n = graph.host.view().n_vertices;
    std::vector<R> result = empty_result(n);
    const StreamPlan plan{padded_side(n, ApspMethod::blocked), tile_side(n), depth, band};
    const CsrView<R> copy = graph.copy.view();
    const std::vector<MemberGraph<R>> members(n_members, {&copy, &stream()});
    run_streamed<R>(acc, members, graph.host.view(), plan, {result.data(), n + gap, false});
    return result;
  }

  void check(Csr<R>&& on_host, std::int64_t depth, std::int64_t band, std::size_t n_members = 1) {
    const Graph<R> graph(std::move(on_host), stream());
    EXPECT_TRUE(streamed(graph, depth, band, n_members) == in_memory(graph))
        << graph.host.view().n_vertices << " vertices, " << depth << " a stage, bands of " << band
        << ", " << n_members << " members";
  }
};

struct PairName {
  template <class Pair>
  static std::string GetName(int) {
    constexpr const char* names[] = {"uint16",           "int32",   "int64",
                                     "saturating_int64", "float32", "float64"};
    using R = typename Pair::R;
    const std::string kind = std::is_integral_v<R> ? "int" : "float";
    return names[static_cast<int>(Pair::acc)] + ("_to_" + kind) + std::to_string(8 * sizeof(R));
  }
};
using Pairs = testing::Types<AccumulatorAndResult<Accumulator::uint16, std::int32_t>,
                             AccumulatorAndResult<Accumulator::uint16, double>,
                             AccumulatorAndResult<Accumulator::int32, std::int32_t>,
                             AccumulatorAndResult<Accumulator::int32, double>,
                             AccumulatorAndResult<Accumulator::int64, std::int32_t>,
                             AccumulatorAndResult<Accumulator::int64, std::int64_t>,
                             AccumulatorAndResult<Accumulator::saturating_int64, std::int64_t>,
                             AccumulatorAndResult<Accumulator::float32, float>,
                             AccumulatorAndResult<Accumulator::float64, double>>;
TYPED_TEST_SUITE(ApspStreamed, Pairs, PairName);

TYPED_TEST(ApspStreamed, EqualsTheResultInMemoryBitByBit) {
  this->check(this->graph_of(1, 1), 64, 64);
  this->check(this->graph_of(130, 900), 64, 64);
  this->check(this->graph_of(192, 400), 128, 64);    // a shallow last stage
  this->check(this->graph_of(257, 4000), 192, 128);  // one vertex in the last tile
  this->check(this->graph_of(320, 1500), 320, 192);  // one stage
}

TYPED_TEST(ApspStreamed, UpdatesPanelsOfEarlierRounds) {
  // At least four rounds per stage: later rounds update the panels of earlier ones.
  this->check(this->graph_of(500, 2500), 256, 256);
}

TYPED_TEST(ApspStreamed, SeveralMembersGiveTheSameBits) {
  for (const std::size_t n_members : {2, 3, 5, 8}) {
    this->check(this->graph_of(500, 2500), 128, 64, n_members);
    this->check(this->graph_of(257, 4000), 192, 128, n_members);  // and members without rows
  }
  this->check(this->graph_of(600, 5000), 640, 128, 3);  // one stage
}

TYPED_TEST(ApspStreamed, AllowsNegativeWeights) {
  using R = typename TypeParam::R;
  if constexpr (TypeParam::acc != Accumulator::uint16) {
    Csr<R> graph = this->graph_of(400, 1200);
    // Differences of potentials make no cycle negative, and + 1 exceeds rounding errors.
    const auto height = [](vertex_t v) { return static_cast<R>(v * 37 % 50); };
    edge_t e = 0;
    for (vertex_t u = 0; u < 400; ++u) {
      for (; e < graph.offsets[static_cast<std::size_t>(u) + 1]; ++e) {
        R& weight = graph.weights[static_cast<std::size_t>(e)];
        const vertex_t v = graph.heads[static_cast<std::size_t>(e)];
        weight = u == v ? weight : weight + 1 + height(u) - height(v);
      }
    }
    this->check(std::move(graph), 192, 64);
  }
}

TYPED_TEST(ApspStreamed, EndsWithANegativeCycle) {
  using R = typename TypeParam::R;
  if constexpr (TypeParam::acc != Accumulator::uint16) {
    Csr<R> graph;
    graph.offsets.assign(201, 0);
    graph.heads = {100, 10, 50};
    graph.weights = {5, -11, 5};
    for (const vertex_t tail : {10, 50, 100}) {
      for (auto v = static_cast<std::size_t>(tail) + 1; v <= 200; ++v) ++graph.offsets[v];
    }
    const Graph<R> cycle(std::move(graph), this->stream());
    try {
      this->streamed(cycle, 64, 64);
      ADD_FAILURE() << "no negative cycle";
    } catch (const NegativeCycle& error) {
      EXPECT_EQ(error.vertex, 100);
    }
  }
}

TEST(StreamPlan, FitsTheMemory) {
  for (const vertex_t n : {1, 64, 100, 5000, 32768, 200000}) {
    for (const std::size_t item : {2, 4, 8}) {
      for (const std::size_t available : {std::size_t{1} << 18, std::size_t{1} << 24,
                                          std::size_t{1} << 30, std::size_t{100} << 30}) {
        const StreamPlan plan = plan_stream(n, item, available);
        EXPECT_EQ(plan.depth % plan.tile, 0);
        EXPECT_EQ(plan.band % plan.tile, 0);
        EXPECT_GE(plan.side, n);
        EXPECT_GT(plan.band, 0);
        EXPECT_GT(plan.depth, 0);
        EXPECT_LE(plan.depth, std::max<std::int64_t>(StreamPlan::max_depth, plan.tile));
        StreamPlan least = plan;
        least.depth = least.band = plan.tile;
        const bool any = least.device_bytes(item) <= available;
        EXPECT_EQ(plan.device_bytes(item) <= available, any) << n << ", " << available;
      }
    }
  }
  // Deeper for several members, where that is little of the side.
  EXPECT_GT(plan_stream(200000, 4, std::size_t{100} << 30, 4).depth, StreamPlan::max_depth);
  EXPECT_LE(plan_stream(200000, 4, std::size_t{100} << 30, 4).depth, 4 * StreamPlan::max_depth);
  EXPECT_LE(plan_stream(32768, 4, std::size_t{100} << 30, 4).depth, StreamPlan::max_depth);
  // A quarter of a matrix with 32768 rows of 32-bit numbers.
  const StreamPlan plan = plan_stream(32768, 4, std::size_t{1} << 30);
  EXPECT_EQ(plan.depth, 3072);
  EXPECT_EQ(plan.band, 384);
}

}  // namespace
}  // namespace warpgraph::apsp_detail
