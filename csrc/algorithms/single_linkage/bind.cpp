#include "algorithms/single_linkage/single_linkage.hpp"
#include "bindings/arrays.hpp"
#include "bindings/call.hpp"

namespace warpgraph {
namespace {

void link(const py::array& ends, const py::array& weights, py::array linkage, py::object progress) {
  ForestView forest{static_cast<vertex_t>(linkage.shape(0) + 1), readable<vertex_t>(ends),
                    readable<double>(weights)};
  const std::span<double> out = writable<double>(linkage);
  run_released(std::move(progress), [&] { single_linkage(forest, out); });
}

}  // namespace

void init_single_linkage(py::module_& module) {
  module.def("single_linkage", &link, py::arg("ends"), py::arg("weights"), py::arg("linkage"),
             py::arg("progress"));
}

}  // namespace warpgraph
