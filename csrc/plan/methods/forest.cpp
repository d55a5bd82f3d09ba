// Minimum spanning forests and arborescences.
#include "plan/devices.hpp"
#include "plan/methods/methods.hpp"
#include "plan/rates.hpp"

#include <algorithm>
#include <array>

namespace warpgraph::plan {
namespace {

constexpr std::array forest_methods{
    Method{.name = "filter",
           .on_gpu = true,
           .on_workers = true,
           .on_gpus = true,
           .formula = formulas_of("forest by filter")},
    Method{.name = "boruvka",
           .on_host = false,
           .on_gpu = true,
           .formula = formulas_of("forest by boruvka")},
};

double of_arborescence(const Case& run) {
  return rates::arborescence_of_a_vertex * static_cast<double>(run.facts.n_vertices) +
         rates::arborescence_of_an_arc * static_cast<double>(run.facts.n_arcs);
}

/// Returns the expected seconds of the forest, unless it is given, and of the paths of all pairs.
double of_bottlenecks(const Case& run) {
  const bool is_graph = run.facts.structure_bytes > 0;
  const auto n_pairs = static_cast<double>(run.request.n_sources);
  return (is_graph ? expected_seconds(forest_methods[0], run) : 0) +
         rates::joining_a_vertex * static_cast<double>(run.facts.n_vertices) +
         rates::bottleneck_of_a_pair * n_pairs / run.speedup();
}

constexpr Method kruskal{.name = "kruskal", .seconds = of_bottlenecks};
constexpr Method edmonds{.name = "edmonds", .seconds = of_arborescence};

/// Returns whether CPU threads and a GPU search together.
bool are_pair(std::span<const Device> devices) {
  return devices.size() == 2 && devices[0].is_cuda() != devices[1].is_cuda();
}

/// Plans the method once the devices are known.
void plan_method(Plan& plan, const Request& request) {
  const bool is_auto = request.method == "auto";
  plan.method = is_auto ? "filter" : method_of(forest_methods, request.method).name;
  if (are_pair(plan.devices)) {
    EXPECTS(is_auto || plan.method == "boruvka", "method=", quoted(plan.method),
            " runs on one device; pass method='boruvka' for a list of devices");
    plan.method = "boruvka";
  } else if (plan.devices.size() > 1) {
    EXPECTS(plan.method == "filter", "method=", quoted(plan.method),
            " runs on one device, or on ['cpu', 'cuda:<i>']; pass method='filter' for ",
            listed(plan.devices));
  } else {
    require_method(forest_methods, request.method, plan.devices);
    if (!plan.devices[0].is_cuda()) return;
    // Edges that do not fit on the GPU then stay in host memory.
    if (is_auto || plan.method == "boruvka") plan.otherwise = "hybrid";
  }
}

/// Returns the cost of all rounds on several GPUs; nothing if several are not faster than one.
std::function<Rounds()> rounds_of_forest(const Facts& facts) {
  if (facts.n_vertices < rates::forest_vertices_to_divide) return {};
  if (facts.given_arcs < rates::forest_degree_to_divide * facts.n_vertices) return {};
  const double seconds =
      static_cast<double>(facts.given_arcs) / rates::forest_arcs_a_second_of_a_gpu;
  const double sent = 16.0 * static_cast<double>(facts.n_vertices);
  return [=] { return Rounds{seconds, sent, rates::undivided_forest}; };
}

}  // namespace

Plan plan_forest(const Facts& facts, const Request& request, const Devices& devices) {
  Reasons reasons(request.explains);
  Plan plan;
  Suits suits{.seconds = fastest_of(forest_methods, facts, request, devices),
              .shape = [&facts] { return shape_of(facts); }};
  suits.divides = request.method == "auto" || method_of(forest_methods, request.method).on_gpus;
  bound_memory(suits, facts, request);
  suits.least_bytes = 0;  // edges may stay in host memory
  if (request.is_kept && suits.divides) suits.rounds = rounds_of_forest(facts);
  plan.devices = choose_devices(devices, suits, reasons, plan.lost);
  if (request.devices_only) {
    plan.reasons = reasons.take();
    return plan;
  }
  plan_method(plan, request);
  const bool on_one_gpu = plan.devices.size() == 1 && plan.devices[0].is_cuda();
  // A call for a graph that is used again may repay the order of the edges, which later ones find.
  if (request.method == "auto" && on_one_gpu && !request.budget.is_limited() &&
      (facts.is_used || facts.has_sorted_edges(plan.devices[0]))) {
    constexpr std::array both{&forest_methods[0], &forest_methods[1]};
    const Case run{facts, request, plan, plan.devices, devices.machine->n_threads};
    plan.method = fastest_method(both, run, reasons).name;
  }
  const std::size_t of_an_edge =
      2 * sizeof(vertex_t) + sizeof(edge_t) + bytes_of(request.distances);
  complete(plan, forest_methods, facts, request, devices,
           {.results = static_cast<std::size_t>(facts.n_vertices) * of_an_edge,
            .form = Form::upper_triangle,
            .on_gpu = bytes_of_whole_graph(facts)},
           reasons);
  return plan;
}

Plan plan_minimum_arborescence(const Facts& facts, const Request& request, const Devices& devices) {
  const std::size_t of_a_vertex =
      3 * sizeof(vertex_t) + sizeof(edge_t) + bytes_of(request.distances);
  return plan_alone(edmonds, {}, facts, request, devices,
                    {.results = static_cast<std::size_t>(facts.n_vertices) * of_a_vertex});
}

Plan plan_bottleneck_paths(const Facts& facts, const Request& request, const Devices& devices) {
  const bool is_graph = facts.structure_bytes > 0;
  const std::size_t of_an_edge =
      2 * sizeof(vertex_t) + sizeof(edge_t) + bytes_of(request.distances);
  const std::size_t forest = is_graph ? static_cast<std::size_t>(facts.n_vertices) * of_an_edge : 0;
  const std::size_t of_a_pair = sizeof(edge_t) + bytes_of(request.distances);
  return plan_alone(kruskal, {}, facts, request, devices,
                    {.results = forest + static_cast<std::size_t>(request.n_sources) * of_a_pair,
                     .form = Form::upper_triangle});
}

Plan plan_forest_of_edges(const Facts& facts, const Request& request, const Devices& devices) {
  Reasons reasons(request.explains);
  Plan plan;
  const Suits suits{.seconds = fastest_of(forest_methods, facts, request, devices),
                    .divides = false};
  plan.devices = choose_devices(devices, suits, reasons, plan.lost);
  plan_method(plan, request);
  complete(plan, forest_methods, facts, request, devices, {}, reasons);
  return plan;
}

}  // namespace warpgraph::plan
