// All pairs on a CUDA device, where there is one: both methods with every accumulator against
// sequential loops that make the same sums, bit by bit, and apsp_cuda against Floyd-Warshall.
#include "algorithms/apsp/accumulator_choice.hpp"
#include "algorithms/apsp/tiles/device_rounds.hpp"
#include "all_pairs/apsp_accumulators.hpp"
#include "core/cuda/copies/upload.hpp"
#include "core/cuda/launch.cuh"
#include "on_device.hpp"
#include "support.hpp"

#include <gtest/gtest.h>
#include <vector>

namespace warpgraph::apsp_detail {
namespace {

/// A square matrix. Missing arcs are infinite; floats have fractions, so that sums are rounded.
template <Accumulator acc>
struct Square {
  using Value = AccumulatorValue<acc>;
  std::int64_t side;
  std::vector<Value> values;

  Square(std::int64_t n, std::int64_t n_padded, double density, std::uint64_t seed)
      : side(n_padded),
        values(static_cast<std::size_t>(n_padded * n_padded), ArithmeticOf<acc>::infinity) {
    const CounterRandom random(seed, 0);
    for (std::int64_t i = 0; i < n; ++i) {
      for (std::int64_t j = 0; j < n; ++j) {
        const auto index = static_cast<std::uint64_t>(i * n + j);
        const auto whole = static_cast<double>(random.below(2 * index, 200));
        const double weight = std::is_floating_point_v<Value> ? whole / 7 : whole;
        if (random.uniform(2 * index + 1) < density) at(i, j) = static_cast<Value>(weight);
      }
      at(i, i) = 0;
    }
  }
  Value& at(std::int64_t i, std::int64_t j) {
    return values[static_cast<std::size_t>(i * side + j)];
  }
  void relax(std::int64_t i, std::int64_t k, std::int64_t j) {
    at(i, j) = std::min(at(i, j), ArithmeticOf<acc>::add(at(i, k), at(k, j)));
  }
};

template <Accumulator acc>
Square<acc> naive(Square<acc> square) {
  for (std::int64_t k = 0; k < square.side; ++k) {
    for (std::int64_t i = 0; i < square.side; ++i) {
      for (std::int64_t j = 0; j < square.side; ++j) square.relax(i, k, j);
    }
  }
  return square;
}

/// c(i, j) = min(c(i, j), old(i, k) + old(k, j)) for the tiles (row, column) that `selects`
/// accepts, over all k of pivot tile k.
template <Accumulator acc, class Selects>
void multiply(Square<acc>& square, std::int64_t k, std::int64_t tile, Selects&& selects) {
  Square<acc> old = square;
  for (std::int64_t i = 0; i < square.side; ++i) {
    for (std::int64_t j = 0; j < square.side; ++j) {
      if (!selects(i / tile, j / tile)) continue;
      auto& c = square.at(i, j);
      for (std::int64_t l = k * tile; l < (k + 1) * tile; ++l) {
        c = std::min(c, ArithmeticOf<acc>::add(old.at(i, l), old.at(l, j)));
      }
    }
  }
}

template <Accumulator acc>
Square<acc> blocked(Square<acc> square, std::int64_t tile) {
  for (std::int64_t k = 0; k < square.side / tile; ++k) {
    const std::int64_t end = (k + 1) * tile;
    for (std::int64_t l = k * tile; l < end; ++l) {
      for (std::int64_t i = k * tile; i < end; ++i) {
        for (std::int64_t j = k * tile; j < end; ++j) square.relax(i, l, j);
      }
    }
    multiply(square, k, tile, [=](auto row, auto column) { return (row == k) != (column == k); });
    multiply(square, k, tile, [=](auto row, auto column) { return row != k && column != k; });
  }
  return square;
}

template <class Tag>
class ApspRounds : public test::OnDevice {
 protected:
  static constexpr Accumulator acc = Tag::acc;
  using Value = AccumulatorValue<acc>;

  /// tile 0: the naive method, for n vertices. rounds_per_launch 0: the default.
  std::vector<Value> found(const Square<acc>& square, std::int64_t n, vertex_t tile,
                           bool negative_weights = true, int rounds_per_launch = 0) {
    const auto memory = cuda::to_device(std::span<const Value>(square.values), stream());
    const DistanceView<acc> matrix{memory.data(), square.side, square.side, square.side};
    const cuda::DeviceBuffer<vertex_t> negative(1, stream());
    cuda::fill(negative.data(), no_vertex, 1, stream());
    BatchQueue batches(negative.data(), stream());
    if (tile == 0) {
      run_naive_rounds<acc>(matrix, static_cast<vertex_t>(n), negative.data(), batches, stream());
    } else {
      run_blocked_rounds<acc>(matrix, tile, negative_weights, negative.data(), batches, stream(),
                              rounds_per_launch);
    }
    batches.finish();
    return fetched(memory);
  }

  void check(std::int64_t n, vertex_t tile, double density, int rounds_per_launch = 0) {
    const std::int64_t padded = (n + tile - 1) / tile * tile;
    const Square<acc> square(n, padded, density, static_cast<std::uint64_t>(n));
    const std::vector<Value> expected = blocked(square, tile).values;
    for (const bool negative_weights : {false, true}) {
      EXPECT_EQ(found(square, n, tile, negative_weights, rounds_per_launch), expected)
          << n << " vertices in tiles of " << tile
          << ", may have negative weights: " << negative_weights;
    }
  }
};

TYPED_TEST_SUITE(ApspRounds, Accumulators, AccumulatorName);

TYPED_TEST(ApspRounds, AreThoseOfTheBlockedMethodBitByBit) {
  this->check(1, 64, 1);
  this->check(63, 64, 0.1);
  this->check(64, 64, 0.3);
  this->check(65, 64, 0.05);
  this->check(130, 64, 0.5);
  this->check(256, 64, 0.02);
  this->check(128, 128, 0.1);
  this->check(300, 128, 0.02);
}

TYPED_TEST(ApspRounds, GoOnInTheNextLaunch) {
  this->check(320, 64, 0.02, 1);
  this->check(250, 64, 0.02, 3);
  this->check(130, 128, 0.05, 1);
}

TYPED_TEST(ApspRounds, AreThoseOfFloydBitByBit) {
  for (const std::int64_t n : {1, 40, 70}) {
    const Square<TypeParam::acc> square(n, n, 0.1, 9);
    EXPECT_EQ(this->found(square, n, 0), naive(square).values);
  }
}

TYPED_TEST(ApspRounds, EndWithANegativeCycle) {
  constexpr Accumulator acc = TypeParam::acc;
  if constexpr (acc != Accumulator::uint16) {
    for (const vertex_t tile : {0, 64}) {
      Square<acc> square(192, 192, 0, 1);
      square.at(10, 100) = 5;
      square.at(100, 50) = 5;
      square.at(50, 10) = -11;
      square.at(190, 191) = -1;
      square.at(191, 190) = 0;
      try {
        this->found(square, 192, tile);
        ADD_FAILURE() << "no negative cycle";
      } catch (const NegativeCycle& error) {
        EXPECT_EQ(error.vertex, 100);
      }
    }
  }
}

template <class R>
class ApspCuda : public test::OnDevice {
 protected:
  /// With 3 unused items at the end of each row.
  std::vector<R> found(const CsrView<R>& graph, const ApspOptions& options, bool on_device) {
    const test::CopiedGraph<R> there(graph, stream());
    const std::int64_t stride = graph.n_vertices + 3;
    std::vector<R> distances(static_cast<std::size_t>(graph.n_vertices * stride), R{7});
    if (!on_device) {
      apsp_cuda<R>(there.view(), graph, options, {distances.data(), stride, false}, stream());
      return distances;
    }
    const auto memory = cuda::to_device(std::span<const R>(distances), stream());
    apsp_cuda<R>(there.view(), graph, options, {memory.data(), stride, true}, stream());
    return fetched(memory);
  }

  static std::vector<R> expected(const CsrView<R>& graph) {
    const std::int64_t n = graph.n_vertices;
    std::vector<R> distances(static_cast<std::size_t>(n * (n + 3)), R{7});
    const auto at = [&](std::int64_t u, std::int64_t v) -> R& {
      return distances[static_cast<std::size_t>(u * (n + 3) + v)];
    };
    for (std::int64_t u = 0; u < n; ++u) {
      for (std::int64_t v = 0; v < n; ++v) at(u, v) = u == v ? R{0} : infinity<R>();
    }
    for_each_arc(graph, 0, graph.n_arcs, [&](vertex_t u, vertex_t v, edge_t e) {
      at(u, v) = std::min(at(u, v), graph.weights == nullptr ? R{1} : graph.weights[e]);
    });
    for (std::int64_t k = 0; k < n; ++k) {
      for (std::int64_t i = 0; i < n; ++i) {
        if (at(i, k) == infinity<R>()) continue;
        for (std::int64_t j = 0; j < n; ++j) {
          if (at(k, j) == infinity<R>()) continue;
          at(i, j) = std::min(at(i, j), static_cast<R>(at(i, k) + at(k, j)));
        }
      }
    }
    return distances;
  }

  void check(const CsrView<R>& graph, bool negative_weights = false) {
    for (const ApspMethod method : {ApspMethod::naive, ApspMethod::blocked}) {
      for (const bool on_device : {false, true}) {
        EXPECT_EQ(found(graph, {method, {}, negative_weights}, on_device), expected(graph))
            << graph.n_vertices << " vertices, blocked: " << (method == ApspMethod::blocked)
            << ", on device: " << on_device;
      }
    }
  }

  /// 0 -> 1 -> 2, both of the same weight.
  static Csr<R> path(R weight) {
    Csr<R> graph;
    graph.offsets = {0, 1, 2, 2};
    graph.heads = {1, 2};
    graph.weights = {weight, weight};
    return graph;
  }
};
using Results = testing::Types<float, double, std::int32_t, std::int64_t>;
TYPED_TEST_SUITE(ApspCuda, Results);

TYPED_TEST(ApspCuda, FindsAllDistances) {
  using R = TypeParam;
  this->check(test::random_graph<R>(1, 2, 1).view());
  this->check(test::random_graph<R>(70, 200, 2).view());
  this->check(test::random_graph<R>(100, 3000, 3).view());
  Csr<R> graph = test::random_graph<R>(66, 150, 4);
  for (R& weight : graph.weights) weight = weight * 4000 + 1;  // do not fit 16 bits
  graph.weights[5] = infinity<R>();
  this->check(graph.view());
  CsrView<R> without_weights = graph.view();
  without_weights.weights = nullptr;
  this->check(without_weights);
}

TYPED_TEST(ApspCuda, FindsDistancesThatAreNegative) {
  using R = TypeParam;
  Csr<R> graph = test::random_graph<R>(90, 300, 5);
  // Differences of potentials make no cycle negative.
  const auto height = [](vertex_t v) { return static_cast<R>(v * 37 % 50); };
  edge_t e = 0;
  for (vertex_t u = 0; u < 90; ++u) {
    for (; e < graph.offsets[static_cast<std::size_t>(u) + 1]; ++e) {
      const auto i = static_cast<std::size_t>(e);
      graph.weights[i] = graph.weights[i] + height(u) - height(graph.heads[i]);
    }
  }
  this->check(graph.view(), true);
}

TYPED_TEST(ApspCuda, SaysThatMemoryIsShort) {
  using R = TypeParam;
  const Csr<R> graph = test::random_graph<R>(70, 200, 2);
  const std::string message = test::message_of([&] {
    this->found(graph.view(), {ApspMethod::blocked, MemoryBudget(Device{}, 1000)}, true);
  });
  EXPECT_NE(message.find("all pairs"), std::string::npos) << message;
}

TYPED_TEST(ApspCuda, SaysWhichDistanceIsTooLarge) {
  using R = TypeParam;
  if constexpr (std::is_integral_v<R>) {
    for (const R weight : {infinity<R>() - 1, detail::lowest<R> / 2 - 5}) {
      const Csr<R> graph = this->path(weight);
      for (const bool on_device : {false, true}) {
        EXPECT_THROW(this->found(graph.view(), {}, on_device), std::overflow_error);
      }
    }
    this->check(this->path(infinity<R>() / 2).view());
  }
}

template <class R>
class ApspAccumulatorChoice : public test::OnDevice {
 protected:
  Accumulator chosen(const CsrView<R>& graph, BoundRounds rounds) {
    const test::CopiedGraph<R> there(graph, stream());
    return choose_accumulator_on_device(there.view(), graph, rounds, stream());
  }

  /// A cycle of n vertices, and arcs from vertex 0 to all others. All arcs have the same weight.
  static Csr<R> cycle_with_hub(vertex_t n, R weight) {
    Csr<R> graph;
    graph.offsets = {0};
    for (vertex_t v = 0; v < n; ++v) {
      graph.heads.push_back((v + 1) % n);
      graph.weights.push_back(weight);
      for (vertex_t to = 2; v == 0 && to < n; ++to) {
        graph.heads.push_back(to);
        graph.weights.push_back(weight);
      }
      graph.offsets.push_back(static_cast<edge_t>(graph.heads.size()));
    }
    return graph;
  }
};
TYPED_TEST_SUITE(ApspAccumulatorChoice, Results);

TYPED_TEST(ApspAccumulatorChoice, ChoosesAsTheHostDoes) {
  using R = TypeParam;
  const BoundRounds many{16, 16};
  for (const vertex_t n : {1, 3, 60}) {
    for (const double scale : {1.0, 300.0, 3000.0, 40000.0, 3e7}) {
      Csr<R> graph = test::random_graph<R>(n, 40 * n, 3);
      for (R& weight : graph.weights) {
        weight = static_cast<R>(std::min(static_cast<double>(weight) * scale, 2e9));
      }
      const auto same = [&] {
        return this->chosen(graph.view(), many) == choose_accumulator(graph.view(), 1e3);
      };
      EXPECT_TRUE(same()) << n << " vertices, scale " << scale;
      graph.weights[0] = infinity<R>();
      EXPECT_TRUE(same()) << "with an infinite weight, scale " << scale;
      graph.weights[1] = -1;
      EXPECT_TRUE(same()) << "with a negative weight, scale " << scale;
      if constexpr (std::is_floating_point_v<R>) {
        graph.weights[1] = R{0.5};
        EXPECT_TRUE(same()) << "with half a weight, scale " << scale;
      }
    }
  }
}

TYPED_TEST(ApspAccumulatorChoice, NeverChoosesTooNarrow) {
  using R = TypeParam;
  // From vertex 0 each vertex is one arc away, and back at most 39 arcs of weight `most`.
  const R most = 32766 / 40;
  EXPECT_EQ(this->chosen(this->cycle_with_hub(40, most).view(), {16, 0}), Accumulator::uint16);
  EXPECT_NE(this->chosen(this->cycle_with_hub(42, most + 20).view(), {16, 0}), Accumulator::uint16);
  EXPECT_NE(this->chosen(this->cycle_with_hub(400, most).view(), {3, 0}), Accumulator::uint16);
}

}  // namespace
}  // namespace warpgraph::apsp_detail
