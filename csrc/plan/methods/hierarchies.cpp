#include "plan/methods/hierarchies.hpp"

#include "plan/rates.hpp"

#include <algorithm>
#include <cmath>

namespace warpgraph::plan {

namespace {

/// Returns the number of searches, in all threads, that take as long as preparing a hierarchy.
double searches_that_prepare(const Facts& facts) {
  return rates::searches_that_prepare * std::pow(facts.arcs_per_vertex(), 4);
}

}  // namespace

std::int64_t sources_worth_preparing(const Facts& facts, bool on_gpu) {
  if (on_gpu) return rates::sources_worth_preparing_on_a_gpu;
  const double searches = searches_that_prepare(facts);
  constexpr double most = 1e18;
  return std::max(rates::fewest_sources_to_prepare,
                  static_cast<std::int64_t>(std::nearbyint(std::min(searches, most))));
}

double seconds_to_prepare(const Facts& facts, int n_threads) {
  if (facts.has_hierarchy) return 0;
  const double size = static_cast<double>(facts.n_vertices) + static_cast<double>(facts.n_arcs);
  return searches_that_prepare(facts) * rates::search_of_preparing * size /
         std::max(1.0, static_cast<double>(n_threads));
}

void explain_preparing(const Facts& facts, int n_threads, Reasons& reasons) {
  if (facts.has_hierarchy) return;
  reasons.add("the time includes about ", rounded(seconds_to_prepare(facts, n_threads), 2),
              " s for preparing the hierarchy, which a wg.Graph keeps for later calls; its memory "
              "is an estimate");
}

bool hierarchy_may_gain(const Facts& facts, const Request& request, std::int64_t n_sources,
                        bool on_gpu) {
  const bool is_likely = n_sources >= sources_worth_preparing(facts, on_gpu) &&
                         facts.n_arcs <= rates::degree_of_hierarchies * facts.n_vertices;
  if (!facts.has_hierarchy && !is_likely) return false;
  if (!request.unweighted && !facts.has_exact_sums()) return false;
  return request.distances != Number::float32 || facts.fits_float32();
}

}  // namespace warpgraph::plan
