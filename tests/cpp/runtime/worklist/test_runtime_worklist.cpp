// The distributed worklist: applications of it against sequential ones.
#include "runtime/runtime_graphs.hpp"
#include "runtime/worklist/distributed_worklist.hpp"

#include <deque>
#include <gtest/gtest.h>

namespace warpgraph::runtime {
namespace {

using test::host_devices;
using test::Stopwatch;
using warpgraph::test::message_of;

/// Breadth-first search: a vertex belongs to an endpoint by its number. Each endpoint keeps the
/// hops of its own vertices, and the best hops that it has sent to those of others, as a filter.
struct Search {
  struct LocalWork {
    vertex_t vertex;
    std::int32_t hops;
  };
  using RemoteWork = LocalWork;

  Search(const Csr<std::int32_t>& searched, int n_endpoints)
      : graph(searched),
        n(n_endpoints),
        best(static_cast<std::size_t>(n_endpoints),
             std::vector<std::int32_t>(graph.offsets.size() - 1, unreached)) {}

  LocalWork pack(const LocalWork& item) { return item; }
  LocalWork unpack(const LocalWork& item) { return item; }
  Flags on_send(Endpoint at, const LocalWork& item) {
    if (!improves(at, item)) return Flags::drop;
    return owner(item.vertex) == at.id ? Flags::keep : Flags::pass;
  }
  Flags on_receive(Endpoint at, const LocalWork& item) {
    if (owner(item.vertex) != at.id) return Flags::pass;
    return improves(at, item) ? Flags::keep : Flags::drop;
  }
  Priority priority(const LocalWork& item) { return item.hops; }

  template <class Push>
  void process(Endpoint at, std::span<const LocalWork> items, Push&& push) {
    const auto& known = best[static_cast<std::size_t>(at.id)];
    for (const LocalWork& item : items) {
      if (known[static_cast<std::size_t>(item.vertex)] < item.hops) continue;  // out of date
      const auto v = static_cast<std::size_t>(item.vertex);
      for (edge_t e = graph.offsets[v]; e < graph.offsets[v + 1]; ++e) {
        push({graph.heads[static_cast<std::size_t>(e)], item.hops + 1});
      }
    }
  }

  [[nodiscard]] int owner(vertex_t v) const { return v % n; }
  bool improves(Endpoint at, const LocalWork& item) {
    std::int32_t& known =
        best[static_cast<std::size_t>(at.id)][static_cast<std::size_t>(item.vertex)];
    if (item.hops >= known) return false;
    known = item.hops;
    return true;
  }
  [[nodiscard]] std::vector<std::int32_t> hops() const {
    std::vector<std::int32_t> all;
    for (std::size_t v = 0; v + 1 < graph.offsets.size(); ++v) {
      all.push_back(best[static_cast<std::size_t>(owner(static_cast<vertex_t>(v)))][v]);
    }
    return all;
  }

  static constexpr std::int32_t unreached = 1 << 30;
  const Csr<std::int32_t>& graph;
  const int n;
  std::vector<std::vector<std::int32_t>> best;  // of each endpoint, of each vertex
};

std::vector<std::int32_t> expected_hops(const Csr<std::int32_t>& graph, vertex_t source) {
  std::vector<std::int32_t> hops(graph.offsets.size() - 1, Search::unreached);
  std::deque<vertex_t> queue{source};
  hops[static_cast<std::size_t>(source)] = 0;
  for (; !queue.empty(); queue.pop_front()) {
    const auto v = static_cast<std::size_t>(queue.front());
    for (edge_t e = graph.offsets[v]; e < graph.offsets[v + 1]; ++e) {
      const vertex_t head = graph.heads[static_cast<std::size_t>(e)];
      if (hops[static_cast<std::size_t>(head)] != Search::unreached) continue;
      hops[static_cast<std::size_t>(head)] = hops[v] + 1;
      queue.push_back(head);
    }
  }
  return hops;
}

std::vector<std::int32_t> search(const Csr<std::int32_t>& graph, int n,
                                 const WorklistOptions& options) {
  Context context(host_devices(n));
  Search app(graph, n);
  DistributedWorklist<Search> list(context, context.host(), context.endpoints(), app, options);
  context.run(
      [&](Endpoint at) {
        list.work(at, [&](std::span<const Search::LocalWork> items, auto&& push) {
          app.process(at, items, push);
        });
      },
      [&] {
        const Search::LocalWork seed{0, 0};
        list.start({&seed, 1});
      });
  return app.hops();
}

/// A path: as many rounds as vertices.
Csr<std::int32_t> path(vertex_t n) {
  warpgraph::test::Arcs<std::int32_t> arcs;
  for (vertex_t v = 0; v + 1 < n; ++v) arcs.emplace_back(v, v + 1, 1);
  return warpgraph::test::graph_of(n, arcs);
}

class WorklistOf : public testing::TestWithParam<int> {
 protected:
  const int n_ = GetParam();
};

INSTANTIATE_TEST_SUITE_P(Endpoints, WorklistOf, testing::Values(1, 2, 3, 5, 8));

TEST_P(WorklistOf, SearchesGraphs) {
  for (std::uint64_t seed = 0; seed < 6; ++seed) {
    const auto graph = warpgraph::test::random_graph<std::int32_t>(2000, 6000, seed);
    const std::vector<std::int32_t> expected = expected_hops(graph, 0);
    WorklistOptions options;
    EXPECT_EQ(search(graph, n_, options), expected);
    options.batch = 3;
    options.packet_size = 64;
    options.n_buffers = 1;
    EXPECT_EQ(search(graph, n_, options), expected);
    options.first_threshold = 0;
    for (const Priority step : {Priority{0}, Priority{1}, Priority{4}, lowest_priority}) {
      options.step = step;
      EXPECT_EQ(search(graph, n_, options), expected) << step;
    }
  }
}

TEST_P(WorklistOf, SearchesAPath) {
  const auto graph = path(300);
  WorklistOptions options;
  EXPECT_EQ(search(graph, n_, options), expected_hops(graph, 0));
  options.first_threshold = 0;
  EXPECT_EQ(search(graph, n_, options), expected_hops(graph, 0));
}

/// Numbers that are sent to their owner; a number of several copies is kept and passed on.
struct Numbers {
  using LocalWork = std::int32_t;
  using RemoteWork = std::int32_t;
  explicit Numbers(int n_endpoints) : n(n_endpoints) {}
  std::int32_t pack(std::int32_t x) { return x + 1000; }
  std::int32_t unpack(std::int32_t x) { return x - 1000; }
  Flags on_send(Endpoint at, std::int32_t x) { return x % n == at.id ? Flags::keep : Flags::pass; }
  Flags on_receive(Endpoint at, std::int32_t x) { return on_send(at, x - 1000); }
  Priority priority(std::int32_t x) { return -x; }
  const int n;
};

template <class App, class Process>
void run(int n, App& app, std::vector<std::int32_t> seeds, Process process,
         const WorklistOptions& options = {}) {
  Context context(host_devices(n));
  DistributedWorklist<App> list(context, context.host(), context.endpoints(), app, options);
  context.run(
      [&](Endpoint at) {
        list.work(at, [&](std::span<const std::int32_t> items, auto&& push) {
          for (const std::int32_t x : items) process(at, x, push);
        });
      },
      [&] { list.start(seeds); });
}

TEST_P(WorklistOf, ProcessesEachItemOnceAtItsOwner) {
  for (const bool with_priority : {false, true}) {
    Numbers app(n_);
    constexpr std::int32_t end = 5000;
    std::vector<std::atomic<int>> seen(end);
    WorklistOptions options;
    if (with_priority) {
      options.first_threshold = -2000;
      options.step = 100;
    }
    run(
        n_, app, {1, 2, 3},
        [&](Endpoint at, std::int32_t x, auto&& push) {
          EXPECT_EQ(x % n_, at.id);
          ++seen[static_cast<std::size_t>(x)];
          for (int i = 1; i <= 3; ++i) {
            if (3 * x + i < end) push(3 * x + i);
          }
        },
        options);
    EXPECT_EQ(seen[0].load(), 0);
    for (std::size_t x = 1; x < seen.size(); ++x) EXPECT_EQ(seen[x].load(), 1) << x;
  }
}

TEST_P(WorklistOf, EndsWithoutItems) {
  Numbers app(n_);
  run(n_, app, {}, [](Endpoint, std::int32_t, auto&&) { FAIL(); });
}

/// Each item visits every endpoint once: all keep it and pass it on, the last one keeps it.
struct Copies : Numbers {
  using Numbers::Numbers;
  Flags on_send(Endpoint, std::int32_t) { return Flags::drop; }
  Flags on_receive(Endpoint, std::int32_t x) {
    const int visits = ++visited[static_cast<std::size_t>(x - 1000)];
    return visits == n ? Flags::keep : Flags::both;
  }
  std::vector<std::atomic<int>> visited = std::vector<std::atomic<int>>(100);
};

TEST_P(WorklistOf, BothKeepsAndPasses) {
  Copies app(n_);
  std::vector<std::int32_t> seeds(100);
  std::iota(seeds.begin(), seeds.end(), 0);
  std::atomic<int> processed{0};
  run(n_, app, seeds, [&](Endpoint, std::int32_t, auto&& push) {
    ++processed;
    push(1);  // dropped
  });
  EXPECT_EQ(processed.load(), 100 * n_);
}

struct Unowned : Numbers {
  using Numbers::Numbers;
  Flags on_receive(Endpoint, std::int32_t) { return Flags::pass; }
};

TEST_P(WorklistOf, AnItemThatNobodyKeepsIsAnError) {
  Unowned app(n_);
  const Stopwatch stopwatch;
  const std::string message =
      message_of([&] { run(n_, app, {1}, [](Endpoint, std::int32_t, auto&&) {}); });
  EXPECT_NE(message.find("after every endpoint had seen it"), std::string::npos) << message;
  EXPECT_LT(stopwatch.seconds(), 1);
}

TEST_P(WorklistOf, AFailingApplicationEndsTheRun) {
  Numbers app(n_);
  const std::string message = message_of([&] {
    run(n_, app, {1}, [](Endpoint, std::int32_t x, auto&& push) {
      if (x == 1000) throw std::runtime_error("item 1000");
      push(x + 1);
    });
  });
  EXPECT_EQ(message, "item 1000");
}

TEST_P(WorklistOf, ASourceThatDoesNotStartIsAStall) {
  Context context(host_devices(n_));
  Numbers app(n_);
  DistributedWorklist<Numbers> list(context, context.host(), context.endpoints(), app);
  const std::string message = message_of(
      [&] { context.run([&](Endpoint at) { list.work(at, [](auto&&, auto&&) {}); }, [] {}); });
  EXPECT_NE(message.find("no endpoint can continue"), std::string::npos) << message;
}

}  // namespace
}  // namespace warpgraph::runtime
