// The distributed worklist on devices: searches against sequential ones, over several workers of
// one device, and over several devices where there are some.
#include "core/cuda/copies/upload.hpp"
#include "on_device.hpp"
#include "runtime/runtime_graphs.hpp"
#include "runtime/worklist/device_worklist.cuh"
#include "support.hpp"

#include <algorithm>
#include <gtest/gtest.h>
#include <memory>
#include <queue>
#include <vector>

namespace warpgraph::runtime {
namespace {

using test::Stopwatch;
using warpgraph::test::message_of;
using warpgraph::test::random_graph;
using Graph = Csr<std::int32_t>;
using Distances = std::vector<std::int32_t>;

#if defined(__CUDACC__)
constexpr bool emulated = false;
#else
constexpr bool emulated = true;
#endif

constexpr std::int32_t unreached = 1 << 30;

/// Shortest paths, or hops without weights. Each worker keeps the distances of its own vertices,
/// and the best ones that it has sent to the owners of others, as a filter.
struct Search {
  struct LocalWork {
    vertex_t vertex;
    std::int32_t distance;
  };
  using RemoteWork = LocalWork;

  __device__ RemoteWork pack(const LocalWork& item) const { return item; }
  __device__ LocalWork unpack(const RemoteWork& item) const { return item; }
  __device__ Flags on_send(int at, const LocalWork& item) const {
    if (!lower(best[item.vertex], item.distance)) return Flags::drop;
    return owner(item) == at ? Flags::keep : Flags::pass;
  }
  __device__ Flags on_receive(int at, const RemoteWork& item) const {
    if (owner(item) != at) return Flags::pass;
    return lower(best[item.vertex], item.distance) ? Flags::keep : Flags::drop;
  }
  __device__ Priority priority(const LocalWork& item) const { return item.distance; }
  __device__ int owner(const RemoteWork& item) const { return item.vertex % n_workers; }
  __device__ edge_t begin(int, LocalWork& item) const {
    if (relaxed_load(best[item.vertex]) < item.distance) return 0;
    return offsets[item.vertex + 1] - offsets[item.vertex];
  }
  __device__ bool child(int, const LocalWork& item, edge_t i, LocalWork& out) const {
    const edge_t arc = offsets[item.vertex] + i;
    out = {heads[arc], item.distance + (weights == nullptr ? 1 : weights[arc])};
    return true;
  }

  const edge_t* offsets;
  const vertex_t* heads;
  const std::int32_t* weights;
  std::int32_t* best;
  int n_workers;
};

/// Dijkstra's algorithm.
Distances expected_distances(const Graph& graph, bool weighted) {
  Distances distances(graph.offsets.size() - 1, unreached);
  using Entry = std::pair<std::int32_t, vertex_t>;
  std::priority_queue<Entry, std::vector<Entry>, std::greater<>> queue;
  distances[0] = 0;
  queue.emplace(0, 0);
  while (!queue.empty()) {
    const auto [distance, u] = queue.top();
    queue.pop();
    const auto v = static_cast<std::size_t>(u);
    if (distances[v] < distance) continue;
    for (auto e = static_cast<std::size_t>(graph.offsets[v]);
         e < static_cast<std::size_t>(graph.offsets[v + 1]); ++e) {
      const std::int32_t through = distance + (weighted ? graph.weights[e] : 1);
      std::int32_t& known = distances[static_cast<std::size_t>(graph.heads[e])];
      if (through >= known) continue;
      known = through;
      queue.emplace(through, graph.heads[e]);
    }
  }
  return distances;
}

/// A graph and distances on the device of each worker.
class Searches {
 public:
  Searches(const Graph& graph, bool weighted, const std::vector<Device>& devices)
      : n_(graph.offsets.size() - 1) {
    for (const Device device : devices) {
      streams_.emplace_back(device);
      const cuda::Stream& stream = streams_.back();
      const cuda::DeviceGuard guard(device);
      offsets_.push_back(cuda::to_device(std::span<const edge_t>(graph.offsets), stream));
      heads_.push_back(cuda::to_device(std::span<const vertex_t>(graph.heads), stream));
      weights_.push_back(cuda::to_device(std::span<const std::int32_t>(graph.weights), stream));
      const Distances unknown(n_, unreached);
      best_.push_back(cuda::to_device(std::span<const std::int32_t>(unknown), stream));
      stream.synchronize();
      apps.push_back({offsets_.back().data(), heads_.back().data(),
                      weighted ? weights_.back().data() : nullptr, best_.back().data(),
                      static_cast<int>(devices.size())});
    }
  }
  [[nodiscard]] Distances distances() const {
    std::vector<Distances> of_workers;
    for (std::size_t w = 0; w < best_.size(); ++w) {
      const cuda::DeviceGuard guard(streams_[w].device());
      of_workers.push_back(cuda::to_host<Distances>(best_[w].data(), n_, streams_[w]));
    }
    Distances all;
    for (std::size_t v = 0; v < n_; ++v) all.push_back(of_workers[v % best_.size()][v]);
    return all;
  }

  std::vector<Search> apps;

 private:
  const std::size_t n_;
  std::vector<cuda::Stream> streams_;
  std::vector<cuda::DeviceBuffer<edge_t>> offsets_;
  std::vector<cuda::DeviceBuffer<vertex_t>> heads_;
  std::vector<cuda::DeviceBuffer<std::int32_t>> weights_;
  std::vector<cuda::DeviceBuffer<std::int32_t>> best_;
};

using Seeds = std::vector<std::vector<Search::LocalWork>>;

/// The source is a seed of the last worker, which does not own it.
Seeds seeds_for(std::size_t n) {
  Seeds seeds(n);
  seeds[n - 1].push_back({0, 0});
  return seeds;
}

struct Result {
  Distances distances;
  std::vector<WorkerReport> reports;
  [[nodiscard]] std::int64_t growths() const {
    std::int64_t sum = 0;
    for (const WorkerReport& report : reports) sum += report.growths;
    return sum;
  }
};

Result search(const Graph& graph, bool weighted, const std::vector<Device>& devices,
              const DeviceWorklistOptions& options) {
  Searches searches(graph, weighted, devices);
  DeviceWorklist<Search> list(devices, options);
  list.run(searches.apps, seeds_for(devices.size()));
  return {searches.distances(), list.reports()};
}

Graph path(vertex_t n) {
  warpgraph::test::Arcs<std::int32_t> arcs;
  for (vertex_t v = 0; v + 1 < n; ++v) arcs.emplace_back(v, v + 1, 1);
  return warpgraph::test::graph_of(n, arcs);
}

/// One vertex with arcs to all others, which lead back.
Graph star(vertex_t n) {
  warpgraph::test::Arcs<std::int32_t> arcs;
  for (vertex_t v = 1; v < n; ++v) arcs.emplace_back(0, v, v % 7);
  for (vertex_t v = 1; v < n; ++v) arcs.emplace_back(v, 0, 1);
  return warpgraph::test::graph_of(n, arcs);
}

DeviceWorklistOptions small_options(Route route, bool fused) {
  DeviceWorklistOptions options;
  options.fused = fused;
  options.capacity = 4096;
  options.deferred = 4096;
  options.outgoing = 1024;
  options.mailbox = 256;
  options.batch = 1024;
  options.route = route;
  return options;
}

/// Everything is full all the time, and has to grow.
DeviceWorklistOptions tiny_options(Route route, bool fused) {
  DeviceWorklistOptions options = small_options(route, fused);
  options.capacity = 2;
  options.deferred = 1;
  options.outgoing = 1;
  options.mailbox = 1;
  options.batch = 4;
  return options;
}

/// By the number of workers, distributed over all devices or on the first one.
class DeviceWorklistOf : public testing::TestWithParam<std::tuple<int, Route, bool>> {
 protected:
  void SetUp() override {
    if (cuda_device_count() == 0) GTEST_SKIP() << cuda_unavailable_reason();
    const cuda::Stream stream(device(0));
    const std::int64_t blocks = cuda::resident_blocks(stream, work<Search>, worker_threads, 0);
    const auto [n, route, fused] = GetParam();
    if (fused && blocks < n) GTEST_SKIP() << "the device runs " << blocks << " blocks at a time";
  }
  static Device device(int i) { return {Device::Kind::cuda, i}; }
  [[nodiscard]] static std::size_t n() { return static_cast<std::size_t>(std::get<0>(GetParam())); }
  [[nodiscard]] static DeviceWorklistOptions small() {
    return small_options(std::get<1>(GetParam()), std::get<2>(GetParam()));
  }
  [[nodiscard]] static DeviceWorklistOptions tiny() {
    return tiny_options(std::get<1>(GetParam()), std::get<2>(GetParam()));
  }
  /// Calls check(devices) for the first device, and for all.
  template <class Check>
  static void on_devices(Check&& check) {
    const int most = std::min(cuda_device_count(), static_cast<int>(n()));
    for (int n_devices = 1; n_devices <= most;
         n_devices = n_devices == 1 ? std::max(most, 2) : most + 1) {
      std::vector<Device> devices;
      for (std::size_t w = 0; w < n(); ++w) {
        devices.push_back(device(static_cast<int>(w) % n_devices));
      }
      check(devices);
    }
  }
};

INSTANTIATE_TEST_SUITE_P(Workers, DeviceWorklistOf,
                         testing::Combine(testing::Values(1, 2, 3, 5, 8),
                                          testing::Values(Route::direct, Route::ring),
                                          testing::Bool()));

TEST_P(DeviceWorklistOf, SearchesInBreadth) {
  for (std::uint64_t seed = 0; seed < 3; ++seed) {
    const Graph graph = random_graph<std::int32_t>(500, 2000, seed);
    const Distances expected = expected_distances(graph, false);
    on_devices([&](const std::vector<Device>& devices) {
      EXPECT_EQ(search(graph, false, devices, small()).distances, expected);
    });
  }
}

TEST_P(DeviceWorklistOf, FindsShortestPathsWithSoftPriority) {
  const Graph graph = random_graph<std::int32_t>(emulated ? 100 : 300, 600, 7);
  const Distances expected = expected_distances(graph, true);
  for (const Priority step : {Priority{emulated ? 10 : 0}, Priority{30}, lowest_priority}) {
    DeviceWorklistOptions options = small();
    options.first_threshold = 10;
    options.step = step;
    on_devices([&](const std::vector<Device>& devices) {
      EXPECT_EQ(search(graph, true, devices, options).distances, expected) << step;
    });
  }
}

TEST_P(DeviceWorklistOf, GrowsAndLosesNothing) {
  const Graph graph = random_graph<std::int32_t>(emulated ? 60 : 1000, emulated ? 200 : 5000, 3);
  on_devices([&](const std::vector<Device>& devices) {
    DeviceWorklistOptions options = tiny();
    const Result hops = search(graph, false, devices, options);
    EXPECT_EQ(hops.distances, expected_distances(graph, false));
    EXPECT_GT(hops.growths(), 0);
    options.first_threshold = 50;
    options.step = 50;
    const Result paths = search(graph, true, devices, options);
    EXPECT_EQ(paths.distances, expected_distances(graph, true));
    EXPECT_GT(paths.growths(), 0);
  });
}

TEST_P(DeviceWorklistOf, DividesItemsOfManyChildren) {
  const Graph graph = star(emulated ? 2000 : 100'000);
  on_devices([&](const std::vector<Device>& devices) {
    EXPECT_EQ(search(graph, true, devices, small()).distances, expected_distances(graph, true));
  });
}

TEST_P(DeviceWorklistOf, FollowsALongPath) {
  const Graph graph = path(emulated ? 100 : 3000);
  on_devices([&](const std::vector<Device>& devices) {
    EXPECT_EQ(search(graph, false, devices, small()).distances, expected_distances(graph, false));
  });
}

TEST_P(DeviceWorklistOf, EndsWithoutSeedsAndRunsAgain) {
  const Graph graph = random_graph<std::int32_t>(100, 300, 1);
  on_devices([&](const std::vector<Device>& devices) {
    DeviceWorklist<Search> list(devices, small());
    const Searches untouched(graph, false, devices);
    list.run(untouched.apps, Seeds(devices.size()));
    EXPECT_EQ(untouched.distances(), Distances(100, unreached));
    for (int turn = 0; turn < 3; ++turn) {
      const Searches searches(graph, false, devices);
      list.run(searches.apps, seeds_for(devices.size()));
      EXPECT_EQ(searches.distances(), expected_distances(graph, false));
    }
  });
}

TEST_P(DeviceWorklistOf, NamesBytesWhenItCannotGrow) {
  const Graph graph = star(2000);
  on_devices([&](const std::vector<Device>& devices) {
    DeviceWorklistOptions options = tiny();
    const auto is_first = [&](Device device) { return device == devices[0]; };
    const auto on_first = std::count_if(devices.begin(), devices.end(), is_first);
    const std::size_t each = WorkerArrays<Search>::bytes(static_cast<int>(n()), options.checked());
    options.budget = MemoryBudget({}, static_cast<std::size_t>(on_first) * each);
    Searches searches(graph, true, devices);
    DeviceWorklist<Search> list(devices, options);
    const std::string message =
        message_of([&] { list.run(searches.apps, seeds_for(devices.size())); });
    EXPECT_NE(message.find("of worker "), std::string::npos) << message;
    EXPECT_NE(message.find("left of memory_limit"), std::string::npos) << message;
  });
}

/// Each item makes another one, for ever: for its own worker, or for the next one.
struct Endless {
  using LocalWork = int;
  using RemoteWork = int;
  __device__ int pack(int item) const { return item; }
  __device__ int unpack(int item) const { return item; }
  __device__ Flags on_send(int at, int item) const {
    return item == at ? Flags::keep : Flags::pass;
  }
  __device__ Flags on_receive(int at, int item) const {
    return item == at ? Flags::keep : Flags::pass;
  }
  __device__ Priority priority(int) const { return 0; }
  __device__ int owner(int item) const { return item; }
  __device__ edge_t begin(int, int&) const { return 1; }
  __device__ bool child(int, int item, edge_t, int& out) const {
    out = (item + 1) % n_workers;
    return true;
  }

  int n_workers;
};

/// Interrupts after some time, as Ctrl-C does.
class Interrupt final : public CallHooks {
 public:
  explicit Interrupt(double seconds) : seconds_(seconds) {}
  void poll() override {
    if (stopwatch_.seconds() > seconds_) throw std::runtime_error("interrupted");
  }
  void progress(std::int64_t, std::int64_t) override {}

 private:
  const double seconds_;
  const Stopwatch stopwatch_;
};

TEST_P(DeviceWorklistOf, CanBeInterrupted) {
  on_devices([&](const std::vector<Device>& devices) {
    DeviceWorklist<Endless> list(devices, small());
    const std::vector<Endless> apps(devices.size(), Endless{static_cast<int>(devices.size())});
    const std::vector<std::vector<int>> seeds(devices.size(), {0});
    for (int turn = 0; turn < 2; ++turn) {
      Interrupt interrupt(0.05);
      const ScopedHooks installed(interrupt);
      const Stopwatch stopwatch;
      EXPECT_EQ(message_of([&] { list.run(apps, seeds); }), "interrupted");
      EXPECT_LT(stopwatch.seconds(), emulated ? 10 : 0.5);
    }
  });
}

TEST_P(DeviceWorklistOf, AnItemThatItsOwnerPassesOnIsAnError) {
  on_devices([&](const std::vector<Device>& devices) {
    DeviceWorklist<Endless> list(devices, small());
    // Its owner would be a worker that is not there.
    const std::vector<Endless> apps(devices.size(), Endless{static_cast<int>(devices.size()) + 1});
    const std::vector<std::vector<int>> seeds(devices.size(), {0});
    const std::string message = message_of([&] { list.run(apps, seeds); });
    EXPECT_NE(message.find("was passed on"), std::string::npos) << message;
  });
}

TEST(DeviceWorklist, RefusesWhatItCannotDo) {
  if (cuda_device_count() == 0) GTEST_SKIP() << cuda_unavailable_reason();
  const Device device{Device::Kind::cuda, 0};
  EXPECT_THROW(DeviceWorklist<Endless>({}), std::invalid_argument);
  EXPECT_THROW(DeviceWorklist<Endless>({Device{}}), std::invalid_argument);
  EXPECT_THROW(DeviceWorklist<Endless>(std::vector<Device>(33, device)), std::invalid_argument);
  DeviceWorklistOptions options;
  options.mailbox = 0;
  EXPECT_THROW(DeviceWorklist<Endless>({device}, options), std::invalid_argument);
  options = {};
  options.budget = MemoryBudget({}, 1000);
  EXPECT_THROW(DeviceWorklist<Endless>({device}, options), OutOfMemory);
  DeviceWorklist<Endless> list({device}, small_options(Route::direct, true));
  EXPECT_THROW(list.run({}, {}), std::invalid_argument);
}

}  // namespace
}  // namespace warpgraph::runtime
