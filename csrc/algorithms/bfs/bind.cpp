#include "algorithms/bfs/bfs.hpp"
#include "bindings/call.hpp"
#include "bindings/graph_handle.hpp"

#if defined(WARPGRAPH_HAS_CUDA)
#include "core/cuda/stream_pool.hpp"
#endif

namespace warpgraph {
namespace {

void bfs(GraphHandle& graph, const BfsOptions& options, std::span<vertex_t> hops,
         std::span<vertex_t> predecessors, const std::string& method, Device device) {
  if (method == "reference") {
    bfs_reference(graph.pattern(), options, hops, predecessors);
  } else if (device.is_cuda()) {
    WARPGRAPH_ON_CUDA(bfs_cuda(graph.pattern_on(device), options, hops, predecessors,
                               *cuda::BorrowedStream(device)));
  } else {
    bfs_cpu(graph.pattern(), options, hops, predecessors);
  }
}

/// `predecessors` may be empty: then they are not computed.
void bfs_arrays(GraphHandle& graph, vertex_t source, vertex_t limit, bool symmetric, py::array hops,
                py::array predecessors, const py::object& progress, const std::string& method,
                const std::string& device, std::size_t memory_limit) {
  const BfsOptions options{source, limit, symmetric, memory_limit};
  const std::span<vertex_t> hops_out = writable<vertex_t>(hops);
  const std::span<vertex_t> predecessors_out = writable<vertex_t>(predecessors);
  run_released(progress, [&] {
    bfs(graph, options, hops_out, predecessors_out, method, Device::parse(device));
  });
}

}  // namespace

void init_bfs(py::module_& module) {
  module.def("bfs", &bfs_arrays, py::arg("graph"), py::arg("source"), py::arg("limit"),
             py::arg("mirrored"), py::arg("hops"), py::arg("predecessors"), py::arg("progress"),
             py::arg("method"), py::arg("device"), py::arg("memory_limit") = 0);
}

}  // namespace warpgraph
