#include "primitives/knn/tile_search.cuh"
#include "primitives/metric/device_metrics.hpp"

namespace warpgraph::knn {

#define INSTANTIATE(T, MetricOf)                                                                   \
  template void search_tiles_for(const PointColumns<T>&, const metrics::MetricOf&,                 \
                                 const Queries<PointColumns<T>>&, const DeviceLists<double>&, int, \
                                 bool, const cuda::Stream&);
#define INSTANTIATE_FOR_NUMBERS(T) \
  INSTANTIATE(T, Manhattan)        \
  INSTANTIATE(T, Chebyshev)        \
  INSTANTIATE(T, Hamming)
INSTANTIATE_FOR_NUMBERS(float)
INSTANTIATE_FOR_NUMBERS(double)
INSTANTIATE(std::uint64_t, HammingOfBits)
INSTANTIATE(std::uint64_t, JaccardOfBits)
#undef INSTANTIATE_FOR_NUMBERS
#undef INSTANTIATE

}  // namespace warpgraph::knn
