// What plans may know of a graph.
#pragma once

#include "plan/plan.hpp"
#include "warpgraph/graph.hpp"
#include "warpgraph/planning/client_facts.hpp"

#include <string_view>

namespace warpgraph {

/// Returns the facts of a graph, which are found when a plan asks for them. All arguments outlive
/// them. `form`: the graph that is searched; nullptr if it has all edges both ways and must be
/// made.
[[nodiscard]] plan::Facts facts_of(Graph& given, Graph* form, const plan::Request& request,
                                   const ClientFacts& known);

/// Makes the checks that a graph has deferred where it will be copied to devices in any case: on
/// its way there. So facts are found there, too. Returns whether this has copied the graph.
bool check_where_read(Graph& graph, std::string_view algorithm, const plan::Request& request,
                      const plan::Devices& devices, const ClientFacts& known);

}  // namespace warpgraph
