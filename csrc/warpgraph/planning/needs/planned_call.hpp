// A call whose plan is made, for the functions that find what its algorithm asks for.
#pragma once

#include "core/memory_need.hpp"
#include "plan/plan.hpp"
#include "warpgraph/graph.hpp"
#include "warpgraph/planning/client_facts.hpp"

#include <algorithm>
#include <vector>

namespace warpgraph::needs {

using Needs = std::vector<MemoryNeed>;

/// A graph and a plan, by whose sizes algorithms tell what they will ask for.
struct PlannedCall {
  const plan::Facts& facts;
  const plan::Request& request;
  Graph& given;
  Graph& searched;  // the same, where the form that is searched must be made
  const ClientFacts& known;
  const plan::Plan& plan;

  /// Returns the sizes of the form that is searched.
  [[nodiscard]] CsrPattern shape() const {
    CsrPattern pattern = searched.shape();
    pattern.n_arcs = facts.n_arcs;
    return pattern;
  }
  [[nodiscard]] bool on_several() const { return plan.devices.size() > 1; }
  /// Returns the devices on the host that share its memory, a search on each.
  [[nodiscard]] std::size_t n_shares() const {
    return static_cast<std::size_t>(
        std::ranges::count_if(plan.devices, [](Device device) { return !device.is_cuda(); }));
  }
};

/// Returns a need that no one is refused for: the algorithm does with less.
inline Needs at_most(std::size_t bytes) { return {{"", bytes, ""}}; }

using NeedsOfCall = Needs(const PlannedCall& call);
#define WARPGRAPH_PLANNED(algorithm, planner, needs) NeedsOfCall needs;
#include "plan/planned.inc"
#undef WARPGRAPH_PLANNED
inline Needs no_needs(const PlannedCall&) { return {}; }
/// Returns the needs of a hierarchy that is made, or kept, and of the queries of all threads.
NeedsOfCall of_sweeps, of_paths_in_hierarchy;

/// Returns whether the form that is searched has simple rows. If it must be made, edges that leave
/// a vertex come first in its row, so that few forms have.
[[nodiscard]] bool will_have_simple_rows(const PlannedCall& call);
/// Returns the length of the longest row of the form that is searched, at most.
[[nodiscard]] edge_t longest_row_at_most(const PlannedCall& call);

/// Returns the need of a search by a method of sssp.
[[nodiscard]] MemoryNeed need_of_search(const PlannedCall& call, std::string_view method,
                                        std::int64_t n_sources, bool has_tree);

}  // namespace warpgraph::needs
