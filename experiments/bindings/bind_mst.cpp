// Boruvka's algorithm over sorted rows, on cores and with compressed heads.
#include "bindings/call.hpp"
#include "bindings/core/ledger.hpp"
#include "bindings/device.hpp"
#include "bindings/forest_arrays.hpp"
#include "bindings/graphs.hpp"
#include "bindings/keywords.hpp"
#include "bindings/on_device/device_arrays.hpp"
#include "experiments/mst/boruvka.hpp"

namespace warpgraph {
namespace {

using experiments::BoruvkaOptions;

/// Refuses heads as they are, by which the library itself runs the method on devices.
void require_compressed(const BoruvkaOptions& options) {
  EXPECTS(options.compressed, "on CUDA devices, heads are compressed");
}

ForestArrays boruvka(const BoruvkaOptions& given, Graph& graph, const py::dtype& dtype,
                     Device device, Progress progress) {
  return dispatch_weight(dtype, [&]<class W>() {
    return to_arrays(run_released(std::move(progress), [&] {
      return run_on(
          device, [&] { return experiments::boruvka_on_cores(graph.view<W>(), given); },
          [&](const auto& stream) {
            require_compressed(given);
            BoruvkaOptions options = given;
            options.derived = &graph.derived_on(device);
            return experiments::compressed_boruvka_to_host(graph.view_on<W>(device), options,
                                                           stream);
          });
    }));
  });
}

/// Writes positions of edges to `out`, an array on the device. Returns their number.
std::int64_t boruvka_on_device(const BoruvkaOptions& given, Graph& graph, const py::dtype& dtype,
                               const py::object& out, Device device) {
  const std::span<edge_t> positions = writable_on<edge_t>(out, device);
  return dispatch_weight(dtype, [&]<class W>() {
    return run_released([&] {
      return run_on_cuda<std::int64_t>(device, [&](const auto& stream) {
        require_compressed(given);
        BoruvkaOptions options = given;
        options.derived = &graph.derived_on(device);
        return experiments::compressed_boruvka(graph.view_on<W>(device), options, positions.data(),
                                               stream);
      });
    });
  });
}

}  // namespace

void init_experiments_mst(py::module_& module) {
  define(module, "boruvka", &boruvka, {"graph", "dtype", "device", "progress"},
         keyword("maximum", &BoruvkaOptions::maximum),
         keyword("compressed", &BoruvkaOptions::compressed),
         keyword("ledger", &BoruvkaOptions::budget));
  define(module, "boruvka_on_device", &boruvka_on_device, {"graph", "dtype", "out", "device"},
         keyword("maximum", &BoruvkaOptions::maximum),
         keyword("compressed", &BoruvkaOptions::compressed),
         keyword("ledger", &BoruvkaOptions::budget));
}

}  // namespace warpgraph
