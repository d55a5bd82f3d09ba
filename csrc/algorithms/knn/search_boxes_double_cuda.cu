#include "algorithms/knn/search_boxes.cuh"

namespace warpgraph::knn {

template void search_boxes(const DevicePoints<double>&, const KnnOptions&, const NeighboursView&,
                           const cuda::Stream&);
template std::size_t boxes_bytes<double>(std::size_t, std::size_t, int);

}  // namespace warpgraph::knn
