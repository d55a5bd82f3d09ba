// Capabilities of teams of devices, and the times of their steps.
#include "bindings/call.hpp"
#include "bindings/device.hpp"
#include "runtime/bulk_synchronous/step_times.hpp"
#include "runtime/devices/topology.hpp"

#include <pybind11/stl.h>

#include <tuple>

namespace warpgraph {
namespace {

std::vector<std::tuple<std::string, int, double>> step_times(bool record) {
  std::vector<std::tuple<std::string, int, double>> found;
  for (const runtime::StepTime& time : runtime::StepTimes::of_this_thread().take(record)) {
    found.emplace_back(time.step, time.member, time.seconds);
  }
  return found;
}

/// Returns whether each of the CUDA devices can access the memory of all others.
bool share_memory(const std::vector<Device>& devices) { return runtime::share_memory(devices); }

}  // namespace

void init_team(py::module_& module) {
  module.def("share_memory", &share_memory, py::arg("devices"));
  module.def("team_step_times", &step_times, py::arg("record"));
}

}  // namespace warpgraph
