// Teams of devices: barriers order the work of all members, what is sent arrives, results come to
// the host in their order, and steps are timed.
#include "core/cuda/for_each.cuh"
#include "on_device.hpp"
#include "runtime/bulk_synchronous/device_team.hpp"

#include <numeric>

namespace warpgraph::runtime {
namespace {

class Teams : public testing::TestWithParam<int> {
 protected:
  void SetUp() override {
    if (cuda_device_count() == 0) GTEST_SKIP() << cuda_unavailable_reason();
  }
  static std::vector<Device> devices() {
    std::vector<Device> list;
    for (int i = 0; i < GetParam(); ++i) {
      list.push_back({Device::Kind::cuda, i % cuda_device_count()});
    }
    return list;
  }
  /// An array of n items for each member.
  template <class T>
  static std::vector<cuda::DeviceBuffer<T>> arrays(const DeviceTeam& team, std::size_t n) {
    std::vector<cuda::DeviceBuffer<T>> made;
    for (int i = 0; i < team.size(); ++i) made.emplace_back(n, team.stream(i));
    return made;
  }
};

INSTANTIATE_TEST_SUITE_P(Members, Teams, testing::Values(1, 2, 3, 8));

/// A member writes one more than the largest number of a round to its place with all members.
struct Round {
  int* arrays[8];
  int n_members;
  int member;
  int before;  // where the numbers of the last round are
  int after;
  __device__ void operator()(std::int64_t) const {
    int most = 0;
    for (int i = 0; i < n_members; ++i) {
      most = arrays[member][before + i] > most ? arrays[member][before + i] : most;
    }
    for (int i = 0; i < n_members; ++i) arrays[i][after + member] = most + 1 + member;
  }
};

TEST_P(Teams, EachRoundSeesTheOneBefore) {
  const DeviceTeam team(devices());
  if (!team.shares_memory()) GTEST_SKIP() << "devices cannot access each other's memory";
  const int n = team.size();
  const auto numbers = arrays<int>(team, static_cast<std::size_t>(2 * n));
  const TeamWait wait(team);
  Round round{};
  round.n_members = n;
  for (int i = 0; i < n; ++i) {
    round.arrays[i] = numbers[static_cast<std::size_t>(i)].data();
    cuda::fill_bytes(round.arrays[i], 0, static_cast<std::size_t>(2 * n), team.stream(i));
  }
  team.barrier();
  constexpr int n_rounds = 20;
  for (int k = 0; k < n_rounds; ++k) {
    round.before = k % 2 * n;
    round.after = (k + 1) % 2 * n;
    for (round.member = 0; round.member < n; ++round.member) {
      cuda::for_each(team.stream(round.member), 1, round);
    }
    team.barrier();
  }
  for (int i = 0; i < n; ++i) {
    const int most = cuda::read_back(round.arrays[i] + round.after + n - 1, team.stream(i));
    EXPECT_EQ(most, n_rounds * n);
  }
}

TEST_P(Teams, ItemsOfAllMembersAreRead) {
  const DeviceTeam team(devices());
  const auto numbers = arrays<int>(team, 2);
  team.for_each([&](int i, const cuda::Stream& stream) {
    cuda::fill(numbers[static_cast<std::size_t>(i)].data() + 1, 7 * i, 1, stream);
  });
  const auto found = read_back<std::int64_t>(
      team, [&](int i) { return numbers[static_cast<std::size_t>(i)].data() + 1; });
  ASSERT_EQ(found.size(), static_cast<std::size_t>(team.size()));
  for (int i = 0; i < team.size(); ++i) EXPECT_EQ(found[static_cast<std::size_t>(i)], 7 * i);
}

TEST_P(Teams, WhatIsSentArrives) {
  const DeviceTeam team(devices());
  constexpr std::size_t n_each = 5;
  const auto n = static_cast<std::size_t>(team.size());
  const auto numbers = arrays<int>(team, n * n_each);
  const TeamWait wait(team);
  std::vector<int*> places;
  for (const auto& array : numbers) places.push_back(array.data());
  std::vector<int> expected(n * n_each);
  std::iota(expected.begin(), expected.end(), 7);
  for (std::size_t i = 0; i < n; ++i) {
    const int member = static_cast<int>(i);
    cuda::copy(places[i] + i * n_each, expected.data() + i * n_each, n_each, team.stream(member));
  }
  const auto range_of = [](int i) {
    return ItemRange{std::int64_t{i} * std::int64_t{n_each}, n_each};
  };
  team.all_gather(range_of, [&](int i) { return places[static_cast<std::size_t>(i)]; });
  team.barrier();
  for (std::size_t i = 0; i < n; ++i) {
    EXPECT_EQ(
        cuda::to_host<std::vector<int>>(places[i], n * n_each, team.stream(static_cast<int>(i))),
        expected);
  }
}

struct WriteIndex {
  std::int64_t first;
  int* to;
  __device__ void operator()(std::int64_t i) const { to[i] = static_cast<int>(first + i); }
};

TEST_P(Teams, SlicesAreCollectedInOrder) {
  StepTimes::of_this_thread().take(true);
  {
    DeviceTeam team(devices());
    std::vector<cuda::DeviceBuffer<int>> buffers;
    std::vector<ItemRange> ranges;
    std::size_t n = 0;
    for (int i = 0; i < team.size(); ++i) {  // an empty one, and some of several pieces
      const std::size_t size = i == 1 ? 0 : 3'000'000 / static_cast<std::size_t>(i + 1);
      buffers.emplace_back(size, team.stream(i));
      cuda::for_each(team.stream(i), static_cast<std::int64_t>(size),
                     WriteIndex{static_cast<std::int64_t>(n), buffers.back().data()});
      ranges.push_back({0, size});
      n += size;
    }
    team.end_step("write");
    std::vector<int> found(n);
    collect(
        team, [&](int i) { return ranges[static_cast<std::size_t>(i)]; },
        [&](int i) { return buffers[static_cast<std::size_t>(i)].data(); }, found.data());
    team.end_step("collect");
    std::vector<int> expected(n);
    std::iota(expected.begin(), expected.end(), 0);
    EXPECT_TRUE(found == expected);
  }
  const std::vector<StepTime> times = StepTimes::of_this_thread().take(false);
  ASSERT_EQ(times.size(), static_cast<std::size_t>(2 * GetParam()));
  EXPECT_EQ(times.front().step, "write");
  EXPECT_EQ(times.back().step, "collect");
  EXPECT_EQ(times.back().member, GetParam() - 1);
  for (const StepTime& time : times) EXPECT_GE(time.seconds, 0);
}

}  // namespace
}  // namespace warpgraph::runtime
