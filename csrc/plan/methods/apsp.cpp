// Shortest paths of all pairs.
#include "plan/devices.hpp"
#include "plan/methods/hierarchies.hpp"
#include "plan/methods/methods.hpp"
#include "plan/rates.hpp"

#include <algorithm>
#include <array>
#include <cmath>

namespace warpgraph::plan {
namespace {

double vertices_of(const Facts& facts) { return static_cast<double>(facts.n_vertices); }

double relaxations_a_second(std::string_view sums, bool on_gpu) {
  const auto found = std::ranges::find(rates::relaxations, sums, &rates::Relaxations::sums);
  EXPECTS(found != rates::relaxations.end(), "no rate is known for sums in ", sums);
  return on_gpu ? found->of_a_gpu : found->of_a_core;
}

/// Returns the number of devices, which divide the work of searches; the model knows the threads of
/// the host.
double devices_of(const Case& run) {
  return run.on_gpu() ? static_cast<double>(run.devices.size()) : 1;
}

double of_floyd_warshall(const Case& run) {
  const double steps = std::pow(vertices_of(run.facts), 3);
  const double rate = relaxations_a_second(run.facts.sums_of_apsp().type, run.on_gpu());
  const double workers = run.on_gpu() ? devices_of(run) : run.n_threads;
  return (run.on_gpu() ? rates::floyd_warshall_call_on_a_gpu : 0) + steps / rate / workers;
}

/// Returns the request for searches from all vertices.
Request from_all_vertices(const Facts& facts, const Request& request) {
  Request all = request;
  all.method = "auto";
  all.n_sources = facts.n_vertices;
  all.n_targets = -1;
  return all;
}

double of_all_searches(const Case& run) {
  const Request all = from_all_vertices(run.facts, run.request);
  Case searches{run.facts, all, run.plan, run.devices, run.n_threads, run.shape};
  return seconds_of_searches(searches) / devices_of(run);
}

constexpr std::array apsp_methods{
    Method{.name = "floyd_warshall",
           .on_gpu = true,
           .on_workers = true,
           .on_gpus = true,
           .seconds = of_floyd_warshall},
    // The time is an underestimate: it is that of tiles.
    Method{.name = "floyd_warshall_naive", .on_gpu = true, .seconds = of_floyd_warshall},
    Method{.name = "many_to_many",
           .on_gpu = true,
           .on_workers = true,
           .on_gpus = true,
           .seconds = of_all_searches},
};

/// Returns the method for devices that are known. Where the methods round differently, the choice
/// depends on the graph alone, so that results are the same bits everywhere.
std::string_view choose_all_pairs_method(const Case& run, Reasons& reasons) {
  const std::array both{&apsp_methods[0], &apsp_methods[2]};
  if (run.facts.sums_of_apsp().are_exact) return fastest_method(both, run, reasons).name;
  constexpr int threads_of_no_machine = 2;
  constexpr std::array host{Device{}};
  Facts fresh = run.facts;
  fresh.has_hierarchy = false;
  fresh.learnt = {};
  fresh.is_used = false;
  Reasons untold(false);
  reasons.add("the methods round sums in ", run.facts.sums_of_apsp().type,
              " differently: the choice is that of two cores on every machine and for every call, "
              "so that results are the same bits");
  return fastest_method(both, {fresh, run.request, run.plan, host, threads_of_no_machine}, untold)
      .name;
}

/// Returns the devices that divide the rows of Floyd and Warshall's method.
std::vector<Device> owners_of_rows(const Plan& plan, const Facts& facts, const Request& request,
                                   const Devices& devices, Reasons& reasons) {
  if (plan.devices.size() > 1 && plan.method == "floyd_warshall_naive") {
    throw DeviceError(concat("method=", quoted(plan.method),
                             " runs on one device at a time, got the list ", listed(plan.devices),
                             "; pass one device, or another method"));
  }
  std::vector<Device> gpus;
  std::ranges::copy_if(plan.devices, std::back_inserter(gpus), &Device::is_cuda);
  if (!gpus.empty() && gpus.size() < plan.devices.size()) {
    reasons.add("floyd_warshall gives rows to the GPUs of the list only: ", joined(gpus));
  }
  const std::vector<Device> owners = gpus.empty() ? plan.devices : gpus;
  if (owners.size() == 1 || devices.wanted != Devices::Wanted::all) return owners;
  const double n = vertices_of(facts);
  constexpr double bytes_of_a_sum = 4;  // 2 or 8 in other types hardly change the number of GPUs
  Suits suits;
  suits.bytes_on_one = static_cast<std::size_t>(facts.n_vertices) *
                       static_cast<std::size_t>(facts.n_vertices) * bytes_of(request.distances);
  suits.rounds = [&] {
    const double rate = relaxations_a_second(facts.sums_of_apsp().type, true);
    return Rounds{rates::pivots_of_a_round * n * n / rate,
                  bytes_of_a_sum * rates::pivots_of_a_round * n};
  };
  double lost = 0;
  return choose_devices({devices.wanted, {}, devices.machine}, suits, reasons, lost);
}

/// Chooses the method of searches from all vertices. Returns what they take.
Memory plan_searches(Plan& plan, const Facts& facts, const Request& request, const Devices& devices,
                     Reasons& reasons) {
  const Request all = from_all_vertices(facts, request);
  const std::string_view asked = method_asked(all, plan.has_negative, reasons);
  const SearchMethods searches = choose_searches(facts, all, asked, devices, plan.devices, reasons);
  plan.search = searches.method;
  plan.search_otherwise = searches.otherwise;
  take_ways(plan, searches, all.n_sources);
  return memory_of_searches(facts, all, plan.search, plan.devices[0]);
}

/// Returns what Floyd and Warshall's method takes, on a GPU with all distances.
Memory memory_of_pivots(const Facts& facts, const Request& request) {
  const auto n = static_cast<std::size_t>(facts.n_vertices);
  const std::size_t trees = request.wants_predecessors ? n * n * sizeof(vertex_t) : 0;
  const std::size_t results = n * n * bytes_of(request.distances) + trees;
  return {.results = results,
          .converted = bytes_converted(facts, request),
          .on_gpu = facts.bytes + results};
}

}  // namespace

Plan plan_apsp(const Facts& facts, const Request& request, const Devices& devices) {
  Reasons reasons(request.explains);
  Suits suits{.seconds = fastest_of(apsp_methods, facts, request, devices),
              .shape = [&facts] { return shape_of(facts); }};
  suits.divides = request.method != "floyd_warshall_naive";
  Plan plan;
  plan.devices = choose_devices(devices, suits, reasons, plan.lost);
  if (request.devices_only) {
    plan.reasons = reasons.take();
    return plan;
  }
  plan.has_negative = !request.unweighted && facts.has_negative();
  const bool is_auto = request.method == "auto";
  if (!is_auto) {
    plan.method = method_of(apsp_methods, request.method).name;
  } else if (plan.has_negative) {
    plan.method = "floyd_warshall";
    reasons.add("method='auto' chose floyd_warshall, which takes negative weights");
  } else {
    const Case run{facts, request, plan, plan.devices, devices.machine->n_threads};
    plan.method = choose_all_pairs_method(run, reasons);
    reasons.add("method='auto' chose ", plan.method, " for ", facts.n_vertices, " vertices and ",
                facts.n_arcs, " edges, with sums in ", facts.sums_of_apsp().type);
  }
  Memory memory;
  if (plan.method == "many_to_many") {
    memory = plan_searches(plan, facts, request, devices, reasons);
  } else {
    memory = memory_of_pivots(facts, request);
    plan.devices = owners_of_rows(plan, facts, request, devices, reasons);
    const bool are_host = std::ranges::none_of(plan.devices, &Device::is_cuda);
    if (is_auto && are_host && facts.sums_of_apsp().are_exact) plan.otherwise = "many_to_many";
  }
  complete(plan, apsp_methods, facts, request, devices, memory, reasons);
  return plan;
}

}  // namespace warpgraph::plan
