#include "algorithms/predicate_filter/predicate_filter.hpp"
#include "bindings/arrays.hpp"
#include "bindings/call.hpp"

namespace warpgraph {
namespace {

/// Calls f.operator()<T>() for the type of the dtype's items. TypeError for other dtypes.
template <class F>
py::array dispatch_filtered(const py::dtype& dtype, F&& f) {
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
                 int n_endpoints) {
  return dispatch_filtered(values.dtype(), [&]<class T>() -> py::array {
    const std::span<const T> items = readable<T>(values);
    const Interval<T> interval = interval_of<T>(low, high);
    return to_array(
        run_released([&] { return predicate_filter_cpu<T>(items, interval, n_endpoints); }));
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
             py::arg("n_endpoints"));
  module.def("predicate_filter_reference", &reference, py::arg("values"), py::arg("low"),
             py::arg("high"));
}

}  // namespace warpgraph
