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

struct Task {
  vertex_t n_vertices;
  Items<const vertex_t> ends;
  Items<const double> weights;
  Items<double> linkage;
};

#if defined(WARPGRAPH_HAS_CUDA)
void link_on(const Task& task, Device device, std::size_t memory_limit) {
  const cuda::BorrowedStream stream(device);
  const ReadOnDevice<vertex_t> ends(task.ends, *stream);
  const ReadOnDevice<double> weights(task.weights, *stream);
  const WrittenOnDevice<double> linkage(task.linkage, *stream, linkage_alignment);
  single_linkage_cuda({task.n_vertices, ends.span(), weights.span()}, linkage.span(),
                      MemoryBudget(device, memory_limit), *stream);
  linkage.finish();
}
#endif

void link_on_cores(const Task& task, const std::string& method) {
  const ForestView forest{task.n_vertices, task.ends.span, task.weights.span};
  if (method == "reference") return single_linkage_reference(forest, task.linkage.span);
  single_linkage_cpu(forest, task.linkage.span, method == "contraction");
}

void link(vertex_t n_vertices, const py::object& ends, const py::object& weights,
          const py::object& linkage, const std::string& method, const std::string& device_name,
          [[maybe_unused]] std::size_t memory_limit, py::object progress) {
  const Device device = Device::parse(device_name);
  const Task task{n_vertices, readable_items<vertex_t>(ends, device),
                  readable_items<double>(weights, device), writable_items<double>(linkage, device)};
  run_released(std::move(progress), [&] {
    if (!device.is_cuda()) {
      link_on_cores(task, method);
    } else {
      WARPGRAPH_ON_CUDA(link_on(task, device, memory_limit));
    }
  });
}

}  // namespace

void init_single_linkage(py::module_& module) {
  module.def("single_linkage", &link, py::arg("n_vertices"), py::arg("ends"), py::arg("weights"),
             py::arg("linkage"), py::arg("method"), py::arg("device"), py::arg("memory_limit"),
             py::arg("progress"));
}

}  // namespace warpgraph
