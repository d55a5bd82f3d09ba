#include "algorithms/kmeans/kmeans.hpp"
#include "bindings/arrays.hpp"
#include "bindings/call.hpp"

namespace warpgraph {
namespace {

template <class T>
PointsView<T> view_of(const py::array& array) {
  return {readable<T>(array).data(), static_cast<vertex_t>(array.shape(0)),
          static_cast<std::int64_t>(array.shape(1))};
}

/// Calls f with a float or a double, whichever the array holds.
template <class F>
auto with_type(const py::array& array, F&& f) {
  return py::isinstance<py::array_t<float>>(array) ? f(float{}) : f(double{});
}

template <class T>
py::tuple cluster(const py::array& array, const py::array& start, const KMeansOptions& options,
                  std::size_t memory_limit, py::object progress) {
  const PointsView<T> points = view_of<T>(array);
  const std::span<const T> centres = readable<T>(start);
  KMeansResult<T> result = run_released(std::move(progress), [&] {
    return kmeans_cpu(points, centres, options, MemoryBudget(Device{}, memory_limit));
  });
  return py::make_tuple(
      to_array(std::move(result.centres)).reshape({start.shape(0), array.shape(1)}),
      to_array(std::move(result.labels)), result.inertia, result.iterations);
}

py::tuple bind_kmeans(const py::array& points, const py::array& start, int max_iterations,
                      double tolerance, bool bounds, std::size_t memory_limit,
                      py::object progress) {
  const KMeansOptions options{max_iterations, tolerance, bounds};
  return with_type(points, [&](auto zero) {
    return cluster<decltype(zero)>(points, start, options, memory_limit, std::move(progress));
  });
}

double bind_nearest(const py::array& points, const py::array& centres, py::array labels) {
  const std::span<vertex_t> out = writable<vertex_t>(labels);
  return with_type(points, [&](auto zero) {
    using T = decltype(zero);
    const PointsView<T> view = view_of<T>(points);
    const std::span<const T> from = readable<T>(centres);
    return run_released(py::none(), [&] { return nearest_centres(view, from, out); });
  });
}

py::array bind_farthest(const py::array& points, vertex_t k) {
  return with_type(points, [&](auto zero) -> py::array {
    const PointsView<decltype(zero)> view = view_of<decltype(zero)>(points);
    return to_array(run_released(py::none(), [&] { return farthest_points(view, k); }));
  });
}

}  // namespace

void init_kmeans(py::module_& module) {
  module.def("kmeans", &bind_kmeans, py::arg("points"), py::arg("start"), py::arg("max_iterations"),
             py::arg("tolerance"), py::arg("bounds"), py::arg("memory_limit"), py::arg("progress"));
  module.def("nearest_centres", &bind_nearest, py::arg("points"), py::arg("centres"),
             py::arg("labels"));
  module.def("farthest_points", &bind_farthest, py::arg("points"), py::arg("k"));
}

}  // namespace warpgraph
