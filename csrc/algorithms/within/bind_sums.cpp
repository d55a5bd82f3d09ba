#include "algorithms/within/within.hpp"
#include "bindings/call.hpp"
#include "bindings/core/ledger.hpp"
#include "bindings/device.hpp"
#include "bindings/graphs.hpp"

#include <pybind11/stl.h>

namespace warpgraph {
namespace {

/// Limits have the dtype of distances. Without summands, vertices are counted.
void add_within(const WithinSettings& settings, Graph& graph, std::span<const vertex_t> sources,
                const py::array& limits, std::span<const double> summands, std::span<double> sums,
                bool unweighted, const std::vector<Device>& devices, Progress progress) {
  dispatch_weight(limits.dtype(), [&]<class W>() {
    const CsrView<W> host = host_view<W>(graph, unweighted);
    const ReachSums<W> all{readable<W>(limits), summands, sums};
    const SumsSearch<W> search = [&](Device device, auto starts, const auto& reach,
                                     const auto& how) {
      run_on(
          device, [&] { sums_within_cpu(host, starts, reach, how); },
          [&](const auto& stream) {
            const CsrView<W> view = device_view<W>(graph, unweighted, device);
            sums_within_cuda(view, host, starts, reach, how, stream);
          });
    };
    run_released(std::move(progress),
                 [&] { sums_within_multi(devices, sources, all, settings, search); });
  });
}

}  // namespace

void init_within_sums(py::module_& module) {
  define(module, "sums_within", &add_within,
         {"graph", "sources", "limits", "summands", "sums", "unweighted", "devices", "progress"},
         keyword("ledger", &WithinSettings::budget));
}

}  // namespace warpgraph
