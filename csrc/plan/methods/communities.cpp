// Core numbers and triangles.
#include "plan/methods/methods.hpp"
#include "plan/rates.hpp"

#include <cmath>

namespace warpgraph::plan {
namespace {

double of_cores(const Case& run) {
  const auto n_arcs = static_cast<double>(run.facts.n_arcs);
  return rates::core_numbers_of_an_arc * n_arcs / run.speedup();
}

double of_triangles(const Case& run) {
  const auto n_arcs = static_cast<double>(run.facts.n_arcs);
  const double merged = n_arcs * std::sqrt(run.facts.arcs_per_vertex());
  return rates::triangles_of_an_arc * merged / run.speedup();
}

constexpr Method peeling{.name = "peeling", .seconds = of_cores};
constexpr Method oriented_edges{.name = "oriented_edges", .seconds = of_triangles};

/// Plans a call whose results and temporary arrays have so many bytes a vertex.
Plan plan_of_triangles(const Facts& facts, const Request& request, const Devices& devices,
                       std::size_t of_a_vertex) {
  return plan_alone(oriented_edges, {.work = facts.n_arcs}, facts, request, devices,
                    {.results = static_cast<std::size_t>(facts.n_vertices) * of_a_vertex});
}

}  // namespace

Plan plan_core_numbers(const Facts& facts, const Request& request, const Devices& devices) {
  return plan_alone(peeling, {.work = facts.n_arcs}, facts, request, devices,
                    {.results = static_cast<std::size_t>(facts.n_vertices) * sizeof(vertex_t)});
}

Plan plan_triangles(const Facts& facts, const Request& request, const Devices& devices) {
  return plan_of_triangles(facts, request, devices, sizeof(std::int64_t));
}

Plan plan_transitivity(const Facts& facts, const Request& request, const Devices& devices) {
  return plan_of_triangles(facts, request, devices, sizeof(std::int64_t) + sizeof(vertex_t));
}

Plan plan_clustering(const Facts& facts, const Request& request, const Devices& devices) {
  constexpr std::size_t of_a_vertex = sizeof(std::int64_t) + sizeof(vertex_t) + sizeof(double);
  return plan_of_triangles(facts, request, devices, of_a_vertex);
}

}  // namespace warpgraph::plan
