// Points: their spanning trees, neighbours, dendrograms and means.
#include "plan/methods/methods.hpp"
#include "plan/rates.hpp"
#include "primitives/products/on_devices.hpp"

#include <algorithm>
#include <array>
#include <cmath>

namespace warpgraph::plan {
namespace {

/// Pairs of points, and of queries with points.
double n_pairs_of_neighbours(const Facts& facts) {
  return static_cast<double>(facts.n_vertices) *
         static_cast<double>(facts.n_new > 0 ? facts.n_new : facts.n_vertices);
}

double of_dendrogram(const Case& run) {
  const auto n = static_cast<double>(run.facts.n_vertices);
  return run.on_gpu() ? rates::dendrogram_on_a_gpu + rates::join_on_a_gpu * n
                      : rates::join_on_a_core / run.speedup() * n;
}

double of_kmeans(const Case& run) {
  const auto n = static_cast<double>(run.facts.n_vertices);
  const double multiplications =
      n * static_cast<double>(run.facts.n_dimensions) * static_cast<double>(run.facts.n_centres);
  const double iteration =
      run.on_gpu() ? rates::kmeans_iteration_on_a_gpu + rates::kmeans_on_a_gpu * multiplications
                   : rates::kmeans_of_a_point_on_a_core * n /
                             std::min(run.speedup(), rates::speedup_of_points_of_kmeans) +
                         rates::kmeans_on_a_core * multiplications / run.speedup();
  const std::int64_t most = run.facts.n_iterations;
  const double iterations = most == 0
                                ? rates::iterations_of_kmeans
                                : std::min(rates::iterations_of_kmeans, static_cast<double>(most));
  const double start = run.facts.finds_start ? rates::start_of_kmeans : 0;
  const double call = run.on_gpu() ? rates::kmeans_call_on_a_gpu : 0;
  return call + static_cast<double>(run.facts.n_runs) * (start + iterations) * iteration;
}

double of_new_points(const Case& run) {
  const auto n_old = static_cast<double>(run.facts.n_vertices);
  return n_old * static_cast<double>(run.facts.n_new * run.facts.n_dimensions) *
         rates::pair_on_a_core / run.speedup();
}

double of_all_pairs(const Case& run) {
  const Facts& facts = run.facts;
  const auto d = static_cast<double>(facts.n_dimensions);
  if (run.on_gpu()) {
    return rates::metric_call_on_a_gpu +
           n_pairs_of_neighbours(facts) *
               (rates::metric_pair_on_a_gpu + rates::metric_coordinate_of_a_pair_on_a_gpu * d);
  }
  const double of_a_pair = takes_powers(facts.metric)
                               ? rates::metric_power_of_a_pair * d
                               : rates::metric_pair + rates::metric_coordinate_of_a_pair * d;
  return n_pairs_of_neighbours(facts) * of_a_pair / run.speedup();
}

double of_metric_boxes(const Case& run) {
  const Facts& facts = run.facts;
  const auto n = static_cast<double>(facts.n_new > 0 ? facts.n_new : facts.n_vertices);
  const auto d = static_cast<double>(facts.n_dimensions);
  const double powers = takes_powers(facts.metric) ? rates::metric_powers_of_a_point : 0;
  const double of_a_point =
      rates::metric_boxes_of_a_point * std::pow(rates::metric_boxes_of_a_dimension, d) + powers;
  return std::min(n * of_a_point / run.speedup(), of_all_pairs(run));
}

constexpr Method boxes{.name = "boxes", .on_gpu = true, .formula = formulas_of("tree by boxes")};
constexpr Method pairs{
    .name = "all pairs", .on_gpu = true, .formula = formulas_of("tree by pairs")};
constexpr std::array neighbours{
    Method{.name = "boxes", .on_gpu = true, .formula = formulas_of("neighbours by boxes")},
    Method{.name = "all pairs",
           .on_host = false,
           .on_gpu = true,
           .formula = formulas_of("neighbours by products")},
    Method{.name = "products", .on_gpu = true, .formula = formulas_of("neighbours by products")},
};
constexpr Method anew{.name = "anew", .on_gpu = true, .formula = formulas_of("tree by boxes")};
constexpr Method extended{.name = "extended", .seconds = of_new_points};
constexpr Method contraction{.name = "contraction", .on_gpu = true, .seconds = of_dendrogram};
constexpr Method lloyd{.name = "lloyd", .on_gpu = true, .seconds = of_kmeans};

constexpr Method metric_pairs{.name = "all pairs", .on_gpu = true, .seconds = of_all_pairs};
constexpr Method metric_boxes{.name = "boxes", .seconds = of_metric_boxes};

/// Reason of plans whose method is "boxes".
constexpr std::string_view what_boxes_do =
    "boxes around groups of near points are compared first, so most pairs of points are not";

/// Plans a call that compares points by a metric. `on_gpus`: whether "auto" may take a GPU.
Plan plan_by_metric(std::int64_t most_dimensions, bool on_gpus, const Memory& memory,
                    const Facts& facts, const Request& request, const Devices& devices) {
  const std::int64_t d = facts.n_dimensions;
  const bool has_boxes =
      has_box_bounds(facts.metric) && (takes_powers(facts.metric) || d <= most_dimensions);
  Suits suits{.divides = false};
  if (on_gpus) {
    suits.seconds = [&](Place place, const Shape& shape) {
      const Method& method = has_boxes && place == Place::cores ? metric_boxes : metric_pairs;
      return fastest_of({&method, 1}, facts, request, devices)(place, shape);
    };
  }
  Reasons reasons(request.explains);
  Plan plan;
  plan.devices = choose_devices(devices, suits, reasons, plan.lost);
  const bool on_gpu = plan.devices[0].is_cuda();
  const bool in_boxes = has_boxes && !on_gpu;
  const Method& method = in_boxes ? metric_boxes : metric_pairs;
  plan.method = method.name;
  complete(plan, {&method, 1}, facts, request, devices, memory, reasons);
  if (!request.explains) return plan;
  if (on_gpu) {
    plan.reasons.push_back("a GPU compares all pairs by this metric");
  } else if (!has_box_bounds(facts.metric)) {
    plan.reasons.push_back("no boxes bound distances by this metric");
  } else if (!in_boxes) {
    plan.reasons.push_back(
        concat("boxes gain in at most ", most_dimensions, " dimensions, not in ", d));
  } else if (takes_powers(facts.metric)) {
    plan.reasons.push_back("boxes and simpler norms spare powers in any number of dimensions");
  } else {
    plan.reasons.push_back(concat("boxes gain in ", d, " dimensions"));
  }
  if (in_boxes) plan.reasons.emplace_back(what_boxes_do);
  return plan;
}

/// Returns whether products find the neighbours faster than boxes, on cores.
bool gains_by_products(const Facts& facts) {
  // 0: those within a radius, which take no memory as candidates.
  const bool are_few = facts.n_neighbors <= rates::neighbours_for_products;
  if (facts.n_new == 0) return are_few && facts.n_dimensions >= rates::dimensions_for_products;
  return are_few && facts.n_new >= rates::queries_for_products &&
         facts.n_dimensions >= rates::dimensions_for_products_of_queries;
}

/// Returns whether a GPU finds neighbours by products; else it has boxes, or compares all pairs.
bool has_products_on_gpu(const Facts& facts) {
  if (facts.n_new > 0) {
    return products::find_neighbours_of_queries(facts.n_dimensions, facts.n_neighbors);
  }
  const std::int64_t n_others = facts.n_neighbors - 1;  // the point itself is one
  return products::find_neighbours(facts.n_vertices, facts.n_dimensions, n_others);
}

std::string_view method_of_neighbours(const Facts& facts, Place place) {
  if (place == Place::cores) return gains_by_products(facts) ? "products" : "boxes";
  if (facts.n_dimensions <= rates::dimensions_for_boxes) return "boxes";
  return has_products_on_gpu(facts) ? "products" : "all pairs";
}

/// Throws DeviceError for neighbours of other points that only cores find.
void refuse_queries(const Facts& facts, const Device& device) {
  if (!device.is_cuda() || facts.n_new == 0 || has_products_on_gpu(facts)) return;
  throw DeviceError(concat("the search for neighbours of queries runs on a GPU in more than ",
                           rates::dimensions_for_boxes, " dimensions and for at most ",
                           products::most_neighbours, " neighbours, got ", facts.n_dimensions,
                           " dimensions and ", facts.n_neighbors,
                           " neighbours; pass device='cpu' or 'auto'"));
}

std::size_t bytes_of_neighbours(const Facts& facts) {
  const auto n_rows = static_cast<std::size_t>(facts.n_new > 0 ? facts.n_new : facts.n_vertices);
  if (facts.finds_farthest) return n_rows * sizeof(double);
  return n_rows * static_cast<std::size_t>(facts.n_neighbors) * (sizeof(vertex_t) + sizeof(double));
}

/// Gives the reason why a plan of neighbours within a radius lacks the bytes of its result.
void explain_unknown_number(const Facts& facts, const Request& request, Plan& plan) {
  if (!request.explains || facts.n_neighbors > 0) return;
  plan.reasons.push_back(concat("the memory is that of the search: the result takes another ",
                                sizeof(vertex_t) + sizeof(double),
                                " bytes for each neighbour, which the search counts first, and "
                                "nobody knows their number before"));
}

/// Returns the least bytes with which a GPU can find neighbours, whichever results are asked for.
/// It needs the lists of a slice of the points, of which one neighbour may be the point itself.
std::size_t least_bytes_on_gpu(const Facts& facts) {
  constexpr std::size_t max_of_a_slice = std::size_t{1} << 27;  // as points_per_slice() has it
  Facts stored = facts;
  stored.finds_farthest = false;
  stored.n_neighbors = std::max<std::int64_t>(facts.n_neighbors - 1, 1);
  return std::min(bytes_of_neighbours(stored),
                  max_of_a_slice * (sizeof(vertex_t) + sizeof(double)));
}

}  // namespace

Plan plan_neighbours(const Facts& facts, const Request& request, const Devices& devices) {
  Reasons reasons(request.explains);
  Plan plan;
  const bool runs_on_gpu = facts.n_new == 0 || has_products_on_gpu(facts);
  Suits suits{.divides = false};
  if (runs_on_gpu) {
    suits.seconds = [&](Place place, const Shape& shape) {
      const Method& method = method_of(neighbours, method_of_neighbours(facts, place));
      return fastest_of({&method, 1}, facts, request, devices)(place, shape);
    };
  }
  suits.least_bytes = least_bytes_on_gpu(facts);
  suits.budget = request.budget;
  plan.devices = choose_devices(devices, suits, reasons, plan.lost);
  refuse_queries(facts, plan.devices[0]);
  const bool on_gpu = plan.devices[0].is_cuda();
  plan.method = method_of_neighbours(facts, on_gpu ? Place::gpu : Place::cores);
  if (plan.method == "products" && !on_gpu) {
    reasons.add("products of matrices tell most pairs apart in ", facts.n_dimensions,
                " dimensions");
  }
  if (plan.method == boxes.name) reasons.add(what_boxes_do);
  complete(plan, neighbours, facts, request, devices, {.results = bytes_of_neighbours(facts)},
           reasons);
  explain_unknown_number(facts, request, plan);
  return plan;
}

Plan plan_tree_of_points(const Facts& facts, const Request& request, const Devices& devices) {
  const std::int64_t n = facts.n_vertices;
  const std::int64_t d = facts.n_dimensions;
  const bool has_boxes = d <= rates::dimensions_for_boxes;
  const Method& method = has_boxes ? boxes : pairs;
  const Suits suits{.seconds = fastest_of({&method, 1}, facts, request, devices), .divides = false};
  const std::size_t of_an_edge = 2 * sizeof(vertex_t) + sizeof(double);
  Plan plan = plan_alone(method, suits, facts, request, devices,
                         {.results = static_cast<std::size_t>(n) * of_an_edge});
  if (request.explains && has_boxes) plan.reasons.emplace_back(what_boxes_do);
  if (request.explains && !has_boxes) {
    const double n_pairs = static_cast<double>(n) * static_cast<double>(n - 1) / 2;
    plan.reasons.push_back(concat("the tree of ", n, " points in ", d, " dimensions on ",
                                  joined(plan.devices), ": ", rounded(n_pairs, 3),
                                  " pairs, whose distances take ",
                                  rounded(n_pairs * static_cast<double>(d), 3),
                                  " multiplications and are not kept in memory"));
  }
  return plan;
}

Plan plan_neighbours_by_metric(const Facts& facts, const Request& request, const Devices& devices) {
  const bool are_own = facts.n_new == 0 && facts.n_neighbors > 0;
  Plan plan = plan_by_metric(
      are_own ? rates::dimensions_for_metric_boxes : rates::dimensions_for_metric_boxes_of_queries,
      true, {.results = bytes_of_neighbours(facts)}, facts, request, devices);
  explain_unknown_number(facts, request, plan);
  return plan;
}

Plan plan_tree_by_metric(const Facts& facts, const Request& request, const Devices& devices) {
  constexpr std::size_t of_an_edge = 2 * sizeof(vertex_t) + sizeof(double);
  // On a GPU, rounds over all pairs; on cores each pair is compared once. Not measured.
  return plan_by_metric(rates::dimensions_for_metric_boxes, false,
                        {.results = static_cast<std::size_t>(facts.n_vertices) * of_an_edge}, facts,
                        request, devices);
}

Plan plan_more_points(const Facts& facts, const Request& request, const Devices& devices) {
  const bool has_boxes = facts.n_dimensions <= rates::dimensions_for_boxes;
  const double share = has_boxes ? 0 : rates::new_points_to_old_ones;
  const double few = share * static_cast<double>(facts.n_vertices) + rates::few_new_points;
  const bool are_few = static_cast<double>(facts.n_new) <= few;
  return plan_alone(are_few ? extended : anew, {}, facts, request, devices);
}

Plan plan_dendrogram(const Facts& facts, const Request& request, const Devices& devices) {
  const Suits suits{.seconds = fastest_of({&contraction, 1}, facts, request, devices),
                    .divides = false};
  return plan_alone(contraction, suits, facts, request, devices);
}

Plan plan_kmeans(const Facts& facts, const Request& request, const Devices& devices) {
  const Suits suits{.seconds = fastest_of({&lloyd, 1}, facts, request, devices), .divides = false};
  return plan_alone(lloyd, suits, facts, request, devices);
}

}  // namespace warpgraph::plan
