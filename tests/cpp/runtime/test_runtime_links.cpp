// Links, packets, buffers and events, and the errors of data-flow graphs.
#include "runtime/runtime_graphs.hpp"

#include <gtest/gtest.h>
#include <thread>

namespace warpgraph::runtime {
namespace {

using test::host_devices;
using test::Items;
using test::numbers;
using test::receive_all;
using warpgraph::test::message_of;

const auto nothing = [](Endpoint) {};
const auto nothing_on_host = [] {};

TEST(Event, FuturesWaitForIt) {
  EXPECT_TRUE(EventFuture().is_complete());
  EventFuture().wait();
  Event event;
  const EventFuture future = event.future();
  EXPECT_FALSE(future.is_complete());
  int written = 0;
  std::thread waiting([&] {
    future.wait();
    EXPECT_EQ(written, 1);
  });
  std::this_thread::sleep_for(std::chrono::milliseconds(5));
  written = 1;
  event.record();
  waiting.join();
  event.future().wait();
}

TEST(Event, GivenUpIsAnError) {
  EventFuture future;
  {
    const Event event;
    future = event.future();
  }
  EXPECT_FALSE(future.is_complete());
  EXPECT_THROW(future.wait(), std::runtime_error);
}

TEST(Link, DividesAMessageIntoPacketsInOrder) {
  Context context(host_devices(1));
  Link& link = context.link(context.host(), context.endpoints()[0], 10, 2);  // two items fit
  std::vector<std::size_t> sizes;
  Items received;
  context.run(
      [&](Endpoint) {
        while (std::optional<PendingSegment> pending = link.receive()) {
          EXPECT_EQ(pending->description().metadata, 42);
          EXPECT_EQ(pending->description().offset, 4 * received.size());
          EXPECT_EQ(pending->description().source, context.host());
          const auto items = pending->wait().as<std::int32_t>();
          sizes.push_back(items.size());
          received.insert(received.end(), items.begin(), items.end());
        }
      },
      [&] { test::send(link, numbers(5), 42).wait(); });
  EXPECT_EQ(sizes, (std::vector<std::size_t>{2, 2, 1}));
  EXPECT_EQ(received, numbers(5));
}

TEST(Link, DeliversEmptyMessages) {
  Context context(host_devices(2));
  const test::Star star(context, broadcast(), true);
  std::atomic<int> received{0};
  context.run(
      [&](Endpoint endpoint) {
        while (std::optional<PendingSegment> pending = star.of(endpoint).receive()) {
          EXPECT_EQ(pending->wait().bytes, 0u);
          EXPECT_EQ(pending->description().metadata, 7);
          ++received;
        }
      },
      [&] { test::send(*star.host, {}, 7).wait(); });
  EXPECT_EQ(received.load(), 2);
}

TEST(Link, WaitsUntilTheDataAreReady) {
  Context context(host_devices(1));
  Link& link = context.link(context.host(), context.endpoints()[0], 64, 1);
  Items items = numbers(4);
  Items received;
  context.run([&](Endpoint) { received = receive_all(link); },
              [&] {
                Event ready;
                const EventFuture sent =
                    link.send(segment_of(std::span<const std::int32_t>(items)), ready.future());
                std::this_thread::sleep_for(std::chrono::milliseconds(15));
                EXPECT_FALSE(sent.is_complete());
                items[0] = 99;
                ready.record();
                sent.wait();
                items[1] = -1;  // they belong to the sender again
              });
  EXPECT_EQ(received, (Items{99, 1, 2, 3}));
}

TEST(Link, HoldsAtMostItsBuffers) {
  Context context(host_devices(1));
  Link& link = context.link(context.host(), context.endpoints()[0], 4, 2);
  context.run(
      [&](Endpoint) {
        std::optional<PendingSegment> first = link.receive();
        std::optional<PendingSegment> second = link.receive();
        EXPECT_FALSE(link.try_receive().has_value());
        EXPECT_EQ(first->wait().as<std::int32_t>()[0], 0);
        EXPECT_EQ(second->wait().as<std::int32_t>()[0], 1);
        first->release();
        std::optional<PendingSegment> third = link.try_receive();
        ASSERT_TRUE(third.has_value());
        EXPECT_EQ(third->wait().as<std::int32_t>()[0], 2);
        EXPECT_EQ(second->wait().as<std::int32_t>()[0], 1);  // undisturbed
      },
      [&] { test::send(link, numbers(3)); });
}

TEST(Link, ReceivesIntoMemoryOfTheCallerAndDirectly) {
  Context context(host_devices(1));
  Link& link = context.link(context.host(), context.endpoints()[0], 8, 1);
  const Items items = numbers(4);
  context.run(
      [&](Endpoint) {
        Items received(2);
        link.receive()->wait_into(reinterpret_cast<std::byte*>(received.data()));
        EXPECT_EQ(received, numbers(2));
        std::optional<PendingSegment> pending = link.receive();
        EXPECT_EQ(pending->wait_direct().as<std::int32_t>().data(), items.data() + 2);
      },
      [&] { link.send(segment_of(std::span<const std::int32_t>(items))).wait(); });
}

TEST(Link, KeepsTheOwnerUntilDelivery) {
  Context context(host_devices(1));
  Link& link = context.link(context.host(), context.endpoints()[0], 8, 1);
  std::weak_ptr<Items> kept;
  context.run([&](Endpoint) { EXPECT_EQ(receive_all(link), numbers(10)); },
              [&] {
                auto owner = std::make_shared<Items>(numbers(10));
                kept = owner;
                const Segment segment = segment_of(std::span<const std::int32_t>(*owner));
                const EventFuture sent = link.send(segment, {}, std::move(owner));
                sent.wait();
                EXPECT_TRUE(kept.expired());
              });
}

TEST(Link, RefusesWhatItCannotDo) {
  Context context(host_devices(2));
  const test::Star star(context, any_available(), true);
  Link& direct = context.link(context.host(), context.endpoints()[1], 3);
  context.run(nothing, [&] {
    EXPECT_NE(message_of([&] { (void)star.host->receive(); }).find("enters a router"),
              std::string::npos);
    EXPECT_NE(message_of([&] { test::send(star.of({1}), {1}); }).find("leaves a router"),
              std::string::npos);
    EXPECT_EQ(message_of([&] { test::send(direct, {1}); }),
              "an item of 4 bytes does not fit the packets of the link from the host to "
              "endpoint 1 (cpu), which have 3");
    star.host->shutdown();
    star.host->shutdown();
    EXPECT_NE(message_of([&] { test::send(*star.host, {1}); }).find("has been shut down"),
              std::string::npos);
  });
}

TEST(Context, FindsErrorsOfTheGraph) {
  EXPECT_THROW(Context({}), std::invalid_argument);
  EXPECT_THROW(Context({Device{Device::Kind::cuda, 99}}), DeviceError);
  Context context(host_devices(2));
  const Endpoint first{0};
  EXPECT_EQ(message_of([&] { context.link(first, first, 8); }),
            "endpoint 0 (cpu) cannot be linked to itself");
  EXPECT_EQ(message_of([&] { context.link(first, {9}, 8); }),
            "endpoint 9 is not one of this context, which has the endpoints 0..2");
  context.link(first, context.host(), 8);
  EXPECT_EQ(message_of([&] { context.link(first, context.host(), 16); }),
            "endpoint 0 (cpu) is linked to the host already");
  EXPECT_THROW(context.link(context.host(), first, 0), std::invalid_argument);
  EXPECT_THROW(context.link(context.host(), first, 8, 0), std::invalid_argument);
  EXPECT_THROW(context.link(context.host(), first, 8, 65), std::invalid_argument);
  EXPECT_THROW(context.router(0, 1, gather()), std::invalid_argument);
  EXPECT_THROW(context.router(1, 1, {}), std::invalid_argument);
  Router& one = context.router(1, 1, gather(), "one");
  Router& two = context.router(1, 1, gather());
  EXPECT_EQ(message_of([&] { context.link(one, two, 8); }),
            "router 'one' cannot be linked to router 1: one end of a link must be no router");
  context.link(first, one, 8);
  EXPECT_EQ(message_of([&] { context.link({1}, one, 8); }),
            "router 'one' has 1 input(s) already; there is none for endpoint 1 (cpu)");
  EXPECT_EQ(message_of([&] { context.run(nothing, nothing_on_host); }),
            "router 'one' has 1 of 1 inputs and 0 of 1 outputs");
}

TEST(Context, FindsPoliciesThatNameMissingEndpoints) {
  const auto run = [](RoutingPolicy policy, int n) {
    Context context(host_devices(3));
    Router& router = context.router(1, n, std::move(policy), "r");
    context.link(context.host(), router, 8);
    for (int i = 0; i < n; ++i) context.link(router, {i}, 8);
    return message_of([&] { context.run(nothing, nothing_on_host); });
  };
  const Endpoint host{3};
  EXPECT_EQ(run(table({{host, {{2}}}}), 2),
            "the policy table of router 'r' sends segments of the host to endpoint 2 (cpu), which "
            "is not an output of it");
  EXPECT_EQ(run(table({{host, {{0}, {77}}}}), 2),
            "the policy table of router 'r' sends segments of the host to endpoint 77 (unknown "
            "here), which is not an output of it");
  EXPECT_EQ(run(table({{host, {{0}}}, {{1}, {{0}}}}), 2),
            "the policy table of router 'r' names endpoint 1 (cpu), which is not an input of it");
  EXPECT_EQ(
      run(table({{host, {{0}, {0}}}}), 2),
      "the policy table of router 'r' names endpoint 0 (cpu) 2 times for segments of the host");
  EXPECT_EQ(run(gather(), 2), "the policy gather needs one output, but the router has 2");
  EXPECT_EQ(run(table({{host, {{1}}}}), 2), "");
}

TEST(Link, BuffersCoverItsLatency) {
  constexpr std::size_t megabyte = 1 << 20;
  const Device host;
  const Device gpu{Device::Kind::cuda, 0};
  EXPECT_EQ(Link::suitable_buffers(host, host, 8), 2);
  EXPECT_EQ(Link::suitable_buffers(host, gpu, megabyte), 2);
  EXPECT_EQ(Link::suitable_buffers(gpu, host, megabyte / 2), 3);
  EXPECT_EQ(Link::suitable_buffers(gpu, gpu, 1), 4);
  EXPECT_EQ(Link::suitable_buffers(gpu, gpu, 4 * megabyte), 3);
  EXPECT_EQ(Link::suitable_buffers(gpu, gpu, 64 * megabyte), 2);
  Context context(host_devices(2));
  EXPECT_EQ(context.link(context.host(), {0}, megabyte).n_buffers(), 2);
  EXPECT_EQ(context.link(context.host(), {1}, megabyte, 5).n_buffers(), 5);
}

TEST(Context, RunsOnce) {
  Context context(host_devices(1));
  context.run(nothing, nothing_on_host);
  EXPECT_THROW(context.run(nothing, nothing_on_host), std::invalid_argument);
  EXPECT_THROW(context.link(context.host(), {0}, 8), std::invalid_argument);
}

}  // namespace
}  // namespace warpgraph::runtime
