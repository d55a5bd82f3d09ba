#include "algorithms/emst/bvh/euclidean_tree.cuh"

namespace warpgraph::emst {

template void emst_by_bvh(const DevicePoints<float>&, const TreeView&, const cuda::Stream&);
template std::size_t bvh_bytes<float>(std::size_t, std::size_t);

}  // namespace warpgraph::emst
