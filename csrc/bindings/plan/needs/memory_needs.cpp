#include "bindings/plan/needs/memory_needs.hpp"

#include "bindings/plan/needs/planned_call.hpp"

#include <algorithm>
#include <array>

namespace warpgraph {
namespace {

struct NeedsOfGraph {
  std::string_view algorithm;
  needs::NeedsOfCall* find;
};

constexpr std::array needs_of_graphs{
    NeedsOfGraph{"accessibility", needs::of_balls},
    NeedsOfGraph{"apsp", needs::of_all_pairs},
    NeedsOfGraph{"betweenness", needs::of_betweenness},
    NeedsOfGraph{"bfs", needs::of_bfs},
    NeedsOfGraph{"bottleneck_paths", needs::of_bottlenecks_in_graph},
    NeedsOfGraph{"clustering", needs::of_triangles},
    NeedsOfGraph{"communities", needs::of_communities},
    NeedsOfGraph{"connected_components", needs::of_components},
    NeedsOfGraph{"core_numbers", needs::of_core_numbers},
    NeedsOfGraph{"many_to_many", needs::of_many_to_many},
    NeedsOfGraph{"minimum_arborescence", needs::of_arborescence},
    NeedsOfGraph{"minimum_spanning_forest", needs::of_forest},
    NeedsOfGraph{"nearest", needs::of_nearest},
    NeedsOfGraph{"nearest_facilities", needs::of_facilities},
    NeedsOfGraph{"pagerank", needs::of_pagerank},
    NeedsOfGraph{"shortest_path", needs::of_path},
    NeedsOfGraph{"shortest_paths", needs::of_path},
    NeedsOfGraph{"sssp", needs::of_search},
    NeedsOfGraph{"steiner_tree", needs::of_steiner_tree},
    NeedsOfGraph{"transitivity", needs::of_triangles},
    NeedsOfGraph{"triangles", needs::of_triangles},
    NeedsOfGraph{"truss_numbers", needs::of_truss_numbers},
    NeedsOfGraph{"within", needs::of_balls},
};

}  // namespace

NeedsOfPlan needs_of_graph(std::string_view algorithm, const plan::Facts& facts,
                           const plan::Request& request, GraphHandle& given, GraphHandle* form,
                           const py::dict& known) {
  const auto found = std::ranges::find(needs_of_graphs, algorithm, &NeedsOfGraph::algorithm);
  if (found == needs_of_graphs.end()) return [](const plan::Plan&) { return needs::Needs{}; };
  GraphHandle& searched = form == nullptr ? given : *form;
  return [&facts, &request, &given, &searched, &known, find = found->find](const plan::Plan& plan) {
    return find({facts, request, given, searched, known, plan});
  };
}

}  // namespace warpgraph
