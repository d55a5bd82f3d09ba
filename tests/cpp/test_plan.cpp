// Plans for graphs and machines that need not exist.
#include "plan/devices.hpp"
#include "plan/plan.hpp"
#include "plan/rates.hpp"

#include <gtest/gtest.h>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

namespace warpgraph::plan {
namespace {

constexpr std::size_t gib = std::size_t{1} << 30;

/// Facts that a test does not set must not be asked for.
struct AnyGraph : Facts {
  std::optional<bool> negative;
  std::optional<std::int64_t> row;
  std::optional<Depth> depth;
  std::optional<bool> mirrored;

  AnyGraph(std::int64_t n, std::int64_t degree) {
    n_vertices = n;
    n_arcs = given_arcs = n * degree;
    bytes = static_cast<std::size_t>(12 * n_arcs);
  }
  [[nodiscard]] bool has_negative() const override { return negative.value(); }
  [[nodiscard]] std::int64_t longest_row() const override { return row.value(); }
  [[nodiscard]] bool is_mirrored() const override { return mirrored.value(); }
  [[nodiscard]] bool is_known_mirrored() const override { return mirrored.value_or(false); }
  [[nodiscard]] Depth depth_from_hub() const override { return depth.value(); }
  [[nodiscard]] bool is_shallow(std::int32_t, int, std::size_t) const override { throw unasked(); }
  [[nodiscard]] Reach reach_of_some() const override { throw unasked(); }
  [[nodiscard]] Sums sums_of_apsp() const override { throw unasked(); }
  [[nodiscard]] bool has_exact_sums() const override { throw unasked(); }
  [[nodiscard]] bool fits_float32() const override { throw unasked(); }
  [[nodiscard]] std::size_t bytes_of_searches(std::string_view, Device) const override {
    throw unasked();
  }
  static std::logic_error unasked() { return std::logic_error("a fact that decides nothing"); }
};

struct AnyMachine : Machine {
  std::size_t n_gpus = 3;
  std::size_t free = 80 * gib;
  bool shares = true;
  mutable int n_asked = 0;  // for GPUs

  AnyMachine() { n_threads = 16; }
  [[nodiscard]] std::optional<Device> gpu() const override {
    ++n_asked;
    return n_gpus == 0 ? std::nullopt : std::optional(gpus()[0]);
  }
  [[nodiscard]] std::vector<Device> gpus() const override {
    std::vector<Device> all;
    for (std::size_t i = 0; i < n_gpus; ++i) {
      all.push_back({Device::Kind::cuda, static_cast<int>(i)});
    }
    return all;
  }
  [[nodiscard]] std::size_t free_memory(Device) const override { return free; }
  [[nodiscard]] bool has_memory(Device, std::size_t bytes, std::size_t limit) const override {
    return (limit == 0 || bytes <= limit) && bytes <= free;
  }
  [[nodiscard]] bool share_memory(std::span<const Device>) const override { return shares; }
};

std::size_t number_for_all(const AnyMachine& machine, std::optional<std::size_t> bytes,
                           std::size_t limit, std::optional<Rounds> rounds) {
  Suits suits;
  suits.bytes_on_one = bytes;
  suits.memory_limit = limit;
  if (rounds) suits.rounds = [&] { return *rounds; };
  Reasons reasons(true);
  const auto chosen = choose_devices({Devices::Wanted::all, {}, &machine}, suits, reasons);
  EXPECT_EQ(reasons.take().size(), bytes ? 1U : 0U);
  return chosen.size();
}

TEST(Plan, AllGpusOrOneByMemory) {
  AnyMachine machine;
  machine.free = 1000;
  EXPECT_EQ(number_for_all(machine, std::nullopt, 0, std::nullopt), 3U);
  EXPECT_EQ(number_for_all(machine, 1000, 0, std::nullopt), 1U);
  EXPECT_EQ(number_for_all(machine, 1001, 0, std::nullopt), 3U);
  EXPECT_EQ(number_for_all(machine, 1000, 1000, std::nullopt), 1U);
  EXPECT_EQ(number_for_all(machine, 900, 899, std::nullopt), 3U);
  EXPECT_EQ(number_for_all(machine, 900, 2000, std::nullopt), 1U);
}

TEST(Plan, AsManyGpusAsGain) {
  struct Expected {
    double seconds;
    double sent;
    std::size_t n;
  };
  for (const auto& [seconds, sent, n] : std::vector<Expected>{
           {1e-5, 0, 1},  // waits for each other cost more
           {1e-2, 0, 3},
           {1e-2, 3e11, 1},  // sending takes a second
           {1e-2, 1e8, 3},   // it takes less than computing
           {5.5e-5, 0, 2},
       }) {
    AnyMachine machine;
    machine.free = 1000;
    EXPECT_EQ(number_for_all(machine, 1000, 0, Rounds{seconds, sent}), n);
    EXPECT_EQ(number_for_all(machine, 1001, 0, Rounds{seconds, sent}), 3U);
    machine.shares = false;
    EXPECT_EQ(number_for_all(machine, 1000, 0, Rounds{seconds, sent}), 1U);
  }
}

TEST(Plan, TheUndividedShareOfTheTimeRemains) {
  const Rounds rounds{1.0, 0.0, 0.4};
  EXPECT_EQ(rounds.seconds(1), 1.0);
  EXPECT_NEAR(rounds.seconds(2), 0.7, 1e-4);
  EXPECT_NEAR(rounds.seconds(6), 0.5, 5e-4);
}

std::size_t n_of_all(std::string_view algorithm, AnyGraph graph, const AnyMachine& machine,
                     std::string method = "auto") {
  Request request;
  request.method = std::move(method);
  request.is_kept = true;
  return make_plan(algorithm, graph, request, {Devices::Wanted::all, {}, &machine}).devices.size();
}

AnyGraph large(int scale, std::int64_t degree, int hops = 5) {
  AnyGraph graph(std::int64_t{1} << scale, degree);
  graph.negative = false;
  graph.row = 1 << 20;
  graph.depth = {hops, true};
  graph.mirrored = true;
  graph.bytes = 0;
  return graph;
}

TEST(Plan, LargeGraphsOfManyArcsGainBySeveralGpus) {
  struct Expected {
    std::string_view algorithm;
    int scale;
    std::int64_t degree;
    bool gains;
  };
  constexpr std::string_view forest = "minimum_spanning_forest";
  constexpr std::string_view components = "connected_components";
  for (const auto& [algorithm, scale, degree, gains] : std::vector<Expected>{
           {forest, 24, 31, true},
           {forest, 26, 32, true},
           {forest, 23, 31, false},
           {forest, 24, 4, false},
           {components, 26, 32, true},
           {components, 24, 4, true},
           {components, 22, 31, false},
           {"bfs", 24, 31, true},
           {"bfs", 24, 4, false},
           {"bfs", 22, 31, false},
           {"sssp", 23, 31, true},
           {"sssp", 24, 4, false},
           {"sssp", 22, 31, false},
       }) {
    const std::string method = algorithm == components ? "weak" : "auto";
    const std::size_t n = n_of_all(algorithm, large(scale, degree), AnyMachine(), method);
    EXPECT_EQ(n > 1, gains) << algorithm << " 2^" << scale << " x " << degree;
  }
  EXPECT_EQ(n_of_all(forest, large(26, 32), AnyMachine(), "boruvka"), 1U);
}

TEST(Plan, ADirectedGraphIsSearchedByOneGpu) {
  AnyGraph graph = large(24, 16);
  graph.mirrored = false;
  EXPECT_EQ(n_of_all("bfs", graph, AnyMachine()), 1U);
}

TEST(Plan, SeveralGpusSearchGraphsOfFewHops) {
  AnyMachine machine;
  AnyMachine small;
  small.free = 3 * gib;
  AnyGraph graph = large(24, 16, 12);
  EXPECT_GT(n_of_all("sssp", graph, machine), 1U);
  EXPECT_EQ(n_of_all("sssp", graph, small), 1U);
  graph.has_edge_lists = true;  // they have the rest
  EXPECT_GT(n_of_all("sssp", graph, small), 1U);
  EXPECT_EQ(n_of_all("sssp", large(24, 16, 13), machine), 1U);
  graph = large(24, 16);
  graph.negative = true;
  EXPECT_EQ(n_of_all("sssp", graph, machine), 1U);
}

TEST(Plan, MethodForGraphsOfFewHops) {
  const AnyMachine machine;
  struct Expected {
    std::int64_t degree;
    int hops;
    std::string_view method;
    std::string_view otherwise;
  };
  for (const auto& [degree, hops, method, otherwise] : std::vector<Expected>{
           {8, 12, "bellman_ford", "near_far"}, {8, 13, "near_far", ""}, {7, 12, "near_far", ""}}) {
    AnyGraph graph = large(20, degree, hops);
    graph.is_on_devices = true;
    const Plan plan =
        make_plan("sssp", graph, {}, {Devices::Wanted::named, {machine.gpus()[0]}, &machine});
    EXPECT_EQ(plan.method, method);
    EXPECT_EQ(plan.otherwise, otherwise);
  }
}

TEST(Plan, ASmallGraphAsksForNoGpuAndNoFact) {
  const AnyMachine machine;
  AnyGraph graph(500, 3);
  Request request;
  request.unweighted = true;
  request.explains = true;
  const Plan plan = make_plan("sssp", graph, request, {Devices::Wanted::automatic, {}, &machine});
  EXPECT_EQ(plan.method, "dijkstra");
  EXPECT_EQ(plan.devices, std::vector{Device{}});
  EXPECT_EQ(machine.n_asked, 0);
  EXPECT_GT(plan.seconds, 0);
  EXPECT_LT(plan.seconds, 1e-3);
  EXPECT_EQ(plan.reasons.size(), 4U);
}

TEST(Plan, OfAMethodThatDoesNotRunThere) {
  const AnyMachine machine;
  AnyGraph graph = large(10, 3);
  Request request;
  request.method = "dijkstra";
  const Devices gpu{Devices::Wanted::named, {machine.gpus()[0]}, &machine};
  EXPECT_THROW((void)make_plan("sssp", graph, request, gpu), std::invalid_argument);
  const Devices mixed{Devices::Wanted::named, {Device{}, machine.gpus()[0]}, &machine};
  EXPECT_THROW((void)make_plan("sssp", graph, {}, mixed), DeviceError);
}

}  // namespace
}  // namespace warpgraph::plan
