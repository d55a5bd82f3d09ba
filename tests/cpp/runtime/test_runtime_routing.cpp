// Routers: every policy delivers each segment where it says, once.
#include "runtime/runtime_graphs.hpp"

#include <algorithm>
#include <gtest/gtest.h>
#include <thread>

namespace warpgraph::runtime {
namespace {

using test::host_devices;
using test::Items;
using test::numbers;
using test::receive_all;

class RoutersOf : public testing::TestWithParam<int> {
 protected:
  const int n_ = GetParam();
};

INSTANTIATE_TEST_SUITE_P(Endpoints, RoutersOf, testing::Values(1, 2, 3, 5, 8));

/// What each endpoint has received of one message of the host.
std::vector<Items> distributed(int n, RoutingPolicy policy, std::int32_t n_items,
                               std::int64_t metadata = 0) {
  Context context(host_devices(n));
  const test::Star star(context, std::move(policy), true);
  std::vector<Items> received(static_cast<std::size_t>(n));
  context.run(
      [&](Endpoint endpoint) {
        received[static_cast<std::size_t>(endpoint.id)] = receive_all(star.of(endpoint));
      },
      [&] {
        const Items items = numbers(n_items);
        test::send(*star.host, items, metadata).wait();
      });
  return received;
}

TEST_P(RoutersOf, AnyAvailableDeliversEachItemOnce) {
  const std::vector<Items> received = distributed(n_, any_available(), 5000);
  Items all;
  for (const Items& items : received) all.insert(all.end(), items.begin(), items.end());
  std::sort(all.begin(), all.end());
  EXPECT_EQ(all, numbers(5000));
}

TEST_P(RoutersOf, ScatterTakesTurns) {
  const std::vector<Items> received = distributed(n_, scatter(), 1000);
  for (int i = 0; i < n_; ++i) {
    Items expected;
    for (int k = 0; k < 1000; ++k) {
      if (k / 16 % n_ == i) expected.push_back(k);  // a packet has 16 items
    }
    EXPECT_EQ(received[static_cast<std::size_t>(i)], expected);
  }
}

TEST_P(RoutersOf, BroadcastDeliversToAll) {
  for (const Items& items : distributed(n_, broadcast(), 1000)) EXPECT_EQ(items, numbers(1000));
}

TEST_P(RoutersOf, AllToAllFollowsTheMetadata) {
  const std::vector<Items> received = distributed(n_, all_to_all(), 100, n_ - 1);
  for (int i = 0; i < n_; ++i) {
    EXPECT_EQ(received[static_cast<std::size_t>(i)], i == n_ - 1 ? numbers(100) : Items{});
  }
}

TEST_P(RoutersOf, AUsersFunctionChooses) {
  const auto by_offset = [](const Segment& segment, Endpoint, const EndpointList& outputs) {
    const std::size_t i = segment.offset >= 128 ? outputs.size() - 1 : 0;
    return EndpointList{outputs[i]};
  };
  const std::vector<Items> received = distributed(n_, function(by_offset), 96);
  if (n_ == 1) {
    EXPECT_EQ(received[0], numbers(96));
  } else {
    EXPECT_EQ(received.front(), numbers(32));
    EXPECT_EQ(received.back(), numbers(64, 32));
  }
}

TEST_P(RoutersOf, GatherBringsAllToTheHost) {
  Context context(host_devices(n_));
  const test::Star star(context, gather(), false);
  Items all;
  context.run(
      [&](Endpoint endpoint) {
        const Items items = numbers(100, 100 * endpoint.id);
        test::send(star.of(endpoint), items).wait();
      },
      [&] { all = receive_all(*star.host); });
  std::sort(all.begin(), all.end());
  EXPECT_EQ(all, numbers(100 * n_));
}

TEST_P(RoutersOf, RingLeadsOnce) {
  Context context(host_devices(n_));
  const test::Mesh mesh(context, ring(), false, false);
  std::vector<Items> received(static_cast<std::size_t>(n_));
  context.run(
      [&](Endpoint endpoint) {
        const auto i = static_cast<std::size_t>(endpoint.id);
        const Items items = numbers(50, 50 * endpoint.id);
        test::send(*mesh.out[i], items);
        mesh.out[i]->shutdown();
        received[i] = receive_all(*mesh.in[i]);
      },
      [] {});
  for (int i = 0; i < n_; ++i) {
    EXPECT_EQ(received[static_cast<std::size_t>(i)], numbers(50, 50 * ((i + n_ - 1) % n_)));
  }
}

/// Endpoints add what they receive to a sum of their own and pass it on; the host gets the sum.
std::int64_t reduced(int n, RoutingPolicy policy) {
  Context context(host_devices(n));
  const test::Mesh mesh(context, std::move(policy), false, true);
  std::int64_t total = 0;
  context.run(
      [&](Endpoint endpoint) {
        const auto i = static_cast<std::size_t>(endpoint.id);
        Items sum{endpoint.id + 1};
        for (const std::int32_t part : receive_all(*mesh.in[i])) sum[0] += part;
        test::send(*mesh.out[i], sum).wait();
      },
      [&] {
        const Items sums = receive_all(*mesh.in.back());
        ASSERT_EQ(sums.size(), 1u);
        total = sums[0];
      });
  return total;
}

TEST_P(RoutersOf, ReductionsAddUp) {
  EXPECT_EQ(reduced(n_, one_way_reduce()), n_ * (n_ + 1) / 2);
  EXPECT_EQ(reduced(n_, tree_reduce()), n_ * (n_ + 1) / 2);
}

TEST_P(RoutersOf, BroadcastAmongEndpointsLeavesOutTheSource) {
  if (n_ == 1) return;  // it has no destination
  Context context(host_devices(n_));
  const test::Mesh mesh(context, broadcast(), false, false);
  std::vector<Items> received(static_cast<std::size_t>(n_));
  context.run(
      [&](Endpoint endpoint) {
        const auto i = static_cast<std::size_t>(endpoint.id);
        const Items items{endpoint.id};
        const EventFuture sent = test::send(*mesh.out[i], items);
        mesh.out[i]->shutdown();
        received[i] = receive_all(*mesh.in[i]);
        sent.wait();
      },
      [] {});
  for (int i = 0; i < n_; ++i) {
    Items expected = numbers(n_);
    expected.erase(expected.begin() + i);
    std::sort(received[static_cast<std::size_t>(i)].begin(),
              received[static_cast<std::size_t>(i)].end());
    EXPECT_EQ(received[static_cast<std::size_t>(i)], expected);
  }
}

TEST(Router, SmallerPacketsOfAnOutputDivideFurther) {
  Context context(host_devices(1));
  Router& router = context.router(1, 1, scatter());
  Link& in = context.link(context.host(), router, 64);
  Link& out = context.link(router, context.endpoints()[0], 12);
  std::size_t most = 0;
  Items received;
  context.run(
      [&](Endpoint) {
        while (std::optional<PendingSegment> pending = out.receive()) {
          const auto items = pending->wait().as<std::int32_t>();
          most = std::max(most, items.size());
          received.insert(received.end(), items.begin(), items.end());
        }
      },
      [&] { test::send(in, numbers(100)).wait(); });
  EXPECT_EQ(most, 3u);
  EXPECT_EQ(received, numbers(100));
}

TEST(Router, ReportsDestinationsThatAreNoOutputs) {
  const auto run = [](auto choose) {
    Context context(host_devices(2));
    const test::Star star(context, function(choose), true);
    return warpgraph::test::message_of([&] {
      context.run([&](Endpoint endpoint) { receive_all(star.of(endpoint)); },
                  [&] {
                    test::send(*star.host, {1, 2});
                  });
    });
  };
  EXPECT_EQ(run([](const Segment&, Endpoint source, const EndpointList&) {
              return EndpointList{source};
            }),
            "the policy function of router 0 sends segments of the host to the host, which is not "
            "an output of it");
  EXPECT_EQ(run([](const Segment&, Endpoint, const EndpointList&) { return EndpointList{}; }),
            "the policy function of router 0 has no destination for a segment of the host");
}

/// A slow endpoint gets less than a fast one.
TEST(Router, AnyAvailableBalances) {
  Context context(host_devices(2));
  const test::Star star(context, any_available(), true);
  std::vector<std::size_t> received(2);
  context.run(
      [&](Endpoint endpoint) {
        while (std::optional<PendingSegment> pending = star.of(endpoint).receive()) {
          received[static_cast<std::size_t>(endpoint.id)] += pending->wait().bytes;
          std::this_thread::sleep_for(std::chrono::microseconds(endpoint.id == 0 ? 5000 : 100));
        }
      },
      [&] {
        const Items items = numbers(16 * 60);
        test::send(*star.host, items).wait();
      });
  EXPECT_LT(2 * received[0], received[1]);
}

}  // namespace
}  // namespace warpgraph::runtime
