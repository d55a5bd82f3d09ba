#include "primitives/relaxation/relax.hpp"

#include "core/threads/parallel.hpp"

#include <algorithm>
#include <vector>

namespace warpgraph::shortest_paths {

template <class W>
double trimmed_mean_weight(const CsrView<W>& graph) {
  if (graph.weights == nullptr) return 1.0;
  const SampledArcs arcs(graph.n_arcs);
  std::vector<W> sample(static_cast<std::size_t>(arcs.size()));
  for (std::size_t i = 0; i < sample.size(); ++i) {
    sample[i] = graph.weights[arcs[static_cast<std::int64_t>(i)]];
  }
  return trimmed_mean(std::span<const W>(sample));
}

template <class W>
double trimmed_mean(std::span<const W> weights) {
  std::vector<double> sample;
  for (const W weight : weights) {
    if (weight != infinity<W>()) sample.push_back(static_cast<double>(weight));
  }
  std::sort(sample.begin(), sample.end());
  const auto mean_of = [&](std::size_t count) {
    double mean = 0;
    for (std::size_t i = 0; i < count; ++i) mean += sample[i] / static_cast<double>(count);
    return mean;
  };
  const double mean = mean_of(sample.size() - sample.size() / 4);
  return mean != 0 ? mean : mean_of(sample.size());
}

template <class W>
void set_infinite_beyond(W limit, std::span<W> distances) {
  if (limit == infinity<W>()) return;
  parallel_for(static_cast<std::int64_t>(distances.size()), [&](std::int64_t v) {
    W& distance = distances[static_cast<std::size_t>(v)];
    if (limit < distance) distance = infinity<W>();
  });
}

WARPGRAPH_INSTANTIATE_FOR_EACH_WEIGHT(trimmed_mean)
WARPGRAPH_INSTANTIATE_FOR_EACH_WEIGHT(trimmed_mean_weight)
WARPGRAPH_INSTANTIATE_FOR_EACH_WEIGHT(set_infinite_beyond)

}  // namespace warpgraph::shortest_paths
