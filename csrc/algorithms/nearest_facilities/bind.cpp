#include "algorithms/nearest_facilities/nearest_facilities.hpp"
#include "bindings/call.hpp"
#include "bindings/core/ledger.hpp"
#include "bindings/device.hpp"
#include "bindings/graphs.hpp"

namespace warpgraph {
namespace {

/// Finds the k facilities nearest to each vertex, for which `distances` and `nearest` have a row of
/// k entries. `entering` has the arcs of `graph` from heads to tails, which a GPU reads.
void find_facilities(const NearestFacilitiesSettings& settings, Graph& graph, Graph& entering,
                     std::span<const vertex_t> facilities, py::array distances,
                     std::span<vertex_t> nearest, const py::object& limit, bool unweighted,
                     Device device, Progress progress) {
  dispatch_weight(distances.dtype(), [&]<class W>() {
    const CsrView<W> host = host_view<W>(graph, unweighted);
    const NearestFacilitiesOptions<W> options{settings, limit.cast<W>()};
    const NearestFacilities<W> result{writable<W>(distances), nearest};
    run_released(std::move(progress), [&] {
      run_on(
          device, [&] { nearest_facilities_cpu(host, facilities, options, result); },
          [&](const auto& stream) {
            const EnteringAndLeaving<W> arcs{device_view<W>(graph, unweighted, device),
                                             device_view<W>(entering, unweighted, device)};
            nearest_facilities_cuda(arcs, host, facilities, options, result, stream);
          });
    });
  });
}

}  // namespace

void init_nearest_facilities(py::module_& module) {
  define(module, "nearest_facilities", &find_facilities,
         {"graph", "entering", "facilities", "distances", "nearest", "limit", "unweighted",
          "device", "progress"},
         keyword("k", &NearestFacilitiesSettings::k),
         keyword("ledger", &NearestFacilitiesSettings::budget));
}

}  // namespace warpgraph
