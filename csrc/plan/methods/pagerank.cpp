// PageRank and betweenness, which rank vertices.
#include "plan/devices.hpp"
#include "plan/methods/methods.hpp"
#include "plan/rates.hpp"

#include <algorithm>
#include <array>
#include <limits>

namespace warpgraph::plan {
namespace {

/// Returns the cost of a sweep: contributions are gathered and updated, then sent to all.
Rounds rounds_of_sweep(const Facts& facts) {
  const auto n = static_cast<double>(facts.n_vertices);
  const double seconds = static_cast<double>(facts.given_arcs) / rates::gathered_by_a_gpu +
                         n / rates::updated_by_a_gpu;
  return {seconds, 8 * n};
}

constexpr std::array pagerank_methods{
    Method{.name = "pull",
           .on_gpu = true,
           .on_workers = true,
           .on_gpus = true,
           .formula = formulas_of("pagerank")},
    // An upper bound: pushes end early, or pulls take the call.
    Method{.name = "push", .on_gpu = true, .formula = formulas_of("pagerank")},
};

/// Returns the visits after which an attempt to push ends, or 0: none is made, since walks are not
/// likely to stay near few vertices. It depends on the graph and the request alone, since pushes
/// and pulls round differently.
std::int64_t visits_to_try(const Facts& facts, const Request& request) {
  const std::int64_t n = facts.n_vertices;
  const auto part = static_cast<std::int64_t>(static_cast<double>(n + facts.n_arcs) *
                                              rates::fraction_to_visit_by_pushes);
  const std::int64_t max_visits = std::min(part, rates::max_visits_by_pushes);
  const bool starts_at_few =
      request.n_sources > 0 && request.n_sources <= rates::max_starts_of_pushes;
  if (!starts_at_few || request.has_start || n < rates::fewest_vertices_to_push) return 0;
  if (facts.n_arcs > n * rates::max_degree_to_push) return 0;
  const double rounding = static_cast<double>(max_visits) * rates::rounding_of_a_visit;
  return request.error_pushed * rates::fraction_of_the_error_to_round < rounding ? 0 : max_visits;
}

/// Plans by which method "auto" ranks.
void choose_method(Plan& plan, const Facts& facts, const Request& request, Reasons& reasons) {
  plan.max_visits = visits_to_try(facts, request);
  const bool pushes = plan.max_visits > 0;
  if (pushes) {
    plan.method = "push";
    plan.otherwise = "pull";
  }
  reasons.add("method='auto' chose ", plan.method, " for ", facts.n_vertices, " vertices: a push ",
              pushes ? concat("from ", request.n_sources, " of them may converge within ",
                              plan.max_visits, " visits")
                     : "is not likely to be faster");
}

/// Plans whether cores gather along a copy whose hubs have the smallest numbers: from the second
/// call for a graph on, if it is larger than a cache, and most arcs join vertices that are not
/// near.
void plan_order(Plan& plan, const Facts& facts) {
  if (plan.devices[0].is_cuda() || facts.n_vertices < rates::vertices_beyond_a_cache) return;
  plan.counts_gather = true;
  if (facts.n_gathers == 0) return;
  if (facts.n_arcs < rates::degree_worth_an_order * facts.n_vertices) return;
  const Locality locality = facts.locality();
  plan.orders_by_degree =
      locality.at_hubs >= rates::least_fraction_at_hubs && locality.near < rates::max_fraction_near;
}

constexpr Method brandes_by_hops{.name = "brandes",
                                 .on_gpu = true,
                                 .on_workers = true,
                                 .on_gpus = true,
                                 .formula = formulas_of("betweenness by hops")};
constexpr Method brandes{.name = "brandes",
                         .on_gpu = true,
                         .on_workers = true,
                         .on_gpus = true,
                         .formula = formulas_of("betweenness by weights")};

}  // namespace

Plan plan_pagerank(const Facts& facts, const Request& request, const Devices& devices) {
  Reasons reasons(request.explains);
  Plan plan;
  const bool is_auto = request.method == "auto";
  plan.method = is_auto ? "pull" : method_of(pagerank_methods, request.method).name;
  plan.max_visits = std::numeric_limits<std::int64_t>::max();
  Suits suits{.seconds = fastest_of({pagerank_methods.data(), 1}, facts, request, devices),
              .shape = [&facts] { return shape_of(facts); }};
  suits.divides = plan.method != "push";
  bound_memory(suits, facts, request);
  if (request.is_kept) suits.rounds = [&facts] { return rounds_of_sweep(facts); };
  plan.devices = choose_devices(devices, suits, reasons, plan.lost);
  refuse_mixed(plan.devices, "pagerank");
  EXPECTS(plan.method != "push" || plan.devices.size() == 1,
          "method='push' runs on one device, got the list ", listed(plan.devices), "; name one");
  if (request.devices_only) {
    plan.reasons = reasons.take();
    return plan;
  }
  if (plan.method == "pull") {
    plan.accelerates = facts.n_arcs >= rates::arcs_worth_accelerating;
    plan_order(plan, facts);
  }
  if (is_auto) choose_method(plan, facts, request, reasons);
  const bool pulls = plan.method == "pull" || !plan.otherwise.empty();
  const bool transposes =
      pulls && request.is_directed && !facts.has_transposed && !request.is_empty;
  complete(plan, pagerank_methods, facts, request, devices,
           {.results = 2 * static_cast<std::size_t>(facts.n_vertices) * sizeof(double),
            .form = transposes ? Form::transposed : Form::none,
            .held = pulls ? request.bytes_of_vectors : 0,
            .on_gpu = bytes_of_whole_graph(facts)},
           reasons);
  return plan;
}

Plan plan_betweenness(const Facts& facts, const Request& request, const Devices& devices) {
  const Method& method = request.unweighted ? brandes_by_hops : brandes;
  const Suits suits{.seconds = fastest_of({&method, 1}, facts, request, devices),
                    .shape = [&facts] { return shape_of(facts); }};
  const std::int64_t n_scores = request.of_edges ? facts.given_arcs : facts.n_vertices;
  std::size_t converted = bytes_converted(facts, request);
  if (request.of_edges && converted > 0 && (facts.makes_undirected || facts.has_upper_triangle)) {
    // Those of the caller's graph, too, whose edges have the scores.
    converted += static_cast<std::size_t>(facts.given_arcs) * bytes_of(request.distances);
  }
  return plan_alone(
      method, suits, facts, request, devices,
      {.results = static_cast<std::size_t>(n_scores) * sizeof(double), .converted = converted});
}

}  // namespace warpgraph::plan
