#include "algorithms/sssp/sssp.hpp"
#include "bindings/call.hpp"
#include "bindings/graph_handle.hpp"

#include <tuple>

#if defined(WARPGRAPH_HAS_CUDA)
#include "core/cuda/stream_pool.hpp"
#endif

namespace warpgraph {
namespace {

SsspMethod method_named(const std::string& name) {
  if (name == "dijkstra") return SsspMethod::dijkstra;
  if (name == "delta_stepping") return SsspMethod::delta_stepping;
  if (name == "near_far") return SsspMethod::near_far;
  EXPECTS(name == "bellman_ford", "unknown method '", name, "'");
  return SsspMethod::bellman_ford;
}

/// BellmanFordTuning's members in their order.
using Tuning = std::tuple<bool, bool, vertex_t>;

void sssp(GraphHandle& graph, vertex_t source, py::array distances, py::array predecessors,
          const std::string& method, const py::object& limit, const py::array& targets,
          bool unweighted, bool negative_weights, bool symmetric, const std::string& device_name,
          std::size_t memory_limit, py::object progress, const Tuning& bellman_ford) {
  const Device device = Device::parse(device_name);
  dispatch_weight(distances.dtype(), [&]<class W>() {
    SsspOptions<W> options;
    options.method = method_named(method);
    options.limit = limit.cast<W>();
    options.targets = readable<vertex_t>(targets);
    options.negative_weights = negative_weights;
    options.symmetric = symmetric;
    options.bellman_ford = std::make_from_tuple<BellmanFordTuning>(bellman_ford);
    options.memory_limit = memory_limit;
    const SsspResult<W> result{writable<W>(distances), writable<vertex_t>(predecessors)};
    const CsrView<W> host = host_view<W>(graph, unweighted);
    run_released(std::move(progress), [&] {
      if (device.is_cuda()) {
        return WARPGRAPH_ON_CUDA(options.derived = &graph.derived_on(device),
                                 sssp_cuda(device_view<W>(graph, unweighted, device), host, source,
                                           options, result, *cuda::BorrowedStream(device)));
      }
      return sssp_cpu(host, source, options, result);
    });
  });
}

py::tuple paths(const py::array& predecessors, vertex_t source, const py::array& targets) {
  const std::span<const vertex_t> tree = readable<vertex_t>(predecessors);
  const std::span<const vertex_t> ends = readable<vertex_t>(targets);
  Paths found = run_released(py::none(), [&] { return reconstruct_paths(tree, source, ends); });
  return py::make_tuple(to_array(std::move(found.offsets)), to_array(std::move(found.vertices)));
}

}  // namespace

void init_sssp(py::module_& module) {
  module.def("sssp", &sssp, py::arg("graph"), py::arg("source"), py::arg("distances"),
             py::arg("predecessors"), py::arg("method"), py::arg("limit"), py::arg("targets"),
             py::arg("unweighted"), py::arg("negative_weights"), py::arg("symmetric"),
             py::arg("device"), py::arg("memory_limit"), py::arg("progress"),
             py::arg("bellman_ford") = Tuning{true, true, 0});
  module.def("reconstruct_paths", &paths, py::arg("predecessors"), py::arg("source"),
             py::arg("targets"));
}

}  // namespace warpgraph
