#include "warpgraph/planning/needs/memory_needs.hpp"

#include "warpgraph/planning/needs/planned_call.hpp"

#include <algorithm>
#include <array>

namespace warpgraph {
namespace {

struct NeedsOfGraph {
  std::string_view algorithm;
  needs::NeedsOfCall* find;
};

constexpr std::array needs_of_graphs{
#define WARPGRAPH_PLANNED(algorithm, planner, function) NeedsOfGraph{#algorithm, needs::function},
#include "plan/planned.inc"
#undef WARPGRAPH_PLANNED
};

}  // namespace

NeedsOfPlan needs_of_graph(std::string_view algorithm, const plan::Facts& facts,
                           const plan::Request& request, Graph& given, Graph* form,
                           const ClientFacts& known) {
  const auto found = std::ranges::find(needs_of_graphs, algorithm, &NeedsOfGraph::algorithm);
  if (found == needs_of_graphs.end()) return [](const plan::Plan&) { return needs::Needs{}; };
  Graph& searched = form == nullptr ? given : *form;
  return [&facts, &request, &given, &searched, &known, find = found->find](const plan::Plan& plan) {
    return find({facts, request, given, searched, known, plan});
  };
}

}  // namespace warpgraph
