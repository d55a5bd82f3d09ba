// The emulator finds the mistakes that it promises to find, and does as CUDA says otherwise.
#include "core/atomics.hpp"
#include "core/cuda/launch.cuh"
#include "core/cuda/memory/buffer.hpp"
#include "core/cuda/stream_pool.hpp"

#include <cooperative_groups/reduce.h>
#include <cuda_pipeline_primitives.h>

#include <gtest/gtest.h>
#include <numeric>

namespace warpgraph::cuda {
namespace {

namespace cg = cooperative_groups;

class Emulator : public testing::Test {
 protected:
  const Stream& stream() const { return *stream_; }
  std::vector<int> fetched(const DeviceBuffer<int>& buffer) const {
    std::vector<int> host(buffer.size());
    copy(host.data(), static_cast<const int*>(buffer.data()), host.size(), stream());
    stream().synchronize();
    return host;
  }
  /// What waiting for the stream throws.
  std::string error() const {
    try {
      stream().synchronize();
    } catch (const CudaError& error) {
      return error.what();
    }
    return "no error";
  }
  void expect_error(const std::string& part) const {
    EXPECT_NE(error().find(part), std::string::npos) << error();
  }

 private:
  BorrowedStream stream_{Device::parse("cuda")};
};

__global__ void turn_round(int* values, bool wait) {
  __shared__ int shared[256];
  shared[threadIdx.x] = -1;
  __syncthreads();
  shared[threadIdx.x] = values[threadIdx.x];
  if (wait) __syncthreads();
  values[threadIdx.x] = shared[blockDim.x - 1 - threadIdx.x];
}

TEST_F(Emulator, AMissingBarrierShows) {
  std::vector<int> expected(256);
  std::iota(expected.rbegin(), expected.rend(), 0);
  const DeviceBuffer<int> values(256, stream());
  iota(values.data(), 256, stream());
  launch(stream(), 1, 256, 0, turn_round, values.data(), true);
  EXPECT_EQ(fetched(values), expected);
  iota(values.data(), 256, stream());
  launch(stream(), 1, 256, 0, turn_round, values.data(), false);
  EXPECT_NE(fetched(values), expected);
}

__global__ void pass_on(int* values, bool wait) {
  __shared__ int shared[32];
  shared[threadIdx.x] = values[threadIdx.x];
  if (wait) __syncwarp();
  values[threadIdx.x] = shared[(threadIdx.x + 1) % 32];
}

/// Each thread copies twice, and takes what is there when all but `may_miss` copies are done.
__global__ void copy_twice(int* values, unsigned may_miss) {
  __shared__ int shared[64];
  int* const mine = shared + 2 * threadIdx.x;
  mine[0] = mine[1] = -1;
  __pipeline_memcpy_async(&mine[0], &values[2 * threadIdx.x], sizeof(int));
  __pipeline_commit();
  __pipeline_memcpy_async(&mine[1], &values[2 * threadIdx.x + 1], sizeof(int));
  __pipeline_commit();
  __pipeline_wait_prior(may_miss);
  values[2 * threadIdx.x] = mine[0];
  values[2 * threadIdx.x + 1] = mine[1];
}

TEST_F(Emulator, CopiesAreDoneWhenTheyAreWaitedFor) {
  const DeviceBuffer<int> values(64, stream());
  for (const unsigned may_miss : {2u, 1u, 0u}) {
    iota(values.data(), 64, stream());
    launch(stream(), 1, 32, 0, copy_twice, values.data(), may_miss);
    const std::vector<int> found = fetched(values);
    for (int i = 0; i < 64; ++i) {
      const bool is_done = may_miss == 0 || (may_miss == 1 && i % 2 == 0);
      EXPECT_EQ(found[static_cast<std::size_t>(i)], is_done ? i : -1) << may_miss << ", " << i;
    }
  }
}

__global__ void copy_to_odd_place(int* values) {
  __shared__ int shared[8];
  __pipeline_memcpy_async(shared + 1, values, 8);
  __pipeline_wait_prior(0);
}

TEST_F(Emulator, CopiesMustBeAligned) {
  const DeviceBuffer<int> values(64, stream());
  launch(stream(), 1, 1, 0, copy_to_odd_place, values.data());
  expect_error("multiple");
}

TEST_F(Emulator, LanesAreNotInStep) {
  const DeviceBuffer<int> values(32, stream());
  std::vector<int> expected(32);
  for (int i = 0; i < 32; ++i) expected[static_cast<std::size_t>(i)] = (i + 1) % 32;
  for (const bool wait : {false, true}) {
    iota(values.data(), 32, stream());
    launch(stream(), 1, 32, 0, pass_on, values.data(), wait);
    EXPECT_EQ(fetched(values) == expected, wait);
  }
}

__global__ void leave_early(int* values) {
  if (threadIdx.x % 2 == 0) return;
  values[threadIdx.x] = static_cast<int>(__ballot_sync(~0u, 1));
}

__global__ void meet_in_two_places() {
  if (threadIdx.x == 7) {
    __shfl_sync(~0u, 1, 0);
  } else {
    __syncthreads();
  }
}

__global__ void wait_for_a_warp_too_many() {
  if (threadIdx.x < 64) __barrier_sync_count(1, 96);
}

__global__ void leave_the_grid() {
  if (blockIdx.x == 0) return;
  cg::this_grid().sync();
}

__global__ void claim_other_lanes() { __syncwarp(1u << ((threadIdx.x + 1) % 32)); }

TEST_F(Emulator, ThreadsThatCannotMeetEndTheLaunch) {
  const DeviceBuffer<int> values(64, stream());
  launch(stream(), 1, 64, 0, leave_early, values.data());
  expect_error("ended");
  launch(stream(), 1, 64, 0, meet_in_two_places);
  expect_error("thread 7 in __shfl_sync");
  launch(stream(), 1, 96, 0, wait_for_a_warp_too_many);
  expect_error(
      "32 ended, 0 at the barrier of the grid, 0 at that of the block, 64 at barriers for");
  launch_cooperative(stream(), 3, 32, 0, leave_the_grid);
  expect_error("a block ended");
  launch(stream(), 3, 32, 0, leave_the_grid);
  expect_error("only in a cooperative launch");
  launch(stream(), 1, 32, 0, claim_other_lanes);
  expect_error("not in its own mask");
  iota(values.data(), 64, stream());  // and the next launch works
  EXPECT_EQ(fetched(values)[63], 63);
}

__global__ void count_who_is_left(int* count) {
  if (threadIdx.x % 3 == 0) return;
  const int left = __syncthreads_count(1);
  if (threadIdx.x == 1) *count = left;
}

TEST_F(Emulator, EndedThreadsDoNotCountAtTheBarrierOfTheBlock) {
  const DeviceBuffer<int> count(1, stream());
  launch(stream(), 1, 99, 0, count_who_is_left, count.data());
  EXPECT_EQ(fetched(count)[0], 66);
}

__global__ void write_at(char* place, std::int64_t i) { place[i] = 0; }

TEST_F(Emulator, WritesBesideAnAllocationAreFound) {
  for (const std::int64_t i : {-1, 100, 200}) {
    {
      const DeviceBuffer<char> buffer(100, stream());
      launch(stream(), 1, 1, 0, write_at, buffer.data(), i);
    }
    expect_error("beside an allocation of 100 bytes");
  }
  const DeviceBuffer<char> buffer(100, stream());
  EXPECT_THROW(fill_bytes(buffer.data(), 0, 101, stream()), CudaError);
}

TEST_F(Emulator, WhatNobodyWroteIsGarbage) {
  const DeviceBuffer<int> buffer(1, stream());
  EXPECT_EQ(fetched(buffer)[0], static_cast<int>(0xb5b5b5b5));
}

TEST_F(Emulator, NothingIsDoneBeforeSomebodyWaits) {
  const DeviceBuffer<int> values(100, stream());
  const PinnedBuffer<int> host(100);
  iota(values.data(), 100, stream());
  copy(host.data(), static_cast<const int*>(values.data()), 100, stream());
  EXPECT_NE(host[99], 99);
  const Event event(stream().device(), cudaEventDisableTiming);
  event.record(stream().get());
  fill(values.data(), 7, 100, stream());
  const BorrowedStream other(stream().device());
  (*other).wait_for(event.get());
  copy(host.data(), static_cast<const int*>(values.data()) + 1, 1, *other);
  EXPECT_NE(host[0], 1);
  (*other).synchronize();
  EXPECT_EQ(host[99], 99);
  EXPECT_EQ(host[0], 1) << "the fill comes after the event";
  EXPECT_EQ(fetched(values)[0], 7);
}

__global__ void wait_for_another(int* flags) {
  if (threadIdx.x == 0) {
    while (relaxed_load(flags[0]) == 0) {
    }
    flags[1] = 1;
  } else {
    relaxed_store(flags[0], 1);
  }
}

TEST_F(Emulator, ThreadsThatSpinAreInterrupted) {
  const DeviceBuffer<int> flags(2, stream());
  for (int i = 0; i < 20; ++i) {
    fill_bytes(flags.data(), 0, 2, stream());
    launch(stream(), 1, 2, 0, wait_for_another, flags.data());
    EXPECT_EQ(fetched(flags)[1], 1);
  }
}

__global__ void wait_for_flag(int* flags) {
  for (int i = 0; i < 100'000 && flags[1] == 0; ++i) flags[1] = relaxed_load(flags[0]);
}

__global__ void raise_flag(int* flags) { relaxed_store(flags[0], 1); }

TEST_F(Emulator, KernelsOfHighPrioritySometimesRunBesideOthers) {
  const DeviceBuffer<int> flags(2, stream());
  const Stream urgent(stream().device(), StreamPriority::high);
  int n_beside = 0;
  for (int i = 0; i < 100; ++i) {
    fill_bytes(flags.data(), 0, 2, stream());
    stream().synchronize();
    launch(urgent, 1, 1, 0, wait_for_flag, flags.data());
    launch(stream(), 1, 1, 0, raise_flag, flags.data());
    while (cudaStreamQuery(urgent.get()) == cudaErrorNotReady) {
    }
    n_beside += fetched(flags)[1];
  }
  EXPECT_GT(n_beside, 0);
  EXPECT_LT(n_beside, 100);
}

__global__ void ask_the_warp(int* found) {
  const auto lane = static_cast<int>(threadIdx.x % 32);
  int* mine = found + 10 * threadIdx.x;
  mine[0] = __shfl_sync(~0u, lane, 5);
  mine[1] = __shfl_sync(~0u, lane, 1, 8);
  mine[2] = __shfl_up_sync(~0u, lane, 2);
  mine[3] = __shfl_down_sync(~0u, lane, 3, 16);
  mine[4] = __shfl_xor_sync(~0u, lane, 9);
  mine[5] = static_cast<int>(__ballot_sync(~0u, lane % 3 == 0));
  mine[6] = static_cast<int>(__match_any_sync(~0u, lane / 4));
  mine[7] = __reduce_max_sync(~0u, lane ^ 21);
  mine[8] = __all_sync(~0u, lane < 32) + 2 * __any_sync(~0u, lane > 31);
  const unsigned half = lane < 16 ? 0xffffu : 0xffff0000u;
  mine[9] = lane < 16 ? __reduce_add_sync(half, lane) : __shfl_sync(half, lane, 31);
}

TEST_F(Emulator, LanesTellEachOther) {
  const DeviceBuffer<int> buffer(640, stream());
  launch(stream(), 1, 64, 0, ask_the_warp, buffer.data());
  const std::vector<int> found = fetched(buffer);
  for (int i = 0; i < 64; ++i) {
    const int lane = i % 32;
    const std::vector<int> expected{5,
                                    lane / 8 * 8 + 1,
                                    lane < 2 ? lane : lane - 2,
                                    lane % 16 < 13 ? lane + 3 : lane,
                                    lane ^ 9,
                                    0x49249249,
                                    static_cast<int>(15u << (lane / 4 * 4)),
                                    31,
                                    1,
                                    lane < 16 ? 120 : 31};
    EXPECT_EQ(std::vector<int>(found.begin() + 10 * i, found.begin() + 10 * i + 10), expected);
  }
}

__global__ void gather_groups(int* ranks, int* sums, int n) {
  const auto i = static_cast<int>(global_index());
  if (i >= n || i % 5 == 0) return;
  const auto group = cg::coalesced_threads();
  ranks[i] = static_cast<int>(group.thread_rank());
  const int first = group.shfl(i, 0);
  atomicAdd(&sums[0], group.thread_rank() == 0 ? static_cast<int>(group.size()) : 0);
  if (group.thread_rank() == group.size() - 1 && first > i) sums[1] = 1;
  const int least = cg::reduce(group, i, cg::less<int>());
  if (least != first) sums[1] = 1;
}

TEST_F(Emulator, CoalescedThreadsAreSomeOfAWarp) {
  constexpr int n = 1000;
  const DeviceBuffer<int> ranks(n, stream());
  const DeviceBuffer<int> sums(2, stream());
  fill(ranks.data(), -1, n, stream());
  fill(sums.data(), 0, 2, stream());
  launch_for(stream(), n, gather_groups, ranks.data(), sums.data(), n);
  EXPECT_EQ(fetched(sums), (std::vector<int>{800, 0}));
  const std::vector<int> found = fetched(ranks);
  EXPECT_EQ(std::count(found.begin(), found.end(), -1), 200);
  const auto alone = std::count(found.begin(), found.end(), 0);
  EXPECT_GT(alone, 32) << "groups are not always whole warps";
  EXPECT_LT(alone, 800);
}

/// Counts the lanes that are here together, as those do that push to a list together.
[[gnu::noinline]] __device__ void count_together(int* count) {
  const auto group = cg::coalesced_threads();
  if (group.thread_rank() == 0) atomicAdd(count, static_cast<int>(group.size()));
}

__global__ void count_in_two_places(int* counts) {
  if (threadIdx.x % 2 == 0) count_together(&counts[0]);
  if (threadIdx.x % 3 == 0) count_together(&counts[1]);
}

TEST_F(Emulator, CoalescedThreadsCameByTheSameCalls) {
  const DeviceBuffer<int> counts(2, stream());
  fill(counts.data(), 0, 2, stream());
  launch(stream(), 1, 256, 0, count_in_two_places, counts.data());
  EXPECT_EQ(fetched(counts), (std::vector<int>{128, 86}));
}

__global__ void reverse_in_shared(int* values) {
  int* shared = dynamic_shared<int>();
  for (int i = static_cast<int>(threadIdx.x); i < 16384; i += 32) shared[16383 - i] = values[i];
  __syncthreads();
  for (int i = static_cast<int>(threadIdx.x); i < 16384; i += 32) values[i] = shared[i];
}

TEST_F(Emulator, SharedMemoryHasALimit) {
  const DeviceBuffer<int> values(16384, stream());
  iota(values.data(), 16384, stream());
  launch(stream(), 1, 32, 65536, reverse_in_shared, values.data());
  EXPECT_EQ(fetched(values)[1], 16382);
  EXPECT_THROW(launch(stream(), 1, 32, 1 << 18, reverse_in_shared, values.data()), CudaError);
  EXPECT_THROW(launch(stream(), 1, 2048, 0, reverse_in_shared, values.data()), CudaError);
  EXPECT_THROW(launch_cooperative(stream(), 1000, 32, 0, leave_the_grid), CudaError);
}

/// Writes to `there` and waits for `here`, to which another kernel or the host writes.
__global__ void meet_elsewhere(int* here, int* there) {
  cg::this_grid().sync();
  relaxed_store(*there, 1);
  while (relaxed_load(*here) == 0) __nanosleep(100);
}

TEST_F(Emulator, CooperativeLaunchesOfTwoStreamsRunConcurrently) {
  const Stream other(stream().device());
  const DeviceBuffer<int> flags(2, stream());
  fill_bytes(flags.data(), 0, 2, stream());
  stream().synchronize();
  launch_cooperative(stream(), 1, 32, 0, meet_elsewhere, flags.data(), flags.data() + 1);
  launch_cooperative(other, 1, 32, 0, meet_elsewhere, flags.data() + 1, flags.data());
  EXPECT_EQ(cudaStreamQuery(stream().get()), cudaErrorNotReady);  // begins
  other.synchronize();
  EXPECT_EQ(fetched(flags), (std::vector<int>{1, 1}));
}

TEST_F(Emulator, AHostThatPollsCanEndAKernel) {
  const Stream other(stream().device());
  const DeviceBuffer<int> flags(2, stream());
  fill_bytes(flags.data(), 0, 2, stream());
  stream().synchronize();
  launch_cooperative(stream(), 2, 32, 0, meet_elsewhere, flags.data(), flags.data() + 1);
  while (cudaStreamQuery(stream().get()) == cudaErrorNotReady) {
    int begun = 0;
    copy(&begun, flags.data() + 1, 1, other);
    other.synchronize();
    if (begun != 0) copy(flags.data(), &begun, 1, other);
    other.synchronize();
  }
  EXPECT_EQ(error(), "no error");
}

}  // namespace
}  // namespace warpgraph::cuda
