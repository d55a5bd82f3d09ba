#include "plan/methods/hierarchies.hpp"

#include "plan/rates.hpp"

#include <algorithm>
#include <cmath>

namespace warpgraph::plan {

std::int64_t sources_worth_preparing(const Facts& facts, bool on_gpu) {
  if (on_gpu) return rates::sources_worth_preparing_on_a_gpu;
  const double searches = rates::searches_that_prepare * std::pow(facts.arcs_per_vertex(), 4);
  constexpr double most = 1e18;
  return std::max(rates::fewest_sources_to_prepare,
                  static_cast<std::int64_t>(std::nearbyint(std::min(searches, most))));
}

bool hierarchy_may_gain(const Facts& facts, const Request& request, std::int64_t n_sources,
                        bool on_gpu) {
  if (request.without_hierarchy) return false;
  const bool is_likely = n_sources >= sources_worth_preparing(facts, on_gpu) &&
                         facts.n_arcs <= rates::degree_of_hierarchies * facts.n_vertices;
  if (!facts.has_hierarchy && !is_likely) return false;
  if (!request.unweighted && !facts.has_exact_sums()) return false;
  return request.distances != Number::float32 || facts.fits_float32();
}

}  // namespace warpgraph::plan
