#include "algorithms/connected_components/connected_components.hpp"
#include "bindings/call.hpp"
#include "bindings/graph_handle.hpp"

#if defined(WARPGRAPH_HAS_CUDA)
#include "core/cuda/stream_pool.hpp"
#endif

namespace warpgraph {
namespace {

vertex_t weak(GraphHandle& graph, bool symmetric, std::span<vertex_t> labels,
              const std::string& method, Device device, std::size_t memory_limit) {
  if (method == "reference") return connected_components_reference(graph.pattern(), labels);
  return device.is_cuda()
             ? WARPGRAPH_ON_CUDA(connected_components_cuda(graph.pattern_on(device), symmetric,
                                                           labels, memory_limit,
                                                           *cuda::BorrowedStream(device)))
             : connected_components_cpu(graph.pattern(), symmetric, labels, memory_limit);
}

vertex_t strong(GraphHandle& graph, std::span<vertex_t> labels, const std::string& method,
                Device device, std::size_t memory_limit) {
  if (method == "reference") return strong_components_reference(graph.pattern(), labels);
  return device.is_cuda()
             ? WARPGRAPH_ON_CUDA(strong_components_cuda(
                   graph.pattern_on(device), labels, memory_limit, *cuda::BorrowedStream(device)))
             : strong_components_cpu(graph.pattern(), labels, memory_limit);
}

}  // namespace

void init_connected_components(py::module_& module) {
  module.def(
      "connected_components",
      [](GraphHandle& graph, bool symmetric, py::array labels, const std::string& method,
         const std::string& device, std::size_t memory_limit) {
        const std::span<vertex_t> out = writable<vertex_t>(labels);
        return run_released(py::none(), [&] {
          return weak(graph, symmetric, out, method, Device::parse(device), memory_limit);
        });
      },
      py::arg("graph"), py::arg("mirrored"), py::arg("labels"), py::arg("method"),
      py::arg("device"), py::arg("memory_limit") = 0);
  module.def(
      "strong_components",
      [](GraphHandle& graph, py::array labels, const std::string& method, const std::string& device,
         std::size_t memory_limit) {
        const std::span<vertex_t> out = writable<vertex_t>(labels);
        return run_released(py::none(), [&] {
          return strong(graph, out, method, Device::parse(device), memory_limit);
        });
      },
      py::arg("graph"), py::arg("labels"), py::arg("method"), py::arg("device"),
      py::arg("memory_limit") = 0);
}

}  // namespace warpgraph
