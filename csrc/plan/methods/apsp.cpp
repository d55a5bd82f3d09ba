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

double seconds_of_floyd_warshall(const Facts& facts, std::string_view sums, bool on_gpu) {
  return std::pow(vertices_of(facts), 3) / relaxations_a_second(sums, on_gpu);
}

/// Seconds of a search from every vertex, if each reaches all vertices.
struct Searches {
  double together = 0;  // neighbouring sources reach the vertices in nearly the same order
  double apart = 0;     // they do not, so that batches do not gain
};

/// Returns the seconds of searches from all vertices, on a core or on a GPU.
Searches seconds_of_searches(const Facts& facts, const Request& request, bool on_gpu) {
  const double n = vertices_of(facts);
  const auto m = static_cast<double>(facts.n_arcs);
  if (on_gpu) {
    const double seconds = rates::search_on_a_gpu * n * (n + m);
    return {seconds, seconds};
  }
  const double few =
      static_cast<double>(std::min(facts.n_arcs, rates::arcs_that_matter * facts.n_vertices));
  const double apart = n * (rates::search_of_a_vertex * n + rates::search_of_an_arc * few +
                            rates::search_of_a_further_arc * (m - few));
  double together = rates::search_together * n * (n + m);
  if (hierarchy_may_gain(facts, request, facts.n_vertices, false)) {
    const auto repaying = static_cast<double>(sources_worth_preparing(facts, false));
    const double preparing = facts.has_hierarchy ? 0 : rates::search_together * repaying;
    together = std::min(together, (rates::sweep * n + preparing) * (n + m));
  }
  return {std::min(together, apart), apart};
}

/// Returns whether searches from neighbours reach the vertices in like order.
bool are_alike(const Facts& facts, const Reach& reach) {
  const bool is_road = reach.max_hops > rates::hops_of_roads * std::log2(vertices_of(facts));
  return is_road || facts.longest_row() * facts.n_vertices >
                        rates::degrees_of_a_hub_of_all_paths * facts.n_arcs;
}

/// Returns the number of GPUs or of threads, which divide the work.
double workers_of(const Case& run) {
  return run.on_gpu() ? static_cast<double>(run.devices.size())
                      : static_cast<double>(run.n_threads);
}

double of_floyd_warshall(const Case& run) {
  return seconds_of_floyd_warshall(run.facts, run.facts.sums_of_apsp().type, run.on_gpu()) /
         workers_of(run);
}

/// Returns the seconds of searches in a graph of this shape, which a few searches measure.
double seconds_by_shape(const Facts& facts, const Searches& estimate) {
  if (facts.n_vertices == 0) return 0;
  const Reach reach = facts.reach_of_some();
  return reach.share * (are_alike(facts, reach) ? estimate.together : estimate.apart);
}

double of_all_searches(const Case& run) {
  const Searches found = seconds_of_searches(run.facts, run.request, run.on_gpu());
  return seconds_by_shape(run.facts, found) / workers_of(run);
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

/// Returns the method of the smaller estimate: on the device `where`, for searches on `search_on`.
/// Components, in which searches end early, count only where the shape of the graph decides:
/// measuring it takes some searches.
std::string_view choose_method(const Facts& facts, const Request& request, Device where,
                               Device search_on, int n_threads, Reasons& reasons) {
  const Sums sums = facts.sums_of_apsp();
  if (!sums.are_exact) {
    // The methods round differently. The choice depends on the graph alone, so that results are the
    // same bits everywhere.
    where = search_on = Device{};
  }
  const double cubic = seconds_of_floyd_warshall(facts, sums.type, where.is_cuda());
  Searches estimate = seconds_of_searches(facts, request, search_on.is_cuda());
  // Where both methods run on the cores, both gain equally by their number.
  const bool all_threads = where.is_cuda() && !search_on.is_cuda();
  if (all_threads) {
    estimate.together /= n_threads;
    estimate.apart /= n_threads;
  }
  double searching = estimate.apart;
  if (estimate.together < cubic && cubic <= estimate.apart) {
    searching = seconds_by_shape(facts, estimate);
  }
  const std::string_view method = searching < cubic ? "many_to_many" : "floyd_warshall";
  const auto name = [&](Device device) {
    return device.is_cuda() ? device.name() : all_threads ? "all cores" : "a core";
  };
  if (!request.explains) return method;
  if (method == "many_to_many") searching = seconds_by_shape(facts, estimate);
  const std::string of_searches =
      concat("many_to_many, by searches from every vertex, takes about ", rounded(searching, 2),
             " s on ", name(search_on));
  const std::string of_pivots = concat("floyd_warshall, with sums in ", sums.type, ", takes about ",
                                       rounded(cubic, 2), " s on ", name(where));
  const bool searches = method == "many_to_many";
  reasons.add("method='auto' chose ", method, " for ", facts.n_vertices, " vertices and ",
              facts.n_arcs, " edges: ", searches ? of_searches : of_pivots, ", and ",
              searches ? of_pivots : of_searches);
  return method;
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
  return choose_devices({devices.wanted, {}, devices.machine}, suits, reasons);
}

/// Returns the request for searches from all vertices.
Request from_all_vertices(const Facts& facts, const Request& request) {
  Request all = request;
  all.method = "auto";
  all.n_sources = facts.n_vertices;
  const auto n = static_cast<vertex_t>(facts.n_vertices);
  if (n > 0) all.some_sources = {0, n / 2, n - 1};
  return all;
}

/// Chooses the method of searches from all vertices. Returns what they take.
Memory plan_searches(Plan& plan, const Facts& facts, const Request& request, const Devices& devices,
                     Reasons& reasons) {
  const Request all = from_all_vertices(facts, request);
  const std::string_view asked = method_asked(all, plan.has_negative, reasons);
  const SearchMethods searches =
      choose_searches(facts, all, asked, *devices.machine, plan.devices, reasons);
  plan.search = searches.method;
  plan.search_otherwise = searches.otherwise;
  return memory_of_searches(facts, all, plan.search, plan.devices[0]);
}

/// Returns what Floyd and Warshall's method takes, on a GPU with all distances.
Memory memory_of_pivots(const Facts& facts, const Request& request) {
  const auto n = static_cast<std::size_t>(facts.n_vertices);
  const std::size_t trees = request.wants_predecessors ? n * n * sizeof(vertex_t) : 0;
  const std::size_t results = n * n * bytes_of(request.distances) + trees;
  return {
      .results = results, .held = bytes_converted(facts, request), .on_gpu = facts.bytes + results};
}

}  // namespace

Plan plan_apsp(const Facts& facts, const Request& request, const Devices& devices) {
  Reasons reasons(request.explains);
  Suits suits{
      .work = facts.n_vertices, .unit = "vertices", .worthwhile = rates::apsp_vertices_worth_a_gpu};
  suits.divides = request.method != "floyd_warshall_naive";
  Plan plan;
  plan.devices = choose_devices(devices, suits, reasons);
  if (request.devices_only) {
    plan.reasons = reasons.take();
    return plan;
  }
  plan.has_negative = !request.unweighted && facts.has_negative();
  const bool is_auto = request.method == "auto";
  const Device where = fastest(plan.devices);
  // Cores with a hierarchy take no longer than the copy of all distances from a GPU.
  const bool searches_on_host = devices.wanted == Devices::Wanted::automatic;
  const Device search_on = searches_on_host ? Device{} : where;
  if (!is_auto) {
    plan.method = method_of(apsp_methods, request.method).name;
  } else if (plan.has_negative) {
    plan.method = "floyd_warshall";
    reasons.add("method='auto' chose floyd_warshall, which takes negative weights");
  } else {
    const int n_threads = devices.machine->n_threads;
    plan.method = choose_method(facts, request, where, search_on, n_threads, reasons);
    if (plan.method == "many_to_many" && plan.devices.size() == 1) {
      if (where.is_cuda() && !search_on.is_cuda()) reasons.add("searches run on the cores instead");
      plan.devices = {search_on};
    }
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
