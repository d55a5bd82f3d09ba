#include "algorithms/nearest_facilities/nearest_facilities.hpp"
#include "bindings/call.hpp"
#include "bindings/core/ledger.hpp"
#include "bindings/graph_handle.hpp"

namespace warpgraph {
namespace {

/// `distances` and `nearest` have a row of k entries for each vertex.
void find_facilities(const NearestFacilitiesSettings& settings, const GraphHandle& graph,
                     std::span<const vertex_t> facilities, py::array distances,
                     std::span<vertex_t> nearest, const py::object& limit, bool unweighted,
                     Progress progress) {
  dispatch_weight(distances.dtype(), [&]<class W>() {
    const CsrView<W> view = host_view<W>(graph, unweighted);
    const NearestFacilitiesOptions<W> options{settings, limit.cast<W>()};
    const NearestFacilities<W> result{writable<W>(distances), nearest};
    run_released(std::move(progress),
                 [&] { nearest_facilities_cpu(view, facilities, options, result); });
  });
}

}  // namespace

void init_nearest_facilities(py::module_& module) {
  define(module, "nearest_facilities", &find_facilities,
         {"graph", "facilities", "distances", "nearest", "limit", "unweighted", "progress"},
         keyword("k", &NearestFacilitiesSettings::k),
         ledger_keyword(&NearestFacilitiesSettings::memory_limit));
}

}  // namespace warpgraph
