// Shortest paths from many sources.
#include "core/memory/memory_budget.hpp"
#include "plan/devices.hpp"
#include "plan/methods/hierarchies.hpp"
#include "plan/methods/methods.hpp"
#include "plan/rates.hpp"

#include <algorithm>
#include <array>

namespace warpgraph::plan {
namespace {

/// Seconds of a search on a core, or on a GPU, times the number of sources that share neither.
double of_searches(const Case& run, double a_vertex_or_arc, double a_vertex_or_arc_on_gpu) {
  const Facts& facts = run.facts;
  const double size = static_cast<double>(facts.n_vertices) + static_cast<double>(facts.n_arcs);
  const auto n_sources = static_cast<double>(run.request.n_sources);
  const auto n_devices = static_cast<double>(run.devices.size());
  if (run.on_gpu()) return a_vertex_or_arc_on_gpu * size * n_sources / n_devices;
  return a_vertex_or_arc * size * n_sources / std::max(1.0, static_cast<double>(run.n_threads));
}

double of_heaps(const Case& run) {
  return of_searches(run, rates::search_of_an_arc, rates::search_on_a_gpu);
}
double of_batches(const Case& run) {
  return of_searches(run, rates::search_together, rates::search_on_a_gpu);
}
double of_sweeps(const Case& run) { return of_searches(run, rates::sweep, rates::search_on_a_gpu); }
double of_sweeps_of_hierarchy(const Case& run) {
  return of_sweeps(run) + seconds_to_prepare(run.facts, run.n_threads);
}

constexpr Method anywhere(std::string_view name, double (*seconds)(const Case&)) {
  return {.name = name, .on_gpu = true, .on_workers = true, .on_gpus = true, .seconds = seconds};
}

constexpr std::array many_to_many_methods{
    anywhere("dijkstra", of_heaps),       anywhere("batched", of_batches),
    anywhere("breadth_first", of_sweeps), anywhere("hierarchy", of_sweeps_of_hierarchy),
    anywhere("johnson", of_heaps),
};

bool are_roads(std::int64_t n_arcs, std::int64_t n_vertices) {
  return n_arcs < rates::degree_of_roads * n_vertices;
}

/// The choice of a method once the devices are known.
struct Choice {
  const Facts& facts;
  const Request& request;
  const Machine& machine;
  std::span<const Device> devices;
  bool is_restricted;
  Reasons& reasons;

  [[nodiscard]] bool on_gpu() const { return fastest(devices).is_cuda(); }
  [[nodiscard]] bool limits_host() const { return !std::ranges::all_of(devices, &Device::is_cuda); }

  /// Returns whether the memory suffices, an equal share for each endpoint on a device.
  [[nodiscard]] bool fits(std::string_view method, MemoryBudget budget) const {
    return std::ranges::all_of(devices, [&](Device device) {
      const auto n_endpoints = static_cast<std::size_t>(std::ranges::count(devices, device));
      const std::size_t needed = n_endpoints * facts.bytes_of_searches(request, method, device);
      return needed <= (budget.is_limited() ? budget.left() : machine.free_memory(device));
    });
  }

  /// Returns whether breadth-first searches are likely to take few levels for each device.
  [[nodiscard]] bool has_few_levels() const {
    if (on_gpu() && !are_roads(facts.n_arcs, facts.n_vertices)) return true;
    const std::int64_t mean = facts.n_arcs / facts.n_vertices + 1;
    if (facts.longest_row() > rates::degrees_of_a_hub_of_few_levels * mean) return true;
    if (on_gpu() || request.n_sources < rates::sources_worth_a_look) return false;
    return std::ranges::all_of(request.some_sources, [&](std::int32_t source) {
      return facts.is_shallow(source, rates::few_levels, request.budget);
    });
  }

  /// Returns whether arcs have length 1, searches meet in the same levels, and memory suffices.
  [[nodiscard]] bool gains_by_breadth_first() const {
    if (is_restricted || request.wants_predecessors || !request.unweighted) return false;
    if (request.n_sources < rates::sources_worth_breadth_first) return false;
    return fits("breadth_first", request.budget) && has_few_levels();
  }

  [[nodiscard]] bool gains_by_hierarchy() const {
    if (request.has_limit || request.wants_predecessors) return false;
    const std::int64_t n_sources = is_restricted ? 0 : request.n_sources;  // few targets repay none
    if (!hierarchy_may_gain(facts, request, n_sources, on_gpu())) return false;
    if (!facts.has_hierarchy) {
      reasons.add("preparing a hierarchy takes as long as about ",
                  sources_worth_preparing(facts, on_gpu()), " searches, of ", n_sources);
    }
    return true;
  }

  /// Returns whether batches are faster than searches one by one.
  [[nodiscard]] bool gains_by_batches() const {
    if (is_restricted) return false;
    const bool roads = are_roads(facts.n_arcs, facts.n_vertices);
    if (on_gpu()) return !roads || request.n_sources <= rates::sources_of_a_batch_on_a_gpu;
    const std::int64_t fewest =
        roads ? rates::sources_worth_batches_on_roads : rates::sources_worth_batches;
    return request.n_sources >=
           std::max(fewest, rates::sources_a_thread_worth_batches * machine.n_threads);
  }

  /// Chooses for "auto", and what takes the call if a hierarchy cannot be made.
  [[nodiscard]] SearchMethods of_auto() const {
    if (gains_by_breadth_first()) return {"breadth_first", ""};
    if (!gains_by_hierarchy()) return {of_searches(), ""};
    return {"hierarchy", facts.has_hierarchy ? "" : of_searches()};
  }

  [[nodiscard]] std::string_view of_searches() const {
    const std::size_t converted = limits_host() ? bytes_converted(facts, request) : 0;
    const bool fit = gains_by_batches() && fits("batched", request.budget.after(converted));
    return fit ? "batched" : "dijkstra";
  }
};

std::int64_t columns_of(const Facts& facts, const Request& request) {
  return request.n_targets < 0 ? facts.n_vertices : request.n_targets;
}

std::size_t bytes_of_result(const Facts& facts, const Request& request) {
  const std::size_t of_a_pair =
      bytes_of(request.distances) + (request.wants_predecessors ? sizeof(vertex_t) : 0);
  return static_cast<std::size_t>(request.n_sources * columns_of(facts, request)) * of_a_pair;
}

/// Returns whether a search may end early.
bool is_restricted(const Facts& facts, const Request& request, std::string_view asked) {
  return request.has_limit || columns_of(facts, request) < rates::few_targets || asked == "johnson";
}

}  // namespace

std::string_view method_asked(const Request& request, bool has_negative, Reasons& reasons) {
  const bool is_johnson = request.method == "johnson";
  if (has_negative && (is_johnson || request.method == "auto")) {
    reasons.add("method=", quoted(request.method), " chose johnson, because a weight is negative");
    return "johnson";
  }
  if (request.method == "auto") return "auto";
  return is_johnson ? "dijkstra" : method_of(many_to_many_methods, request.method).name;
}

SearchMethods choose_searches(const Facts& facts, const Request& request, std::string_view asked,
                              const Machine& machine, std::span<const Device> devices,
                              Reasons& reasons) {
  const bool ends_early = is_restricted(facts, request, asked);
  const Choice choice{facts, request, machine, devices, ends_early, reasons};
  SearchMethods found{asked, ""};
  if (asked == "auto") {
    found = choice.of_auto();
  } else if (asked == "batched" && choice.gains_by_breadth_first()) {
    found.method = "breadth_first";
  }
  if (found.method != asked) {
    reasons.add("method=", quoted(asked), " chose ", found.method, " for ", request.n_sources,
                " sources, ", facts.n_vertices, " vertices and ", facts.n_arcs, " edges on ",
                joined(devices));
  }
  if (found.method == "hierarchy") explain_preparing(facts, machine.n_threads, reasons);
  return found;
}

Memory memory_of_searches(const Facts& facts, const Request& request, std::string_view method,
                          Device device) {
  Memory memory{.results = bytes_of_result(facts, request),
                .held = bytes_converted(facts, request)};
  if (request.explains && device.is_cuda() && method != "hierarchy") {
    memory.on_gpu = facts.bytes + facts.bytes_of_searches(request, method, device);
  }
  return memory;
}

Plan plan_many_to_many(const Facts& facts, const Request& request, const Devices& devices) {
  Reasons reasons(request.explains);
  Plan plan;
  plan.has_negative = !request.unweighted && facts.has_negative();
  const std::string_view asked = method_asked(request, plan.has_negative, reasons);
  Suits suits{.work = request.n_sources * facts.given_arcs, .unit = "searched edges"};
  if (!is_restricted(facts, request, asked) && !are_roads(facts.given_arcs, facts.n_vertices)) {
    suits.worthwhile = rates::many_to_many_work_worth_a_gpu;
  }
  plan.devices = choose_devices(devices, suits, reasons);
  if (request.devices_only) {
    plan.reasons = reasons.take();
    return plan;
  }
  const SearchMethods searches =
      choose_searches(facts, request, asked, *devices.machine, plan.devices, reasons);
  plan.method = searches.method;
  plan.otherwise = searches.otherwise;
  complete(plan, many_to_many_methods, facts, request, devices,
           memory_of_searches(facts, request, plan.method, plan.devices[0]), reasons);
  return plan;
}

}  // namespace warpgraph::plan
