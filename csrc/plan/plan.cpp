#include "plan/plan.hpp"

#include "plan/methods/methods.hpp"

#include <algorithm>
#include <array>

namespace warpgraph::plan {
namespace {

struct Planned {
  std::string_view algorithm;
  Planner* plan;
};

constexpr std::array planned{
    Planned{"accessibility", plan_within},
    Planned{"apsp", plan_apsp},
    Planned{"betweenness", plan_betweenness},
    Planned{"bfs", plan_bfs},
    Planned{"bottleneck_paths", plan_bottleneck_paths},
    Planned{"clustering", plan_clustering},
    Planned{"communities", plan_communities},
    Planned{"connected_components", plan_components},
    Planned{"core_numbers", plan_core_numbers},
    Planned{"euclidean_mst", plan_tree_of_points},
    Planned{"forest_of_edges", plan_forest_of_edges},
    Planned{"kmeans", plan_kmeans},
    Planned{"many_to_many", plan_many_to_many},
    Planned{"minimum_arborescence", plan_minimum_arborescence},
    Planned{"minimum_spanning_forest", plan_forest},
    Planned{"more_points", plan_more_points},
    Planned{"nearest", plan_nearest},
    Planned{"neighbours_by_metric", plan_neighbours_by_metric},
    Planned{"nearest_neighbors", plan_neighbours},
    Planned{"nearest_facilities", plan_nearest_facilities},
    Planned{"pagerank", plan_pagerank},
    Planned{"rank_weights", plan_ranks},
    Planned{"shortest_path", plan_shortest_path},
    Planned{"shortest_paths", plan_shortest_paths},
    Planned{"single_linkage", plan_dendrogram},
    Planned{"sort_by_weight", plan_sorted_rows},
    Planned{"sssp", plan_sssp},
    Planned{"steiner_tree", plan_steiner_tree},
    Planned{"transitivity", plan_transitivity},
    Planned{"tree_by_metric", plan_tree_by_metric},
    Planned{"triangles", plan_triangles},
    Planned{"truss_numbers", plan_truss_numbers},
    Planned{"within", plan_within},
};

}  // namespace

Plan make_plan(std::string_view algorithm, const Facts& facts, const Request& request,
               const Devices& devices) {
  const auto found = std::ranges::find(planned, algorithm, &Planned::algorithm);
  EXPECTS(found != planned.end(), "no plans are made for ", algorithm);
  return found->plan(facts, request, devices);
}

}  // namespace warpgraph::plan
