// The call of a binding, on cores or a device. Not for use outside this folder.
#pragma once

#include "algorithms/betweenness/betweenness.hpp"
#include "bindings/call.hpp"
#include "bindings/core/ledger.hpp"
#include "bindings/device.hpp"
#include "bindings/graph_handle.hpp"

namespace warpgraph {

/// The vertices and the limit of a call, and where it runs.
struct BetweennessCall {
  const py::dtype& dtype;  // of distances
  bool unweighted;
  Device device;
  BetweennessOptions options;
  const py::object& limit;
};

/// Calls on_cpu(graph, limit) or on_cuda(graph, limit, stream) for the type of distances: a float,
/// or int64.
template <class OnCpu, class OnCuda>
void run_betweenness(const BetweennessCall& call, GraphHandle& graph, Progress progress,
                     const OnCpu& on_cpu, const OnCuda& on_cuda) {
  const auto run = [&]<class W>() {
    const W limit = call.limit.cast<W>();
    const CsrView<W> host = host_view<W>(graph, call.unweighted);
    const auto copy = [&] { return device_view<W>(graph, call.unweighted, call.device); };
    const auto is_mirrored = [&] {
      return call.unweighted ? graph.has_mirrored_structure() : graph.is_mirrored();
    };
    run_released(std::move(progress), [&] {
      run_on(
          call.device, [&] { on_cpu(host, limit); },
          [&](const auto& stream) {
            on_cuda(BetweennessGraph<W>{host, copy, is_mirrored}, limit, stream);
          });
    });
  };
  if (call.dtype.kind() != 'f') return run.template operator()<std::int64_t>();
  dispatch_real(call.dtype, run);
}

}  // namespace warpgraph
