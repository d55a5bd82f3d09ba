// Breadth-first search.
#include "plan/devices.hpp"
#include "plan/methods/methods.hpp"
#include "plan/rates.hpp"

#include <algorithm>
#include <array>

namespace warpgraph::plan {
namespace {

constexpr std::array bfs_methods{
    Method{.name = "by levels", .on_gpu = true, .on_gpus = true, .formula = formulas_of("bfs")},
    Method{.name = "near-far",
           .on_gpu = true,
           .on_workers = true,
           .on_gpus = true,
           .formula = formulas_of("bfs")},
};

/// Returns the cost of a search on several GPUs; none if it takes no less than on one.
std::function<Rounds()> rounds_of_levels(const Facts& facts, const Request& request) {
  if (!request.is_kept || request.is_restricted || request.wants_predecessors) return {};
  if (facts.n_vertices < rates::bfs_vertices_to_divide) return {};
  if (facts.given_arcs < rates::degree_of_levels * facts.n_vertices) return {};
  return [&facts] {
    const auto n = static_cast<double>(facts.n_vertices);
    const double seconds =
        static_cast<double>(facts.given_arcs) / rates::bfs_arcs_a_second_of_a_gpu +
        4 * n / rates::bytes_a_second_to_host;
    return Rounds{seconds, n / 2, facts.is_mirrored() ? rates::undivided_search : 1.0};
  };
}

/// Returns whether the devices search level by level.
bool go_by_levels(const Facts& facts, const Plan& plan, Reasons& reasons) {
  if (!plan.devices[0].is_cuda()) return plan.devices.size() == 1;
  const bool has_few_levels = facts.n_arcs >= rates::degree_of_levels * facts.n_vertices;
  reasons.add("bfs on ", listed(plan.devices), ": ",
              has_few_levels ? "level by level" : "by near-far, several hops a round", ", as ",
              facts.n_arcs, " edges of ", facts.n_vertices, " vertices are ",
              has_few_levels ? "not less" : "less", " than ", rates::degree_of_levels, " each");
  return has_few_levels;
}

std::size_t number_of_different(std::vector<Device> devices) {
  std::ranges::sort(devices, {}, &Device::index);
  // Not std::ranges::unique, whose subrange Clang 14 does not compile.
  const auto last = std::unique(devices.begin(), devices.end());
  return static_cast<std::size_t>(last - devices.begin());
}

/// Returns whether the search uses the transposed graph: if that is kept, or if many searches have
/// not had it. On a GPU it needs a copy there beside the graph's, or one of a part beside that of
/// the graph.
void plan_transposed(Plan& plan, const Facts& facts, const Request& request,
                     const Machine& machine) {
  const Device first = plan.devices[0];
  const bool is_limited = request.budget.is_limited();
  const std::size_t structure = facts.structure_bytes / number_of_different(plan.devices);
  if (first.is_cuda() && (is_limited || 2 * structure > machine.free_memory(first))) return;
  plan.uses_transposed = facts.has_transposed;
  if (plan.uses_transposed || is_limited) return;
  if (facts.n_arcs < rates::degree_worth_transposing * facts.n_vertices) return;
  plan.counts_search = true;
  plan.uses_transposed = facts.n_directed_searches >= rates::searches_before_transposing &&
                         3 * facts.bytes <= machine.free_memory(Device{});
}

}  // namespace

Plan plan_bfs(const Facts& facts, const Request& request, const Devices& devices) {
  Reasons reasons(request.explains);
  Plan plan;
  Suits suits{.seconds = fastest_of(bfs_methods, facts, request, devices),
              .shape = [&facts] { return shape_of(facts); }};
  bound_memory(suits, facts, request);
  suits.rounds = rounds_of_levels(facts, request);
  plan.devices = choose_devices(devices, suits, reasons, plan.lost);
  refuse_mixed(plan.devices, "bfs");
  if (request.devices_only) {
    plan.reasons = reasons.take();
    return plan;
  }
  const bool by_levels = go_by_levels(facts, plan, reasons);
  plan.method = by_levels ? "by levels" : "near-far";
  plan.is_mirrored = !request.is_directed || (request.is_kept && facts.is_mirrored());
  if (request.is_kept && !plan.is_mirrored && by_levels) {
    plan_transposed(plan, facts, request, *devices.machine);
  }
  const auto n = static_cast<std::size_t>(facts.n_vertices);
  const std::size_t n_hops =
      request.n_targets < 0 ? n : static_cast<std::size_t>(request.n_targets);
  // Hops of targets are gathered from those of all vertices, on one GPU by the search itself.
  const bool gathers =
      request.n_targets >= 0 && !(plan.devices.size() == 1 && plan.devices[0].is_cuda());
  const bool transposes = plan.uses_transposed && !facts.has_transposed;
  complete(plan, bfs_methods, facts, request, devices,
           {.results = (n_hops + (request.wants_predecessors ? n : 0)) * sizeof(vertex_t),
            .form = transposes ? Form::transposed : Form::none,
            .held = gathers ? n * sizeof(vertex_t) : 0,
            .on_gpu = bytes_of_whole_graph(facts)},
           reasons);
  return plan;
}

}  // namespace warpgraph::plan
