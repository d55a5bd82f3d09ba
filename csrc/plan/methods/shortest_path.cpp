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

double of_one_ball(const Case& run) {
  const double size =
      static_cast<double>(run.facts.n_vertices) + static_cast<double>(run.facts.n_arcs);
  return rates::dijkstra_on_a_core * size;
}

/// Returns the time of the pairs if one takes so long: a thread searches for one at a time.
double of_pairs(const Case& run, double seconds) {
  const auto n = static_cast<double>(run.request.n_sources);
  return n * seconds / std::min(n, run.speedup());
}

double of_two_balls(const Case& run) {
  return of_pairs(run, rates::two_balls_to_one * of_one_ball(run));
}

double of_hierarchy(const Case& run) {
  const double queries = of_pairs(run, rates::path_in_a_hierarchy);
  return queries + seconds_to_prepare(run.facts, run.n_threads);
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
  return rates::path_by_landmarks * of_one_ball(run) +
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

/// The methods of both planners. wg.shortest_paths names none but "bidirectional" and "hierarchy",
/// so the seconds of the others are those of one pair.
constexpr std::array shortest_path_methods{
    Method{.name = "bidirectional", .seconds = of_two_balls},
    Method{.name = "dijkstra",
           .on_gpu = true,
           .on_workers = true,
           .on_gpus = true,
           // The time on one core, also where sssp runs on more or on GPUs: an upper bound for
           // large graphs, which gain by these.
           .seconds = of_one_ball},
    Method{.name = "hierarchy", .seconds = of_hierarchy},
    Method{.name = "astar", .seconds = of_two_balls},  // not measured: taken as the same
    Method{.name = "alt", .seconds = of_landmarks},
};

/// Returns whether rounding errors are so small that searches from both ends end early.
bool rounds_little(const Facts& facts, Number distances) {
  if (distances == Number::int32 || distances == Number::int64) return true;
  const double epsilon = distances == Number::float32 ? std::numeric_limits<float>::epsilon()
                                                      : std::numeric_limits<double>::epsilon();
  return static_cast<double>(facts.n_vertices) * epsilon < rates::max_rounding_of_two_balls;
}

std::string_view path_method(const Facts& facts, const Request& request,
                             std::span<const Device> devices) {
  if (devices.size() > 1 || devices[0].is_cuda()) return "dijkstra";
  if (facts.has_hierarchy) return "hierarchy";
  const auto searches_ahead = [&] { return request.unweighted || !facts.has_negative(); };
  if (facts.has_landmarks && searches_ahead()) return "alt";
  // A directed graph must be transposed: one that is kept is transposed once for all calls, and a
  // small one takes little time.
  const bool may_follow_back = !request.is_directed || request.is_kept ||
                               facts.n_vertices <= rates::vertices_to_transpose_for_a_path;
  const bool gains = may_follow_back && rounds_little(facts, request.distances) && searches_ahead();
  return gains ? "bidirectional" : "dijkstra";
}

/// Returns whether a hierarchy is kept, or may be repaid by so many pairs.
bool hierarchy_gains(const Facts& facts, const Request& request) {
  if (facts.has_hierarchy) return true;
  if (facts.n_arcs > rates::degree_of_hierarchies * facts.n_vertices) return false;
  const double searches = rates::two_balls_to_one * static_cast<double>(request.n_sources);
  return searches >= static_cast<double>(sources_worth_preparing(facts, false));
}

/// Returns the memory of searches, which read the edges that enter a vertex from the transposed
/// graph, unless by dijkstra.
Memory memory_of(const Plan& plan, const Facts& facts, const Request& request) {
  const bool transposes = request.is_directed && !facts.has_transposed && plan.method != "dijkstra";
  return {.form = transposes ? Form::transposed : Form::none,
          .held = (transposes ? 2 : 1) * bytes_converted(facts, request),
          .on_gpu = bytes_of_whole_graph(facts)};
}

}  // namespace

Plan plan_shortest_paths(const Facts& facts, const Request& request, const Devices& devices) {
  Reasons reasons(request.explains);
  Plan plan;
  plan.devices = {Device{}};
  if (request.method == "auto") {
    const bool gains = hierarchy_gains(facts, request);
    plan.method = gains ? "hierarchy" : "bidirectional";
    if (gains && !facts.has_hierarchy) plan.otherwise = "bidirectional";
    reasons.add("method='auto' chose ", plan.method, " for ", request.n_sources, " pairs, ",
                facts.n_vertices, " vertices and ", facts.n_arcs, " edges: ",
                facts.has_hierarchy ? "the graph keeps a hierarchy"
                : gains             ? "so many repay a hierarchy"
                                    : "they do not repay a hierarchy");
  } else {
    plan.method = method_of(shortest_path_methods, request.method).name;
  }
  if (plan.method == "hierarchy") explain_preparing(facts, devices.machine->n_threads, reasons);
  Memory memory = memory_of(plan, facts, request);
  if (plan.method == "bidirectional") memory.n_searches = searches_at_a_time(request, devices);
  complete(plan, shortest_path_methods, facts, request, devices, memory, reasons);
  return plan;
}

Plan plan_shortest_path(const Facts& facts, const Request& request, const Devices& devices) {
  Reasons reasons(request.explains);
  Plan plan;
  plan.devices = choose_devices(devices, {.work = facts.given_arcs}, reasons);
  if (request.method == "auto") {
    plan.method = path_method(facts, request, plan.devices);
    reasons.add("method='auto' chose ", plan.method, " for ", facts.n_vertices, " vertices and ",
                facts.n_arcs, " edges on ", joined(plan.devices));
  } else {
    plan.method = method_of(shortest_path_methods, request.method).name;
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
  complete(plan, shortest_path_methods, facts, request, devices, memory_of(plan, facts, request),
           reasons);
  return plan;
}

}  // namespace warpgraph::plan
