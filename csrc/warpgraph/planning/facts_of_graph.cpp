#include "warpgraph/planning/facts_of_graph.hpp"

#include "algorithms/apsp/apsp.hpp"
#include "algorithms/mst/mst.hpp"
#include "warpgraph/client.hpp"
#include "warpgraph/planning/needs/memory_needs.hpp"
#include "warpgraph/run_on.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <vector>

namespace warpgraph {
namespace {

plan::Sums find_sums_of_apsp(Graph& graph, const plan::Request& request) {
  const auto weights = request.unweighted ? graph.summary_of_ones() : graph.weight_summary();
  return plan::dispatch(request.distances, [&]<class R>() -> plan::Sums {
    const ApspSums found = sums_of_apsp<R>(weights, graph.shape().n_vertices);
    return {found.type, found.are_exact};
  });
}

bool has_sorted_edges(Graph& graph, bool maximum, Device device) {
  if (!graph.has_copy_on(device)) return false;
  return graph.with_type_of_caller([&]<class W>() {
    MstOptions options;
    options.maximum = maximum;
    // Another thread may make the copy, and need a lock of the client for that.
    return run_as_call([&] {
      return run_on_cuda<bool>(device, [&](const auto&) {
        options.derived = &graph.derived_on(device);
        return has_prepared_rows<W>(options);
      });
    });
  });
}

}  // namespace

plan::Facts facts_of(Graph& given, Graph* form, const plan::Request& request,
                     const ClientFacts& known) {
  Graph* const graph = form == nullptr ? &given : form;
  const WeightFacts& kept = given.weight_facts();
  plan::Facts facts;
  facts.n_vertices = given.shape().n_vertices;
  facts.given_arcs = given.shape().n_arcs;
  facts.n_arcs = form == nullptr ? 2 * facts.given_arcs : form->shape().n_arcs;
  facts.bytes = given.host_bytes();
  facts.structure_bytes = graph->structure_bytes();
  facts.makes_undirected = form == nullptr;
  facts.has_upper_triangle = form != nullptr && form != &given;
  facts.converts_weights = plan::dispatch(request.distances, [&]<class W>() {
    return !graph->has_weights<W>() && !graph->has_converted<W>();
  });
  facts.is_on_devices = form != nullptr && form->device_bytes() > 0;
  facts.has_edge_lists = (kept.edge_lists.load() & bytes_of(request.distances)) != 0;
  facts.n_directed_searches = kept.n_directed_searches.load();
  facts.n_gathers = kept.n_gathers.load();
  facts.is_used = kept.learnt.is_used();
  facts.lost = kept.learnt.lost();
  facts.lost_searching = kept.learnt.lost_searching();
  facts.has_hierarchy = known.hierarchy.has_value();
  facts.has_landmarks = known.has_landmarks;
  facts.has_transposed = known.has_transposed;
  facts.has_negative = [graph] { return graph->unusual_weights().negative >= 0; };
  facts.longest_row = [graph] { return graph->longest_row(); };
  facts.is_mirrored = [graph] { return graph->has_mirrored_structure(); };
  facts.is_known_mirrored = [graph] {
    return graph->structure_facts().is_mirrored.if_known().value_or(false);
  };
  facts.depth_from_hub = [graph] { return graph->depth_from_hub(); };
  // The heads of a graph on a GPU alone would have to come to the host.
  const bool is_on_gpu_alone = facts.is_on_devices && !graph->has_heads_on_host();
  if (!is_on_gpu_alone) facts.levels = [graph] { return graph->levels(); };
  facts.locality = [graph] { return graph->locality(); };
  facts.sums_of_apsp = [graph, &request] { return find_sums_of_apsp(*graph, request); };
  facts.has_exact_sums = [graph] {
    return shortest_paths::has_exact_sums<double>(graph->weight_summary());
  };
  facts.fits_float32 = known.fits_float32;
  facts.bytes_of_searches = [graph](const plan::Request& call, std::string_view method,
                                    Device device) {
    return bytes_of_searches(*graph, call, method, device);
  };
  facts.has_sorted_edges = [graph, &request](Device device) {
    return has_sorted_edges(*graph, request.maximum, device);
  };
  return facts;
}

namespace {

/// Returns the GPU that "auto" will choose for a graph, by what is known before its checks.
std::vector<Device> gpu_of_auto(Graph& graph, std::string_view algorithm,
                                const plan::Request& request, const plan::Devices& devices,
                                const ClientFacts& known) {
  if (graph.structure_facts().is_checked.if_known() || !graph.has_heads_on_host()) return {};
  if (std::isinf(devices.machine->seconds_to_begin())) return {};
  plan::Facts facts = facts_of(graph, &graph, request, known);
  facts.has_negative = facts.is_mirrored = [] { return false; };
  plan::Request devices_only = request;
  devices_only.devices_only = true;
  devices_only.explains = devices_only.asks_for_needs = false;
  const plan::Plan plan = make_plan(algorithm, facts, devices_only, devices);
  return plan.devices[0].is_cuda() ? plan.devices : std::vector<Device>{};
}

}  // namespace

bool check_where_read(Graph& graph, std::string_view algorithm, const plan::Request& request,
                      const plan::Devices& devices, const ClientFacts& known) {
  constexpr std::array of_parts{"bfs", "connected_components", "sssp"};
  constexpr std::array of_whole_graphs{"pagerank", "minimum_spanning_forest"};
  const auto is_among = [algorithm](const auto& names) {
    return std::ranges::find(names, algorithm) != names.end();
  };
  if (request.budget.is_limited() || !request.is_directed) return false;
  std::vector<Device> gpus = devices.named;
  if (devices.wanted == plan::Devices::Wanted::all && !request.is_kept &&
      (is_among(of_parts) || is_among(of_whole_graphs))) {
    gpus = devices.machine->gpus();  // the first of which takes a graph for one call
    gpus.resize(1);
  }
  const bool is_automatic = devices.wanted == plan::Devices::Wanted::automatic && gpus.empty();
  if (is_automatic && (is_among(of_parts) || is_among(of_whole_graphs))) {
    gpus = gpu_of_auto(graph, algorithm, request, devices, known);
  }
  if (gpus.empty() || !std::ranges::all_of(gpus, &Device::is_cuda)) return false;
  if (gpus.size() > 1) {
    return !request.is_only_planned && is_among(of_parts) &&
           graph.check_on_parts(gpus, request.reads_weights);
  }
  const bool was_there = graph.has_copy_on(gpus[0]);
  if (request.is_only_planned) {
    return !was_there && graph.is_checked_where_read(gpus[0], graph.host_bytes());
  }
  if (request.converts_weights) {
    plan::dispatch(request.distances, [&]<class W>() { graph.check_lengths_on<W>(gpus[0]); });
  } else {
    graph.check_on(gpus[0], request.reads_weights, plan::may_ask_for_depth(algorithm, request));
  }
  return !was_there && graph.has_copy_on(gpus[0]);
}

}  // namespace warpgraph
