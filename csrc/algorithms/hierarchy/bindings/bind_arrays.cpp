// Conversion of hierarchies to and from the arrays of a file.
#include "algorithms/hierarchy/hierarchy_handle.hpp"
#include "bindings/arrays.hpp"
#include "bindings/call.hpp"
#include "bindings/hand_over.hpp"

namespace warpgraph {
namespace {

using namespace pybind11::literals;

/// Calls f(name, array) for the arrays of a hierarchy that its file has.
template <class H, class F>
void for_each_array(H& h, F&& f) {
  f("vertices", h.vertices);
  f("level_starts", h.level_starts);
  f("down_offsets", h.down.offsets);
  f("down_heads", h.down.heads);
  f("down_weights", h.down.weights);
  if (h.symmetric) return;
  f("up_offsets", h.up.offsets);
  f("up_heads", h.up.heads);
  f("up_weights", h.up.weights);
}

/// Returns copies of these arrays by name, and the rounding units.
py::dict arrays_of(const HierarchyHandle& handle) {
  return handle.visit([](const auto& h) {
    py::dict arrays("rounding_units"_a = h.rounding_units);
    for_each_array(
        h, [&](const char* name, auto values) { arrays[name] = to_array(std::move(values)); });
    return arrays;
  });
}

template <class T>
Owned<HierarchyHandle> restore_as(const py::dict& arrays) {
  Hierarchy<T> h;
  h.rounding_units = arrays["rounding_units"].cast<double>();
  h.symmetric = !arrays.contains("up_offsets");
  for_each_array(h, [&]<class Vector>(const char* name, Vector& to) {
    const auto from = readable<typename Vector::value_type>(py::array(arrays[name]));
    to.assign(from.begin(), from.end());
  });
  run_released([&] { complete_hierarchy(h); });
  return hand_over(std::make_unique<HierarchyHandle>(std::move(h)));
}

/// Makes a hierarchy of the arrays of a file. The type of the weights is that of its distances.
Owned<HierarchyHandle> restore(const py::dict& arrays) {
  const py::dtype dtype = py::array(arrays["down_weights"]).dtype();
#define WARPGRAPH_TRY(T) \
  if (dtype.equal(py::dtype::of<T>())) return restore_as<T>(arrays);
  WARPGRAPH_FOR_EACH_HIERARCHY(WARPGRAPH_TRY)
#undef WARPGRAPH_TRY
  throw std::invalid_argument("weights of a hierarchy must be int32, int64 or float64, got " +
                              std::string(py::str(dtype)));
}

}  // namespace

void init_hierarchy_arrays(py::module_& module) {
  module.def("hierarchy_arrays", &arrays_of, py::arg("hierarchy"));
  module.def("restore_hierarchy", &restore, py::arg("arrays"));
}

}  // namespace warpgraph
