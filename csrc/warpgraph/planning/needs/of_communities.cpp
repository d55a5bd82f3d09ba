#include "algorithms/communities/communities.hpp"
#include "algorithms/core_numbers/core_numbers.hpp"
#include "algorithms/triangles/triangles.hpp"
#include "algorithms/truss_numbers/truss_numbers.hpp"
#include "graph/transform/simple_rows.hpp"
#include "warpgraph/planning/needs/planned_call.hpp"

#include <utility>

namespace warpgraph::needs {
namespace {

/// Returns the needs of an algorithm that makes a copy of a graph without simple rows.
Needs with_simple_rows(const PlannedCall& call, MemoryNeed need) {
  if (will_have_simple_rows(call)) return {std::move(need)};
  MemoryNeed copying = need_of_simple_rows<float>(call.shape());
  copying.bytes += need.bytes;
  return {std::move(need), std::move(copying)};
}

}  // namespace

Needs of_communities(const PlannedCall& call) {
  const CommunityMethod method = call.request.method == "label_propagation"
                                     ? CommunityMethod::label_propagation
                                     : CommunityMethod::leiden;
  return {need_of_communities(call.shape(), !call.request.unweighted, method,
                              longest_row_at_most(call))};
}

Needs of_core_numbers(const PlannedCall& call) {
  return with_simple_rows(call, need_of_core_numbers(call.shape()));
}

Needs of_truss_numbers(const PlannedCall& call) {
  return with_simple_rows(call, need_of_truss_numbers(call.shape()));
}

Needs of_triangles(const PlannedCall& call) { return {need_of_triangles(call.shape())}; }

}  // namespace warpgraph::needs
