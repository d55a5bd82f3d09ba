// The arcs of a graph on a device, for steps that look at every arc once: from the list of edges if
// the search has made one, else from the CSR arrays in place.
#pragma once

#include "algorithms/sssp/edge_list.cuh"
#include "graph/for_each_edge.cuh"

namespace warpgraph::sssp_steps {

template <class W>
struct DeviceArcs {
  CsrView<W> graph;
  EdgeListView<W> list;  // no edges: the graph's arrays serve
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

/// op(tail, head, weight) for every arc of the graph. Does not wait.
template <class W, class Op>
void for_each_arc(const cuda::Stream& stream, const DeviceArcs<W>& arcs, const Op& op) {
  if (arcs.list.n_edges != 0) return for_each_arc(stream, arcs.list, op);
  const cuda::AllVertices all{arcs.graph.n_vertices};
  cuda::for_each_edge(stream, arcs.graph, all, cuda::mapping_for(arcs.graph),
                      detail::OnCsrArc<W, Op>{arcs.graph.weights, op});
}

/// Throws std::overflow_error, naming the arc, if the distance of a vertex does not fit W, or
/// NegativeCycle if one is the reason. `distances` lie on the device, `host` on the host.
template <class W>
void check_overflow_on(const cuda::Stream& stream, const DeviceArcs<W>& arcs,
                       const CsrView<W>& host, const SsspOptions<W>& options, const W* distances);

/// Predecessors by the rule in sssp.hpp, from distances that lie on the device.
template <class W>
void recover_predecessors_on(const cuda::Stream& stream, const DeviceArcs<W>& arcs, vertex_t source,
                             bool negative_weights, const W* distances, vertex_t* predecessors);

}  // namespace warpgraph::sssp_steps
