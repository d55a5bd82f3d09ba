#include "algorithms/kmeans/kmeans.hpp"
#include "bindings/call.hpp"
#include "bindings/graph_handle.hpp"
#include "bindings/items.hpp"
#include "core/atomics.hpp"
#include "core/threads/parallel.hpp"

#include <algorithm>

#if defined(WARPGRAPH_HAS_CUDA)
#include "core/cuda/stream_pool.hpp"
#endif

namespace warpgraph {
namespace {

/// Points of float or double as Python passes them: row by row, in host or device memory.
template <class T>
struct Points {
  Items<const T> items;
  vertex_t n;
  std::int64_t dimension;

  Points(const py::object& array, Device device) : items(readable_items<T>(array, device)) {
    const RowMatrix<void> layout = layout_of(array);
    n = static_cast<vertex_t>(layout.n);
    dimension = layout.n_columns;
  }
  [[nodiscard]] PointsView<T> view() const { return {items.span.data(), n, dimension}; }
};

/// Calls f with a zero of the array's type, float or double.
template <class F>
auto with_type(const py::object& array, F&& f) {
  return dtype_of(array).equal(py::dtype::of<float>()) ? f(float{}) : f(double{});
}

/// Calls on_cores(view), or on_gpu(view in device memory, stream).
template <class T, class OnCores, class OnGpu>
auto run_on(Device device, const Points<T>& points, [[maybe_unused]] OnGpu&& on_gpu,
            OnCores&& on_cores) {
  if (!device.is_cuda()) return on_cores(points.view());
#if defined(WARPGRAPH_HAS_CUDA)
  const cuda::BorrowedStream stream(device);
  if (!points.items.on_device) {
    MemoryBudget(device).require("a copy of the points", points.items.span.size_bytes(),
                                 "pass fewer points, float32 instead of float64, or device='cpu'");
  }
  const DeviceInput<T> device_points(points.items, *stream);
  return on_gpu(PointsView<T>{device_points.span().data(), points.n, points.dimension}, *stream);
#else
  throw DeviceError(cuda_unavailable_reason());
#endif
}

/// Returns the number of centres that have points.
std::int64_t count_used(const HostVector<vertex_t>& labels, py::ssize_t n_centres) {
  std::vector<std::uint8_t> used(static_cast<std::size_t>(n_centres), 0);
  parallel_for(std::ssize(labels), [&](std::int64_t p) {
    std::uint8_t& flag = used[static_cast<std::size_t>(labels[static_cast<std::size_t>(p)])];
    if (relaxed_load(flag) == 0) relaxed_store(flag, std::uint8_t{1});
  });
  return std::count(used.begin(), used.end(), 1);
}

template <class T>
py::tuple cluster(const py::object& array, const py::array& start, const KMeansOptions& options,
                  Device device, std::size_t memory_limit, py::object progress) {
  const Points<T> points(array, device);
  const std::span<const T> centres = readable<T>(start);
  const MemoryBudget budget(device, memory_limit);
  std::int64_t n_used = 0;
  KMeansResult<T> result = run_released(std::move(progress), [&] {
    KMeansResult<T> found = run_on(
        device, points,
        [&](const PointsView<T>& device_points, const cuda::Stream& stream) {
          return kmeans_cuda(device_points, centres, options, budget, stream);
        },
        [&](const PointsView<T>& host_points) {
          return kmeans_cpu(host_points, centres, options, budget);
        });
    n_used = count_used(found.labels, start.shape(0));
    return found;
  });
  return py::make_tuple(
      to_array(std::move(result.centres)).reshape({start.shape(0), start.shape(1)}),
      to_array(std::move(result.labels)), result.inertia, result.iterations, n_used);
}

py::tuple bind_kmeans(const py::object& points, const py::array& start, int max_iterations,
                      double tolerance, const std::string& device, std::size_t memory_limit,
                      py::object progress) {
  const KMeansOptions options{max_iterations, tolerance};
  return with_type(points, [&](auto zero) {
    return cluster<decltype(zero)>(points, start, options, Device::parse(device), memory_limit,
                                   std::move(progress));
  });
}

double bind_nearest(const py::object& array, const py::array& centres, py::array labels,
                    const std::string& device_name) {
  const Device device = Device::parse(device_name);
  const std::span<vertex_t> out = writable<vertex_t>(labels);
  return with_type(array, [&](auto zero) {
    using T = decltype(zero);
    const Points<T> points(array, device);
    const std::span<const T> centre_coordinates = readable<T>(centres);
    return run_released(py::none(), [&] {
      return run_on(
          device, points,
          [&](const PointsView<T>& device_points, const cuda::Stream& stream) {
            return nearest_centres_cuda(device_points, centre_coordinates, out, stream);
          },
          [&](const PointsView<T>& host_points) {
            return nearest_centres(host_points, centre_coordinates, out);
          });
    });
  });
}

py::array bind_farthest(const py::object& array, vertex_t k, const std::string& device_name) {
  const Device device = Device::parse(device_name);
  return with_type(array, [&](auto zero) -> py::array {
    using T = decltype(zero);
    const Points<T> points(array, device);
    return to_array(run_released(py::none(), [&] {
      return run_on(
          device, points,
          [&](const PointsView<T>& device_points, const cuda::Stream& stream) {
            return farthest_points_cuda(device_points, k, stream);
          },
          [&](const PointsView<T>& host_points) { return farthest_points(host_points, k); });
    }));
  });
}

}  // namespace

void init_kmeans(py::module_& module) {
  module.def("kmeans", &bind_kmeans, py::arg("points"), py::arg("start"), py::arg("max_iterations"),
             py::arg("tolerance"), py::arg("device"), py::arg("memory_limit"), py::arg("progress"));
  module.def("nearest_centres", &bind_nearest, py::arg("points"), py::arg("centres"),
             py::arg("labels"), py::arg("device"));
  module.def("farthest_points", &bind_farthest, py::arg("points"), py::arg("k"), py::arg("device"));
}

}  // namespace warpgraph
