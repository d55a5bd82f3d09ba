// Betweenness centrality of vertices and edges.
#include "plan/devices.hpp"
#include "plan/methods/methods.hpp"
#include "plan/rates.hpp"

#include <algorithm>

namespace warpgraph::plan {
namespace {

double of_brandes(const Case& run) {
  const Facts& facts = run.facts;
  const double size = static_cast<double>(facts.n_vertices) + static_cast<double>(facts.n_arcs);
  const double an_arc = run.request.unweighted ? rates::dependencies_by_hops_of_an_arc
                                               : rates::dependencies_of_an_arc;
  return an_arc * size * static_cast<double>(run.request.n_sources) / run.speedup();
}

constexpr Method brandes{.name = "brandes", .seconds = of_brandes};

}  // namespace

Plan plan_betweenness(const Facts& facts, const Request& request, const Devices& devices) {
  return plan_alone(brandes, {.work = request.n_sources * facts.given_arcs}, facts, request,
                    devices);
}

}  // namespace warpgraph::plan
