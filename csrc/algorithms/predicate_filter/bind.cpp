#include "algorithms/predicate_filter/predicate_filter.hpp"
#include "bindings/call.hpp"
#include "bindings/device.hpp"
#include "bindings/items.hpp"

#include <pybind11/stl.h>

namespace warpgraph {
namespace {

/// Calls f.operator()<T>() for the type of the dtype's items. TypeError for other dtypes.
template <class F>
auto dispatch_filtered(const py::dtype& dtype, F&& f) -> decltype(f.template operator()<float>()) {
#define CALL_IF_EQUAL(T) \
  if (dtype.equal(py::dtype::of<T>())) return f.template operator()<T>();
  WARPGRAPH_FOR_EACH_FILTERED(CALL_IF_EQUAL)
#undef CALL_IF_EQUAL
  throw py::type_error("values of this dtype cannot be filtered");
}

template <class T>
Interval<T> interval_of(const py::object& low, const py::object& high) {
  return {low.cast<T>(), high.cast<T>()};
}

py::array filter(const py::array& values, const py::object& low, const py::object& high,
                 const std::vector<Device>& devices) {
  return dispatch_filtered(values.dtype(), [&]<class T>() -> py::array {
    const FilterInput<T> input{readable<T>(values)};
    const Interval<T> interval = interval_of<T>(low, high);
    return to_array(run_released([&] { return predicate_filter(input, interval, devices); }));
  });
}

/// From and to arrays on a device. Returns the number of values that pass.
std::size_t filter_device_array(const py::object& values, const py::object& low,
                                const py::object& high, const py::object& passed, Device place,
                                const std::vector<Device>& devices) {
  return dispatch_filtered(dtype_of(values), [&]<class T>() -> std::size_t {
    const std::span<const T> items = writable_on<T>(values, place);
    const std::span<T> result = writable_on<T>(passed, place);
    const Interval<T> interval = interval_of<T>(low, high);
    return run_released([&] {
      return run_on_cuda<std::size_t>(place, [&](const auto& stream) {
        return predicate_filter_cuda<T>(items, interval, devices, result.data(), stream);
      });
    });
  });
}

py::array reference(const py::array& values, const py::object& low, const py::object& high) {
  return dispatch_filtered(values.dtype(), [&]<class T>() -> py::array {
    const std::span<const T> items = readable<T>(values);
    const Interval<T> interval = interval_of<T>(low, high);
    return to_array(run_released([&] { return predicate_filter_reference<T>(items, interval); }));
  });
}

}  // namespace

void init_predicate_filter(py::module_& module) {
  module.def("predicate_filter", &filter, py::arg("values"), py::arg("low"), py::arg("high"),
             py::arg("devices"));
  module.def("predicate_filter_device_array", &filter_device_array, py::arg("values"),
             py::arg("low"), py::arg("high"), py::arg("passed"), py::arg("place"),
             py::arg("devices"));
  module.def("predicate_filter_reference", &reference, py::arg("values"), py::arg("low"),
             py::arg("high"));
}

}  // namespace warpgraph
