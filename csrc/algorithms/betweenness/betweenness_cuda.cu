#include "algorithms/betweenness/betweenness.hpp"
#include "algorithms/betweenness/device/device_searches.cuh"

namespace warpgraph {
namespace betweenness {
namespace {

/// Returns the sums of the dependencies of all sources, on vertices or arcs.
template <bool of_arcs, class W>
DependencySums search_scoring(const SearchedGraph<W>& graph, W limit,
                              const BetweennessOptions& options, const cuda::Stream& stream) {
  const auto run = [&](auto&& searches) {
    searches.run();
    return searches.sums();
  };
  if (graph.host.weights != nullptr) {
    return run(DeviceSearches<of_arcs, TightLengths<W>>(graph, limit, options, stream));
  }
  using Hops = TightHops::Weight;
  // No path has more arcs. A limit of W is compared with it first, since it may be infinite, or too
  // large for Hops.
  const Hops most = graph.host.n_vertices;
  const auto hops = limit < static_cast<W>(most) ? static_cast<Hops>(limit) : most;
  const SearchedGraph<Hops> pattern{with_weights<Hops>(graph.host, nullptr),
                                    with_weights<Hops>(graph.on_device, nullptr),
                                    graph.is_mirrored};
  return run(DeviceSearches<of_arcs, TightHops>(pattern, hops, options, stream));
}

template <class W>
DependencySums search_all(const SearchedGraph<W>& graph, W limit, const BetweennessOptions& options,
                          const cuda::Stream& stream) {
  return options.of_arcs ? search_scoring<true>(graph, limit, options, stream)
                         : search_scoring<false>(graph, limit, options, stream);
}

}  // namespace
}  // namespace betweenness

template <class W>
DependencySums dependencies_cuda(const SimpleGraph<W>& graph, W limit,
                                 const BetweennessOptions& given, const cuda::Stream& stream) {
  using namespace betweenness;
  const CsrView<W>& host = graph.host;
  if (graph.copy_on != nullptr) {  // kept with the graph, so it is not part of this call's memory
    const SearchedGraph<W> searched{host, (*graph.copy_on)(stream.device()), graph.is_mirrored};
    return search_all(searched, limit, given, stream);
  }
  // Rows were not simple, so `host` is a simplified graph of this call, of which no copy is kept:
  // it is copied here in each call, which for several devices is once for each block of sources.
  const auto n_weights = static_cast<std::size_t>(host.weights == nullptr ? 0 : host.n_arcs);
  const std::size_t bytes = bytes_of_pattern(host) + n_weights * sizeof(W);
  given.budget.on(stream.device())
      .require("a copy of the graph for betweenness centrality", bytes, advice_on_device_memory);
  const DevicePattern pattern(host, stream);
  const cuda::DeviceBuffer<W> weights = cuda::to_device(host.weights, n_weights, stream);
  BetweennessOptions options = given;
  options.budget = given.budget.after(bytes);
  const SearchedGraph<W> searched{
      host, with_weights<W>(pattern.view(), n_weights == 0 ? nullptr : weights.data()),
      graph.is_mirrored};
  return search_all(searched, limit, options, stream);
}

WARPGRAPH_INSTANTIATE_FUNCTION(dependencies_cuda, float)
WARPGRAPH_INSTANTIATE_FUNCTION(dependencies_cuda, double)
WARPGRAPH_INSTANTIATE_FUNCTION(dependencies_cuda, std::int64_t)

}  // namespace warpgraph
