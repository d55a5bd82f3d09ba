// Device memory, streams, launches, barriers and worklists, where there is a device.
#include "core/cuda/copies/upload.hpp"
#include "core/cuda/launch.cuh"
#include "core/cuda/named_barrier.cuh"
#include "core/cuda/stream_pool.hpp"
#include "core/cuda/worklist.cuh"
#include "core/memory/memory_budget.hpp"
#include "graph/device_csr.hpp"
#include "on_device.hpp"
#include "support.hpp"

#include <algorithm>
#include <gtest/gtest.h>
#include <numeric>
#include <stdexcept>
#include <sys/wait.h>
#include <unistd.h>

namespace warpgraph::cuda {
namespace {

class Cuda : public test::OnDevice {};

__global__ void square(const std::int64_t* from, std::int64_t* to, std::int64_t n) {
  if (const std::int64_t i = global_index(); i < n) to[i] = from[i] * from[i];
}

__global__ void push_multiples(WorklistView<std::int64_t> list, std::int64_t of, std::int64_t n) {
  const std::int64_t i = global_index();
  if (i < n && i % of == 0) list.push(i);
}

__global__ void lower_by_all(std::int64_t* lowest, double* lowest_double, std::int64_t n) {
  if (const std::int64_t i = global_index(); i < n) {
    lower(*lowest, 1000 - i % 1009);
    lower(*lowest_double, 0.5 * static_cast<double>(i % 1009 - 1000));
  }
}

/// Two warps reverse a row of 64 in each round. A third warp, which has less work, adds up the
/// first items of the rounds.
__global__ void reverse_and_sum(int* row, int* sum, int n_rounds) {
  __shared__ int shared[64];
  const unsigned i = threadIdx.x;
  if (i >= 64) {
    for (int round = 0; round < n_rounds; ++round) {
      named_barrier_sync<2, 96>();
      if (i == 64) *sum += shared[0];
      named_barrier_sync<2, 96>();
    }
    return;
  }
  for (int round = 0; round < n_rounds; ++round) {
    shared[i] = row[i] + 1;
    named_barrier_sync<1, 64>();
    row[i] = shared[63 - i];
    named_barrier_sync<2, 96>();
    named_barrier_sync<2, 96>();
  }
}

TEST_F(Cuda, NamedBarriersSynchroniseSomeWarpsOfABlock) {
  constexpr int n_rounds = 101;
  const DeviceBuffer<int> row(64, stream());
  const DeviceBuffer<int> sum(1, stream());
  iota(row.data(), 64, stream());
  fill(sum.data(), 0, 1, stream());
  launch(stream(), 1, 96, 0, reverse_and_sum, row.data(), sum.data(), n_rounds);
  const std::vector<int> reversed = fetched(row.data(), 64);
  int expected_sum = 0;
  for (int round = 0; round < n_rounds; ++round) {
    expected_sum += (round % 2 == 0 ? 0 : 63) + round + 1;
  }
  EXPECT_EQ(read_back(sum.data(), stream()), expected_sum);
  for (int i = 0; i < 64; ++i) ASSERT_EQ(reversed[static_cast<std::size_t>(i)], 63 - i + n_rounds);
}

TEST_F(Cuda, MemoryGoesThereAndBack) {
  std::vector<std::int64_t> host(100'003);
  std::iota(host.begin(), host.end(), -5);
  const DeviceBuffer<std::int64_t> buffer =
      to_device(std::span<const std::int64_t>(host), stream());
  EXPECT_EQ(buffer.bytes(), host.size() * 8);
  EXPECT_EQ(fetched(buffer.data(), host.size()), host);
  EXPECT_EQ(read_back(buffer.data() + 7, stream()), 2);
}

TEST_F(Cuda, BuffersMove) {
  DeviceBuffer<int> a(10, stream());
  int* const memory = a.data();
  DeviceBuffer<int> b = std::move(a);
  EXPECT_EQ(b.data(), memory);
  EXPECT_EQ(b.size(), 10u);
  a = DeviceBuffer<int>(20, stream());
  EXPECT_EQ(a.size(), 20u);
  const DeviceBuffer<int> nothing(0, stream());
  EXPECT_EQ(nothing.data(), nullptr);
}

TEST_F(Cuda, PageLockedMemoryIsReused) {
  free_idle_pinned();
  int* memory = nullptr;
  {
    PinnedBuffer<int> buffer(1000);
    memory = buffer.data();
    std::iota(memory, memory + 1000, 0);
    PinnedBuffer<int> moved = std::move(buffer);
    EXPECT_EQ(moved[999], 999);
    EXPECT_EQ(idle_pinned_bytes(), 0u);
  }
  EXPECT_EQ(idle_pinned_bytes(), 4096u);
  {
    const PinnedBuffer<char> other(4097);
    EXPECT_EQ(idle_pinned_bytes(), 4096u);
    const PinnedBuffer<char> same(4000);
    EXPECT_EQ(static_cast<void*>(same.data()), memory);
    EXPECT_EQ(idle_pinned_bytes(), 0u);
  }
  EXPECT_EQ(idle_pinned_bytes(), 4096u + 6144u);
  free_idle_pinned();
  EXPECT_EQ(idle_pinned_bytes(), 0u);
}

TEST_F(Cuda, PageLockedMemoryIsKeptWithinBounds) {
  free_idle_pinned();
  constexpr std::size_t quarter = max_idle_pinned / 4;
  {
    std::vector<PinnedBuffer<char>> buffers;
    for (int i = 0; i < 6; ++i) buffers.emplace_back(quarter);
  }
  EXPECT_EQ(idle_pinned_bytes(), 4 * quarter);
  free_idle_pinned();
}

TEST_F(Cuda, AForkedProcessLeavesItsParentsPageLockedMemoryAlone) {
  { const PinnedBuffer<char> buffer(5000); }
  ASSERT_GT(idle_pinned_bytes(), 0u);
  const pid_t child = fork();
  if (child == 0) _exit(idle_pinned_bytes() == 0 ? 0 : 1);
  int status = -1;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  EXPECT_EQ(status, 0);
  EXPECT_GT(idle_pinned_bytes(), 0u);
}

/// The device may still use it.
TEST_F(Cuda, PageLockedMemoryIsFreedByAnException) {
  free_idle_pinned();
  EXPECT_THROW(
      {
        const PinnedBuffer<char> buffer(5000);
        throw std::runtime_error("elsewhere");
      },
      std::runtime_error);
  EXPECT_EQ(idle_pinned_bytes(), 0u);
  try {
    throw std::runtime_error("while another is handled");
  } catch (const std::runtime_error&) {
    const PinnedBuffer<char> buffer(5000);
  }
  EXPECT_EQ(idle_pinned_bytes(), 6144u);
  free_idle_pinned();
}

TEST_F(Cuda, LaunchesCoverEveryItem) {
  for (const std::int64_t n : {0, 1, 255, 256, 257, 1'000'000}) {
    DeviceBuffer<std::int64_t> from(static_cast<std::size_t>(n), stream());
    DeviceBuffer<std::int64_t> to(static_cast<std::size_t>(n), stream());
    iota(from.data(), n, stream());
    launch_for(stream(), n, square, from.data(), to.data(), n);
    const std::vector<std::int64_t> squares = fetched(to.data(), to.size());
    for (std::int64_t i = 0; i < n; ++i) ASSERT_EQ(squares[static_cast<std::size_t>(i)], i * i);
  }
}

TEST_F(Cuda, FillSetsEveryItem) {
  DeviceBuffer<double> buffer(1001, stream());
  fill(buffer.data(), 0.25, 1001, stream());
  EXPECT_EQ(fetched(buffer.data(), 1001), std::vector<double>(1001, 0.25));
}

TEST_F(Cuda, AWorklistHoldsWhatWasPushedInSomeOrder) {
  Worklist<std::int64_t> list(5000, stream());
  EXPECT_EQ(list.size(stream()), 0);
  launch_for(stream(), 10'000, push_multiples, list.view(), std::int64_t{3}, std::int64_t{10'000});
  ASSERT_EQ(list.size(stream()), 3334);
  std::vector<std::int64_t> items = fetched(list.data(), 3334);
  std::sort(items.begin(), items.end());
  for (std::size_t i = 0; i < items.size(); ++i) {
    ASSERT_EQ(items[i], 3 * static_cast<std::int64_t>(i));
  }
  list.reset(stream());
  EXPECT_EQ(list.size(stream()), 0);
}

TEST_F(Cuda, AWorklistThatOverflowsSaysSo) {
  Worklist<std::int64_t> list(100, stream());
  launch_for(stream(), 10'000, push_multiples, list.view(), std::int64_t{3}, std::int64_t{10'000});
  EXPECT_THROW(static_cast<void>(list.size(stream())), std::length_error);
}

TEST_F(Cuda, AtomicsLower) {
  DeviceBuffer<std::int64_t> lowest(1, stream());
  DeviceBuffer<double> lowest_double(1, stream());
  fill(lowest.data(), infinity<std::int64_t>(), 1, stream());
  fill(lowest_double.data(), infinity<double>(), 1, stream());
  launch_for(stream(), 100'000, lower_by_all, lowest.data(), lowest_double.data(),
             std::int64_t{100'000});
  EXPECT_EQ(read_back(lowest.data(), stream()), -8);
  EXPECT_EQ(read_back(lowest_double.data(), stream()), -500.0);
}

TEST_F(Cuda, GraphsAreCopied) {
  const Csr<double> graph = test::random_graph<double>(1000, 5000, 3);
  const DevicePattern pattern(graph.view(), stream());
  const CsrPattern view = pattern.view();
  EXPECT_EQ(view.n_arcs, 5000);
  const std::vector<vertex_t> heads = fetched(view.heads, graph.heads.size());
  EXPECT_TRUE(std::equal(heads.begin(), heads.end(), graph.heads.begin()));
  const std::vector<edge_t> offsets = fetched(view.offsets.wide(), graph.offsets.size());
  EXPECT_TRUE(std::equal(offsets.begin(), offsets.end(), graph.offsets.begin()));
  EXPECT_EQ(pattern.bytes(), 5000 * sizeof(vertex_t) + 1001 * sizeof(edge_t));
}

TEST_F(Cuda, MoreMemoryThanThereIsIsRefused) {
  const MemoryBudget budget(device());
  EXPECT_GT(budget.available(), 0u);
  EXPECT_THROW(budget.require("everything", ~std::size_t{0}, "use less"), OutOfMemory);
  EXPECT_THROW(DeviceBuffer<char>(std::size_t{1} << 50, stream()), OutOfMemory);
  DeviceBuffer<char> after(1 << 20, stream());  // no error of the failure is left
  fill_bytes(after.data(), 1, after.size(), stream());
  EXPECT_EQ(read_back(after.data(), stream()), 1);
}

TEST_F(Cuda, KeptMemoryIsNotAmongThatOfCalls) {
  constexpr std::size_t bytes = 1 << 20;
  const auto used = [&](Lifetime lifetime) {
    std::uint64_t found = 0;
    CUDA_TRY(cudaMemPoolGetAttribute(memory_pool(device(), lifetime), cudaMemPoolAttrUsedMemCurrent,
                                     &found));
    return found;
  };
  stream().synchronize();
  const std::uint64_t by_calls = used(Lifetime::call);
  const std::uint64_t by_kept = used(Lifetime::kept);
  const BorrowedStream keeping(device(), Lifetime::kept);
  const DeviceBuffer<char> kept(bytes, *keeping);
  EXPECT_EQ(used(Lifetime::call), by_calls);
  EXPECT_GE(used(Lifetime::kept), by_kept + bytes);
  const DeviceBuffer<char> of_call(bytes, stream());
  EXPECT_GE(used(Lifetime::call), by_calls + bytes);
}

TEST_F(Cuda, StreamsAreReused) {
  cudaStream_t first = nullptr;
  {
    const BorrowedStream borrowed(device());
    first = (*borrowed).get();
  }
  const BorrowedStream again(device());
  EXPECT_EQ((*again).get(), first);
}

}  // namespace
}  // namespace warpgraph::cuda
