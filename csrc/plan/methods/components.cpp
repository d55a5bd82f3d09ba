// Connected components, communities, core and truss numbers, triangles.
#include "plan/devices.hpp"
#include "plan/methods/methods.hpp"
#include "plan/rates.hpp"

#include <array>
#include <cmath>

namespace warpgraph::plan {
namespace {

constexpr std::array components_methods{
    Method{.name = "weak",
           .on_gpu = true,
           .on_workers = true,
           .on_gpus = true,
           .formula = formulas_of("components")},
    Method{.name = "strong", .on_gpu = true, .formula = formulas_of("strong components")},
};

/// Returns the cost of a call on several GPUs; none if it takes no less than on one.
std::function<Rounds()> rounds_of_call(const Facts& facts) {
  if (facts.n_vertices < rates::components_vertices_to_divide) return {};
  const auto n = static_cast<double>(facts.n_vertices);
  const double seconds =
      static_cast<double>(facts.given_arcs) / rates::components_arcs_a_second_of_a_gpu +
      4 * n / rates::bytes_a_second_to_host;
  return [=] { return Rounds{seconds, n / 8, rates::undivided_search}; };
}

double of_cores(const Case& run) {
  const auto n_arcs = static_cast<double>(run.facts.n_arcs);
  return rates::core_numbers_of_an_arc * n_arcs / run.speedup();
}

double of_triangles(const Case& run) {
  const auto n_arcs = static_cast<double>(run.facts.n_arcs);
  const double merged = n_arcs * std::sqrt(run.facts.arcs_per_vertex());
  return rates::triangles_of_an_arc * merged / run.speedup();
}

double of_communities(const Case& run) {
  const auto n_arcs = static_cast<double>(run.facts.n_arcs);
  return rates::communities_of_an_arc * n_arcs / run.speedup();
}

double of_trusses(const Case& run) { return rates::trusses_to_triangles * of_triangles(run); }

constexpr Method moving{.name = "local_moving", .seconds = of_communities};
constexpr Method peeling{.name = "peeling", .seconds = of_cores};
constexpr Method peeling_edges{.name = "peeling", .seconds = of_trusses};
constexpr Method oriented_edges{.name = "oriented_edges", .seconds = of_triangles};

/// Plans a call whose results and temporary arrays have so many bytes a vertex.
Plan plan_of_triangles(const Facts& facts, const Request& request, const Devices& devices,
                       std::size_t of_a_vertex) {
  return plan_alone(oriented_edges, {}, facts, request, devices,
                    {.results = static_cast<std::size_t>(facts.n_vertices) * of_a_vertex});
}

}  // namespace

Plan plan_components(const Facts& facts, const Request& request, const Devices& devices) {
  Reasons reasons(request.explains);
  const bool is_strong = request.method == "strong" && request.is_directed;
  Suits suits{
      .seconds = fastest_of({&components_methods[is_strong ? 1 : 0], 1}, facts, request, devices),
      .shape = [&facts] { return shape_of(facts); }};
  suits.divides = !is_strong;
  bound_memory(suits, facts, request);
  if (request.is_kept && !is_strong) suits.rounds = rounds_of_call(facts);
  Plan plan;
  plan.devices = choose_devices(devices, suits, reasons, plan.lost);
  refuse_mixed(plan.devices, "connected_components");
  if (request.devices_only) {
    plan.reasons = reasons.take();
    return plan;
  }
  // The check whether arcs are stored both ways takes longer than it saves in one call. A graph
  // that is kept is checked once for all calls.
  plan.is_mirrored = request.is_kept ? facts.is_mirrored() : facts.is_known_mirrored();
  EXPECTS(!is_strong || plan.devices.size() == 1,
          "strong components are found by one device, got the list ", listed(plan.devices),
          "; name one, or find weak components");
  plan.method = is_strong && !plan.is_mirrored ? "strong" : "weak";
  complete(plan, components_methods, facts, request, devices,
           {.results = static_cast<std::size_t>(facts.n_vertices) * sizeof(vertex_t),
            .on_gpu = bytes_of_whole_graph(facts)},
           reasons);
  return plan;
}

Plan plan_communities(const Facts& facts, const Request& request, const Devices& devices) {
  return plan_alone(moving, {}, facts, request, devices,
                    {.results = static_cast<std::size_t>(facts.n_vertices) * sizeof(vertex_t)});
}

Plan plan_core_numbers(const Facts& facts, const Request& request, const Devices& devices) {
  return plan_alone(peeling, {}, facts, request, devices,
                    {.results = static_cast<std::size_t>(facts.n_vertices) * sizeof(vertex_t)});
}

Plan plan_triangles(const Facts& facts, const Request& request, const Devices& devices) {
  return plan_of_triangles(facts, request, devices, sizeof(std::int64_t));
}

Plan plan_truss_numbers(const Facts& facts, const Request& request, const Devices& devices) {
  // The call's own need includes the results, whose size depends on the loops.
  return plan_alone(peeling_edges, {}, facts, request, devices, {});
}

Plan plan_transitivity(const Facts& facts, const Request& request, const Devices& devices) {
  return plan_of_triangles(facts, request, devices, sizeof(std::int64_t) + sizeof(vertex_t));
}

Plan plan_clustering(const Facts& facts, const Request& request, const Devices& devices) {
  constexpr std::size_t of_a_vertex = sizeof(std::int64_t) + sizeof(vertex_t) + sizeof(double);
  return plan_of_triangles(facts, request, devices, of_a_vertex);
}

}  // namespace warpgraph::plan
