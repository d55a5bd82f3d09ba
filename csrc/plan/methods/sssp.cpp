// Shortest paths from one vertex, or from the nearest of several.
#include "plan/devices.hpp"
#include "plan/methods/methods.hpp"
#include "plan/rates.hpp"
#include "primitives/relaxation/edge_list_bytes.hpp"

#include <algorithm>
#include <array>

namespace warpgraph::plan {
namespace {

bool is_road(std::int64_t n_vertices, std::int64_t n_arcs) {
  return n_arcs < rates::degree_of_few_hops * n_vertices;
}

bool is_road(const Facts& facts) { return is_road(facts.n_vertices, facts.n_arcs); }

constexpr std::array sssp_methods{
    Method{.name = "dijkstra", .formula = formulas_of("sssp by dijkstra")},
    Method{.name = "near_far",
           .on_host = false,
           .on_gpu = true,
           .on_gpus = true,
           .formula = formulas_of("sssp by near_far")},
    Method{.name = "delta_stepping",
           .on_workers = true,
           .on_gpus = true,
           .formula = formulas_of("sssp by delta_stepping")},
    Method{.name = "bellman_ford",
           .on_gpu = true,
           .on_workers = true,
           .on_gpus = true,
           .formula = formulas_of("sssp by bellman_ford")},
};

/// Returns whether a search from a hub reaches most vertices in few hops: then Bellman-Ford's
/// passes over all arcs take less time than the synchronisations of near-far.
bool has_few_hops(const Facts& facts) {
  if (!asks_for_depth(facts.n_vertices, facts.n_arcs, facts.longest_row())) return false;
  const Depth depth = facts.depth_from_hub();
  return depth.reaches_most && depth.hops <= rates::hops_for_bellman_ford;
}

/// Returns whether each GPU has memory for the list of the edges of its part.
bool has_memory_for_edge_lists(const Facts& facts, const Request& request, const Machine& machine) {
  const std::vector<Device> gpus = machine.gpus();
  const auto n_arcs = static_cast<std::size_t>(facts.n_arcs) / gpus.size();
  const std::size_t rows = n_arcs * (sizeof(vertex_t) + bytes_of(request.distances));
  const std::size_t list =
      bytes_of_edges_in_segments(edges_of_part(n_arcs), bytes_of(request.distances));
  const auto least =
      std::ranges::min(gpus, {}, [&](Device gpu) { return machine.free_memory(gpu); });
  return rows + list <= machine.free_memory(least);
}

/// Returns the cost of a search on several GPUs; none if it takes no less than on one.
std::function<Rounds()> rounds_of_search(const Facts& facts, const Request& request,
                                         const Machine& machine, bool& divides) {
  if (!request.is_kept || request.is_restricted || request.wants_predecessors) return {};
  if (facts.n_arcs < rates::sssp_arcs_to_divide || is_road(facts)) return {};
  return [&] {
    // Once there was memory for the lists, they are kept, and there may be none for others.
    divides = facts.has_edge_lists ||
              (!facts.has_negative() && has_memory_for_edge_lists(facts, request, machine) &&
               has_few_hops(facts));
    return Rounds{static_cast<double>(facts.n_arcs) / rates::sssp_arcs_a_second_of_a_gpu,
                  8.0 * static_cast<double>(facts.n_vertices),
                  divides ? rates::undivided_search : 1.0};
  };
}

/// Chooses the devices of a search.
std::vector<Device> devices_for(const Facts& facts, const Request& request, const Devices& devices,
                                bool directed, Plan& plan, Reasons& reasons) {
  const Machine& machine = *devices.machine;
  Suits suits{.shape = [&facts] { return shape_of(facts); }};
  const bool needs_gpu = std::ranges::any_of(sssp_methods, [&](const Method& method) {
    return method.name == request.method && !method.on_host;
  });
  if (!request.is_restricted || needs_gpu) {
    suits.seconds = fastest_of(sssp_methods, facts, request, devices);
  }
  bound_memory(suits, facts, request);
  if (directed && request.method == "auto") {
    suits.rounds = rounds_of_search(facts, request, machine, plan.divides_edge_lists);
  }
  std::vector<Device> chosen = choose_devices(devices, suits, reasons, plan.lost);
  refuse_mixed(chosen, "sssp");
  if (devices.wanted == Devices::Wanted::automatic && request.is_restricted) {
    reasons.add("paths to some vertices alone are searched on the cores");
  }
  require_method(sssp_methods, request.method, chosen);
  return chosen;
}

/// Returns whether the distances of all vertices are wanted, and there may be lists of edges.
bool wants_all(const Request& request) {
  return !request.is_restricted && !request.budget.is_limited();
}

/// Returns whether one GPU measures the depth of a graph while its weights arrive. Not while they
/// are converted: then the GPU has not the weights that tell whether each edge is stored both ways.
bool measures_depth(const Request& request) {
  return request.method == "auto" && wants_all(request) && !request.converts_weights;
}

/// Chooses on GPUs by the depth of a graph that is kept there, or that was measured; empty where
/// that does not decide.
std::string_view by_depth(const Facts& facts, const Request& request, std::size_t n_devices,
                          Reasons& reasons) {
  const bool is_measured =
      facts.is_new_on_devices ? n_devices == 1 && measures_depth(request) : facts.is_on_devices;
  if (!is_measured || is_road(facts)) return {};
  const bool is_shallow = has_few_hops(facts);
  const std::string_view method = is_shallow ? "bellman_ford" : "near_far";
  reasons.add("method='auto' chose ", method, ": a hub reaches most vertices in ",
              rates::hops_for_bellman_ford, " hops", is_shallow ? "" : " not, or there is none");
  return method;
}

/// Returns the method for graphs whose depth is not known, on devices that are.
std::string_view choose_search_method(const Case& run, std::string_view by, Reasons& reasons) {
  const Plan& plan = run.plan;
  std::string_view method = "bellman_ford";
  if (!plan.has_negative && run.on_gpu()) {
    method = "near_far";
  } else if (!plan.has_negative && plan.devices.size() > 1) {
    method = "delta_stepping";
  } else if (!plan.has_negative) {
    const std::array both{&method_of(sssp_methods, "dijkstra"),
                          &method_of(sssp_methods, "delta_stepping")};
    method = fastest_method(both, run, reasons).name;
  }
  reasons.add(by, method, " for ", run.facts.n_vertices, " vertices and ", run.facts.n_arcs,
              " edges on ",
              plan.devices.size() > 1 ? listed(plan.devices) : plan.devices[0].name());
  return method;
}

/// Replaces delta-stepping on several GPUs by its form for GPUs, whose far vertices are in one
/// bucket. Graphs with negative weights are refused under the name of the request.
void use_form_for_gpus(Plan& plan, Reasons& reasons) {
  const bool are_gpus = plan.devices.size() > 1 && plan.devices[0].is_cuda();
  if (plan.method != "delta_stepping" || !are_gpus || plan.has_negative) return;
  plan.method = "near_far";
  reasons.add("delta_stepping on several GPUs is near_far, its form for GPUs");
}

/// Leaves the first device, unless the method is one that several share.
void leave_those_that_share(Plan& plan, Reasons& reasons) {
  if (plan.devices.size() == 1) return;
  if (plan.method == "bellman_ford" && (!plan.devices[0].is_cuda() || plan.has_negative)) {
    plan.devices.resize(1);
    reasons.add("bellman_ford runs on one device: ", plan.devices[0].name(),
                ", the first of the list");
  }
}

/// Plans a search. `by`: how a sentence begins that names the method.
Plan plan_search(const Facts& facts, const Request& request, const Devices& devices,
                 bool is_from_one, std::string_view by = "method='auto' chose ") {
  Reasons reasons(request.explains);
  Plan plan;
  plan.devices =
      devices_for(facts, request, devices, is_from_one && request.is_directed, plan, reasons);
  if (request.devices_only) {
    plan.reasons = reasons.take();
    return plan;
  }
  plan.has_negative = !request.unweighted && facts.has_negative();
  if (request.method != "auto") {
    plan.method = method_of(sssp_methods, request.method).name;
  } else {
    if (is_from_one && wants_all(request) && !plan.has_negative && plan.devices[0].is_cuda()) {
      plan.method = by_depth(facts, request, plan.devices.size(), reasons);
      if (plan.method == "bellman_ford") plan.otherwise = "near_far";
    }
    if (plan.method.empty()) {
      const Case run{facts, request, plan, plan.devices, devices.machine->n_threads};
      plan.method = choose_search_method(run, by, reasons);
    }
  }
  use_form_for_gpus(plan, reasons);
  leave_those_that_share(plan, reasons);
  // The search asks for its results, too, except the nearest sources.
  const std::int64_t nearest = is_from_one ? 0 : facts.n_vertices + request.n_sources;
  complete(plan, sssp_methods, facts, request, devices,
           {.results = static_cast<std::size_t>(nearest) * sizeof(vertex_t),
            .converted = bytes_converted(facts, request),
            .on_gpu = bytes_of_whole_graph(facts)},
           reasons);
  return plan;
}

}  // namespace

bool may_ask_for_depth(std::string_view algorithm, const Request& request) {
  return algorithm == "sssp" && measures_depth(request);
}

bool asks_for_depth(std::int64_t n_vertices, std::int64_t n_arcs, std::int64_t longest_row) {
  return !is_road(n_vertices, n_arcs) &&
         longest_row * n_vertices >= rates::degrees_of_a_hub * n_arcs;
}

std::string_view fastest_search(const Facts& facts, const Request& request, const Devices& devices,
                                const Plan& plan) {
  Reasons untold(false);
  const Case run{facts, request, plan, plan.devices, devices.machine->n_threads};
  return choose_search_method(run, "", untold);
}

Plan plan_sssp(const Facts& facts, const Request& request, const Devices& devices) {
  return plan_search(facts, request, devices, true);
}

Plan plan_nearest(const Facts& facts, const Request& request, const Devices& devices) {
  return plan_search(facts, request, devices, false);
}

Plan plan_steiner_tree(const Facts& facts, const Request& request, const Devices& devices) {
  Plan plan = plan_search(facts, request, devices, false, "the search is by ");
  if (request.explains) {
    plan.reasons.insert(
        plan.reasons.begin(),
        {no_method_for_gpus, "the memory is that of a tree which any edge might join, at most"});
  }
  return plan;
}

}  // namespace warpgraph::plan
