#include "bindings/plan/plan_of_call.hpp"

#include "bindings/plan/handle_facts.hpp"
#include "bindings/plan/named_facts.hpp"
#include "bindings/plan/needs/memory_needs.hpp"
#include "core/error.hpp"

#include <algorithm>

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
  if (!made.needs.empty()) {
    ledger.budget().require("the weights and the form that are read", made.bytes_held, "");
  }
  require(made.needs, ledger.budget().after(made.bytes_held));
}

}  // namespace

std::unique_ptr<Plan> plan_of_call(const CallToPlan& call, GraphHandle* given, GraphHandle* form,
                                   Ledger& ledger) {
  const auto& [algorithm, request, devices, known] = call;
  const bool was_copied = given != nullptr && check_where_read(*given, algorithm, request, devices);
  Facts facts = given == nullptr ? sizes_of(known) : facts_of(*given, form, request, known);
  facts.is_new_on_devices = was_copied;
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
    auto other = plan_of_call({algorithm, instead, devices, known}, given, form, ledger);
    const std::string reason =
        concat(made->otherwise, " instead of ", made->method, ": ", error.what());
    other->reasons.insert(other->reasons.begin(), reason);
    return other;
  }
  if (given == nullptr || request.is_only_planned) return made;
  WeightFacts& kept = given->weight_facts();
  if (made->divides_edge_lists) kept.edge_lists |= bytes_of(request.distances);
  if (made->counts_search) ++kept.n_directed_searches;
  if (made->counts_gather) ++kept.n_gathers;
  return made;
}

}  // namespace warpgraph
