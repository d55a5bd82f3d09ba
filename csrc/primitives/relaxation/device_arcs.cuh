// The arcs of a graph on a device, for kernels that visit every arc once: from the edge list if the
// search has built one, else from the CSR arrays.
#pragma once

#include "graph/for_each_edge.cuh"
#include "primitives/relaxation/device_edge_list.cuh"

namespace warpgraph::shortest_paths {

template <class W>
struct DeviceArcs {
  CsrView<W> graph;
  DeviceEdgeListView<W> list;  // empty: the graph's arrays are read
};

namespace detail {

template <class W, class Op>
struct OnCsrArc {
  const W* weights;  // nullptr: every arc weighs 1
  Op op;
  __device__ void operator()(vertex_t tail, vertex_t head, edge_t position) const {
    op(tail, head, weights != nullptr ? weights[position] : W{1});
  }
};

}  // namespace detail

/// Calls op(tail, head, weight) for every arc of the graph. Asynchronous.
template <class W, class Op>
void for_each_arc(const cuda::Stream& stream, const DeviceArcs<W>& arcs, const Op& op) {
  if (arcs.list.n_edges != 0) return for_each_arc(stream, arcs.list, op);
  const cuda::AllVertices all{arcs.graph.n_vertices};
  cuda::for_each_edge(stream, arcs.graph, all, cuda::mapping_for(arcs.graph),
                      detail::OnCsrArc<W, Op>{arcs.graph.weights, op});
}

}  // namespace warpgraph::shortest_paths
