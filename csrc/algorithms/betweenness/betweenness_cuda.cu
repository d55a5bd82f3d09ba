#include "algorithms/betweenness/betweenness.hpp"
#include "algorithms/betweenness/device/device_searches.cuh"
#include "algorithms/betweenness/scores.hpp"
#include "graph/transform/simple_rows.hpp"

#include <optional>

namespace warpgraph {
namespace betweenness {
namespace {

/// Calls run(host, on device, options) for a graph with simple rows.
template <class Run>
void with_simple_rows_on(const BetweennessGraph& graph, const BetweennessOptions& given,
                         const cuda::Stream& stream, const Run& run) {
  if (has_simple_rows(graph.host)) return run(graph.host, graph.on_device(), given);
  CsrView<std::int64_t> view;
  static_cast<CsrPattern&>(view) = graph.host;
  const Csr<std::int64_t> simple = to_simple_rows(view);
  const CsrPattern host = simple.view();
  BetweennessOptions options = given;
  MemoryBudget(stream.device(), given.memory_limit)
      .require("betweenness centrality", bytes_of_pattern(host), advice_on_device_memory);
  const DevicePattern on_device(host, stream);
  options.memory_limit = left_of_limit(given.memory_limit, on_device.bytes());
  run(host, on_device.view(), options);
}

/// Returns the sums of the dependencies of all sources, on vertices or arcs.
template <bool of_arcs>
HostVector<FixedPointSum> sums_of_sources(const CsrPattern& host, const CsrPattern& on_device,
                                          const BetweennessGraph& graph, vertex_t limit,
                                          const BetweennessOptions& options,
                                          const cuda::Stream& stream) {
  DeviceSearches<of_arcs> searches({host, on_device, graph.is_mirrored}, limit, options, stream);
  searches.run();
  return searches.sums();
}

}  // namespace
}  // namespace betweenness

void betweenness_cuda(const BetweennessGraph& graph, vertex_t limit,
                      const BetweennessOptions& options, std::span<double> scores,
                      const cuda::Stream& stream) {
  const betweenness::Scales scales(options, graph.host.n_vertices, options.endpoints);
  betweenness::with_simple_rows_on(
      graph, options, stream,
      [&](const CsrPattern& host, const CsrPattern& on_device, const BetweennessOptions& left) {
        const auto sums =
            betweenness::sums_of_sources<false>(host, on_device, graph, limit, left, stream);
        parallel_for(std::ssize(scores), [&](std::int64_t v) {
          const auto i = static_cast<std::size_t>(v);
          scores[i] = scales.of(v) * sums[i].value();
        });
      });
}

void edge_betweenness_cuda(const BetweennessGraph& graph, const CsrPattern& entries, vertex_t limit,
                           const BetweennessOptions& options, std::span<double> scores,
                           const cuda::Stream& stream) {
  const double scale = betweenness::Scales(options, graph.host.n_vertices, true).of(0);
  betweenness::with_simple_rows_on(
      graph, options, stream,
      [&](const CsrPattern& host, const CsrPattern& on_device, const BetweennessOptions& left) {
        const auto sums =
            betweenness::sums_of_sources<true>(host, on_device, graph, limit, left, stream);
        HostVector<double> of_arcs(sums.size());
        parallel_for(std::ssize(sums), [&](std::int64_t e) {
          const auto i = static_cast<std::size_t>(e);
          of_arcs[i] = scale * sums[i].value();
        });
        betweenness::score_entries<std::int64_t>(with_weights<std::int64_t>(host, nullptr),
                                                 with_weights<std::int64_t>(entries, nullptr),
                                                 of_arcs, options.directed, scores);
      });
}

}  // namespace warpgraph
