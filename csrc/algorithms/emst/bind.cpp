#include "algorithms/emst/emst.hpp"
#include "algorithms/emst/new_point_edges.hpp"
#include "bindings/arrays.hpp"
#include "bindings/call.hpp"
#include "bindings/graph_handle.hpp"

#if defined(WARPGRAPH_HAS_CUDA)
#include "core/cuda/stream_pool.hpp"
#endif

namespace warpgraph {
namespace {

template <class T>
EuclideanTree span_on(PointsView<T> points, const std::string& method, Device device,
                      std::size_t memory_limit) {
  if (method == "reference") return emst_reference(points);
  const MemoryBudget budget(device, memory_limit);
  return device.is_cuda()
             ? WARPGRAPH_ON_CUDA(emst_cuda(points, budget, *cuda::BorrowedStream(device)))
             : emst_cpu(points, budget);
}

template <class T>
py::tuple span(const py::array& array, const std::string& method, const std::string& device_name,
               std::size_t memory_limit, py::object progress) {
  const std::span<const T> coordinates = readable<T>(array);
  const PointsView<T> points{coordinates.data(), static_cast<vertex_t>(array.shape(0)),
                             static_cast<std::int64_t>(array.shape(1))};
  EuclideanTree tree = run_released(std::move(progress), [&] {
    return span_on(points, method, Device::parse(device_name), memory_limit);
  });
  const auto n_edges = static_cast<py::ssize_t>(tree.weights.size());
  return py::make_tuple(to_array(std::move(tree.edges)).reshape({n_edges, py::ssize_t{2}}),
                        to_array(std::move(tree.weights)));
}

template <class T>
py::tuple look_around(const py::array& array, const py::array& tree, const py::array& linkage) {
  const PointsView<T> points{readable<T>(array).data(), static_cast<vertex_t>(array.shape(0)),
                             static_cast<std::int64_t>(array.shape(1))};
  const std::span<const vertex_t> ends = readable<vertex_t>(tree);
  const std::span<const double> joins = readable<double>(linkage);
  NewEdges edges = run_released(py::none(), [&] { return new_point_edges(points, ends, joins); });
  const auto n_edges = static_cast<py::ssize_t>(edges.weights.size());
  return py::make_tuple(to_array(std::move(edges.ends)).reshape({n_edges, py::ssize_t{2}}),
                        to_array(std::move(edges.weights)));
}

}  // namespace

void init_emst(py::module_& module) {
  module.def(
      "emst",
      [](const py::array& points, const std::string& method, const std::string& device,
         std::size_t memory_limit, py::object progress) {
        return py::isinstance<py::array_t<float>>(points)
                   ? span<float>(points, method, device, memory_limit, std::move(progress))
                   : span<double>(points, method, device, memory_limit, std::move(progress));
      },
      py::arg("points"), py::arg("method"), py::arg("device"), py::arg("memory_limit"),
      py::arg("progress"));
  module.def(
      "new_point_edges",
      [](const py::array& points, const py::array& tree, const py::array& linkage) {
        return py::isinstance<py::array_t<float>>(points)
                   ? look_around<float>(points, tree, linkage)
                   : look_around<double>(points, tree, linkage);
      },
      py::arg("points"), py::arg("tree"), py::arg("linkage"));
}

}  // namespace warpgraph
