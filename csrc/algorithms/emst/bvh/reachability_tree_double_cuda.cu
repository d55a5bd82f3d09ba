#include "algorithms/emst/bvh/reachability_tree.cuh"

namespace warpgraph::emst {

template void reachability_tree_by_bvh(const DevicePoints<double>&,
                                       const ReachabilityOptions<double>&, const TreeView&,
                                       const cuda::Stream&);
template std::size_t reachability_bvh_bytes<double>(std::size_t, std::size_t, int);

}  // namespace warpgraph::emst
