// What the steps of teams of devices took.
#include "bindings/call.hpp"
#include "runtime/bulk_synchronous/step_times.hpp"

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

}  // namespace

void init_team(py::module_& module) {
  module.def("team_step_times", &step_times, py::arg("record"));
}

}  // namespace warpgraph
