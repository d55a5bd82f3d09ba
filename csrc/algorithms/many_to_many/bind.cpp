#include "algorithms/many_to_many/many_to_many.hpp"
#include "bindings/call.hpp"
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

HeapKind heap_named(const std::string& name) {
  if (name == "radix") return HeapKind::radix;
  if (name == "quaternary") return HeapKind::quaternary;
  EXPECTS(name == "binary", "unknown heap '", name, "'");
  return HeapKind::binary;
}

/// Rows may lie apart, but the distances of one row lie close together.
template <class W>
ManyToManyResult<W> result_in(py::array& distances, py::array& predecessors) {
  constexpr auto item = static_cast<py::ssize_t>(sizeof(W));
  EXPECTS(distances.ndim() == 2, "the distances must be a matrix");
  const py::ssize_t step = distances.strides(0);
  EXPECTS(distances.shape(1) <= 1 || distances.strides(1) == item, "rows must be contiguous");
  EXPECTS(distances.shape(0) <= 1 || (step % item == 0 && step >= item * distances.shape(1)),
          "rows must not overlap");
  ManyToManyResult<W> result;
  result.distances = static_cast<W*>(distances.mutable_data());
  result.row_stride = step / item;
  if (predecessors.size() > 0) result.predecessors = writable<vertex_t>(predecessors).data();
  return result;
}

void many_to_many(GraphHandle& graph, const py::array& sources, const py::array& targets,
                  py::array distances, py::array predecessors, const std::string& method,
                  const std::string& heap, const py::object& limit, bool unweighted,
                  const std::string& device_name, std::size_t memory_limit, py::object progress) {
  const Device device = Device::parse(device_name);
  dispatch_weight(distances.dtype(), [&]<class W>() {
    ManyToManyOptions<W> options;
    options.method = method_named(method);
    options.heap = heap_named(heap);
    options.limit = limit.cast<W>();
    options.targets = readable<vertex_t>(targets);
    options.memory_limit = memory_limit;
    const ManyToManyResult<W> result = result_in<W>(distances, predecessors);
    const std::span<const vertex_t> starts = readable<vertex_t>(sources);
    const CsrView<W> host = host_view<W>(graph, unweighted);
    run_released(std::move(progress), [&] {
      if (device.is_cuda()) {
        return WARPGRAPH_ON_CUDA(many_to_many_cuda(device_view<W>(graph, unweighted, device), host,
                                                   starts, options, result,
                                                   *cuda::BorrowedStream(device)));
      }
      return many_to_many_cpu(host, starts, options, result);
    });
  });
}

}  // namespace

void init_many_to_many(py::module_& module) {
  module.def("many_to_many", &many_to_many, py::arg("graph"), py::arg("sources"),
             py::arg("targets"), py::arg("distances"), py::arg("predecessors"), py::arg("method"),
             py::arg("heap"), py::arg("limit"), py::arg("unweighted"), py::arg("device"),
             py::arg("memory_limit"), py::arg("progress"));
}

}  // namespace warpgraph
