// Conversions of graphs: ranks in place of weights, and rows in the order of their weights.
#include "plan/methods/methods.hpp"
#include "plan/rates.hpp"

namespace warpgraph::plan {
namespace {

double of_ranks(const Case& run) {
  const auto n = static_cast<double>(run.facts.n_arcs);
  return run.on_gpu() ? rates::ranks_call_on_a_gpu + rates::rank_on_a_gpu * n
                      : rates::rank_on_a_core / run.speedup() * n;
}

double of_sorted_rows(const Case& run) {
  return static_cast<double>(run.facts.n_arcs) *
         (run.on_gpu() ? rates::sort_on_a_gpu : rates::sort_on_a_core / run.speedup());
}

// Only wg.explain shows these names: the functions have no method=.
constexpr Method ranks{.name = "radix sort", .on_gpu = true, .seconds = of_ranks};
constexpr Method sorted_rows{.name = "sort", .on_gpu = true, .seconds = of_sorted_rows};

}  // namespace

Plan plan_ranks(const Facts& facts, const Request& request, const Devices& devices) {
  Suits suits{.divides = false};
  if (facts.n_arcs < rates::weights_too_many_for_a_gpu) {
    suits.seconds = fastest_of({&ranks, 1}, facts, request, devices);
  }
  return plan_alone(ranks, suits, facts, request, devices);
}

Plan plan_sorted_rows(const Facts& facts, const Request& request, const Devices& devices) {
  // Sixteen cores sort faster than the arrays are copied to a GPU and back.
  const Suits suits{.divides = false};
  return plan_alone(sorted_rows, suits, facts, request, devices);
}

}  // namespace warpgraph::plan
