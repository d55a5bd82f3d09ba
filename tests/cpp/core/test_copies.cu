// Copies of results from a device to the host, in any layout, and the pages of their destinations.
#include "core/atomics.hpp"
#include "core/cuda/copies/copy_out.hpp"
#include "core/cuda/copies/map_while_waiting.hpp"
#include "core/cuda/copies/staging.hpp"
#include "core/cuda/copies/upload.hpp"
#include "core/cuda/launch.cuh"
#include "core/cuda/stream_pool.hpp"
#include "core/interrupt.hpp"
#include "core/memory/host_pages.hpp"
#include "core/new_pages.hpp"
#include "core/processor/copy_past_caches.hpp"
#include "on_device.hpp"

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <gtest/gtest.h>
#include <numeric>
#include <span>
#include <thread>
#include <utility>
#include <vector>

namespace warpgraph::cuda {
namespace {

class Copies : public test::OnDevice {};

__global__ void wait_for_host(const int* flag) {
  while (relaxed_load(*flag) == 0) {
  }
}

TEST_F(Copies, RowsAreCopiedThroughPageLockedMemory) {
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

TEST_F(Copies, ResultsAreCopiedToHostAndDevice) {
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

TEST_F(Copies, ArraysOfSeveralStreamsAreCopiedInPieces) {
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

TEST_F(Copies, ArraysOfTheHostAreCopiedAndLookedAt) {
  // Arrays below and above the length of a piece, in pageable and in page-locked memory, to places
  // of two streams; each part is looked at once, and arrays may change after finish().
  const Stream second(stream().device());
  for (const std::size_t n : {std::size_t{0}, std::size_t{7}, std::size_t{9'000'001}}) {
    std::vector<std::int32_t> items(n);
    std::iota(items.begin(), items.end(), -5);
    const PinnedBuffer<std::int32_t> locked(n);
    std::copy(items.begin(), items.end(), locked.data());
    std::array<DeviceBuffer<std::int32_t>, 3> there{DeviceBuffer<std::int32_t>(n, stream()),
                                                    DeviceBuffer<std::int32_t>(n, second),
                                                    DeviceBuffer<std::int32_t>(n, second)};
    std::atomic<std::int64_t> sum{0};
    std::atomic<std::size_t> n_seen{0};
    const auto look = [&](std::span<const std::int32_t> part) {
      sum += std::accumulate(part.begin(), part.end(), std::int64_t{0});
      n_seen += part.size();
    };
    Upload upload;
    upload.copy(there[0].data(), items.data(), n, stream());
    upload.copy(there[1].data(), items.data(), n, second, look);
    upload.copy(there[2].data(), locked.data(), n, second, look);
    upload.finish();
    const std::vector<std::int32_t> expected = items;
    std::fill(items.begin(), items.end(), 99);
    for (std::size_t i = 0; i < there.size(); ++i) {
      const Stream& mine = i == 0 ? stream() : second;
      EXPECT_TRUE(to_host<std::vector<std::int32_t>>(there[i].data(), n, mine) == expected) << i;
    }
    EXPECT_EQ(n_seen, 2 * n);
    EXPECT_EQ(sum, 2 * std::accumulate(expected.begin(), expected.end(), std::int64_t{0}));
  }
}

TEST_F(Copies, PartsOfArraysAreTakenInTheOrderOfTheStream) {
  // As above; what takes a part copies it to its place.
  for (const std::size_t n : {std::size_t{0}, std::size_t{7}, std::size_t{9'000'001}}) {
    std::vector<std::int32_t> items(n);
    std::iota(items.begin(), items.end(), -5);
    const PinnedBuffer<std::int32_t> locked(n);
    std::copy(items.begin(), items.end(), locked.data());
    const std::array<DeviceBuffer<std::int32_t>, 2> there{DeviceBuffer<std::int32_t>(n, stream()),
                                                          DeviceBuffer<std::int32_t>(n, stream())};
    const auto to = [&](std::size_t i) {
      return [&, i](std::span<const std::int32_t> part, std::size_t first) {
        cuda::copy(there[i].data() + first, part.data(), part.size(), stream());
      };
    };
    std::atomic<std::size_t> n_seen{0};
    Upload upload;
    upload.take_parts(items.data(), n, stream(), to(0), nullptr);
    upload.take_parts<std::int32_t>(
        locked.data(), n, stream(), to(1),
        [&](std::span<const std::int32_t> part) { n_seen += part.size(); });
    upload.finish();
    for (const auto& copy : there) {
      EXPECT_TRUE(to_host<std::vector<std::int32_t>>(copy.data(), n, stream()) == items);
    }
    EXPECT_EQ(n_seen, n);
  }
}

TEST_F(Copies, RowsAreCopiedApart) {
  // Rows within a piece, and pieces within a row.
  for (const auto& [n_rows, width] : {std::pair{30'000, 101}, {3, 1'000'001}, {1, 7}, {0, 5}}) {
    const std::int64_t stride = width + 3;
    std::vector<std::int32_t> items(static_cast<std::size_t>(n_rows * width));
    std::iota(items.begin(), items.end(), 0);
    const auto device = to_device(std::span<const std::int32_t>(items), stream());
    std::vector<std::int32_t> found(static_cast<std::size_t>(n_rows * stride), -1);
    CopyOut out;
    out.copy_rows(found.data(), stride, device.data(), n_rows, width, stream());
    out.finish();
    for (std::int64_t i = 0; i < n_rows; ++i) {
      const auto row = found.begin() + i * stride;
      ASSERT_TRUE(std::equal(row, row + width, items.begin() + i * width)) << i;
      ASSERT_EQ(std::count(row + width, row + stride, -1), 3) << i;
    }
  }
}

TEST_F(Copies, BytesComeAsIntegers) {
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

TEST_F(Copies, PagesOfTheDestinationAreMappedWhileTheDeviceIsBusy) {
  if (!populates_pages()) GTEST_SKIP() << "this system populates no pages";
  NewPagesAndBusyDevice found(stream());
  const DeviceBuffer<std::byte> ones(found.bytes().size(), stream());
  fill_bytes(ones.data(), 1, ones.size(), stream());
  copy_out(found.bytes().data(), ones.data(), ones.size(), stream());
  found.expect_mapped_before_the_end();
  EXPECT_EQ(std::ranges::count(found.bytes(), std::byte{1}), std::ssize(found.bytes()));
}

TEST_F(Copies, PagesAreMappedWhileAThreadWaits) {
  if (!populates_pages()) GTEST_SKIP() << "this system populates no pages";
  const DeviceBuffer<std::byte> on_device(std::size_t{2} << 20, stream());
  NewPagesAndBusyDevice found(stream());
  const MapWhileWaiting pages(found.bytes());
  const MapWhileWaiting none(on_device.data(), on_device.size());  // that are on the host
  stream().synchronize();
  found.expect_mapped_before_the_end();
}

TEST_F(Copies, PagesBehindThoseOfAShorterArrayAreMapped) {
  if (!populates_pages()) GTEST_SKIP() << "this system populates no pages";
  NewPagesAndBusyDevice found(stream());
  std::ranges::fill(found.bytes().first(found.bytes().size() / 4 * 3), std::byte{1});
  const MapWhileWaiting pages(found.bytes());
  stream().synchronize();
  found.expect_mapped_before_the_end();
}

TEST_F(Copies, PagesAreNotMappedAfterTheWork) {
  const test::NewPages found(1024);
  stream().synchronize();
  const MapWhileWaiting pages(found.bytes());
  stream().synchronize();
  EXPECT_EQ(found.n_mapped(), 0);
}

TEST_F(Copies, ACopyToTheHostIsInterrupted) {
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

}  // namespace
}  // namespace warpgraph::cuda
