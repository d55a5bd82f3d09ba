#include "algorithms/hdbscan/choice/cluster_choice.hpp"
#include "algorithms/hdbscan/choice/point_labels.hpp"
#include "algorithms/hdbscan/device/device_hdbscan.hpp"
#include "core/containers/at.hpp"
#include "core/cuda/copies/copy_out.hpp"
#include "core/cuda/copies/upload.hpp"
#include "core/cuda/for_each.cuh"
#include "core/cuda/memory/buffer.hpp"
#include "core/memory/memory_budget.hpp"

#include <algorithm>

namespace warpgraph::hdbscan {
namespace {

/// A loop body that counts the points in no cluster.
struct CountNoise {
  const vertex_t* labels;
  unsigned* n_noise;
  __device__ void operator()(std::int64_t p) const {
    if (labels[p] == no_vertex) atomicAdd(n_noise, 1u);
  }
};

template <class T>
cuda::DeviceBuffer<T> upload(const std::vector<T>& values, const cuda::Stream& stream) {
  return cuda::to_device(std::span<const T>(values), stream);
}

/// Returns the number of points of each label. All lambdas are positive, so all points below a
/// selected cluster are in it, but for `n_noise` of the root.
std::vector<std::int64_t> count_points(const CondensedTreeView& tree,
                                       std::span<const vertex_t> above,
                                       const LabelledClusters& labelled, unsigned n_noise) {
  std::vector<std::int64_t> n_points(labelled.clusters.size(), 0);
  const auto count = [&](vertex_t selected, std::int64_t n) {
    const vertex_t label = selected == no_vertex ? no_vertex : labelled.label_of[at(selected)];
    if (label != no_vertex) n_points[at(label)] += n;
  };
  for (std::size_t c = 0; c < tree.parent.size(); ++c) {
    count(above[c], tree.size[c]);
    if (c > 0) count(above[at(tree.parent[c])], -std::int64_t{tree.size[c]});
  }
  count(above[0], -std::int64_t{n_noise});
  return n_points;
}

}  // namespace

Selection select_clusters_cuda(const CondensedTreeView& clusters, double least_lambda,
                               const PointPlaces& points, const SelectionOptions& options,
                               const PointLabels& found, MemoryBudget budget,
                               const cuda::Stream& stream) {
  const std::int64_t n = std::ssize(points.cluster);
  const auto n_points = static_cast<vertex_t>(n);
  budget.require("finding the labels of clusters",
                 clusters.parent.size() * (3 * sizeof(vertex_t) + sizeof(double)),
                 "pass device='cpu'");
  const ClusterChoice choice = choose_clusters(clusters, options, least_lambda);
  const std::vector<vertex_t> above = selected_above(clusters, choice.selected);
  const auto n_selected = std::count(choice.selected.begin(), choice.selected.end(), 1);
  std::vector<vertex_t> first(above.size(), n_points);
  const auto device_above = upload(above, stream);
  const auto device_first = upload(first, stream);
  cuda::for_each(stream, n,
                 AssignCluster{points.cluster.data(), points.lambda.data(), device_above.data(),
                               least_lambda_of_root(clusters, n_selected, options.epsilon),
                               found.labels.data(), device_first.data()});
  const cuda::DeviceBuffer<unsigned> noise(1, stream);
  cuda::fill(noise.data(), 0u, 1, stream);
  if (above[0] == 0) {  // then every cluster is below a selected one
    cuda::for_each(stream, n, CountNoise{found.labels.data(), noise.data()});
  }
  cuda::copy_out(first.data(), device_first.data(), first.size(), stream);
  const unsigned n_noise = cuda::read_back(noise.data(), stream);
  LabelledClusters labelled = number_clusters(first, n_points);
  const auto label_of = upload(labelled.label_of, stream);
  const auto death = cuda::to_device(clusters.death, stream);
  cuda::for_each(stream, n,
                 NumberLabel{points.lambda.data(), death.data(), label_of.data(),
                             found.labels.data(), found.probabilities.data()});
  Selection result;
  result.persistence = persistences(clusters, labelled.clusters, choice.value,
                                    count_points(clusters, above, labelled, n_noise));
  result.clusters = std::move(labelled.clusters);
  stream.synchronize();
  return result;
}

}  // namespace warpgraph::hdbscan
