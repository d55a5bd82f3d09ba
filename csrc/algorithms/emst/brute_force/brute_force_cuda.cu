#include "algorithms/emst/brute_force/brute_force_boruvka.cuh"

#include <algorithm>

namespace warpgraph::emst {

template <class T>
std::size_t brute_force_bytes(std::size_t n, std::size_t dimension) {
  return brute_force::bytes_of_tree<brute_force::EuclideanKeys<T>>(n, dimension);
}

template <class T>
void emst_by_brute_force(const DevicePoints<T>& points, const TreeView& tree,
                         const cuda::Stream& stream) {
  const knn::OwnedColumns<T> columns(points, stream);
  brute_force::find_tree(columns.view(), brute_force::EuclideanKeys<T>{}, tree, stream);
}

template <class T>
std::size_t reachability_brute_force_bytes(std::size_t n, std::size_t dimension, int min_samples) {
  return n * sizeof(T) +
         std::max(brute_force_bytes<T>(n, dimension),
                  n * dimension * sizeof(T) + knn::slice_bytes<T>(n, std::max(min_samples - 1, 1)));
}

template <class T>
void reachability_tree_by_brute_force(const DevicePoints<T>& points,
                                      const ReachabilityOptions<T>& options, const TreeView& tree,
                                      const cuda::Stream& stream) {
  const knn::OwnedColumns<T> columns(points, stream);
  const cuda::DeviceBuffer<T> cores = brute_force::cores_of(
      columns.view(), knn::SquaredDistances<T>{}, options.min_samples, stream);
  const brute_force::ReachabilityKeys<T> keys{cores.data(), options.factor};
  brute_force::find_tree(columns.view(), keys, tree, stream);
}

WARPGRAPH_INSTANTIATE_FOR_EACH_FLOAT(brute_force_bytes)
WARPGRAPH_INSTANTIATE_FOR_EACH_FLOAT(emst_by_brute_force)
WARPGRAPH_INSTANTIATE_FOR_EACH_FLOAT(reachability_brute_force_bytes)
WARPGRAPH_INSTANTIATE_FOR_EACH_FLOAT(reachability_tree_by_brute_force)

}  // namespace warpgraph::emst
