// Searches from many vertices that end early.
#include "plan/methods/methods.hpp"
#include "plan/rates.hpp"

#include <algorithm>

namespace warpgraph::plan {
namespace {

double of_searches(const Case& run) {
  return static_cast<double>(run.request.n_sources) *
         (rates::search_of_a_vertex * static_cast<double>(run.facts.n_vertices) +
          rates::search_of_an_arc * static_cast<double>(run.facts.n_arcs));
}

/// Returns an upper bound: the time of searches that reach the whole graph.
double of_balls(const Case& run) {
  return of_searches(run) / std::max(1.0, static_cast<double>(run.n_threads));
}

constexpr Method balls{
    .name = "dijkstra", .on_gpu = true, .on_workers = true, .on_gpus = true, .seconds = of_balls};
constexpr Method labels{.name = "dijkstra", .on_gpu = true, .formula = formulas_of("facilities")};

}  // namespace

Plan plan_within(const Facts& facts, const Request& request, const Devices& devices) {
  const bool has_sums = request.n_targets >= 0;
  // Of distances that are found, places for rows are known before: an offset, and two while it is
  // put together.
  const std::int64_t n_results =
      has_sums ? request.n_sources * request.n_targets : 3 * request.n_sources + 1;
  Plan plan = plan_alone(balls, {}, facts, request, devices,
                         {.results = static_cast<std::size_t>(n_results) * sizeof(std::int64_t),
                          .converted = bytes_converted(facts, request),
                          .n_searches = searches_at_a_time(request, devices)});
  if (request.explains) {
    plan.reasons.emplace_back(
        "the time is that of searches without a limit on the cores, and an upper bound for others; "
        "device='auto' takes the cores, since GPUs were not measured");
    if (!has_sums) {
      plan.reasons.push_back(concat("the memory is that of the searches: the result takes another ",
                                    sizeof(vertex_t) + bytes_of(request.distances),
                                    " bytes for each distance that is found, twice that while it "
                                    "is put together, and nobody knows their number before"));
    }
  }
  return plan;
}

Plan plan_nearest_facilities(const Facts& facts, const Request& request, const Devices& devices) {
  const bool transposes = request.is_directed && !facts.has_transposed;
  const std::size_t bytes_of_column =
      static_cast<std::size_t>(facts.n_vertices) * (sizeof(vertex_t) + bytes_of(request.distances));
  const std::size_t label_bytes = static_cast<std::size_t>(request.n_sources) * bytes_of_column;
  // With fewer facilities than are asked for, the result has its own columns beside the labels.
  const auto n_wider = static_cast<std::size_t>(std::max<std::int64_t>(request.n_targets, 0));
  // A GPU reads the arcs both ways, and has labels before and after a round.
  const std::size_t of_arcs = request.is_directed ? 2 * facts.bytes : facts.bytes;
  const Suits suits{.seconds = fastest_of({&labels, 1}, facts, request, devices),
                    .shape = [&facts] { return shape_of(facts); }};
  return plan_alone(labels, suits, facts, request, devices,
                    {.results = label_bytes + n_wider * bytes_of_column,
                     .form = transposes ? Form::transposed : Form::none,
                     .converted = bytes_converted(facts, request),
                     .on_gpu = of_arcs + 2 * label_bytes});
}

}  // namespace warpgraph::plan
