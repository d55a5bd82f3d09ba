#include "algorithms/mst/hybrid/hybrid.hpp"
#include "algorithms/mst/mst.hpp"
#include "algorithms/mst/sorted_rows/forest_of_ranks.hpp"
#include "algorithms/mst/sorted_rows/mst_boruvka.hpp"
#include "bindings/call.hpp"
#include "bindings/device_arrays.hpp"
#include "bindings/graph_handle.hpp"
#include "bindings/hand_over.hpp"

#if defined(WARPGRAPH_HAS_CUDA)
#include "core/cuda/stream_pool.hpp"
#endif

#include <optional>

namespace warpgraph {
namespace {

template <class W>
SpanningForest<W> solve_on_cpu(const GraphHandle& graph, const MstOptions& options,
                               const std::string& method) {
  if (method == "reference") return mst_reference(graph.view<W>(), options);
  if (!method.starts_with("boruvka")) return mst_cpu(graph.view<W>(), options);
  return mst_boruvka_cpu(graph.view<W>(),
                         {options.maximum, method == "boruvka_compressed", options.memory_limit});
}

#if defined(WARPGRAPH_HAS_CUDA)
/// Options of the sorted-rows method if it was requested, or if the rows are already prepared.
template <class W>
std::optional<BoruvkaOptions> boruvka_options(GraphHandle& graph, const MstOptions& options,
                                              const std::string& method, Device device) {
  const BoruvkaOptions wanted{options.maximum, method == "boruvka_compressed", options.memory_limit,
                              &graph.derived_on(device)};
  const bool uses_sorted_rows =
      method.starts_with("boruvka") || (method == "auto" && has_prepared_rows<W>(wanted));
  return uses_sorted_rows ? std::optional(wanted) : std::nullopt;
}

template <class W>
SpanningForest<W> solve_on_cuda(GraphHandle& graph, const MstOptions& options,
                                const std::string& method, Device device) {
  const cuda::BorrowedStream stream(device);
  const CsrView<W> view = graph.view_on<W>(device);
  const auto rows = boruvka_options<W>(graph, options, method, device);
  return rows ? mst_boruvka_cuda_to_host(view, *rows, *stream)
              : mst_cuda_to_host(view, options, *stream);
}
#endif

template <class W>
SpanningForest<W> solve(GraphHandle& graph, const MstOptions& options, const std::string& method,
                        Device device) {
  return device.is_cuda() ? WARPGRAPH_ON_CUDA(solve_on_cuda<W>(graph, options, method, device))
                          : solve_on_cpu<W>(graph, options, method);
}

/// (edges, weights, positions).
template <class W>
py::tuple to_tuple(SpanningForest<W>&& forest) {
  const auto n_edges = static_cast<py::ssize_t>(forest.weights.size());
  return py::make_tuple(to_array(std::move(forest.ends)).reshape({n_edges, py::ssize_t{2}}),
                        to_array(std::move(forest.weights)), to_array(std::move(forest.positions)));
}

py::tuple minimum_spanning_forest(GraphHandle& graph, const py::dtype& dtype, bool maximum,
                                  bool symmetric, bool sorted_rows, edge_t longest_row,
                                  const std::string& method, const std::string& device_name,
                                  std::size_t memory_limit, py::object progress) {
  const Device device = Device::parse(device_name);
  const MstOptions options{maximum, symmetric, sorted_rows, longest_row, memory_limit};
  return dispatch_weight(dtype, [&]<class W>() -> py::tuple {
    SpanningForest<W> forest =
        run_released(std::move(progress), [&] { return solve<W>(graph, options, method, device); });
    return to_tuple(std::move(forest));
  });
}

using mst::HybridForest;
using mst::PreparedRows;

py::object prepare(const GraphHandle& graph, const py::dtype& dtype, bool maximum) {
  return hand_over(dispatch_weight(dtype, [&]<class W>() {
    const CsrView<W> view = graph.view<W>();
    return run_released(py::none(), [&] {
      return std::make_shared<PreparedRows>(mst::prepare_rows(view, maximum));
    });
  }));
}

std::unique_ptr<HybridForest> make_hybrid([[maybe_unused]] std::shared_ptr<PreparedRows> rows,
                                          const std::string& device_name,
                                          [[maybe_unused]] std::size_t memory_limit) {
  const Device device = Device::parse(device_name);
  EXPECTS(device.is_cuda(), "CPU threads help a CUDA device, not ", device_name);
  return run_released(py::none(), [&]() -> std::unique_ptr<HybridForest> {
#if defined(WARPGRAPH_HAS_CUDA)
    return make_hybrid_forest(std::move(rows), device, memory_limit);
#else
    throw DeviceError(cuda_unavailable_reason());
#endif
  });
}

py::tuple solve_hybrid(HybridForest& hybrid, const GraphHandle& graph, const py::dtype& dtype,
                       const PreparedRows& rows, py::object progress) {
  return dispatch_weight(dtype, [&]<class W>() {
    const CsrView<W> view = graph.view<W>();
    return to_tuple(run_released(std::move(progress),
                                 [&] { return mst::forest_of_ranks(view, rows, hybrid.solve()); }));
  });
}

/// For each round: (fraction of the work done by CPU threads, their seconds, the device's seconds).
py::list rounds_of(const HybridForest& hybrid) {
  // Waits for a running solve, which may wait for the interpreter.
  const auto found = run_released(py::none(), [&] { return hybrid.rounds(); });
  py::list rounds;
  for (const mst::HybridRound& round : found) {
    rounds.append(py::make_tuple(round.host_share, round.host_seconds, round.device_seconds));
  }
  return rounds;
}

#if defined(WARPGRAPH_HAS_CUDA)
/// Writes the positions of the forest's edges to `out`, mapped through `originals` if that is not
/// empty.
template <class W>
std::int64_t solve_on_device(GraphHandle& graph, const MstOptions& options,
                             const std::string& method, std::span<edge_t> out,
                             std::span<const edge_t> originals, Device device) {
  const cuda::BorrowedStream stream(device);
  const CsrView<W> view = graph.view_on<W>(device);
  const auto rows = boruvka_options<W>(graph, options, method, device);
  const std::int64_t n = rows ? mst_boruvka_cuda(view, *rows, out.data(), *stream)
                              : mst_cuda(view, options, out.data(), *stream);
  if (!originals.empty()) gather_on_device(originals, out.data(), n, *stream);
  return n;
}
#endif

std::int64_t minimum_spanning_forest_on_device([[maybe_unused]] GraphHandle& graph,
                                               const py::dtype& dtype, bool maximum, bool symmetric,
                                               edge_t longest_row, const py::object& out,
                                               const py::object& originals,
                                               [[maybe_unused]] const std::string& method,
                                               const std::string& device_name,
                                               std::size_t memory_limit, py::object progress) {
  const Device device = Device::parse(device_name);
  const std::span<edge_t> positions = writable_on<edge_t>(out, device);
  const std::span<const edge_t> table =
      originals.is_none() ? std::span<const edge_t>() : readable<edge_t>(py::array(originals));
  MstOptions options;
  options.maximum = maximum;
  options.symmetric = symmetric;
  options.longest_row = longest_row;
  options.memory_limit = memory_limit;
  return dispatch_weight(dtype, [&]<class W>() -> std::int64_t {
    std::int64_t n = 0;
    run_released(std::move(progress), [&] {
      WARPGRAPH_ON_CUDA(n = solve_on_device<W>(graph, options, method, positions, table, device));
    });
    return n;
  });
}

py::tuple arrange(vertex_t n_vertices, const py::array& ends, const py::array& weights,
                  const py::array& ids, std::size_t memory_limit) {
  return dispatch_weight(weights.dtype(), [&]<class W>() -> py::tuple {
    const EdgeSet<W> edges{n_vertices, readable<vertex_t>(ends), readable<W>(weights),
                           readable<edge_t>(ids)};
    UpperTriangle<W> arranged =
        run_released(py::none(), [&] { return arrange_edges(edges, memory_limit); });
    return py::make_tuple(
        to_array(std::move(arranged.graph.offsets)), to_array(std::move(arranged.graph.heads)),
        to_array(std::move(arranged.graph.weights)), to_array(std::move(arranged.positions)));
  });
}

void label_forest(const py::array& ends, py::array labels) {
  const std::span<const vertex_t> edges = readable<vertex_t>(ends);
  const std::span<vertex_t> out = writable<vertex_t>(labels);
  run_released(py::none(), [&] { forest_labels(edges, out); });
}

void init_hybrid(py::module_& module) {
  py::class_<PreparedRows, std::shared_ptr<PreparedRows>>(module, "PreparedRows")
      .def_property_readonly("nbytes", &PreparedRows::bytes);
  py::class_<HybridForest>(module, "HybridForest")
      .def("solve", &solve_hybrid, py::arg("graph"), py::arg("dtype"), py::arg("rows"),
           py::arg("progress"))
      .def("solve_ranks",
           [](HybridForest& hybrid) {
             return to_array(run_released(py::none(), [&] { return hybrid.solve(); }));
           })
      .def("rounds", &rounds_of)
      .def_property_readonly("n_resident_arcs", &HybridForest::n_resident_arcs)
      .def_property_readonly("nbytes", &HybridForest::device_bytes);
  module.def(
      "hybrid_forest",
      [](std::shared_ptr<PreparedRows> rows, const std::string& device, std::size_t memory_limit) {
        return hand_over(make_hybrid(std::move(rows), device, memory_limit));
      },
      py::arg("rows"), py::arg("device"), py::arg("memory_limit"));
  module.def("prepare_rows", &prepare, py::arg("graph"), py::arg("dtype"), py::arg("maximum"));
}

}  // namespace

void init_mst(py::module_& module) {
  init_hybrid(module);
  module.def("minimum_spanning_forest", &minimum_spanning_forest, py::arg("graph"),
             py::arg("dtype"), py::arg("maximum"), py::arg("mirrored"), py::arg("sorted_rows"),
             py::arg("longest_row"), py::arg("method"), py::arg("device"), py::arg("memory_limit"),
             py::arg("progress"));
  module.def("minimum_spanning_forest_on_device", &minimum_spanning_forest_on_device,
             py::arg("graph"), py::arg("dtype"), py::arg("maximum"), py::arg("mirrored"),
             py::arg("longest_row"), py::arg("out"), py::arg("originals"), py::arg("method"),
             py::arg("device"), py::arg("memory_limit"), py::arg("progress"));
  module.def("arrange_edges", &arrange, py::arg("n_vertices"), py::arg("ends"), py::arg("weights"),
             py::arg("ids"), py::arg("memory_limit") = 0);
  module.def("forest_labels", &label_forest, py::arg("ends"), py::arg("labels"));
}

}  // namespace warpgraph
