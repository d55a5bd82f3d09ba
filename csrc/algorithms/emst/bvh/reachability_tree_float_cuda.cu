#include "algorithms/emst/bvh/reachability_tree.cuh"

namespace warpgraph::emst {

template void reachability_tree_by_bvh(const DevicePoints<float>&,
                                       const ReachabilityOptions<float>&, const TreeView&,
                                       const cuda::Stream&);
template std::size_t reachability_bvh_bytes<float>(std::size_t, std::size_t, int);

}  // namespace warpgraph::emst
