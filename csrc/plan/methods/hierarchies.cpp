#include "plan/methods/hierarchies.hpp"

#include "plan/methods/methods.hpp"
#include "plan/rates.hpp"

#include <algorithm>

namespace warpgraph::plan {

double seconds_to_prepare(const Facts& facts, int n_threads) {
  if (facts.has_hierarchy) return 0;
  const Size size{.vertices = static_cast<double>(facts.n_vertices),
                  .arcs = static_cast<double>(facts.n_arcs)};
  const double seconds =
      seconds_by(formulas_of("hierarchy"), Place::cores, size, n_threads).running;
  return std::max(seconds - facts.lost_searching, 0.0);
}

void explain_preparing(const Facts& facts, int n_threads, Reasons& reasons) {
  if (facts.has_hierarchy) return;
  reasons.add("the time includes about ", rounded(seconds_to_prepare(facts, n_threads), 2),
              " s for preparing the hierarchy, which a wg.Graph keeps for later calls; its memory "
              "is an estimate");
}

bool may_take_hierarchy(const Facts& facts, const Request& request, bool is_restricted) {
  if (request.has_limit || request.wants_predecessors) return false;
  return facts.has_hierarchy ||
         (!is_restricted && facts.n_arcs <= rates::degree_of_hierarchies * facts.n_vertices);
}

bool has_distances_of_searches(const Facts& facts, const Request& request) {
  if (!request.unweighted && !facts.has_exact_sums()) return false;
  return request.distances != Number::float32 || facts.fits_float32();
}

}  // namespace warpgraph::plan
