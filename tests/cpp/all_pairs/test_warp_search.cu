// Searches of one warp with heaps that are too small, where there is a device.
#include "algorithms/many_to_many/many_to_many.hpp"
#include "algorithms/many_to_many/warp_heaps/warp_search.cuh"
#include "core/cuda/copies/upload.hpp"
#include "core/cuda/launch.cuh"
#include "core/cuda/memory/buffer.hpp"
#include "on_device.hpp"
#include "support.hpp"

#include <gtest/gtest.h>
#include <vector>

namespace warpgraph::many_to_many_detail {
namespace {

constexpr int steps_between_pauses = 7;

/// Searches from one source; suspends and resumes the search every few steps.
template <class W>
__global__ void search_with_pauses(SearchSettings<W> settings, vertex_t source, W* row,
                                   std::byte* heap, unsigned* spilled, SearchState<W>* state) {
  auto* const shared = cuda::dynamic_shared<std::byte>();
  WarpSearch<W> search(settings, shared, heap, spilled);
  search.begin(source, row);
  int work = 0;
  for (int step = 1; search.step(work); ++step) {
    if (step % steps_between_pauses != 0) continue;
    search.suspend(*state);
    __syncwarp();
    const std::size_t bytes =
        WarpSearch<W>::bundle_bytes + settings.shape.template shared_bytes<W>();
    for (std::size_t i = cuda::lane(); i < bytes; i += cuda::warp_lanes)
      shared[i] = std::byte{0xA5};
    __syncwarp();
    search.resume(*state, row);
  }
  search.end();
}

template <class W>
class WarpSearchOf : public test::OnDevice {
 protected:
  std::vector<W> found(const CsrView<W>& graph, vertex_t source, cuda::HeapShape shape,
                       const std::vector<vertex_t>& targets = {}) {
    const test::CopiedGraph<W> device_graph(graph, stream());
    const auto n = static_cast<std::size_t>(graph.n_vertices);
    const auto device_targets = cuda::to_device(std::span<const vertex_t>(targets), stream());
    const cuda::DeviceBuffer<W> row(n, stream());
    const cuda::DeviceBuffer<std::byte> heap(shape.global_bytes<W>(), stream());
    const cuda::DeviceBuffer<unsigned> spilled(n / 32 + 1, stream());
    const cuda::DeviceBuffer<SearchState<W>> state(1, stream());
    cuda::fill(row.data(), infinity<W>(), graph.n_vertices, stream());
    cuda::fill_bytes(spilled.data(), 0, spilled.size(), stream());
    const SearchSettings<W> settings{device_graph.view(), infinity<W>(), device_targets.data(),
                                     static_cast<int>(targets.size()), shape};
    cuda::launch(stream(), 1, cuda::warp_lanes,
                 WarpSearch<W>::bundle_bytes + shape.shared_bytes<W>(), search_with_pauses<W>,
                 settings, source, row.data(), heap.data(), spilled.data(), state.data());
    EXPECT_EQ(fetched(spilled), std::vector<unsigned>(spilled.size()))
        << "spill marks were not cleared";
    return fetched(row);
  }

  static std::vector<W> expected(const CsrView<W>& graph, vertex_t source) {
    std::vector<W> distances(static_cast<std::size_t>(graph.n_vertices));
    many_to_many_cpu<W>(graph, std::vector<vertex_t>{source}, {},
                        {distances.data(), graph.n_vertices, nullptr});
    return distances;
  }
};

using Weights = testing::Types<float, double, std::int32_t, std::int64_t>;
TYPED_TEST_SUITE(WarpSearchOf, Weights);

constexpr cuda::HeapShape too_small[] = {{1, 0, 0}, {2, 1, 1}, {5, 2, 3}, {40, 3, 40}};

TYPED_TEST(WarpSearchOf, FindsAllWithAnyHeap) {
  const Csr<TypeParam> graph = test::random_graph<TypeParam>(4000, 20'000, 5);
  const std::vector<TypeParam> distances = this->expected(graph.view(), 17);
  for (const cuda::HeapShape shape : too_small) {
    EXPECT_EQ(this->found(graph.view(), 17, shape), distances) << shape.nodes << " nodes";
  }
}

/// A hub with arcs to all other vertices, with equal weights or distinct ones.
TYPED_TEST(WarpSearchOf, FindsTheNeighboursOfAHub) {
  for (const int step : {0, 1}) {
    Csr<TypeParam> star;
    const vertex_t n = 3000;
    for (vertex_t v = 1; v < n; ++v) {
      star.heads.push_back(v);
      star.weights.push_back(static_cast<TypeParam>(5 + step * ((v * 7919) % n)));
    }
    star.offsets.resize(static_cast<std::size_t>(n) + 1, n - 1);
    for (const cuda::HeapShape shape : too_small) {
      EXPECT_EQ(this->found(star.view(), 0, shape), this->expected(star.view(), 0));
    }
  }
}

/// A search that ends at its targets returns their distances and clears its spill marks.
TYPED_TEST(WarpSearchOf, EndsAtItsTargets) {
  const Csr<TypeParam> graph = test::random_graph<TypeParam>(3000, 9000, 6);
  const std::vector<TypeParam> distances = this->expected(graph.view(), 2);
  const std::vector<vertex_t> targets{5, 900, 5, 2999, 2};
  for (const cuda::HeapShape shape : too_small) {
    const std::vector<TypeParam> row = this->found(graph.view(), 2, shape, targets);
    for (const vertex_t v : targets) {
      EXPECT_EQ(row[static_cast<std::size_t>(v)], distances[static_cast<std::size_t>(v)]);
    }
  }
}

}  // namespace
}  // namespace warpgraph::many_to_many_detail
