// Applications of the runtime on the host while each allocation fails once.
#include "failing.hpp"
#include "runtime/runtime_graphs.hpp"
#include "runtime/worklist/distributed_worklist.hpp"

#include <algorithm>
#include <atomic>
#include <gtest/gtest.h>

namespace warpgraph::runtime {
namespace {

using test::host_devices;
using test::Items;
using test::numbers;
using warpgraph::test::fail_each_allocation;

constexpr auto host_memory = faults::Kind::host;

TEST(FailingRuntime, MessagesToAllWaitInQueuesThatGrow) {
  constexpr int n_messages = 70;  // more than a queue has room for at first
  fail_each_allocation(host_memory, [] {
    Context context(host_devices(3));
    const test::Star star(context, broadcast(), true);
    const test::Star back(context, gather(), false);
    Event all_are_sent;
    std::size_t received = 0;
    context.run(
        [&, sent = all_are_sent.future()](Endpoint at) {
          sent.wait();
          const Items items = test::receive_all(star.of(at));
          test::send(back.of(at), {static_cast<std::int32_t>(items.size())}).wait();
        },
        [&] {
          for (int i = 0; i < n_messages; ++i) test::send(*star.host, {i});
          star.host->shutdown();
          all_are_sent.record();
          for (const std::int32_t n : test::receive_all(*back.host)) {
            received += static_cast<std::size_t>(n);
          }
        });
    return received;
  });
}

/// Arrays belong to the caller, who frees them if send() fails: then nobody reads them.
TEST(FailingRuntime, AMessageThatCannotBeSentIsNotRead) {
  fail_each_allocation(host_memory, [] {
    Context context(host_devices(3));
    const test::Star star(context, broadcast(), true);
    std::atomic<int> wrong{0};
    std::atomic<bool> lacks_memory{false};
    context.run(
        [&](Endpoint at) {
          while (std::optional<PendingSegment> pending = star.of(at).receive()) {
            const auto items = pending->wait_direct().as<std::int32_t>();
            wrong += std::count(items.begin(), items.end(), -1) > 0;
          }
        },
        [&] {
          for (int i = 0; i < 70; ++i) {
            Items items(4, i);
            try {
              star.host->send(segment_of(std::span<const std::int32_t>(items))).wait();
            } catch (const std::bad_alloc&) {  // the caller goes on without this message
              lacks_memory = true;
            }
            std::fill(items.begin(), items.end(), -1);
          }
        });
    if (lacks_memory && wrong == 0) throw std::bad_alloc();
    return wrong.load();
  });
}

TEST(FailingRuntime, RingsThatForwardAndPoliciesThatChoose) {
  fail_each_allocation(host_memory, [] {
    Context context(host_devices(3));
    const auto& endpoints = context.endpoints();
    const test::Star scattered(context, scatter(), true);
    std::vector<Link*> next;
    for (std::size_t i = 0; i < 3; ++i) {
      const Endpoint to = i == 2 ? context.host() : endpoints[i + 1];
      next.push_back(&context.link(endpoints[i], to, 64));
    }
    std::int64_t sum = 0;
    context.run(
        [&](Endpoint at) {
          const auto i = static_cast<std::size_t>(at.id);
          std::vector<Link*> inputs = {&scattered.of(at)};
          if (i > 0) inputs.push_back(next[i - 1]);
          for (Link* const input : inputs) {
            while (std::optional<PendingSegment> pending = input->receive()) {
              pending->forward(*next[i]);
            }
          }
        },
        [&] {
          test::send(*scattered.host, numbers(200));
          scattered.host->shutdown();
          for (const std::int32_t item : test::receive_all(*next[2])) sum += item;
        });
    return sum;
  });
}

/// An item of depth d makes three of depth d - 1, which belong to different workers.
struct Tree {
  struct LocalWork {
    std::int32_t depth;
    std::int32_t id;
  };
  using RemoteWork = LocalWork;
  LocalWork pack(const LocalWork& item) { return item; }
  LocalWork unpack(const LocalWork& item) { return item; }
  Flags on_send(Endpoint at, const LocalWork& item) {
    return item.id % 3 == at.id ? Flags::keep : Flags::pass;
  }
  Flags on_receive(Endpoint at, const LocalWork& item) { return on_send(at, item); }
  Priority priority(const LocalWork& item) { return -item.depth; }
};

std::int64_t nodes_of_tree(const WorklistOptions& options) {
  Context context(host_devices(3));
  Tree app;
  DistributedWorklist<Tree> list(context, context.host(), context.endpoints(), app, options);
  std::atomic<std::int64_t> nodes{0};
  context.run(
      [&](Endpoint at) {
        list.work(at, [&](std::span<const Tree::LocalWork> items, auto&& push) {
          nodes += static_cast<std::int64_t>(items.size());
          for (const Tree::LocalWork& item : items) {
            for (int i = 0; item.depth > 0 && i < 3; ++i) push({item.depth - 1, 3 * item.id + i});
          }
        });
      },
      [&] {
        const Tree::LocalWork seed{4, 1};
        list.start({&seed, 1});
      });
  return nodes;
}

TEST(FailingRuntime, Worklist) {
  fail_each_allocation(host_memory, [] { return nodes_of_tree({}); });
}

TEST(FailingRuntime, WorklistWithSoftPriority) {
  WorklistOptions options;
  options.first_threshold = -4;
  options.step = 1;
  options.batch = 4;
  fail_each_allocation(host_memory, [&] { return nodes_of_tree(options); });
}

}  // namespace
}  // namespace warpgraph::runtime
