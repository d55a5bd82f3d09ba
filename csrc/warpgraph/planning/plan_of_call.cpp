#include "warpgraph/planning/plan_of_call.hpp"

#include "core/error.hpp"
#include "warpgraph/planning/facts_of_graph.hpp"
#include "warpgraph/planning/needs/memory_needs.hpp"

#include <algorithm>
#include <bit>
#include <functional>
#include <string_view>

namespace warpgraph {
namespace {

using plan::Facts;
using plan::Plan;
using plan::Request;

/// Throws OutOfMemory where the call will ask for more memory than there is, in the same words;
/// unless other searches take the call then.
void require_needs(const Plan& made, const Ledger& ledger) {
  if (!made.search_otherwise.empty()) return;
  const auto require = [](const std::vector<MemoryNeed>& needs, MemoryBudget budget) {
    for (const MemoryNeed& need : needs) {
      if (!need.what.empty()) budget.require(need.what, need.bytes, need.advice);
    }
  };
  require(made.needs_of_form, ledger.budget());
  require(made.needs_of_weights, ledger.budget().after(made.bytes_of_form));
  require(made.needs, ledger.budget().after(made.bytes_held));
}

/// Returns a number for calls that take about as long on the same graph: those of the same
/// arguments, but for the vertices, whose number counts by its power of two.
std::uint64_t kind_of(std::string_view algorithm, const Request& request, const Facts& facts) {
  std::uint64_t kind = std::hash<std::string_view>{}(algorithm);
  const auto add = [&kind](auto value) {
    constexpr std::uint64_t multiplier = 0x9E3779B97F4A7C15;
    kind = (kind ^ static_cast<std::uint64_t>(value)) * multiplier;
  };
  add(std::bit_width(static_cast<std::uint64_t>(request.n_sources)));
  add(std::bit_width(static_cast<std::uint64_t>(request.n_targets)));
  add(request.distances);
  for (const bool flag :
       {request.is_directed, request.unweighted, request.is_restricted, request.has_limit,
        request.wants_predecessors, request.of_edges, request.maximum, request.has_start,
        request.results_on_device, facts.has_hierarchy, facts.has_landmarks}) {
    add(flag);
  }
  add(std::hash<std::string_view>{}(request.method == "strong" ? request.method : ""));
  return kind | 1;
}

}  // namespace

std::unique_ptr<Plan> plan_of_call(const CallToPlan& call, Graph* given, Graph* form,
                                   Ledger& ledger) {
  const auto& [algorithm, request, devices, sizes, known] = call;
  const bool was_copied =
      given != nullptr && check_where_read(*given, algorithm, request, devices, known);
  Facts facts = given == nullptr ? sizes : facts_of(*given, form, request, known);
  facts.is_new_on_devices = was_copied;
  const bool learns = given != nullptr && plan::is_learning();
  const std::uint64_t kind = learns ? kind_of(algorithm, request, facts) : 0;
  if (learns) {
    facts.learnt = [&learnt = given->weight_facts().learnt, kind](std::string_view method,
                                                                  plan::Place place) {
      return learnt.seconds(kind, method, place);
    };
  }
  if (request.asks_for_needs) {
    facts.needs = given == nullptr ? needs_of_points(algorithm, facts, request)
                                   : needs_of_graph(algorithm, facts, request, *given, form, known);
    facts.needs_of_form = needs_of_form(facts, given);
  }
  auto made = std::make_unique<Plan>(make_plan(algorithm, facts, request, devices));
  ledger.run_on(made->devices);
  if (made->bytes > 0) {  // it is known; with less memory, calls do with less
    made->bytes = std::min(made->bytes + request.bytes_before, ledger.limit());
  }
  try {
    require_needs(*made, ledger);
  } catch (const OutOfMemory& error) {
    made->refusal = error.what();
    if (made->otherwise.empty()) return made;
    Request instead = request;
    instead.method = made->otherwise;
    auto other = plan_of_call({algorithm, instead, devices, sizes, known}, given, form, ledger);
    const std::string reason =
        concat(made->otherwise, " instead of ", made->method, ": ", error.what());
    other->reasons.insert(other->reasons.begin(), reason);
    return other;
  }
  if (given == nullptr || request.is_only_planned) return made;
  WeightFacts& kept = given->weight_facts();
  if (!request.devices_only) {
    // What several ways have taken together tells little about each.
    if (made->ways.empty()) made->kind = kind;
    kept.learnt.begin(made->lost, made->lost_searching);
    if (made->lost > 0) plan::lose_by_waiting(made->lost);
  }
  if (made->divides_edge_lists) kept.edge_lists |= bytes_of(request.distances);
  if (made->counts_search) ++kept.n_directed_searches;
  if (made->counts_gather) ++kept.n_gathers;
  return made;
}

}  // namespace warpgraph
