#include "algorithms/betweenness/betweenness.hpp"
#include "algorithms/betweenness/scores.hpp"
#include "core/memory/memory_budget.hpp"
#include "graph/symmetry/symmetry.hpp"
#include "runtime/worklist/deal.hpp"

#include <mutex>

namespace warpgraph {
namespace betweenness {
namespace {

/// The fewest sources that fill a GPU where levels are wide.
constexpr std::int64_t sources_of_a_gpu = 16;

/// Returns the sums of all devices.
template <class W>
DependencySums deal_sources(const std::vector<Device>& devices, const SimpleGraph<W>& graph,
                            const BetweennessOptions& options,
                            const DependenciesOn<W>& dependencies_on) {
  const auto n =
      static_cast<std::size_t>(options.of_arcs ? graph.host.n_arcs : edge_t{graph.host.n_vertices});
  const std::size_t bytes = n * sizeof(FixedPointSum);
  options.budget.require("storing the sums of all devices", (1 + devices.size()) * bytes,
                         "use fewer devices");
  DependencySums sums(n, FixedPointSum{});
  std::mutex mutex;  // guards sums
  const runtime::DealOptions how{
      options.budget,
      [](Device device) { return device.is_cuda() ? sources_of_a_gpu : std::int64_t{1}; },
      /*equal_work=*/true};
  runtime::deal(devices, std::ssize(options.sources), how,
                [&](Device device, runtime::Block block, MemoryBudget budget) {
                  BetweennessOptions mine = options;
                  mine.budget = budget;
                  mine.sources = options.sources.subspan(static_cast<std::size_t>(block.first),
                                                         static_cast<std::size_t>(block.size));
                  const DependencySums some = dependencies_on(device, graph, mine);
                  const std::lock_guard lock(mutex);
                  for (std::size_t i = 0; i < n; ++i) sums[i].add(some[i]);
                });
  return sums;
}

/// Calls use(graph, options) for the graph with simple rows.
template <class W, class Use>
void with_simple_rows(const BetweennessGraph<W>& graph, const BetweennessOptions& given,
                      const Use& use) {
  if (has_simple_rows(graph.host)) {
    return use(SimpleGraph<W>{graph.host, graph.is_mirrored, &graph.copy_on}, given);
  }
  const Csr<W> simple = to_simple_rows(graph.host, given.budget);
  const CsrView<W> view = simple_view(simple);
  const std::size_t weights = view.weights == nullptr ? 0 : sizeof(W);
  const std::size_t taken = static_cast<std::size_t>(view.n_arcs) * (sizeof(vertex_t) + weights) +
                            static_cast<std::size_t>(view.n_vertices) * sizeof(edge_t);
  BetweennessOptions options = given;
  options.budget = given.budget.after(taken);
  use(SimpleGraph<W>{view, graph.is_mirrored}, options);
}

}  // namespace
}  // namespace betweenness

template <class W>
void betweenness_multi(const std::vector<Device>& devices, const BetweennessGraph<W>& graph,
                       const CsrView<W>* entries, const BetweennessOptions& given,
                       const DependenciesOn<W>& dependencies_on, std::span<double> scores) {
  using namespace betweenness;
  const bool ends_count = given.endpoints || given.of_arcs;
  const Scales scales(given, graph.host.n_vertices, ends_count);
  with_simple_rows(
      graph, given, [&](const SimpleGraph<W>& simple, const BetweennessOptions& options) {
        const DependencySums sums = devices.size() == 1
                                        ? dependencies_on(devices[0], simple, options)
                                        : deal_sources(devices, simple, options, dependencies_on);
        if (entries == nullptr) return score_vertices(scales, sums, scores);
        score_entries(simple.host, *entries, scales, options.directed, sums, scores);
      });
}

namespace {

template <class W>
void on_cores(const CsrView<W>& graph, const CsrView<W>* entries, W limit,
              const BetweennessOptions& options, std::span<double> scores) {
  const auto on = [limit](Device, const SimpleGraph<W>& simple, const BetweennessOptions& some) {
    return dependencies_cpu(simple, limit, some);
  };
  const auto no_copy = [](Device) { return CsrView<W>{}; };
  const auto is_mirrored = [&] { return is_symmetric(static_cast<const CsrPattern&>(graph)); };
  betweenness_multi<W>({Device{}}, {graph, no_copy, is_mirrored}, entries, options, on, scores);
}

}  // namespace

template <class W>
void betweenness_cpu(const CsrView<W>& graph, W limit, const BetweennessOptions& options,
                     std::span<double> scores) {
  on_cores<W>(graph, nullptr, limit, options, scores);
}

template <class W>
void edge_betweenness_cpu(const CsrView<W>& graph, const CsrView<W>& entries, W limit,
                          const BetweennessOptions& given, std::span<double> scores) {
  BetweennessOptions options = given;
  options.of_arcs = true;
  on_cores<W>(graph, &entries, limit, options, scores);
}

#define WARPGRAPH_INSTANTIATE(W)                       \
  WARPGRAPH_INSTANTIATE_FUNCTION(betweenness_multi, W) \
  WARPGRAPH_INSTANTIATE_FUNCTION(betweenness_cpu, W)   \
  WARPGRAPH_INSTANTIATE_FUNCTION(edge_betweenness_cpu, W)
WARPGRAPH_INSTANTIATE(float)
WARPGRAPH_INSTANTIATE(double)
WARPGRAPH_INSTANTIATE(std::int64_t)
#undef WARPGRAPH_INSTANTIATE

}  // namespace warpgraph
