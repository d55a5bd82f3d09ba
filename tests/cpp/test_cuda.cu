// Device memory, streams, launches, barriers and worklists, where there is a device.
#include "core/cuda/launch.cuh"
#include "core/cuda/memory/copy_out.hpp"
#include "core/cuda/memory/staging.hpp"
#include "core/cuda/named_barrier.cuh"
#include "core/cuda/stream_pool.hpp"
#include "core/cuda/worklist.cuh"
#include "core/memory/copy_past_caches.hpp"
#include "core/memory/host_pages.hpp"
#include "core/memory/memory_budget.hpp"
#include "graph/device_csr.hpp"
#include "new_pages.hpp"
#include "on_device.hpp"
#include "support.hpp"

#include <algorithm>
#include <chrono>
#include <gtest/gtest.h>
#include <numeric>
#include <stdexcept>
#include <sys/wait.h>
#include <thread>
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

__global__ void wait_for_host(const int* flag) {
  while (relaxed_load(*flag) == 0) {
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

TEST_F(Cuda, RowsAreCopiedThroughPageLockedMemory) {
  // Rows longer than a staging piece, and many rows per piece; converted to wider items.
  for (const auto& [n_rows, n_columns] : {std::pair{3, 2'500'000}, std::pair{1500, 4001}}) {
    std::vector<std::int16_t> items(static_cast<std::size_t>(n_rows) * n_columns);
    std::iota(items.begin(), items.end(), std::int16_t{0});
    const auto device = to_device(std::span<const std::int16_t>(items), stream());
    std::vector<std::int32_t> found(items.size(), -7);
    const std::int64_t stride = n_columns;
    {
      Staging staging(stream().device());
      const auto copy_rows = [&](std::int64_t first, std::int64_t n) {
        const auto row_of = [&, first](std::int64_t row) {
          return found.data() + (n_rows - 1 - first - row) * stride;
        };
        staging.copy(device.data() + first * stride, n, stride, row_of, stream());
      };
      copy_rows(0, 1);
      copy_rows(1, n_rows - 1);
      copy_rows(0, 0);
      staging.finish();
    }
    for (std::int64_t row = 0; row < n_rows; ++row) {
      const auto* const mine = items.data() + row * stride;
      ASSERT_TRUE(std::equal(mine, mine + stride, found.data() + (n_rows - 1 - row) * stride));
    }
  }
}

TEST_F(Cuda, ResultsAreCopiedToHostAndDevice) {
  std::vector<std::int32_t> items(3'000'000);
  std::iota(items.begin(), items.end(), 0);
  const auto device = to_device(std::span<const std::int32_t>(items), stream());
  const DeviceBuffer<std::int32_t> there(items.size(), stream());
  std::vector<std::int32_t> many(items.size());
  std::vector<std::int32_t> few(100);
  CopyOut out;
  out.copy(there.data(), device.data(), items.size(), stream());
  out.copy(few.data(), there.data() + 7, few.size(), stream());
  out.copy(many.data(), there.data(), many.size(), stream());
  out.finish();
  EXPECT_TRUE(many == items);
  EXPECT_TRUE(std::equal(few.begin(), few.end(), items.begin() + 7));
}

TEST_F(Cuda, ArraysOfSeveralStreamsAreCopiedInPieces) {
  // Pieces of 1 and of 2 MiB, the last one shorter; to places that begin within a cache line.
  const Stream second(stream().device());
  CopyOut out;
  for (const std::size_t n : {std::size_t{3'000'001}, std::size_t{20'000'003}}) {
    std::vector<std::int32_t> items(n);
    std::iota(items.begin(), items.end(), -9);
    const auto here = to_device(std::span<const std::int32_t>(items), stream());
    const auto there = to_device(std::span<const std::int32_t>(items), second);
    std::vector<std::int32_t> found(2 * n + 3, 7);
    out.copy(found.data() + 1, here.data(), n, stream());
    out.copy(found.data() + n + 2, there.data(), n, second);
    out.finish();
    EXPECT_TRUE(std::equal(items.begin(), items.end(), found.begin() + 1));
    EXPECT_TRUE(std::equal(items.begin(), items.end(), found.begin() + 2 + static_cast<long>(n)));
    EXPECT_EQ(found.front() + found[n + 1] + found.back(), 21);
  }
}

TEST_F(Cuda, BytesComeAsIntegers) {
  for (const std::size_t n : {std::size_t{0}, std::size_t{5}, std::size_t{5'000'003}}) {
    std::vector<std::uint8_t> items(n);
    std::iota(items.begin(), items.end(), std::uint8_t{9});
    const auto device = to_device(std::span<const std::uint8_t>(items), stream());
    std::vector<std::int32_t> found(n + 2, 7);
    CopyOut out;
    out.copy_widened(found.data() + 1, device.data(), n, stream());
    out.finish();
    for (std::size_t i = 0; i < n; ++i) {
      ASSERT_EQ(found[i + 1], items[i] == widest_byte ? -1 : std::int32_t{items[i]}) << i;
    }
    EXPECT_EQ(found.front() + found.back(), 14);
  }
}

/// New pages, and a device that is busy until they are mapped, or for ten seconds.
class NewPagesAndBusyDevice {
 public:
  explicit NewPagesAndBusyDevice(const Stream& stream) : busy_(1) {
    *busy_.data() = 0;
    launch_cooperative(stream, 1, 1, 0, wait_for_host, busy_.data());  // the emulator lets it wait
    host_ = std::thread([&] {
      const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(10);
      while (n_mapped_ < n_pages && std::chrono::steady_clock::now() < end) {
        n_mapped_ = pages_.n_mapped();
      }
      relaxed_store(*busy_.data(), 1);
    });
  }
  ~NewPagesAndBusyDevice() {
    if (host_.joinable()) host_.join();
  }
  [[nodiscard]] std::span<std::byte> bytes() const { return pages_.bytes(); }
  void expect_mapped_before_the_end() {
    host_.join();
    EXPECT_EQ(n_mapped_, n_pages);
  }

 private:
  static constexpr std::ptrdiff_t n_pages = 1024;
  const test::NewPages pages_{n_pages};
  const PinnedBuffer<int> busy_;
  std::ptrdiff_t n_mapped_ = 0;
  std::thread host_;
};

bool populates_pages() {
  const test::NewPages pages(1);
  populate_pages(pages.bytes().data(), pages.page());
  return pages.n_mapped() == 1;
}

TEST_F(Cuda, PagesOfTheDestinationAreMappedWhileTheDeviceIsBusy) {
  if (!populates_pages()) GTEST_SKIP() << "this system populates no pages";
  NewPagesAndBusyDevice found(stream());
  const DeviceBuffer<std::byte> ones(found.bytes().size(), stream());
  fill_bytes(ones.data(), 1, ones.size(), stream());
  copy_out(found.bytes().data(), ones.data(), ones.size(), stream());
  found.expect_mapped_before_the_end();
  EXPECT_EQ(std::ranges::count(found.bytes(), std::byte{1}), std::ssize(found.bytes()));
}

TEST_F(Cuda, PagesAreMappedWhileAThreadWaits) {
  if (!populates_pages()) GTEST_SKIP() << "this system populates no pages";
  const DeviceBuffer<std::byte> on_device(std::size_t{2} << 20, stream());
  NewPagesAndBusyDevice found(stream());
  const MapWhileWaiting pages(found.bytes());
  const MapWhileWaiting none(on_device.data(), on_device.size());  // that are on the host
  stream().synchronize();
  found.expect_mapped_before_the_end();
}

TEST_F(Cuda, PagesBehindThoseOfAShorterArrayAreMapped) {
  if (!populates_pages()) GTEST_SKIP() << "this system populates no pages";
  NewPagesAndBusyDevice found(stream());
  std::ranges::fill(found.bytes().first(found.bytes().size() / 4 * 3), std::byte{1});
  const MapWhileWaiting pages(found.bytes());
  stream().synchronize();
  found.expect_mapped_before_the_end();
}

TEST_F(Cuda, PagesAreNotMappedAfterTheWork) {
  const test::NewPages found(1024);
  stream().synchronize();
  const MapWhileWaiting pages(found.bytes());
  stream().synchronize();
  EXPECT_EQ(found.n_mapped(), 0);
}

TEST_F(Cuda, ACopyToTheHostIsInterrupted) {
  struct Interruption {};
  struct Hooks : CallHooks {
    void poll() override { throw Interruption(); }
    void progress(std::int64_t, std::int64_t) override {}
  };
  std::vector<std::int32_t> items(20'000'003);
  std::iota(items.begin(), items.end(), 0);
  const auto device = to_device(std::span<const std::int32_t>(items), stream());
  std::vector<std::int32_t> found(items.size());
  Hooks hooks;
  {
    const ScopedHooks installed(hooks);
    EXPECT_THROW(copy_out(found.data(), device.data(), items.size(), stream()), Interruption);
  }
  copy_out(found.data(), device.data(), items.size(), stream());
  EXPECT_TRUE(found == items);
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
  constexpr std::size_t quarter = most_idle_pinned / 4;
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
