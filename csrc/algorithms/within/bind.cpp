#include "algorithms/within/within.hpp"
#include "bindings/call.hpp"
#include "bindings/core/ledger.hpp"
#include "bindings/device.hpp"
#include "bindings/graphs.hpp"

#include <pybind11/stl.h>

namespace warpgraph {
namespace {

/// Arrays indptr, indices and data of a sparse matrix.
using DistanceArrays = Tuple<py::array_t<edge_t>, py::array_t<vertex_t>, py::array>;

template <class W>
DistanceArrays arrays_of(DistanceLists<W>&& found) {
  return py::make_tuple(to_array(std::move(found.offsets)), to_array(std::move(found.vertices)),
                        to_array(std::move(found.distances)));
}

DistanceArrays lists_within(const WithinSettings& settings, Graph& graph,
                            std::span<const vertex_t> sources, const py::object& limit,
                            const py::dtype& dtype, bool unweighted,
                            const std::vector<Device>& devices, Progress progress) {
  return dispatch_weight(dtype, [&]<class W>() {
    const CsrView<W> host = host_view<W>(graph, unweighted);
    const W farthest = limit.cast<W>();
    const ListsSearch<W> search = [&](Device device, auto starts, const auto& how) {
      return run_on(
          device, [&] { return within_cpu(host, starts, farthest, how); },
          [&](const auto& stream) {
            const CsrView<W> view = device_view<W>(graph, unweighted, device);
            return within_cuda(view, host, starts, farthest, how, stream);
          });
    };
    return arrays_of(run_released(
        std::move(progress), [&] { return within_multi(devices, sources, settings, search); }));
  });
}

DistanceArrays reference_within(const Graph& graph, std::span<const vertex_t> sources,
                                const py::object& limit, const py::dtype& dtype, bool unweighted) {
  return dispatch_weight(dtype, [&]<class W>() {
    const CsrView<W> view = host_view<W>(graph, unweighted);
    const W farthest = limit.cast<W>();
    return arrays_of(run_released([&] { return within_reference(view, sources, farthest); }));
  });
}

}  // namespace

void init_within(py::module_& module) {
  define(module, "within", &lists_within,
         {"graph", "sources", "limit", "dtype", "unweighted", "devices", "progress"},
         keyword("ledger", &WithinSettings::budget));
  module.def("within_reference", &reference_within, py::arg("graph"), py::arg("sources"),
             py::arg("limit"), py::arg("dtype"), py::arg("unweighted"));
}

}  // namespace warpgraph
