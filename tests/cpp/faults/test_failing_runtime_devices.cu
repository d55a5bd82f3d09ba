// Applications of the runtime on devices while each allocation on a device, or of page-locked
// memory, fails once.
#include "algorithms/predicate_filter/predicate_filter.hpp"
#include "core/cuda/memory/buffer.hpp"
#include "core/cuda/stream_pool.hpp"
#include "failing.hpp"
#include "runtime/runtime_graphs.hpp"
#include "runtime/worklist/device_worklist.cuh"

#include <gtest/gtest.h>
#include <vector>

namespace warpgraph::runtime {
namespace {

using test::Items;
using test::numbers;
using warpgraph::test::fail_each_allocation;
using DeviceItems = cuda::DeviceBuffer<std::int32_t>;

constexpr auto device_memory = faults::Kind::device;

class FailingRuntimeDevices : public testing::TestWithParam<bool> {
 protected:
  void SetUp() override {
    if (cuda_device_count() == 0) GTEST_SKIP() << cuda_unavailable_reason();
  }
  static std::vector<Device> devices(int n) {
    std::vector<Device> all;
    for (int i = 0; i < n; ++i) all.push_back({Device::Kind::cuda, i % cuda_device_count()});
    return all;
  }
};

INSTANTIATE_TEST_SUITE_P(ThroughHostOrRing, FailingRuntimeDevices, testing::Bool());

TEST_P(FailingRuntimeDevices, LinksFromTheHostRoundDevicesAndBack) {
  const Items items = numbers(5000);
  fail_each_allocation(device_memory, [&] {
    Context context(devices(3));
    const auto& at = context.endpoints();
    const std::vector<Link*> links = {&context.link(context.host(), at[0], 4096),
                                      &context.link(at[0], at[1], 4096, 2, GetParam()),
                                      &context.link(at[1], at[2], 4096, 3, GetParam()),
                                      &context.link(at[2], context.host(), 4096)};
    Items received;
    context.run(
        [&](Endpoint endpoint) {
          const auto i = static_cast<std::size_t>(endpoint.id);
          while (std::optional<PendingSegment> pending = links[i]->receive()) {
            pending->forward(*links[i + 1]);
          }
        },
        [&] {
          links[0]->send(segment_of(std::span<const std::int32_t>(items)));
          links[0]->shutdown();
          received = test::receive_all(*links[3]);
        });
    return received;
  });
}

TEST_P(FailingRuntimeDevices, ArraysThatAreWrittenAgainAfterTheirDelivery) {
  const Items items = numbers(1000);
  fail_each_allocation(device_memory, [&] {
    Context context(devices(2));
    const auto& at = context.endpoints();
    Link& link = context.link(at[0], at[1], 1024, 2, GetParam());
    std::int64_t sum = 0;
    context.run(
        [&](Endpoint endpoint) {
          const cuda::BorrowedStream own(context.device(endpoint));
          if (endpoint == at[0]) {
            const auto array = std::make_shared<DeviceItems>(items.size(), *own);
            for (int turn = 0; turn < 3; ++turn) {
              cuda::copy(array->data(), items.data(), items.size(), *own);
              Event ready;
              ready.record(ref(*own));
              const std::span<const std::int32_t> sent(array->data(), array->size());
              link.send(segment_of(sent, 0, context.device(endpoint)), ready.future(), array)
                  .wait(ref(*own));
              cuda::fill_bytes(array->data(), 0xff, array->size(), *own);
            }
            return;
          }
          while (std::optional<PendingSegment> pending = link.receive()) {
            const DeviceItems copied(pending->description().bytes / sizeof(std::int32_t), *own);
            pending->wait_into(reinterpret_cast<std::byte*>(copied.data()), ref(*own));
            for (const std::int32_t item :
                 cuda::to_host<Items>(copied.data(), copied.size(), *own)) {
              sum += item;
            }
          }
        },
        [] {});
    return sum;
  });
}

TEST_P(FailingRuntimeDevices, PredicateFilter) {
  std::vector<float> values(6000);
  for (std::size_t i = 0; i < values.size(); ++i) values[i] = static_cast<float>(i * 7919 % 1000);
  std::vector<Device> some = devices(GetParam() ? 1 : 3);
  if (GetParam()) some.emplace_back();
  const Interval<float> interval{100, 700};
  const HostVector<float> expected =
      predicate_filter_reference(std::span<const float>(values), interval);
  const auto filtered = [&] {
    return predicate_filter(FilterInput<float>{values}, interval, {some}) == expected;
  };
  EXPECT_TRUE(filtered());
  fail_each_allocation(device_memory, filtered);
}

/// An item of depth d makes three of depth d - 1, which belong to different workers.
struct Tree {
  struct LocalWork {
    std::int32_t depth;
    std::int32_t id;
  };
  using RemoteWork = LocalWork;
  __device__ LocalWork pack(const LocalWork& item) const { return item; }
  __device__ LocalWork unpack(const LocalWork& item) const { return item; }
  __device__ Flags on_send(int at, const LocalWork& item) const {
    return owner(item) == at ? Flags::keep : Flags::pass;
  }
  __device__ Flags on_receive(int at, const LocalWork& item) const { return on_send(at, item); }
  __device__ Priority priority(const LocalWork& item) const { return -item.depth; }
  __device__ int owner(const LocalWork& item) const { return item.id % n_workers; }
  __device__ edge_t begin(int, LocalWork& item) const { return item.depth > 0 ? 3 : 0; }
  __device__ bool child(int, const LocalWork& item, edge_t i, LocalWork& made) const {
    made = {item.depth - 1, 3 * item.id + static_cast<std::int32_t>(i)};
    return true;
  }

  int n_workers;
};

/// How many items were processed.
std::int64_t nodes_of_tree(const std::vector<Device>& devices, Route route, Priority threshold) {
  DeviceWorklistOptions options;
  options.capacity = 2;  // everything has to grow
  options.deferred = 1;
  options.outgoing = 1;
  options.mailbox = 2;
  options.batch = 4;
  options.route = route;
  options.first_threshold = threshold;
  options.step = 1;
  DeviceWorklist<Tree> list(devices, options);
  std::vector<std::vector<Tree::LocalWork>> seeds(devices.size());
  seeds[0].push_back({3, 1});
  list.run(std::vector<Tree>(devices.size(), Tree{static_cast<int>(devices.size())}), seeds);
  std::int64_t processed = 0;
  for (const WorkerReport& report : list.reports()) processed += report.processed;
  return processed;
}

TEST_P(FailingRuntimeDevices, ArraysOfAWorklistAndTheirGrowth) {
  const Route route = GetParam() ? Route::ring : Route::direct;
  for (const Priority threshold : {lowest_priority, Priority{-3}}) {
    EXPECT_EQ(nodes_of_tree(devices(2), route, threshold), 1 + 3 + 9 + 27);
    fail_each_allocation(device_memory,
                         [&] { return nodes_of_tree(devices(2), route, threshold); });
  }
}

}  // namespace
}  // namespace warpgraph::runtime
