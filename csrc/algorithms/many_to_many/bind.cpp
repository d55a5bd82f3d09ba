#include "algorithms/many_to_many/many_to_many.hpp"
#include "bindings/call.hpp"
#include "bindings/core/ledger.hpp"
#include "bindings/device.hpp"
#include "bindings/graphs.hpp"
#include "bindings/on_device/device_arrays.hpp"

#include <pybind11/stl.h>

#include <tuple>
#include <vector>

WARPGRAPH_NAMES(warpgraph::ManyToManyMethod, {"dijkstra", dijkstra}, {"batched", batched},
                {"breadth_first", breadth_first}, {"johnson", johnson});

namespace warpgraph {
namespace {

/// Returns a result in `distances`, a NumPy array or one on the device that searches.
template <class W>
ManyToManyResult<W> result_in(const py::object& distances, std::span<vertex_t> trees,
                              Device device) {
  const RowMatrix<W> rows = writable_rows<W>(distances, device);
  return {rows.data, rows.stride, trees.empty() ? nullptr : trees.data(), rows.on_device};
}

/// A way of a plan: method, whether on a GPU, first sources, seconds once and of a source.
using WayOfPlan = std::tuple<ManyToManyMethod, bool, std::int64_t, double, double>;

void many_to_many(const ManyToManySettings& settings, Graph& graph,
                  std::optional<const Graph*> transposed, std::span<const vertex_t> sources,
                  std::span<const vertex_t> targets, const py::object& distances,
                  std::span<vertex_t> predecessors, const py::object& limit, bool unweighted,
                  const py::array& potentials, const std::vector<Device>& devices,
                  const std::vector<WayOfPlan>& ways, Progress progress) {
  dispatch_weight(dtype_of(distances), [&]<class W>() {
    ManyToManyOptions<W> given{settings, limit.cast<W>(), targets, readable<W>(potentials)};
    for (const auto& [method, on_gpu, n_first, once, each] : ways) {
      given.ways.push_back({method, on_gpu, n_first, once, each});
    }
    if (transposed) given.transposed = &(*transposed)->pattern();
    const ManyToManyResult<W> rows = result_in<W>(distances, predecessors, devices.at(0));
    const CsrView<W> host = host_view<W>(graph, unweighted);
    const RowsSearch<W> search = [&](Device device, auto starts, auto options, const auto& to) {
      run_on(
          device, [&] { many_to_many_cpu(host, starts, options, to); },
          [&](const auto& stream) {
            options.derived = &graph.derived_on(device);
            const CsrView<W> view = device_view<W>(graph, unweighted, device);
            many_to_many_cuda(view, host, starts, options, to, stream);
          });
    };
    const auto deal = [&] { many_to_many_multi(devices, host, sources, given, rows, search); };
    run_released(std::move(progress), deal);
  });
}

}  // namespace

void init_many_to_many(py::module_& module) {
  define(module, "many_to_many", &many_to_many,
         {"graph", "transposed", "sources", "targets", "distances", "predecessors", "limit",
          "unweighted", "potentials", "devices", "ways", "progress"},
         keyword("method", &ManyToManySettings::method),
         keyword("mirrored", &ManyToManySettings::symmetric),
         keyword("ledger", &ManyToManySettings::budget));
}

}  // namespace warpgraph
