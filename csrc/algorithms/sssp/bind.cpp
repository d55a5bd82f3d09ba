#include "algorithms/sssp/sssp.hpp"
#include "bindings/call.hpp"
#include "bindings/core/ledger.hpp"
#include "bindings/device.hpp"
#include "bindings/graphs.hpp"
#include "bindings/items.hpp"

#include <pybind11/stl.h>

WARPGRAPH_NAMES(warpgraph::SsspMethod, {"dijkstra", dijkstra}, {"delta_stepping", delta_stepping},
                {"near_far", near_far}, {"bellman_ford", bellman_ford});

namespace warpgraph {
namespace {

/// Searches from the sources. `distances` is a NumPy array, or one on the device that the search
/// runs on. Several devices are those of sssp_multi. Several sources, ascending and all different,
/// are for one device.
void sssp(const SsspSettings& settings, Graph& graph, std::span<const vertex_t> sources,
          const py::object& distances, std::span<vertex_t> predecessors, const py::object& limit,
          std::span<const vertex_t> targets, bool unweighted, const std::vector<Device>& devices,
          Progress progress) {
  const Device device = devices.at(0);
  const vertex_t source = sources.front();
  EXPECTS(sources.size() == 1 || devices.size() == 1,
          "a search from several sources runs on one device, not on ", devices.size());
  dispatch_weight(dtype_of(distances), [&]<class W>() {
    SsspOptions<W> options{settings, limit.cast<W>(), targets};
    const Items<W> items = writable_items<W>(distances, device);
    const SsspResult<W> result{items.span, predecessors, items.on_device,
                               items.on_device && !targets.empty()};
    // A search for negative cycles, and several devices, read all of it.
    const bool reads_all = settings.negative_weights || devices.size() > 1;
    const CsrView<W> host = host_view_beside<W>(graph, unweighted, reads_all ? Device{} : device);
    run_released(std::move(progress), [&] {
      if (devices.size() > 1) {
        options.parts = graph.parts_on(devices);
        return sssp_multi(host, source, devices, options, result);
      }
      run_on(
          device, [&] { multi_source_sssp_cpu(host, sources, options, result); },
          [&](const auto& stream) {
            options.derived = &graph.derived_on(device);
            sssp_cuda(device_view<W>(graph, unweighted, device), host, sources, options, result,
                      stream);
          });
    });
  });
}

/// Returns (the start of each path and the end of the last, vertices).
Tuple<py::array_t<edge_t>, py::array_t<vertex_t>> paths_to(std::span<const vertex_t> predecessors,
                                                           vertex_t source,
                                                           std::span<const vertex_t> targets) {
  Paths found = run_released([&] { return reconstruct_paths(predecessors, source, targets); });
  return py::make_tuple(to_array(std::move(found.offsets)), to_array(std::move(found.vertices)));
}

void sources_of_trees(std::span<const vertex_t> predecessors, std::span<const vertex_t> sources,
                      std::span<vertex_t> nearest) {
  run_released([&] { nearest_sources(predecessors, sources, nearest); });
}

}  // namespace

void init_sssp(py::module_& module) {
  define(module, "sssp", &sssp,
         {"graph", "sources", "distances", "predecessors", "limit", "targets", "unweighted",
          "devices", "progress"},
         keyword("method", &SsspSettings::method),
         keyword("negative_weights", &SsspSettings::negative_weights),
         keyword("symmetric", &SsspSettings::symmetric), keyword("ledger", &SsspSettings::budget));
  module.def("reconstruct_paths", &paths_to, py::arg("predecessors"), py::arg("source"),
             py::arg("targets"));
  module.def("nearest_sources", &sources_of_trees, py::arg("predecessors"), py::arg("sources"),
             py::arg("nearest"));
}

}  // namespace warpgraph
