// Shortest paths from many sources.
#include "core/memory/memory_budget.hpp"
#include "plan/devices.hpp"
#include "plan/methods/hierarchies.hpp"
#include "plan/methods/methods.hpp"
#include "plan/pieces.hpp"
#include "plan/rates.hpp"

#include <algorithm>
#include <array>
#include <vector>

namespace warpgraph::plan {
namespace {

constexpr Method anywhere(std::string_view name, const Formulas& formula) {
  return {.name = name, .on_gpu = true, .on_workers = true, .on_gpus = true, .formula = formula};
}

double of_sweeps_in_hierarchy(const Case& run);

constexpr std::array many_to_many_methods{
    anywhere("dijkstra", formulas_of("table by dijkstra")),
    anywhere("batched", formulas_of("table by batched")),
    anywhere("breadth_first", formulas_of("table by breadth_first")),
    Method{.name = "hierarchy",
           .on_gpu = true,
           .on_workers = true,
           .on_gpus = true,
           .seconds = of_sweeps_in_hierarchy},
    anywhere("johnson", formulas_of("table by dijkstra")),
};
constexpr const Method& by_heaps = many_to_many_methods[0];
constexpr const Method& by_batches = many_to_many_methods[1];
constexpr const Method& by_levels = many_to_many_methods[2];
constexpr const Method& by_hierarchy = many_to_many_methods[3];
constexpr Method sweeps = anywhere("hierarchy", formulas_of("table by hierarchy"));

double of_sweeps_in_hierarchy(const Case& run) {
  return expected_seconds(sweeps, run) + seconds_to_prepare(run.facts, run.n_threads);
}

/// The choice of a method once the devices are known.
struct Choice {
  const Case& run;
  const Devices& devices;
  bool is_restricted;
  Reasons& reasons;

  /// Returns whether the memory suffices, an equal share for each endpoint on a device.
  [[nodiscard]] bool fits(std::string_view method, const Request& request,
                          MemoryBudget budget) const {
    return std::ranges::all_of(run.devices, [&](Device device) {
      const auto n_endpoints = static_cast<std::size_t>(std::ranges::count(run.devices, device));
      const std::size_t needed = n_endpoints * run.facts.bytes_of_searches(request, method, device);
      return needed <= (budget.is_limited() ? budget.left() : devices.machine->free_memory(device));
    });
  }

  /// Returns whether searches of the cores keep converted weights, too.
  [[nodiscard]] MemoryBudget budget_of_batches() const {
    const bool limits_host = !std::ranges::all_of(run.devices, &Device::is_cuda);
    return run.request.budget.after(limits_host ? bytes_converted(run.facts, run.request) : 0);
  }

  [[nodiscard]] bool has_memory_for(const Method& method) const {
    const Request& request = run.request;
    if (&method == &by_levels) return fits(method.name, request, request.budget);
    if (&method == &by_batches) return fits(method.name, request, budget_of_batches());
    if (!request.budget.is_limited()) return true;
    Request of_one = request;  // with less memory, fewer threads search
    of_one.n_sources = 1;
    return fits(method.name, of_one, budget_of_batches());
  }

  /// Returns the fastest of the methods that have memory; if none has, by_heaps or the last one,
  /// which then say what they need. `said` gets their times, and takes none if `reasons` has them
  /// from an earlier comparison.
  [[nodiscard]] std::string_view fastest(std::vector<const Method*> methods, Reasons& said) const {
    const bool has_heaps = std::ranges::find(methods, &by_heaps) != methods.end();
    const Method* found = &fastest_method(methods, run, said);
    Reasons of_the_rest(false);
    while (!has_memory_for(*found)) {
      std::erase(methods, found);
      if (methods.empty()) return has_heaps ? by_heaps.name : found->name;
      reasons.add(found->name, " would take more memory than there is");
      found = &fastest_method(methods, run, of_the_rest);
    }
    return found->name;
  }

  /// Chooses for "auto", and what takes the call if a hierarchy cannot be made.
  [[nodiscard]] SearchMethods of_auto() const {
    std::vector<const Method*> methods{&by_heaps};
    if (!is_restricted) methods.push_back(&by_batches);
    if (carries_bits(run.facts, run.request, is_restricted)) methods.push_back(&by_levels);
    std::vector<const Method*> with_hierarchy = methods;
    with_hierarchy.push_back(&by_hierarchy);
    // A limit of memory may be too little for sweeps, and enough for searches.
    const bool may_gain = !run.request.budget.is_limited() &&
                          may_take_hierarchy(run.facts, run.request, is_restricted);
    bool gains = may_gain && &fastest_method(with_hierarchy, run, reasons) == &by_hierarchy;
    if (gains && !has_distances_of_searches(run.facts, run.request)) {
      reasons.add("no hierarchy is taken: it may round sums otherwise than searches do");
      gains = false;
    }
    Reasons told(false);
    Reasons& said = may_gain ? told : reasons;
    if (!gains) {
      const std::string_view found = fastest(methods, said);
      return {found, "", lost_by(found), ways(found)};
    }
    return {"hierarchy", run.facts.has_hierarchy ? "" : fastest(methods, said)};
  }

  /// Returns the ways that share the sources, where it is not known that the method is the fastest.
  [[nodiscard]] std::vector<Way> ways(std::string_view method) const {
    if (is_restricted || method == by_levels.name) return {};
    constexpr std::array methods{&by_heaps, &by_batches};
    const std::vector<Way> ways = ways_of_sources(methods, run, devices);
    return ways.empty() || has_memory_for(by_batches) ? ways : std::vector<Way>{};
  }

  /// Returns the seconds that a call of a graph that was used before takes more than it would if
  /// there were a hierarchy.
  [[nodiscard]] double lost_by(std::string_view method) const {
    const bool may_gain = run.facts.is_used && !run.facts.has_hierarchy &&
                          may_take_hierarchy(run.facts, run.request, is_restricted);
    if (!may_gain) return 0;
    Case shaped = run;
    shaped.shape = shape_of(run.facts);
    const double lost = expected_seconds(method_of(many_to_many_methods, method), shaped) -
                        expected_seconds(sweeps, shaped);
    return lost > 0 && has_distances_of_searches(run.facts, run.request) ? lost : 0;
  }

  /// Returns whether breadth-first searches of many sources, a bit each, can take the call.
  [[nodiscard]] static bool carries_bits(const Facts& facts, const Request& request,
                                         bool is_restricted) {
    return !is_restricted && !request.wants_predecessors && request.unweighted &&
           facts.n_vertices > 0 && (!facts.levels || facts.levels() <= rates::few_levels);
  }
};

std::int64_t columns_of(const Facts& facts, const Request& request) {
  return request.n_targets < 0 ? facts.n_vertices : request.n_targets;
}

std::size_t bytes_of_result(const Facts& facts, const Request& request) {
  // Trees have all vertices, not the targets alone.
  const auto of_a_row =
      static_cast<std::size_t>(columns_of(facts, request)) * bytes_of(request.distances) +
      (request.wants_predecessors ? sizeof(vertex_t) : 0) *
          static_cast<std::size_t>(facts.n_vertices);
  return static_cast<std::size_t>(request.n_sources) * of_a_row;
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
                              const Devices& devices, std::span<const Device> chosen,
                              Reasons& reasons) {
  const bool ends_early = is_restricted(facts, request, asked);
  const int n_threads = devices.machine->n_threads;
  const Plan none;
  const Case run{facts, request, none, chosen, n_threads};
  const Choice choice{run, devices, ends_early, reasons};
  SearchMethods found{asked, ""};
  if (asked == "auto") {
    found = choice.of_auto();
  } else if (asked == "batched" && Choice::carries_bits(facts, request, ends_early)) {
    found.method = choice.fastest({&by_batches, &by_levels}, reasons);
  }
  if (found.method != asked) {
    reasons.add("method=", quoted(asked), " chose ", found.method, " for ", request.n_sources,
                " sources, ", facts.n_vertices, " vertices and ", facts.n_arcs, " edges on ",
                joined(chosen));
  }
  if (found.method == "hierarchy") explain_preparing(facts, n_threads, reasons);
  if (work_together(found.ways)) {
    found.method = found.ways[0].method;
    reasons.add("cores and a GPU search at the same time: ", found.ways[0].method, " on cores, ",
                found.ways[1].method, " on the GPU, so many sources each as it is fast");
  } else if (!found.ways.empty()) {
    reasons.add("the first sources are searched from by ", found.ways[0].method, " and by ",
                found.ways[1].method, ", the rest by the faster one of both");
  }
  return found;
}

double seconds_of_searches(const Case& run) {
  double least = std::min(expected_seconds(by_heaps, run), expected_seconds(by_batches, run));
  if (Choice::carries_bits(run.facts, run.request, false)) {
    least = std::min(least, expected_seconds(by_levels, run));
  }
  if (may_take_hierarchy(run.facts, run.request, false) &&
      has_distances_of_searches(run.facts, run.request)) {
    least = std::min(least, expected_seconds(by_hierarchy, run));
  }
  return least;
}

Memory memory_of_searches(const Facts& facts, const Request& request, std::string_view method,
                          Device device) {
  Memory memory{.results = bytes_of_result(facts, request),
                .converted = bytes_converted(facts, request)};
  if (request.explains && device.is_cuda() && method != "hierarchy") {
    memory.on_gpu = facts.bytes + facts.bytes_of_searches(request, method, device);
  }
  return memory;
}

void take_ways(Plan& plan, const SearchMethods& searches, std::int64_t n_sources) {
  if (searches.ways.empty()) return;
  plan.ways = searches.ways;
  plan.seconds = seconds_of_ways(plan.ways, n_sources);
  if (work_together(plan.ways)) plan.devices = {plan.ways[0].device, plan.ways[1].device};
}

Plan plan_many_to_many(const Facts& facts, const Request& request, const Devices& devices) {
  Reasons reasons(request.explains);
  Plan plan;
  plan.has_negative = !request.unweighted && facts.has_negative();
  const std::string_view asked = method_asked(request, plan.has_negative, reasons);
  const bool ends_early = is_restricted(facts, request, asked);
  std::vector<Method> methods{by_heaps, by_batches};
  if (Choice::carries_bits(facts, request, ends_early)) methods.push_back(by_levels);
  if (may_take_hierarchy(facts, request, ends_early)) methods.push_back(by_hierarchy);
  Suits suits{.shape = [&facts] { return shape_of(facts); }};
  if (!ends_early) suits.seconds = fastest_of(methods, facts, request, devices);
  plan.devices = choose_devices(devices, suits, reasons, plan.lost);
  if (request.devices_only) {
    plan.reasons = reasons.take();
    return plan;
  }
  const SearchMethods searches =
      choose_searches(facts, request, asked, devices, plan.devices, reasons);
  plan.method = searches.method;
  plan.otherwise = searches.otherwise;
  plan.lost_searching = searches.lost;
  take_ways(plan, searches, request.n_sources);
  complete(plan, many_to_many_methods, facts, request, devices,
           memory_of_searches(facts, request, plan.method, plan.devices[0]), reasons);
  return plan;
}

}  // namespace warpgraph::plan
