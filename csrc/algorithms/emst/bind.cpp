#include "algorithms/emst/emst.hpp"
#include "algorithms/emst/new_point_edges.hpp"
#include "bindings/arrays.hpp"
#include "bindings/call.hpp"
#include "bindings/graph_handle.hpp"
#include "bindings/items.hpp"

#if defined(WARPGRAPH_HAS_CUDA)
#include "core/cuda/stream_pool.hpp"
#endif

namespace warpgraph {
namespace {

template <class T>
py::tuple emst_to_arrays(const py::array& array, const std::string& method,
                         std::size_t memory_limit, py::object progress) {
  const std::span<const T> coordinates = readable<T>(array);
  const PointsView<T> points{coordinates.data(), static_cast<vertex_t>(array.shape(0)),
                             static_cast<std::int64_t>(array.shape(1))};
  EuclideanTree tree = run_released(std::move(progress), [&] {
    return method == "reference" ? emst_reference(points)
                                 : emst_cpu(points, MemoryBudget(Device{}, memory_limit));
  });
  const auto n_edges = static_cast<py::ssize_t>(tree.weights.size());
  return py::make_tuple(to_array(std::move(tree.edges)).reshape({n_edges, py::ssize_t{2}}),
                        to_array(std::move(tree.weights)));
}

template <class T>
void emst_on_device(Device device, const py::object& array, std::pair<vertex_t, std::int64_t> shape,
                    const py::object& edges, const py::object& weights,
                    [[maybe_unused]] std::size_t memory_limit, py::object progress) {
  // Points are only read, so a read-only array is accepted.
  const std::span<const T> coordinates =
      is_device_array(array) ? writable_on<T>(array, device)
                             : readable<T>(py::reinterpret_borrow<py::array>(array));
  [[maybe_unused]] const PointsView<T> points{coordinates.data(), shape.first, shape.second};
  [[maybe_unused]] const TreeView tree{writable_items<vertex_t>(edges, device).span.data(),
                                       writable_items<double>(weights, device).span.data()};
  run_released(std::move(progress), [&] {
    WARPGRAPH_ON_CUDA(
        emst_cuda(points, tree, MemoryBudget(device, memory_limit), *cuda::BorrowedStream(device)));
  });
}

template <class T>
py::tuple new_point_edges_to_arrays(const py::array& array, const py::array& tree,
                                    const py::array& linkage) {
  const PointsView<T> points{readable<T>(array).data(), static_cast<vertex_t>(array.shape(0)),
                             static_cast<std::int64_t>(array.shape(1))};
  const std::span<const vertex_t> ends = readable<vertex_t>(tree);
  const std::span<const double> rows = readable<double>(linkage);
  NewEdges edges = run_released(py::none(), [&] { return new_point_edges(points, ends, rows); });
  const auto n_edges = static_cast<py::ssize_t>(edges.weights.size());
  return py::make_tuple(to_array(std::move(edges.ends)).reshape({n_edges, py::ssize_t{2}}),
                        to_array(std::move(edges.weights)));
}

}  // namespace

void init_emst(py::module_& module) {
  module.def(
      "emst",
      [](const py::array& points, const std::string& method, std::size_t memory_limit,
         py::object progress) {
        return py::isinstance<py::array_t<float>>(points)
                   ? emst_to_arrays<float>(points, method, memory_limit, std::move(progress))
                   : emst_to_arrays<double>(points, method, memory_limit, std::move(progress));
      },
      py::arg("points"), py::arg("method"), py::arg("memory_limit"), py::arg("progress"));
  module.def(
      "emst_on",
      [](const std::string& device, const py::object& points,
         std::pair<vertex_t, std::int64_t> shape, const py::object& edges,
         const py::object& weights, std::size_t memory_limit, py::object progress) {
        const Device target = Device::parse(device);
        if (dtype_of(points).equal(py::dtype::of<float>())) {
          emst_on_device<float>(target, points, shape, edges, weights, memory_limit,
                                std::move(progress));
        } else {
          emst_on_device<double>(target, points, shape, edges, weights, memory_limit,
                                 std::move(progress));
        }
      },
      py::arg("device"), py::arg("points"), py::arg("shape"), py::arg("edges"), py::arg("weights"),
      py::arg("memory_limit"), py::arg("progress"));
  module.def(
      "new_point_edges",
      [](const py::array& points, const py::array& tree, const py::array& linkage) {
        return py::isinstance<py::array_t<float>>(points)
                   ? new_point_edges_to_arrays<float>(points, tree, linkage)
                   : new_point_edges_to_arrays<double>(points, tree, linkage);
      },
      py::arg("points"), py::arg("tree"), py::arg("linkage"));
}

}  // namespace warpgraph
