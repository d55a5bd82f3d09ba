// The memory that the algorithms on the host will ask for, by the functions of sizes that they use
// themselves, for plans that end their call.
#pragma once

#include "plan/plan.hpp"
#include "warpgraph/graph.hpp"
#include "warpgraph/planning/client_facts.hpp"

#include <functional>
#include <string_view>
#include <vector>

namespace warpgraph {

using NeedsOfPlan = std::function<std::vector<MemoryNeed>(const plan::Plan& plan)>;

/// Returns plan::Facts::needs for an algorithm on a graph. The arguments are those of facts_of()
/// and its result, and outlive the function.
[[nodiscard]] NeedsOfPlan needs_of_graph(std::string_view algorithm, const plan::Facts& facts,
                                         const plan::Request& request, Graph& given, Graph* form,
                                         const ClientFacts& known);

/// Returns plan::Facts::needs_of_form for a graph, or for points, which have no forms.
[[nodiscard]] std::function<plan::NeedsOfForm(plan::Form form)> needs_of_form(
    const plan::Facts& facts, Graph* given);

/// Returns plan::Facts::needs for an algorithm on points.
[[nodiscard]] NeedsOfPlan needs_of_points(std::string_view algorithm, const plan::Facts& facts,
                                          const plan::Request& request);

/// Returns plan::Facts::bytes_of_searches for a graph.
[[nodiscard]] std::size_t bytes_of_searches(const Graph& graph, const plan::Request& request,
                                            std::string_view method, Device device);

}  // namespace warpgraph
