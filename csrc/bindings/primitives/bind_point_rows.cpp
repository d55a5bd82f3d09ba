// The range of coordinates, and the directions of points.
#include "bindings/call.hpp"
#include "bindings/graph/points.hpp"
#include "graph/points/magnitudes.hpp"
#include "graph/points/unit_rows.hpp"

#if defined(WARPGRAPH_HAS_CUDA)
#include "graph/points/device_points.hpp"
#endif

namespace warpgraph {
namespace {

/// Returns the least magnitude of finite coordinates that are not 0, inf if there are none, and the
/// largest. The points lie on the device, or on the host if it is that.
Tuple<double, double> magnitudes(const py::object& array, Device device) {
  return dispatch_real(dtype_of(array), [&]<class T>() -> Tuple<double, double> {
    const Points<T> points(array, device);
    const Magnitudes found = run_released([&] {
      return run_on(
          device, [&] { return magnitudes_of(points.view()); },
          [&](const auto& stream) { return magnitudes_of(points.view(), stream); });
    });
    return py::make_tuple(found.least, found.largest);
  });
}

/// Writes rows of length 1. Returns the first row that is 0, or the number of rows.
std::int64_t write_unit_rows(const py::array& array, py::array units, bool joins) {
  return dispatch_real(array.dtype(), [&]<class T>() {
    const Points<T> points(array, Device{});
    const std::span<T> to = writable<T>(units);
    const NearDirections near = joins ? NearDirections::joined : NearDirections::kept;
    return run_released([&] { return unit_rows(points.view(), to, near); });
  });
}

/// Joins places on the unit sphere that differ by no more than rounding, in place.
void join_places(py::array places) {
  const std::int64_t dimension = places.shape(1);
  const std::span<double> rows = writable<double>(places);
  run_released([&] { join_near_rows(rows, dimension, rounding_of_places); });
}

/// Replaces directions, or places, by those of fitted rows that differ by no more than rounding.
void take_near_rows_in_place(py::array rows, const py::array& fitted, bool are_places) {
  dispatch_real(fitted.dtype(), [&]<class T>() {
    const Points<T> points(fitted, Device{});
    const std::span<T> queries = writable<T>(rows);
    const Rounding rounding = are_places ? rounding_of_places : rounding_of_directions<T>();
    run_released([&] { take_near_rows(queries, points.view(), rounding); });
  });
}

}  // namespace

void init_point_rows(py::module_& module) {
  module.def("magnitudes", &magnitudes, py::arg("points"), py::arg("device"));
  module.def("unit_rows", &write_unit_rows, py::arg("points"), py::arg("units"),
             py::arg("joins") = true);
  module.def("join_places", &join_places, py::arg("places"));
  module.def("take_near_rows", &take_near_rows_in_place, py::arg("rows"), py::arg("fitted"),
             py::arg("are_places"));
}

}  // namespace warpgraph
