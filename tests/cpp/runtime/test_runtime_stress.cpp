// Random data-flow graphs with random delays, faults and order of shutdown: nothing hangs, nothing
// is lost, nothing is delivered twice.
//
// WARPGRAPH_STRESS_RUNS in the environment is the number of graphs, WARPGRAPH_STRESS_SEED the
// first.
#include "runtime/runtime_graphs.hpp"

#include <algorithm>
#include <cstdlib>
#include <deque>
#include <gtest/gtest.h>
#include <map>
#include <memory>
#include <random>
#include <set>
#include <thread>

namespace warpgraph::runtime {
namespace {

using test::Items;

/// What a graph does wrong, if anything.
enum class Fault { none, endpoint_throws, host_throws, endpoint_leaves };

struct SentMessage {
  Link* link;
  std::int32_t first;  // items are first, first + 1, ..., unique in the graph
  std::int32_t n;
  std::int64_t metadata;
};

/// An input of a router, or a link without one, and who may get its items.
struct Outlet {
  Link* link;
  EndpointList destinations;
  Delivery delivery = Delivery::any;
  bool by_rank = false;  // metadata chooses the destination
};

/// What happens on one endpoint; the last one is the host.
struct Part {
  std::vector<SentMessage> messages;
  std::vector<Link*> outlets;  // in the order of their shutdown
  std::vector<Link*> inlets;
  std::map<std::int32_t, int> received;  // how many times each item
  std::uint32_t seed = 0;
};

class RandomGraph {
 public:
  explicit RandomGraph(std::uint32_t seed)
      : random_(seed), context_(test::host_devices(below(8) + 1)) {
    n_ = static_cast<int>(context_.endpoints().size());
    parts_.resize(static_cast<std::size_t>(n_) + 1);
    const int links = below(4);
    for (int i = 0; i < links; ++i) add_link();
    const int routers = below(3) + (links == 0 ? 1 : 0);
    for (int i = 0; i < routers; ++i) add_router();
    plan_messages();
    const int kind = below(10);
    fault_ = kind < 7    ? Fault::none
             : kind == 7 ? Fault::endpoint_throws
             : kind == 8 ? Fault::host_throws
                         : Fault::endpoint_leaves;
    faulty_ = below(n_);
    for (Part& part : parts_) part.seed = static_cast<std::uint32_t>(random_());
  }

  void run_and_check() {
    const test::Stopwatch stopwatch;
    const std::string message = warpgraph::test::message_of([&] {
      context_.run([this](Endpoint endpoint) { act(endpoint); }, [this] { act(context_.host()); });
    });
    EXPECT_LT(stopwatch.seconds(), 20) << "all but a hang";
    switch (fault_) {
      case Fault::none:
        EXPECT_EQ(message, "");
        if (message.empty()) check_received();
        break;
      case Fault::endpoint_throws:
      case Fault::host_throws:
        EXPECT_EQ(message, "fault");
        check_no_item_twice();
        break;
      case Fault::endpoint_leaves:
        // Others may have received all that it could have.
        EXPECT_TRUE(message.empty() || message.find("without receiving") != message.npos)
            << message;
        check_no_item_twice();
    }
  }

 private:
  int below(int n) { return static_cast<int>(random_() % static_cast<std::uint32_t>(n)); }
  std::size_t size(int n) { return static_cast<std::size_t>(n); }
  Part& part_of(Endpoint endpoint) { return parts_[size(endpoint.id)]; }
  std::size_t packet_size() { return 4 * size(1 + below(20)); }

  void add_link() {
    const Endpoint from{below(n_ + 1)};
    const Endpoint to{below(n_ + 1)};
    if (from == to || !direct_.insert({from.id, to.id}).second) return;
    Link& link = context_.link(from, to, packet_size(), 1 + below(3));
    outlets_.push_back({&link, {to}, Delivery::any, false});
    part_of(to).inlets.push_back(&link);
  }

  EndpointList some_endpoints() {
    EndpointList all;
    for (int i = 0; i <= n_; ++i) all.push_back({i});
    std::shuffle(all.begin(), all.end(), random_);
    all.resize(size(1 + below(n_ + 1)));
    return all;
  }

  RoutingPolicy policy(int kind) {
    switch (kind) {
      case 0:
        return any_available();
      case 1:
        return scatter();
      case 2:
        return broadcast();
      case 3:
        return ring();
      case 4:
        return all_to_all();
      case 5:
        return one_way_reduce();
      case 6:
        return tree_reduce();
      default:
        return function([](const Segment& segment, Endpoint, const EndpointList& outputs) {
          EndpointList chosen = outputs;
          std::rotate(chosen.begin(),
                      chosen.begin() + static_cast<std::ptrdiff_t>(segment.offset % outputs.size()),
                      chosen.end());
          chosen.resize((chosen.size() + 1) / 2);
          return chosen;
        });
    }
  }

  void add_router() {
    const EndpointList inputs = some_endpoints();
    const EndpointList outputs = some_endpoints();
    const RoutingPolicy by = policy(below(8));
    Router& router =
        context_.router(static_cast<int>(inputs.size()), static_cast<int>(outputs.size()), by);
    for (const Endpoint output : outputs) {
      part_of(output).inlets.push_back(&context_.link(router, output, packet_size(), 1 + below(3)));
    }
    for (const Endpoint input : inputs) {
      Link& link = context_.link(input, router, packet_size(), 1);
      outlets_.push_back(
          {&link, by.reach(input, inputs, outputs), by.delivery, by.name == "all_to_all"});
    }
  }

  void plan_messages() {
    std::int32_t next = 0;
    for (const Outlet& outlet : outlets_) {
      Part& part = part_of(outlet.link->source());
      part.outlets.push_back(outlet.link);
      if (outlet.destinations.empty()) continue;
      const int n_messages = below(4);
      for (int i = 0; i < n_messages; ++i) {
        const std::int32_t n = below(3) == 0 ? 0 : below(300);
        const std::int64_t rank = below(static_cast<int>(outlet.destinations.size()));
        part.messages.push_back({outlet.link, next, n, outlet.by_rank ? rank : 0});
        for (std::int32_t item = next; item < next + n; ++item) {
          outlet_of_.push_back(&outlet);
          rank_of_.push_back(rank);
        }
        next += n;
      }
    }
    for (Part& part : parts_) {
      std::shuffle(part.messages.begin(), part.messages.end(), random_);
      std::shuffle(part.outlets.begin(), part.outlets.end(), random_);
      std::shuffle(part.inlets.begin(), part.inlets.end(), random_);
    }
  }

  void act(Endpoint endpoint) {
    Part& part = part_of(endpoint);
    std::minstd_rand random(part.seed + 1);
    const bool throws = endpoint == context_.host()
                            ? fault_ == Fault::host_throws
                            : fault_ == Fault::endpoint_throws && endpoint.id == faulty_;
    const std::size_t steps = part.messages.size() + part.outlets.size() + part.inlets.size();
    std::size_t until_fault = throws ? random() % (steps + 1) : steps + 1;
    const auto step = [&] {
      if (until_fault-- == 0) throw std::runtime_error("fault");
      if (random() % 4 == 0) {
        std::this_thread::sleep_for(std::chrono::microseconds(random() % 150));
      }
    };
    for (const SentMessage& message : part.messages) {
      step();
      test::send(*message.link, test::numbers(message.n, message.first), message.metadata);
      for (Link* const inlet : part.inlets) {
        if (random() % 3 != 0) continue;
        if (auto pending = inlet->try_receive()) note(part, *pending);
      }
    }
    for (Link* const outlet : part.outlets) {
      step();
      if (random() % 2 == 0) outlet->shutdown();
    }
    if (fault_ == Fault::endpoint_leaves && endpoint.id == faulty_) return;
    for (Link* const outlet : part.outlets) outlet->shutdown();
    for (Link* const inlet : part.inlets) {
      step();
      while (auto pending = inlet->receive()) note(part, *pending);
    }
    step();
  }

  /// Half of the segments are copied to the link's buffer, half to memory of this endpoint.
  static void note(Part& part, PendingSegment& pending) {
    Items items(pending.description().bytes / sizeof(std::int32_t));
    if (items.size() % 2 == 0) {
      pending.wait_into(reinterpret_cast<std::byte*>(items.data()));
    } else {
      const auto arrived = pending.wait().as<std::int32_t>();
      std::copy(arrived.begin(), arrived.end(), items.begin());
    }
    for (const std::int32_t item : items) ++part.received[item];
  }

  void check_received() {
    for (std::size_t item = 0; item < outlet_of_.size(); ++item) {
      const Outlet& outlet = *outlet_of_[item];
      std::size_t times = 0;
      for (int i = 0; i <= n_; ++i) {
        const auto found = parts_[size(i)].received.find(static_cast<std::int32_t>(item));
        if (found == parts_[size(i)].received.end()) continue;
        times += static_cast<std::size_t>(found->second);
        const auto& to = outlet.destinations;
        EXPECT_TRUE(std::find(to.begin(), to.end(), Endpoint{i}) != to.end());
        if (outlet.by_rank) {
          EXPECT_EQ(to[static_cast<std::size_t>(rank_of_[item])], Endpoint{i});
        }
      }
      ASSERT_EQ(times, outlet.delivery == Delivery::all ? outlet.destinations.size() : 1);
    }
  }

  void check_no_item_twice() {
    for (const Part& part : parts_) {
      for (const auto& [item, times] : part.received) ASSERT_EQ(times, 1) << item;
    }
  }

  std::mt19937 random_;
  Context context_;
  int n_ = 0;
  Fault fault_ = Fault::none;
  int faulty_ = 0;
  std::vector<Part> parts_;
  std::deque<Outlet> outlets_;
  std::set<std::pair<int, int>> direct_;
  std::vector<const Outlet*> outlet_of_;  // of each item
  std::vector<std::int64_t> rank_of_;
};

int from_environment(const char* name, int otherwise) {
  const char* const value = std::getenv(name);
  return value == nullptr ? otherwise : std::atoi(value);
}

TEST(Runtime, RandomGraphs) {
  const int runs = from_environment("WARPGRAPH_STRESS_RUNS", 300);
  const int first = from_environment("WARPGRAPH_STRESS_SEED", 1);
  for (int seed = first; seed < first + runs; ++seed) {
    SCOPED_TRACE(seed);
    RandomGraph graph(static_cast<std::uint32_t>(seed));
    graph.run_and_check();
    if (HasFailure()) return;
  }
}

}  // namespace
}  // namespace warpgraph::runtime
