#include "algorithms/sssp/variants.hpp"
#include "bindings/call.hpp"
#include "bindings/device_arrays.hpp"
#include "bindings/graph_handle.hpp"
#include "core/memory/host_vector.hpp"
#include "core/memory/memory_budget.hpp"
#include "primitives/path_trees/trees.hpp"

#if defined(WARPGRAPH_HAS_CUDA)
#include "core/cuda/memory/buffer.hpp"
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

/// `distances` is a NumPy array, or one on the device that the search runs on.
template <class W>
SsspResult<W> result_in(const py::object& distances, py::array& predecessors, Device device) {
  SsspResult<W> result;
  result.on_device = is_device_array(distances);
  if (result.on_device) {
    result.distances = writable_on<W>(distances, device);
  } else {
    auto array = py::reinterpret_borrow<py::array>(distances);
    result.distances = writable<W>(array);
  }
  result.predecessors = writable<vertex_t>(predecessors);
  return result;
}

void sssp(GraphHandle& graph, vertex_t source, const py::object& distances, py::array predecessors,
          const std::string& method, const py::object& limit, const py::array& targets,
          bool unweighted, bool negative_weights, bool symmetric, const std::string& device_name,
          std::size_t memory_limit, py::object progress) {
  const Device device = Device::parse(device_name);
  dispatch_weight(dtype_of(distances), [&]<class W>() {
    SsspOptions<W> options;
    options.method = method_named(method);
    options.limit = limit.cast<W>();
    options.targets = readable<vertex_t>(targets);
    options.negative_weights = negative_weights;
    options.symmetric = symmetric;
    options.memory_limit = memory_limit;
    const SsspResult<W> result = result_in<W>(distances, predecessors, device);
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

/// A search to all vertices by bellman_ford, which has variants on CUDA devices: for benchmarks and
/// tests.
void bellman_ford_variant(GraphHandle& graph, vertex_t source, const py::object& distances,
                          bool negative_weights, bool symmetric, const std::string& device_name,
                          [[maybe_unused]] bool read_only_loads, [[maybe_unused]] bool segments,
                          [[maybe_unused]] vertex_t segment_length) {
  const Device device = Device::parse(device_name);
  dispatch_weight(dtype_of(distances), [&]<class W>() {
    SsspOptions<W> options;
    options.method = SsspMethod::bellman_ford;
    options.negative_weights = negative_weights;
    options.symmetric = symmetric;
    py::array no_predecessors = py::array_t<vertex_t>(0);
    const SsspResult<W> result = result_in<W>(distances, no_predecessors, device);
    const CsrView<W> host = host_view<W>(graph, false);
    run_released(py::none(), [&] {
      if (!device.is_cuda()) return sssp_cpu(host, source, options, result);
      WARPGRAPH_ON_CUDA(options.derived = &graph.derived_on(device),
                        shortest_paths::sssp_cuda_variant(
                            device_view<W>(graph, false, device), host, source, options,
                            {{read_only_loads, segments, segment_length}, {}}, result,
                            *cuda::BorrowedStream(device)));
    });
  });
}

/// Distances that lie on a device come to the host, where trees are recovered. None: the driver is
/// not asked for, which may be missing.
template <class W>
HostVector<W> fetched([[maybe_unused]] std::span<const W> distances, [[maybe_unused]] Device device,
                      [[maybe_unused]] std::size_t memory_limit) {
  HostVector<W> host;
#if defined(WARPGRAPH_HAS_CUDA)
  if (distances.empty()) return host;
  MemoryBudget(Device{}, memory_limit)
      .require("copying distances to the host for their predecessors", distances.size_bytes(),
               "leave out the predecessors");
  host.resize(distances.size());
  const cuda::BorrowedStream stream(device);
  cuda::copy(host.data(), distances.data(), distances.size(), *stream);
  (*stream).synchronize();
#endif
  return host;
}

/// `distances` is a matrix whose rows are contiguous, or one on `device`, close together.
void trees(const GraphHandle& graph, const py::array& sources, const py::object& distances,
           py::array predecessors, bool unweighted, bool negative_weights, bool along_paths,
           const std::string& device_name, std::size_t memory_limit) {
  const Device device = Device::parse(device_name);
  dispatch_weight(dtype_of(distances), [&]<class W>() {
    const CsrView<W> host = host_view<W>(graph, unweighted);
    DistanceRows<W> rows{readable<vertex_t>(sources), nullptr, host.n_vertices};
    std::span<const W> away;
    if (is_device_array(distances)) {
      away = writable_on<W>(distances, device);
    } else {
      const auto array = py::reinterpret_borrow<py::array>(distances);
      rows.distances = static_cast<const W*>(array.data());
      rows.stride = array.strides(0) / static_cast<py::ssize_t>(sizeof(W));
    }
    vertex_t* const to = writable<vertex_t>(predecessors).data();
    run_released(py::none(), [&] {
      const HostVector<W> copied = fetched(away, device, memory_limit);
      if (!copied.empty()) rows.distances = copied.data();
      const Sums sums = along_paths                                    ? Sums::along_paths
                        : sums_are_exact(host, rows, negative_weights) ? Sums::exact
                                                                       : Sums::in_any_order;
      recover_trees(host, rows, {sums, negative_weights, memory_limit}, to);
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
             py::arg("device"), py::arg("memory_limit"), py::arg("progress"));
  module.def("bellman_ford_variant", &bellman_ford_variant, py::arg("graph"), py::arg("source"),
             py::arg("distances"), py::arg("negative_weights"), py::arg("symmetric"),
             py::arg("device"), py::arg("read_only_loads"), py::arg("segments"),
             py::arg("segment_length"));
  module.def("recover_trees", &trees, py::arg("graph"), py::arg("sources"), py::arg("distances"),
             py::arg("predecessors"), py::arg("unweighted"), py::arg("negative_weights"),
             py::arg("along_paths"), py::arg("device"), py::arg("memory_limit"));
  module.def("reconstruct_paths", &paths, py::arg("predecessors"), py::arg("source"),
             py::arg("targets"));
}

}  // namespace warpgraph
