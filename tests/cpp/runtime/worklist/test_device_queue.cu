// The circular queue in device memory: warps that append, one that consumes and prepends.
#include "core/cuda/launch.cuh"
#include "on_device.hpp"
#include "runtime/queue/device_queue.cuh"

#include <algorithm>
#include <gtest/gtest.h>
#include <numeric>
#include <vector>

namespace warpgraph::runtime {
namespace {

using test::OnDevice;
using Item = std::uint64_t;
using View = CircularQueueView<Item>;

constexpr unsigned threads = 96;

/// Warps of the blocks after the first one append all of 0 .. n-1, each its share, some lanes at a
/// time. A full queue makes them try again.
__device__ void produce(const View& queue, Item n) {
  const auto producer = static_cast<Item>(cuda::global_warp() - threads / cuda::warp_lanes);
  const auto n_producers = static_cast<Item>(cuda::n_global_warps() - threads / cuda::warp_lanes);
  const auto lane = static_cast<Item>(cuda::lane());
  for (Item first = producer * cuda::warp_lanes; first < n;
       first += n_producers * cuda::warp_lanes) {
    bool has_one = first + lane < n;
    while (__any_sync(cuda::all_lanes, has_one)) {
      // Not all lanes at once, for reservations of all sizes.
      const bool now = has_one && (lane + first / cuda::warp_lanes) % 3 != 0;
      const bool any = __any_sync(cuda::all_lanes, now);
      if (append_of_warp(queue, any ? now : has_one, first + lane)) has_one = false;
      __nanosleep(100);
    }
  }
}

/// The first warp takes n items. It puts some of them back once, if there is room.
__device__ void consume(const View& queue, Item n, Item* taken, bool prepends) {
  const auto lane = static_cast<std::uint32_t>(cuda::lane());
  Item turn = 0;
  for (Item done = 0; done < n; ++turn) {
    std::uint32_t readable = lane == 0 ? queue.readable() : 0;
    readable = __shfl_sync(cuda::all_lanes, readable, 0);
    __syncwarp();  // lane 0 has acquired the stamps, for all lanes
    const std::uint32_t now = min(readable, static_cast<unsigned>(cuda::warp_lanes));
    const Item item = lane < now ? queue[lane] : 0;
    __syncwarp();
    if (lane == 0) queue.consume(now);
    __syncwarp();
    const bool back =
        prepends && turn % 3 == 0 && prepend_of_warp(queue, lane < now && lane % 2 == 0, item);
    const unsigned kept = __ballot_sync(cuda::all_lanes, lane < now && !back);
    const auto rank = static_cast<Item>(__popc(kept & cuda::lanemask_lt()));
    if (lane < now && !back) taken[done + rank] = item;
    done += static_cast<Item>(__popc(kept));
    if (now == 0) __nanosleep(100);
  }
}

__global__ void produce_and_consume(View queue, Item n, Item* taken, bool prepends) {
  if (blockIdx.x != 0) {
    produce(queue, n);
  } else if (threadIdx.x < cuda::warp_lanes) {
    consume(queue, n, taken, prepends);
  }
}

/// Each warp appends 32 items once; says which of them are in the queue.
__global__ void append_once(View queue, Item first, bool* appended) {
  const auto thread = static_cast<Item>(cuda::global_index());
  appended[thread] = append_of_warp(queue, true, first + thread);
}

__global__ void append_without_stamps(View queue, Item first, Item n) {
  const auto thread = static_cast<Item>(cuda::global_index());
  append_within_room(queue, thread < n, first + thread);
}

/// All items that are reserved, in order; one thread.
__global__ void take_all(View queue, Item* taken, std::uint32_t* n) {
  *n = queue.size();
  for (std::uint32_t i = 0; i < *n; ++i) taken[i] = queue[i];
  queue.consume(*n);
}

/// Lanes below `n` prepend their numbers; one warp.
__global__ void prepend_once(View queue, int n, std::uint32_t* n_prepended) {
  const bool prepended =
      prepend_of_warp(queue, cuda::lane() < n, static_cast<Item>(1000 + cuda::lane()));
  const unsigned all = __ballot_sync(cuda::all_lanes, prepended);
  if (cuda::lane() == 0) *n_prepended = static_cast<std::uint32_t>(__popc(all));
}

class DeviceQueueTest : public OnDevice {
 protected:
  [[nodiscard]] std::vector<Item> taken_from(const DeviceQueue<Item>& queue) const {
    cuda::DeviceBuffer<Item> taken(queue.capacity(), stream());
    cuda::DeviceBuffer<std::uint32_t> n(1, stream());
    cuda::launch(stream(), 1, 1, 0, take_all, queue.view(), taken.data(), n.data());
    return fetched(taken.data(), cuda::read_back(n.data(), stream()));
  }
  /// As if nearly 2^31 items had been consumed.
  void move_to_the_wrap(const DeviceQueue<Item>& queue) const {
    const std::uint64_t last = 0x7ffffff0;
    const std::uint64_t bounds = (last << 32) | last;
    const auto end = static_cast<std::uint32_t>(last);
    cuda::copy(queue.view().bounds, &bounds, 1, stream());
    cuda::copy(queue.view().end, &end, 1, stream());
  }
  void expect_each_once(std::uint32_t capacity, Item n, bool prepends, bool at_the_wrap) const {
    const DeviceQueue<Item> queue(capacity, stream());
    if (at_the_wrap) move_to_the_wrap(queue);
    cuda::DeviceBuffer<Item> taken(n, stream());
    const auto blocks = std::min<std::int64_t>(
        cuda::resident_blocks(stream(), produce_and_consume, threads, 0), 40);
    ASSERT_GE(blocks, 2);
    cuda::launch_cooperative(stream(), blocks, threads, 0, produce_and_consume, queue.view(), n,
                             taken.data(), prepends);
    std::vector<Item> all = fetched(taken);
    std::sort(all.begin(), all.end());
    std::vector<Item> expected(n);
    std::iota(expected.begin(), expected.end(), Item{0});
    EXPECT_EQ(all, expected) << "capacity " << capacity;
    EXPECT_TRUE(taken_from(queue).empty());
  }
};

TEST_F(DeviceQueueTest, LosesNothingUnderBackPressure) {
  for (const std::uint32_t capacity : {1u, 8u, 32u, 256u}) {
    expect_each_once(capacity, 3000, false, false);
    expect_each_once(capacity, 3000, false, true);
  }
}

TEST_F(DeviceQueueTest, PrependCompetesWithProducers) {
  for (const std::uint32_t capacity : {4u, 64u}) expect_each_once(capacity, 3000, true, true);
}

TEST_F(DeviceQueueTest, RefusesItemsWhenFullAndGrows) {
  DeviceQueue<Item> queue(100, stream());
  EXPECT_EQ(queue.capacity(), 128u);
  move_to_the_wrap(queue);
  cuda::DeviceBuffer<bool> appended(192, stream());
  const auto append = [&](Item first) {
    cuda::launch(stream(), 2, threads, 0, append_once, queue.view(), first, appended.data());
    std::vector<Item> refused;
    for (std::size_t i = 0; i < appended.size(); ++i) {
      if (!cuda::read_back(appended.data() + i, stream())) refused.push_back(first + i);
    }
    return refused;
  };
  const std::vector<Item> refused = append(0);
  EXPECT_EQ(refused.size(), 192u - 128u);
  EXPECT_EQ(append(1000).size(), 192u);
  queue.grow(300, stream());
  EXPECT_EQ(queue.capacity(), 512u);
  EXPECT_TRUE(append(2000).empty());
  std::vector<Item> expected(192);
  std::iota(expected.begin(), expected.end(), Item{0});
  for (const Item item : refused) std::erase(expected, item);
  for (Item i = 0; i < 192; ++i) expected.push_back(2000 + i);
  std::vector<Item> all = taken_from(queue);
  std::sort(all.begin(), all.end());
  EXPECT_EQ(all, expected);
}

TEST_F(DeviceQueueTest, PrependsInTheOrderOfLanes) {
  const DeviceQueue<Item> queue(32, stream());
  cuda::DeviceBuffer<std::uint32_t> n(1, stream());
  cuda::launch(stream(), 1, 32, 0, append_without_stamps, queue.view(), Item{0}, Item{30});
  cuda::launch(stream(), 1, 32, 0, prepend_once, queue.view(), 5, n.data());
  EXPECT_EQ(cuda::read_back(n.data(), stream()), 2u);
  const std::vector<Item> all = taken_from(queue);
  ASSERT_EQ(all.size(), 32u);
  // The last of the granted positions precedes the first item.
  EXPECT_EQ(all[0], 1000u);
  EXPECT_EQ(all[1], 1001u);
  EXPECT_EQ(all[2], 0u);
}

TEST_F(DeviceQueueTest, NeedsNoStampsBetweenBarriers) {
  const DeviceQueue<Item> queue(1024, stream(), false);
  EXPECT_EQ(queue.view().stamps, nullptr);
  move_to_the_wrap(queue);
  for (Item turn = 0; turn < 4; ++turn) {
    // 1000 items wrap around the array, and around 2^31.
    cuda::launch(stream(), 8, 128, 0, append_without_stamps, queue.view(), turn * 1000, Item{1000});
    std::vector<Item> all = taken_from(queue);
    std::sort(all.begin(), all.end());
    std::vector<Item> expected(1000);
    std::iota(expected.begin(), expected.end(), turn * 1000);
    EXPECT_EQ(all, expected);
  }
}

}  // namespace
}  // namespace warpgraph::runtime
