#include "algorithms/many_to_many/many_to_many.hpp"
#include "bindings/call.hpp"
#include "bindings/device_arrays.hpp"
#include "bindings/graph_handle.hpp"

#if defined(WARPGRAPH_HAS_CUDA)
#include "core/cuda/stream_pool.hpp"
#endif

namespace warpgraph {
namespace {

ManyToManyMethod method_named(const std::string& name) {
  if (name == "dijkstra") return ManyToManyMethod::dijkstra;
  EXPECTS(name == "batched", "unknown method '", name, "'");
  return ManyToManyMethod::batched;
}

/// `distances` is a NumPy array, or one on the device that searches.
template <class W>
ManyToManyResult<W> result_in(const py::object& distances, py::array& predecessors, Device device) {
  const RowMatrix<W> rows = writable_rows<W>(distances, device);
  ManyToManyResult<W> result{rows.data, rows.stride, nullptr, rows.on_device};
  if (predecessors.size() > 0) result.predecessors = writable<vertex_t>(predecessors).data();
  return result;
}

void many_to_many(GraphHandle& graph, const py::array& sources, const py::array& targets,
                  const py::object& distances, py::array predecessors, const std::string& method,
                  const py::object& limit, bool unweighted, const std::string& device_name,
                  std::size_t memory_limit, py::object progress) {
  const Device device = Device::parse(device_name);
  dispatch_weight(dtype_of(distances), [&]<class W>() {
    ManyToManyOptions<W> options;
    options.method = method_named(method);
    options.limit = limit.cast<W>();
    options.targets = readable<vertex_t>(targets);
    options.memory_limit = memory_limit;
    const ManyToManyResult<W> result = result_in<W>(distances, predecessors, device);
    const std::span<const vertex_t> starts = readable<vertex_t>(sources);
    const CsrView<W> host = host_view<W>(graph, unweighted);
    run_released(std::move(progress), [&] {
      if (device.is_cuda()) {
        return WARPGRAPH_ON_CUDA(
            options.derived = &graph.derived_on(device),
            many_to_many_cuda(device_view<W>(graph, unweighted, device), host, starts, options,
                              result, *cuda::BorrowedStream(device)));
      }
      return many_to_many_cpu(host, starts, options, result);
    });
  });
}

}  // namespace

void init_many_to_many(py::module_& module) {
  module.def("many_to_many", &many_to_many, py::arg("graph"), py::arg("sources"),
             py::arg("targets"), py::arg("distances"), py::arg("predecessors"), py::arg("method"),
             py::arg("limit"), py::arg("unweighted"), py::arg("device"), py::arg("memory_limit"),
             py::arg("progress"));
}

}  // namespace warpgraph
