#include "algorithms/betweenness/betweenness.hpp"
#include "algorithms/betweenness/device/device_searches.cuh"
#include "algorithms/betweenness/scores.hpp"
#include "graph/transform/simple_rows.hpp"

namespace warpgraph {
namespace betweenness {
namespace {

/// Returns the sums of the dependencies of all sources, on vertices or arcs.
template <bool of_arcs, class W>
HostVector<FixedPointSum> sums_of_sources(const SearchedGraph<W>& graph, W limit,
                                          const BetweennessOptions& options,
                                          const cuda::Stream& stream) {
  const auto run = [&](auto&& searches) {
    searches.run();
    return searches.sums();
  };
  if (graph.host.weights != nullptr) {
    return run(DeviceSearches<of_arcs, TightLengths<W>>(graph, limit, options, stream));
  }
  using Hops = TightHops::Weight;
  const auto hops = static_cast<Hops>(std::min<W>(limit, static_cast<W>(graph.host.n_vertices)));
  const SearchedGraph<Hops> pattern{with_weights<Hops>(graph.host, nullptr),
                                    with_weights<Hops>(graph.on_device, nullptr),
                                    graph.is_mirrored};
  return run(DeviceSearches<of_arcs, TightHops>(pattern, hops, options, stream));
}

/// Calls use(graph in host memory, sums) for the graph with simple rows.
template <bool of_arcs, class W, class Use>
void with_sums(const BetweennessGraph<W>& graph, W limit, const BetweennessOptions& given,
               const cuda::Stream& stream, const Use& use) {
  if (has_simple_rows(graph.host)) {
    const SearchedGraph<W> searched{graph.host, graph.on_device(), graph.is_mirrored};
    return use(graph.host, sums_of_sources<of_arcs, W>(searched, limit, given, stream));
  }
  const Csr<W> simple = to_simple_rows(graph.host);
  const CsrView<W> host = simple_view(simple);
  const auto n_weights = static_cast<std::size_t>(host.weights == nullptr ? 0 : host.n_arcs);
  const std::size_t bytes = bytes_of_pattern(host) + n_weights * sizeof(W);
  MemoryBudget(stream.device(), given.memory_limit)
      .require("betweenness centrality", bytes, advice_on_device_memory);
  const DevicePattern pattern(host, stream);
  const cuda::DeviceBuffer<W> weights = cuda::to_device(host.weights, n_weights, stream);
  BetweennessOptions options = given;
  options.memory_limit = left_of_limit(given.memory_limit, bytes);
  const SearchedGraph<W> searched{
      host, with_weights<W>(pattern.view(), n_weights == 0 ? nullptr : weights.data()),
      graph.is_mirrored};
  use(host, sums_of_sources<of_arcs, W>(searched, limit, options, stream));
}

}  // namespace
}  // namespace betweenness

template <class W>
void betweenness_cuda(const BetweennessGraph<W>& graph, W limit, const BetweennessOptions& options,
                      std::span<double> scores, const cuda::Stream& stream) {
  const betweenness::Scales scales(options, graph.host.n_vertices, options.endpoints);
  betweenness::with_sums<false, W>(graph, limit, options, stream,
                                   [&](const CsrView<W>&, const HostVector<FixedPointSum>& sums) {
                                     parallel_for(std::ssize(scores), [&](std::int64_t v) {
                                       const auto i = static_cast<std::size_t>(v);
                                       scores[i] = scales.of(v) * sums[i].value();
                                     });
                                   });
}

template <class W>
void edge_betweenness_cuda(const BetweennessGraph<W>& graph, const CsrView<W>& entries, W limit,
                           const BetweennessOptions& options, std::span<double> scores,
                           const cuda::Stream& stream) {
  const double scale = betweenness::Scales(options, graph.host.n_vertices, true).of(0);
  betweenness::with_sums<true, W>(
      graph, limit, options, stream,
      [&](const CsrView<W>& host, const HostVector<FixedPointSum>& sums) {
        HostVector<double> of_arcs(sums.size());
        parallel_for(std::ssize(sums), [&](std::int64_t e) {
          const auto i = static_cast<std::size_t>(e);
          of_arcs[i] = scale * sums[i].value();
        });
        betweenness::score_entries<W>(host, entries, of_arcs, options.directed, scores);
      });
}

#define WARPGRAPH_INSTANTIATE(W)                      \
  WARPGRAPH_INSTANTIATE_FUNCTION(betweenness_cuda, W) \
  WARPGRAPH_INSTANTIATE_FUNCTION(edge_betweenness_cuda, W)
WARPGRAPH_INSTANTIATE(float)
WARPGRAPH_INSTANTIATE(double)
WARPGRAPH_INSTANTIATE(std::int64_t)
#undef WARPGRAPH_INSTANTIATE

}  // namespace warpgraph
