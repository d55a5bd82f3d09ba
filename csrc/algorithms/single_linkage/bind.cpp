#include "algorithms/single_linkage/single_linkage.hpp"
#include "bindings/call.hpp"
#include "bindings/device.hpp"
#include "bindings/items.hpp"
#include "bindings/keywords.hpp"
#include "core/memory/memory_budget.hpp"

WARPGRAPH_NAMES(warpgraph::LinkageMethod, {"auto", fastest}, {"reference", reference},
                {"contraction", contraction});

namespace warpgraph {
namespace {

/// A forest and its linkage matrix, as single_linkage.hpp describes them.
struct LinkageArrays {
  vertex_t n_vertices;
  Items<const vertex_t> ends;  // two for each edge
  Items<const double> weights;
  Items<double> linkage;  // n_vertices - 1 rows of four
};

/// Links on a device; the arrays are in host memory or on the stream's device.
template <class Stream>
void link_on_device(const LinkageArrays& arrays, MemoryBudget budget, const Stream& stream) {
  const auto ends = device_input(arrays.ends, stream);
  const auto weights = device_input(arrays.weights, stream);
  const auto linkage = device_output(arrays.linkage, stream, linkage_alignment);
  single_linkage_cuda({arrays.n_vertices, ends.span(), weights.span()}, linkage.span(), budget,
                      stream);
  linkage.finish();
}

void link(vertex_t n_vertices, const py::object& ends, const py::object& weights,
          const py::object& linkage, LinkageMethod method, Device device) {
  const LinkageArrays arrays{n_vertices, readable_items<vertex_t>(ends, device),
                             readable_items<double>(weights, device),
                             writable_items<double>(linkage, device)};
  run_released([&] {
    run_on(
        device,
        [&] {
          single_linkage_cpu({n_vertices, arrays.ends.span, arrays.weights.span},
                             arrays.linkage.span, method);
        },
        [&](const auto& stream) { link_on_device(arrays, MemoryBudget(device), stream); });
  });
}

}  // namespace

void init_single_linkage(py::module_& module) {
  module.def("single_linkage", &link, py::arg("n_vertices"), py::arg("ends"), py::arg("weights"),
             py::arg("linkage"), py::arg("method"), py::arg("device"));
}

}  // namespace warpgraph
