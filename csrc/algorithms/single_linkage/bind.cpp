#include "algorithms/single_linkage/single_linkage.hpp"
#include "bindings/call.hpp"
#include "bindings/graph_handle.hpp"
#include "bindings/items.hpp"
#include "core/memory/memory_budget.hpp"

#if defined(WARPGRAPH_HAS_CUDA)
#include "core/cuda/stream_pool.hpp"
#endif

namespace warpgraph {
namespace {

struct LinkageCall {
  vertex_t n_vertices;
  Items<const vertex_t> ends;
  Items<const double> weights;
  Items<double> linkage;
};

#if defined(WARPGRAPH_HAS_CUDA)
void run_on_device(const LinkageCall& call, Device device, std::size_t memory_limit) {
  const cuda::BorrowedStream stream(device);
  const DeviceInput<vertex_t> ends(call.ends, *stream);
  const DeviceInput<double> weights(call.weights, *stream);
  const DeviceOutput<double> linkage(call.linkage, *stream, linkage_alignment);
  single_linkage_cuda({call.n_vertices, ends.span(), weights.span()}, linkage.span(),
                      MemoryBudget(device, memory_limit), *stream);
  linkage.finish();
}
#endif

void run_on_cpu(const LinkageCall& call, const std::string& method) {
  const ForestView forest{call.n_vertices, call.ends.span, call.weights.span};
  if (method == "reference") return single_linkage_reference(forest, call.linkage.span);
  single_linkage_cpu(forest, call.linkage.span, method == "contraction");
}

void run_single_linkage(vertex_t n_vertices, const py::object& ends, const py::object& weights,
                        const py::object& linkage, const std::string& method,
                        const std::string& device_name, [[maybe_unused]] std::size_t memory_limit,
                        py::object progress) {
  const Device device = Device::parse(device_name);
  const LinkageCall call{n_vertices, readable_items<vertex_t>(ends, device),
                         readable_items<double>(weights, device),
                         writable_items<double>(linkage, device)};
  run_released(std::move(progress), [&] {
    if (!device.is_cuda()) {
      run_on_cpu(call, method);
    } else {
      WARPGRAPH_ON_CUDA(run_on_device(call, device, memory_limit));
    }
  });
}

}  // namespace

void init_single_linkage(py::module_& module) {
  module.def("single_linkage", &run_single_linkage, py::arg("n_vertices"), py::arg("ends"),
             py::arg("weights"), py::arg("linkage"), py::arg("method"), py::arg("device"),
             py::arg("memory_limit"), py::arg("progress"));
}

}  // namespace warpgraph
