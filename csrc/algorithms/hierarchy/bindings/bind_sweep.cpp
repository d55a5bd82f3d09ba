#include "algorithms/hierarchy/hierarchy_handle.hpp"
#include "bindings/call.hpp"
#include "bindings/core/ledger.hpp"
#include "bindings/device.hpp"
#include "bindings/graphs.hpp"
#include "bindings/on_device/device_arrays.hpp"

#include <pybind11/stl.h>

namespace warpgraph {
namespace {

using Targets = std::optional<std::span<const vertex_t>>;

/// Computes rows of `distances` to `targets`, or to all vertices if there are none.
void sweep(const SweepSettings& settings, HierarchyHandle& handle,
           std::span<const vertex_t> sources, const Targets& targets, const py::object& distances,
           const py::object& limit, const std::vector<Device>& devices, Progress progress) {
  dispatch_weight(dtype_of(distances), [&]<class R>() {
    const HierarchyQuery<R> whole{settings, sources, targets.value_or(std::span<const vertex_t>()),
                                  targets.has_value(), limit.cast<R>()};
    const RowMatrix<R> rows = writable_rows<R>(distances, devices.at(0));
    const HierarchyResult<R> all{rows.data, rows.stride, rows.on_device};
    handle.visit([&]<class T>(const Hierarchy<T>& hierarchy) {
      if constexpr (std::is_integral_v<R> && std::is_floating_point_v<T>) {
        // Python requests integer distances only if all weights are integers.
        throw std::overflow_error(weights_too_large);
      } else {
        const RowsSweep<R> sweep_on = [&](Device device, const HierarchyQuery<R>& query,
                                          const HierarchyResult<R>& result) {
          run_on(
              device, [&] { sweep_cpu(hierarchy, query, result); },
              [&](const auto& stream) {
                sweep_cuda(handle.on_device(hierarchy, device), hierarchy, query, result, stream);
              });
        };
        run_released(std::move(progress), [&] { sweep_multi(devices, whole, all, sweep_on); });
      }
    });
  });
}

}  // namespace

void init_hierarchy_sweep(py::module_& module) {
  define(module, "sweep", &sweep,
         {"hierarchy", "sources", "targets", "distances", "limit", "devices", "progress"},
         keyword("ledger", &SweepSettings::budget));
}

}  // namespace warpgraph
