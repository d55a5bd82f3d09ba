// Plans for graphs and machines that need not exist.
#include "plan/devices.hpp"
#include "plan/plan.hpp"
#include "plan/rates.hpp"

#include <cmath>
#include <functional>
#include <gtest/gtest.h>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

namespace warpgraph::plan {
namespace {

constexpr std::size_t gib = std::size_t{1} << 30;

template <class T>
std::function<T()> known(T value) {
  return [value] { return value; };
}

/// Returns a graph of which a plan must not ask for more than its sizes.
Facts any_graph(std::int64_t n, std::int64_t degree) {
  Facts facts;
  facts.n_vertices = n;
  facts.n_arcs = facts.given_arcs = n * degree;
  facts.bytes = static_cast<std::size_t>(12 * facts.n_arcs);
  return facts;
}

struct AnyMachine : Machine {
  std::size_t n_gpus = 3;
  std::size_t free = 80 * gib;
  bool shares = true;
  double begin = 0;
  mutable int n_asked = 0;  // for GPUs

  AnyMachine() { n_threads = 16; }
  [[nodiscard]] std::optional<Device> gpu() const override {
    ++n_asked;
    return n_gpus == 0 ? std::nullopt : std::optional(gpus()[0]);
  }
  [[nodiscard]] double seconds_to_begin() const override { return begin; }
  [[nodiscard]] std::vector<Device> gpus() const override {
    std::vector<Device> all;
    for (std::size_t i = 0; i < n_gpus; ++i) {
      all.push_back({Device::Kind::cuda, static_cast<int>(i)});
    }
    return all;
  }
  [[nodiscard]] std::size_t free_memory(Device) const override { return free; }
  [[nodiscard]] bool has_memory(MemoryBudget budget, std::size_t bytes) const override {
    return bytes <= budget.left() && bytes <= free;
  }
  [[nodiscard]] bool share_memory(std::span<const Device>) const override { return shares; }
};

std::size_t number_for_all(const AnyMachine& machine, std::optional<std::size_t> bytes,
                           std::size_t limit, std::optional<Rounds> rounds) {
  Suits suits;
  suits.bytes_on_one = bytes;
  suits.budget = limit == 0 ? MemoryBudget() : MemoryBudget({}, limit);
  if (rounds) suits.rounds = [&] { return *rounds; };
  Reasons reasons(true);
  double lost = 0;
  const auto chosen = choose_devices({Devices::Wanted::all, {}, &machine}, suits, reasons, lost);
  EXPECT_EQ(lost, 0);
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

std::size_t n_of_all(std::string_view algorithm, const Facts& graph, const AnyMachine& machine,
                     std::string method = "auto") {
  Request request;
  request.method = std::move(method);
  request.is_kept = true;
  return make_plan(algorithm, graph, request, {Devices::Wanted::all, {}, &machine}).devices.size();
}

Facts large(int scale, std::int64_t degree, int hops = 5) {
  Facts graph = any_graph(std::int64_t{1} << scale, degree);
  graph.has_negative = known(false);
  graph.longest_row = known(std::int64_t{1} << 20);
  graph.depth_from_hub = known(Depth{hops, true});
  graph.is_mirrored = graph.is_known_mirrored = known(true);
  graph.has_sorted_edges = [](Device) { return false; };
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
  Facts graph = large(24, 16);
  graph.is_mirrored = known(false);
  EXPECT_EQ(n_of_all("bfs", graph, AnyMachine()), 1U);
}

TEST(Plan, SeveralGpusSearchGraphsOfFewHops) {
  AnyMachine machine;
  AnyMachine small;
  small.free = 3 * gib;
  Facts graph = large(24, 16, 12);
  EXPECT_GT(n_of_all("sssp", graph, machine), 1U);
  EXPECT_EQ(n_of_all("sssp", graph, small), 1U);
  graph.has_edge_lists = true;  // they have the rest
  EXPECT_GT(n_of_all("sssp", graph, small), 1U);
  EXPECT_EQ(n_of_all("sssp", large(24, 16, 13), machine), 1U);
  graph = large(24, 16);
  graph.has_negative = known(true);
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
    Facts graph = large(20, degree, hops);
    graph.is_on_devices = true;
    const Plan plan =
        make_plan("sssp", graph, {}, {Devices::Wanted::named, {machine.gpus()[0]}, &machine});
    EXPECT_EQ(plan.method, method);
    EXPECT_EQ(plan.otherwise, otherwise);
    graph.is_new_on_devices = true;  // The depth was found while the weights arrived, on one GPU.
    const Plan first =
        make_plan("sssp", graph, {}, {Devices::Wanted::named, {machine.gpus()[0]}, &machine});
    EXPECT_EQ(first.method, method);
    const Plan of_two =
        make_plan("sssp", graph, {}, {Devices::Wanted::named, machine.gpus(), &machine});
    EXPECT_EQ(of_two.method, "near_far");
  }
}

TEST(Plan, ASmallGraphAsksForNoGpuAndNoFact) {
  const AnyMachine machine;
  const Facts graph = any_graph(500, 3);
  Request request;
  request.unweighted = true;
  request.explains = true;
  const Plan plan = make_plan("sssp", graph, request, {Devices::Wanted::automatic, {}, &machine});
  EXPECT_EQ(plan.method, "dijkstra");
  EXPECT_EQ(plan.devices, std::vector{Device{}});
  EXPECT_EQ(machine.n_asked, 0);
  EXPECT_GT(plan.seconds, 0);
  EXPECT_LT(plan.seconds, 1e-3);
  EXPECT_EQ(plan.reasons.size(), 3U);
}

TEST(Plan, OfAMethodThatDoesNotRunThere) {
  const AnyMachine machine;
  Facts graph = large(10, 3);
  Request request;
  request.method = "dijkstra";
  const Devices gpu{Devices::Wanted::named, {machine.gpus()[0]}, &machine};
  EXPECT_THROW((void)make_plan("sssp", graph, request, gpu), std::invalid_argument);
  const Devices mixed{Devices::Wanted::named, {Device{}, machine.gpus()[0]}, &machine};
  EXPECT_THROW((void)make_plan("sssp", graph, {}, mixed), DeviceError);
}

TEST(Plan, AFactThatMustNotBeAskedFor) {
  const AnyMachine machine;
  EXPECT_THROW(
      (void)make_plan("sssp", any_graph(500, 3), {}, {Devices::Wanted::automatic, {}, &machine}),
      std::bad_function_call);
}

Plan on_cores(std::string_view algorithm, const Facts& facts, const Request& request) {
  const AnyMachine machine;
  return make_plan(algorithm, facts, request, {Devices::Wanted::named, {Device{}}, &machine});
}

TEST(Plan, SearchesTakeTheCallWhereAHierarchyIsRefused) {
  Facts roads = any_graph(1 << 20, 2);
  roads.levels = known(2000.0);
  roads.longest_row = known(std::int64_t{4});
  roads.has_exact_sums = known(true);
  roads.has_negative = known(false);
  Request request;
  request.n_sources = 1 << 16;
  request.n_targets = 1 << 10;
  roads.bytes_of_searches = [](const Request&, std::string_view, Device) { return std::size_t{0}; };
  const Plan first = on_cores("many_to_many", roads, request);
  EXPECT_EQ(first.method, "hierarchy");
  EXPECT_EQ(first.otherwise, "batched");
  roads.bytes_of_searches = [](const Request&, std::string_view, Device) { return 1000 * gib; };
  EXPECT_EQ(on_cores("many_to_many", roads, request).otherwise, "dijkstra");
  roads.has_hierarchy = true;
  const Plan kept = on_cores("many_to_many", roads, request);
  EXPECT_EQ(kept.method, "hierarchy");
  EXPECT_EQ(kept.otherwise, "");
}

TEST(Plan, PushesFromFewVerticesOfLargeSparseGraphs) {
  const Facts roads = any_graph(1 << 16, 3);
  Request request;
  request.n_sources = 2;
  request.error_pushed = 1e-6;
  const Plan plan = on_cores("pagerank", roads, request);
  EXPECT_EQ(plan.method, "push");
  EXPECT_EQ(plan.otherwise, "pull");
  EXPECT_EQ(plan.max_visits, 1 << 16);
  EXPECT_EQ(on_cores("pagerank", any_graph(1 << 20, 3), request).max_visits, 1 << 18);
  const auto method = [&](const Facts& facts, const auto& change) {
    Request changed = request;
    change(changed);
    return on_cores("pagerank", facts, changed).method;
  };
  const auto none = [](Request&) {};
  EXPECT_EQ(method(any_graph(1 << 16, 9), none), "pull");
  EXPECT_EQ(method(any_graph((1 << 12) - 1, 3), none), "pull");
  EXPECT_EQ(method(roads, [](Request& r) { r.n_sources = 0; }), "pull");
  EXPECT_EQ(method(roads, [](Request& r) { r.n_sources = 17; }), "pull");
  EXPECT_EQ(method(roads, [](Request& r) { r.has_start = true; }), "pull");
  EXPECT_EQ(method(roads, [](Request& r) { r.error_pushed = 1e-12; }), "pull");
  EXPECT_EQ(method(roads, [](Request& r) { r.method = "pull"; }), "pull");
}

TEST(Plan, GathersInTheOrderOfDegreesFromTheSecondCallOn) {
  Request request;
  request.n_sources = 0;
  Facts graph = any_graph(1 << 17, 8);
  const Plan first = on_cores("pagerank", graph, request);
  EXPECT_TRUE(first.counts_gather);
  EXPECT_TRUE(first.accelerates);
  EXPECT_FALSE(first.orders_by_degree);
  graph.n_gathers = 1;
  const auto is_ordered = [&](Locality locality) {
    graph.locality = known(locality);
    return on_cores("pagerank", graph, request).orders_by_degree;
  };
  EXPECT_TRUE(is_ordered({0.25, 0.49}));
  EXPECT_FALSE(is_ordered({0.24, 0.49}));
  EXPECT_FALSE(is_ordered({0.25, 0.5}));
  for (Facts other : {any_graph((1 << 17) - 1, 8), any_graph(1 << 17, 7)}) {
    other.n_gathers = 1;
    EXPECT_FALSE(on_cores("pagerank", other, request).orders_by_degree);
  }
  EXPECT_FALSE(on_cores("pagerank", any_graph(1 << 12, 15), request).accelerates);
}

TEST(Plan, ForestsByTheOrderThatAGpuKeeps) {
  const AnyMachine machine;
  const Device gpu = machine.gpus()[0];
  Facts graph = any_graph(1 << 20, 16);
  graph.is_on_devices = true;
  const auto plan = [&](std::vector<Device> devices, std::string method = "auto") {
    Request request;
    request.method = std::move(method);
    const Devices named{Devices::Wanted::named, std::move(devices), &machine};
    return make_plan("minimum_spanning_forest", graph, request, named);
  };
  EXPECT_EQ(plan({Device{}}).method, "filter");
  EXPECT_EQ(plan({Device{}}).otherwise, "");
  for (const bool is_sorted : {false, true}) {
    graph.has_sorted_edges = [=](Device) { return is_sorted; };
    EXPECT_EQ(plan({gpu}).method, is_sorted ? "boruvka" : "filter");
    EXPECT_EQ(plan({gpu}).otherwise, "hybrid");
    EXPECT_EQ(plan({gpu}, "filter").otherwise, "");
    EXPECT_EQ(plan({gpu, gpu}).method, "filter");
    EXPECT_EQ(plan({Device{}, gpu}).method, "boruvka");
  }
  EXPECT_THROW(plan({Device{}, gpu}, "filter"), std::invalid_argument);
  EXPECT_THROW(plan({gpu, gpu}, "boruvka"), std::invalid_argument);
  EXPECT_THROW(plan({Device{}}, "boruvka"), std::invalid_argument);
  EXPECT_EQ(plan({gpu}, "boruvka").otherwise, "hybrid");
  graph = any_graph(1000, 3);  // where the order gains nothing
  graph.is_on_devices = true;
  graph.has_sorted_edges = [](Device) { return true; };
  EXPECT_EQ(plan({gpu}).method, "filter");
}

TEST(Plan, AGpuThatHasNotBegunCountsWhatThatTakes) {
  AnyMachine machine;
  Facts graph = any_graph(1 << 20, 8);
  graph.is_mirrored = graph.is_known_mirrored = known(true);
  const auto plan = [&] {
    return make_plan("bfs", graph, {}, {Devices::Wanted::automatic, {}, &machine});
  };
  EXPECT_TRUE(plan().devices[0].is_cuda());
  EXPECT_EQ(plan().lost, 0);
  machine.begin = 10;
  machine.n_asked = 0;
  EXPECT_FALSE(plan().devices[0].is_cuda());
  EXPECT_GT(plan().lost, 0);
  EXPECT_EQ(machine.n_asked, 0);
}

TEST(Plan, MethodsOfGpusGoThere) {
  const AnyMachine machine;
  const Facts graph = any_graph(10, 3);
  for (const auto& [algorithm, method] :
       {std::pair("minimum_spanning_forest", "boruvka"), std::pair("sssp", "near_far")}) {
    Request request;
    request.unweighted = true;
    const Devices any{Devices::Wanted::automatic, {}, &machine};
    EXPECT_FALSE(make_plan(algorithm, graph, request, any).devices[0].is_cuda());
    request.method = method;
    EXPECT_TRUE(make_plan(algorithm, graph, request, any).devices[0].is_cuda());
  }
}

TEST(Plan, ShortestPathsFromBothEndsWhereEnteringEdgesAreKnown) {
  const auto method = [](std::int64_t n, const auto& change) {
    Facts graph = any_graph(n, 3);
    graph.has_negative = known(false);
    graph.levels = known(2.0 * std::sqrt(static_cast<double>(n)));
    graph.longest_row = known(std::int64_t{4});
    graph.is_used = true;
    Request request;
    request.is_kept = true;
    change(graph, request);
    return on_cores("shortest_path", graph, request).method;
  };
  constexpr std::int64_t large = 1 << 20;
  EXPECT_EQ(method(large, [](Facts&, Request&) {}), "bidirectional");
  EXPECT_EQ(method(large, [](Facts& f, Request&) { f.has_hierarchy = true; }), "hierarchy");
  EXPECT_EQ(method(large, [](Facts& f, Request&) { f.has_negative = known(true); }), "dijkstra");
  EXPECT_EQ(method(large, [](Facts&, Request& r) { r.distances = Number::float32; }), "dijkstra");
  EXPECT_EQ(method(large, [](Facts&, Request& r) { r.distances = Number::int32; }),
            "bidirectional");
}

TEST(Plan, AGpuForManyPoints) {
  const AnyMachine machine;
  const auto is_gpu = [&](std::string_view algorithm, std::int64_t n, std::int64_t d,
                          std::int64_t k = 0) {
    Facts points;
    points.n_vertices = n;
    if (d == 0) points.n_arcs = points.given_arcs = n;
    points.n_dimensions = d;
    points.n_centres = k;
    const Devices wanted{Devices::Wanted::automatic, {}, &machine};
    return make_plan(algorithm, points, {}, wanted).devices[0].is_cuda();
  };
  EXPECT_TRUE(is_gpu("euclidean_mst", 5000, 8));
  EXPECT_FALSE(is_gpu("euclidean_mst", 50, 8));
  EXPECT_TRUE(is_gpu("euclidean_mst", 1 << 14, 16));
  EXPECT_TRUE(is_gpu("kmeans", 1 << 16, 16, 64));
  EXPECT_FALSE(is_gpu("kmeans", 500, 16, 2));
  EXPECT_TRUE(is_gpu("single_linkage", 1 << 18, 0));
  EXPECT_FALSE(is_gpu("single_linkage", 1000, 0));
  EXPECT_TRUE(is_gpu("forest_of_edges", 1 << 20, 0));
  EXPECT_TRUE(is_gpu("rank_weights", 1 << 20, 0));
  EXPECT_FALSE(is_gpu("rank_weights", std::int64_t{1} << 32, 0));
  EXPECT_FALSE(is_gpu("sort_by_weight", 1 << 30, 0));
}

}  // namespace
}  // namespace warpgraph::plan
