// PageRank.
#include "plan/devices.hpp"
#include "plan/methods/methods.hpp"
#include "plan/rates.hpp"

#include <array>

namespace warpgraph::plan {
namespace {

/// Returns the cost of a sweep: contributions are gathered and updated, then sent to all.
Rounds rounds_of_sweep(const Facts& facts) {
  const auto n = static_cast<double>(facts.n_vertices);
  const double seconds = static_cast<double>(facts.given_arcs) / rates::gathered_by_a_gpu +
                         n / rates::updated_by_a_gpu;
  return {seconds, 8 * n};
}

double of_power_iteration(const Case& run) {
  const Facts& facts = run.facts;
  const auto n_arcs = static_cast<double>(facts.given_arcs);
  if (!run.on_gpu()) {
    const double sweep =
        rates::gathering_on_a_core * (n_arcs + static_cast<double>(facts.n_vertices));
    return rates::sweeps_of_pagerank * sweep / run.speedup();
  }
  const double copy = facts.is_on_devices ? 0 : rates::copy_of_an_arc * n_arcs;
  return copy + rates::sweeps_of_pagerank * rounds_of_sweep(facts).seconds(run.devices.size());
}

constexpr std::array pagerank_methods{
    Method{.name = "auto",
           .on_gpu = true,
           .on_workers = true,
           .on_gpus = true,
           .seconds = of_power_iteration},
    Method{.name = "pull",
           .on_gpu = true,
           .on_workers = true,
           .on_gpus = true,
           .seconds = of_power_iteration},
    Method{.name = "push", .on_gpu = true, .seconds = of_power_iteration},
};

}  // namespace

Plan plan_pagerank(const Facts& facts, const Request& request, const Devices& devices) {
  Reasons reasons(request.explains);
  Plan plan;
  plan.method = method_of(pagerank_methods, request.method).name;
  Suits suits{.work = facts.given_arcs, .worthwhile = rates::pagerank_arcs_worth_a_gpu};
  suits.divides = plan.method != "push";
  suits.bytes_on_one = bytes_of_whole_graph(facts);
  suits.memory_limit = request.memory_limit;
  suits.rounds = [&facts] { return rounds_of_sweep(facts); };
  plan.devices = choose_devices(devices, suits, reasons);
  refuse_mixed(plan.devices, "pagerank");
  EXPECTS(plan.method != "push" || plan.devices.size() == 1,
          "method='push' runs on one device, got the list ", listed(plan.devices), "; name one");
  complete(plan, pagerank_methods, facts, request, devices, bytes_of_whole_graph(facts), reasons);
  return plan;
}

}  // namespace warpgraph::plan
