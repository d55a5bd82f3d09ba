// The shortest path between two vertices, and between those of many pairs.
#include "plan/devices.hpp"
#include "plan/methods/hierarchies.hpp"
#include "plan/methods/methods.hpp"
#include "plan/rates.hpp"

#include <algorithm>
#include <array>
#include <limits>

namespace warpgraph::plan {
namespace {

constexpr Method path_by_dijkstra{.name = "dijkstra",
                                  .on_gpu = true,
                                  .on_workers = true,
                                  .on_gpus = true,
                                  .formula = formulas_of("path by dijkstra")};

constexpr Method pairs_in_hierarchy{.name = "hierarchy",
                                    .formula = formulas_of("pairs by hierarchy")};

/// Returns the seconds of a path, or of all pairs, in a hierarchy.
double of_paths_in_hierarchy(const Case& run) {
  return expected_seconds(pairs_in_hierarchy, run) + seconds_to_prepare(run.facts, run.n_threads);
}

/// Returns the seconds of finding the distances of landmarks on so many threads of the host; 0 if
/// they are kept.
double seconds_of_landmarks(const Facts& facts, const Request& request, int n_threads) {
  if (facts.has_landmarks) return 0;
  const bool is_symmetric = !request.is_directed || facts.is_mirrored();
  // The first search, from a vertex of the largest degree, only finds where the first landmark is;
  // landmarks that are given need none.
  const double n_searches = 1 + static_cast<double>(request.n_landmarks) * (is_symmetric ? 1 : 2);
  const double size = static_cast<double>(facts.n_vertices) + static_cast<double>(facts.n_arcs);
  return n_searches * rates::delta_stepping_on_a_core * size /
         std::max(1.0, n_threads * rates::speedup_of_a_core);
}

double of_landmarks(const Case& run) {
  return rates::path_by_landmarks * expected_seconds(path_by_dijkstra, run) +
         seconds_of_landmarks(run.facts, run.request, run.n_threads);
}

void explain_landmarks(const Facts& facts, const Request& request, int n_threads,
                       Reasons& reasons) {
  if (!request.explains || facts.has_landmarks) return;
  reasons.add("the time includes about ",
              rounded(seconds_of_landmarks(facts, request, n_threads), 2),
              " s for the distances of ", request.n_landmarks,
              " landmarks, which a wg.Graph keeps for later calls");
}

constexpr std::array path_methods{
    Method{.name = "bidirectional", .formula = formulas_of("path by bidirectional")},
    path_by_dijkstra,
    Method{.name = "hierarchy", .seconds = of_paths_in_hierarchy},
    Method{.name = "astar",
           .formula = formulas_of("path by bidirectional")},  // not measured: taken as the same
    Method{.name = "alt", .seconds = of_landmarks},
};

constexpr std::array pairs_methods{
    Method{.name = "bidirectional", .formula = formulas_of("pairs by bidirectional")},
    Method{.name = "hierarchy", .seconds = of_paths_in_hierarchy},
};

/// Returns whether rounding errors are so small that searches from both ends end early.
bool rounds_little(const Facts& facts, Number distances) {
  if (distances == Number::int32 || distances == Number::int64) return true;
  const double epsilon = distances == Number::float32 ? std::numeric_limits<float>::epsilon()
                                                      : std::numeric_limits<double>::epsilon();
  return static_cast<double>(facts.n_vertices) * epsilon < rates::max_rounding_of_two_balls;
}

std::string_view choose_path_method(const Case& run, Reasons& reasons) {
  const auto& [facts, request, plan, devices, n_threads, shape] = run;
  if (devices.size() > 1 || devices[0].is_cuda()) return "dijkstra";
  if (facts.has_hierarchy) return "hierarchy";
  const auto searches_ahead = [&] { return request.unweighted || !facts.has_negative(); };
  if (facts.has_landmarks && searches_ahead()) return "alt";
  const bool gains = rounds_little(facts, request.distances) && searches_ahead();
  if (!gains) return "dijkstra";
  const std::array both{&path_methods[0], &path_methods[1]};
  return fastest_method(both, run, reasons).name;
}

/// Returns the visits that a search from both ends makes in the time of a search from the source,
/// so that one that ends early gains much, and another one loses no more than that.
std::int64_t visits_worth_trying(const Case& run) {
  Case shaped = run;
  shaped.shape = shape_of(run.facts);
  const double seconds = expected_seconds(path_methods[1], shaped);
  return static_cast<std::int64_t>(seconds / rates::seconds_of_a_visit);
}

/// Returns whether a hierarchy is the fastest way to so many pairs, with what making it takes.
bool hierarchy_gains(const Case& run, Reasons& reasons) {
  if (!may_take_hierarchy(run.facts, run.request, false)) return false;
  const std::array both{&pairs_methods[0], &pairs_methods[1]};
  return fastest_method(both, run, reasons).name == "hierarchy";
}

/// Returns the memory of searches, which read the edges that enter a vertex from the transposed
/// graph, unless by dijkstra.
Memory memory_of(const Plan& plan, const Facts& facts, const Request& request) {
  const bool transposes = request.is_directed && !facts.has_transposed && plan.method != "dijkstra";
  return {.form = transposes ? Form::transposed : Form::none,
          .converted = (transposes ? 2 : 1) * bytes_converted(facts, request),
          .on_gpu = bytes_of_whole_graph(facts)};
}

}  // namespace

Plan plan_shortest_paths(const Facts& facts, const Request& request, const Devices& devices) {
  Reasons reasons(request.explains);
  Plan plan;
  plan.devices = {Device{}};
  if (request.method == "auto") {
    const Case run{facts, request, plan, plan.devices, devices.machine->n_threads};
    const bool gains = hierarchy_gains(run, reasons);
    plan.method = gains ? "hierarchy" : "bidirectional";
    if (gains && !facts.has_hierarchy) plan.otherwise = "bidirectional";
    reasons.add("method='auto' chose ", plan.method, " for ", request.n_sources, " pairs, ",
                facts.n_vertices, " vertices and ", facts.n_arcs, " edges: ",
                facts.has_hierarchy ? "the graph keeps a hierarchy"
                : gains             ? "so many repay a hierarchy"
                                    : "they do not repay a hierarchy");
  } else {
    plan.method = method_of(pairs_methods, request.method).name;
  }
  if (plan.method == "hierarchy") explain_preparing(facts, devices.machine->n_threads, reasons);
  Memory memory = memory_of(plan, facts, request);
  if (plan.method == "bidirectional") memory.n_searches = searches_at_a_time(request, devices);
  complete(plan, pairs_methods, facts, request, devices, memory, reasons);
  return plan;
}

Plan plan_shortest_path(const Facts& facts, const Request& request, const Devices& devices) {
  Reasons reasons(request.explains);
  Plan plan;
  Suits suits{.shape = [&facts] { return shape_of(facts); }};
  if (!facts.has_hierarchy && !facts.has_landmarks) {
    suits.seconds = fastest_of({path_methods.data(), 2}, facts, request, devices);
  }
  plan.devices = choose_devices(devices, suits, reasons, plan.lost);
  if (!plan.devices[0].is_cuda()) {
    reasons.add(
        "device='auto' takes the cores, which stop at the target and search from both ends");
  }
  if (request.method == "auto") {
    const Case run{facts, request, plan, plan.devices, devices.machine->n_threads};
    plan.method = choose_path_method(run, reasons);
    if (plan.method == "bidirectional") {
      plan.max_visits = visits_worth_trying(run);
      reasons.add("after ", plan.max_visits,
                  " visits, sssp takes the call: the ends may be far "
                  "from each other");
    }
    reasons.add("method='auto' chose ", plan.method, " for ", facts.n_vertices, " vertices and ",
                facts.n_arcs, " edges on ", joined(plan.devices));
  } else {
    plan.method = method_of(path_methods, request.method).name;
    const bool on_one_core = plan.devices.size() == 1 && !plan.devices[0].is_cuda();
    if (plan.method != "dijkstra" && !on_one_core) {
      throw DeviceError(concat("method ", quoted(plan.method),
                               " runs on one core of the host; pass device='cpu' or 'auto', got ",
                               joined(plan.devices)));
    }
  }
  const int n_threads = devices.machine->n_threads;
  if (plan.method == "hierarchy") explain_preparing(facts, n_threads, reasons);
  if (plan.method == "alt") explain_landmarks(facts, request, n_threads, reasons);
  if (plan.method == "dijkstra") {
    plan.has_negative = !request.unweighted && facts.has_negative();
    plan.search = fastest_search(facts, request, devices, plan);
  }
  complete(plan, path_methods, facts, request, devices, memory_of(plan, facts, request), reasons);
  return plan;
}

}  // namespace warpgraph::plan
