#include "algorithms/emst/bvh/tree_search.cuh"

namespace warpgraph::emst {

template void span_by_tree(const DeviceRows<double>&, const TreeView&, const cuda::Stream&);
template std::size_t tree_bytes<double>(std::size_t, std::size_t);

}  // namespace warpgraph::emst
