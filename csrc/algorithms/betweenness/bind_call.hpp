// The call of a binding, on cores, a device or several. Not for use outside this folder.
#pragma once

#include "algorithms/betweenness/betweenness.hpp"
#include "bindings/call.hpp"
#include "bindings/core/ledger.hpp"
#include "bindings/device.hpp"
#include "bindings/graphs.hpp"

#include <pybind11/stl.h>

#include <optional>
#include <vector>

namespace warpgraph {

/// The arguments of a call besides the graph, and where it runs.
struct BetweennessCall {
  const py::dtype& dtype;  // of distances
  bool unweighted;
  const std::vector<Device>& devices;
  BetweennessOptions options;
  const py::object& limit;  // a number of the type of distances
};

/// Fills the scores of the vertices or, if there are `entries`, of these arcs. Distances are of
/// type call.dtype, a float type or int64.
inline void run_betweenness(const BetweennessCall& call, Graph& graph, const Graph* entries,
                            std::span<double> scores, Progress progress) {
  const auto run = [&]<class W>() {
    const W limit = call.limit.cast<W>();
    const CsrView<W> host = host_view<W>(graph, call.unweighted);
    const auto copy_on = [&](Device device) {
      return device_view<W>(graph, call.unweighted, device);
    };
    const auto is_mirrored = [&] {
      return call.unweighted ? graph.has_mirrored_structure() : graph.is_mirrored();
    };
    const auto dependencies_on = [&](Device device, const SimpleGraph<W>& simple,
                                     const BetweennessOptions& options) {
      return run_on(
          device, [&] { return dependencies_cpu(simple, limit, options); },
          [&](const auto& stream) { return dependencies_cuda(simple, limit, options, stream); });
    };
    std::optional<CsrView<W>> scored;
    if (entries != nullptr) scored = host_view<W>(*entries, call.unweighted);
    run_released(std::move(progress), [&] {
      betweenness_multi<W>(call.devices, {host, copy_on, is_mirrored}, scored ? &*scored : nullptr,
                           call.options, dependencies_on, scores);
    });
  };
  if (call.dtype.kind() != 'f') return run.template operator()<std::int64_t>();
  dispatch_real(call.dtype, run);
}

}  // namespace warpgraph
