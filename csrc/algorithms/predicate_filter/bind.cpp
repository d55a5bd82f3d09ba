#include "algorithms/predicate_filter/predicate_filter.hpp"
#include "bindings/call.hpp"
#include "bindings/core/ledger.hpp"
#include "bindings/device.hpp"
#include "bindings/items.hpp"

#include <pybind11/stl.h>

namespace warpgraph {
namespace {

/// Calls f.operator()<T>() for the type of the dtype's items. Throws TypeError for other dtypes.
template <class F>
auto dispatch_filtered(const py::dtype& dtype, F&& f) -> decltype(f.template operator()<float>()) {
#define CALL_IF_EQUAL(T) \
  if (dtype.equal(py::dtype::of<T>())) return f.template operator()<T>();
  WARPGRAPH_FOR_EACH_FILTERED(CALL_IF_EQUAL)
#undef CALL_IF_EQUAL
  throw py::type_error("values of dtype " + std::string(py::str(dtype)) + " cannot be filtered");
}

/// Filters to the array `out`; or to a new array if `out` is a list, to which its owner is appended
/// first, so that the caller frees it even after an exception. Returns the values that pass.
py::array filter(const FilterOptions& options, const py::array& values, const py::object& low,
                 const py::object& high, const py::object& out, const Progress& progress) {
  return dispatch_filtered(values.dtype(), [&]<class T>() -> py::array {
    const FilterInput<T> input{readable<T>(values)};
    const Interval<T> interval{low.cast<T>(), high.cast<T>()};
    if (py::isinstance<py::list>(out)) {
      const OwnedVector<T> passed;
      out.attr("append")(passed.owner());
      run_released(progress, [&] { predicate_filter_to(input, interval, *passed, options); });
      return passed.array();
    }
    auto array = py::reinterpret_borrow<py::array>(out);
    const std::span<T> to = writable<T>(array);
    const auto n = static_cast<py::ssize_t>(run_released(
        progress, [&] { return predicate_filter_into(input, interval, to, options); }));
    return array[py::slice(0, n, 1)];
  });
}

/// Filters from and to arrays on the device `place`. Returns the number of values that pass.
std::size_t filter_device_array(const FilterOptions& options, const py::object& values,
                                const py::object& low, const py::object& high,
                                const py::object& passed, Device place, const Progress& progress) {
  return dispatch_filtered(dtype_of(values), [&]<class T>() -> std::size_t {
    const std::span<const T> items = writable_on<T>(values, place);
    const std::span<T> result = writable_on<T>(passed, place);
    const Interval<T> interval{low.cast<T>(), high.cast<T>()};
    return run_released(progress, [&] {
      return run_on_cuda<std::size_t>(place, [&](const auto& stream) {
        return predicate_filter_cuda<T>(items, interval, result.data(), stream, options);
      });
    });
  });
}

py::array reference_filter(const py::array& values, const py::object& low, const py::object& high) {
  return dispatch_filtered(values.dtype(), [&]<class T>() -> py::array {
    const std::span<const T> items = readable<T>(values);
    const Interval<T> interval{low.cast<T>(), high.cast<T>()};
    return to_array(run_released([&] { return predicate_filter_reference<T>(items, interval); }));
  });
}

}  // namespace

void init_predicate_filter(py::module_& module) {
  const auto devices = keyword("devices", &FilterOptions::devices);
  const auto limit = keyword("ledger", &FilterOptions::budget);
  define(module, "predicate_filter", &filter, {"values", "low", "high", "out", "progress"}, devices,
         limit);
  define(module, "predicate_filter_device_array", &filter_device_array,
         {"values", "low", "high", "passed", "place", "progress"}, devices, limit);
  module.def("predicate_filter_reference", &reference_filter, py::arg("values"), py::arg("low"),
             py::arg("high"));
}

}  // namespace warpgraph
