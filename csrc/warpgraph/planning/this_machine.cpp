#include "warpgraph/planning/this_machine.hpp"

#include "core/threads/parallel.hpp"
#include "plan/model/learnt.hpp"
#include "plan/rates.hpp"
#include "runtime/devices/topology.hpp"

#include <algorithm>
#include <limits>
#include <utility>

namespace warpgraph {

ThisMachine::ThisMachine(std::function<std::optional<Device>()> gpu,
                         std::function<std::vector<Device>()> gpus)
    : gpu_(std::move(gpu)), gpus_(std::move(gpus)) {
  n_threads = configured_threads();
  measures = plan::is_learning();
}

std::optional<Device> ThisMachine::gpu() const { return gpu_(); }
double ThisMachine::seconds_to_begin() const {
  // No driver is loaded by asking in a build without CUDA.
  if (!built_with_cuda() && !gpu()) return std::numeric_limits<double>::infinity();
  return has_begun_on_gpus()
             ? 0
             : std::max(plan::rates::seconds_to_begin - plan::lost_by_waiting(), 0.0);
}
std::vector<Device> ThisMachine::gpus() const { return gpus_(); }
std::size_t ThisMachine::free_memory(Device device) const { return warpgraph::free_memory(device); }

bool ThisMachine::has_memory(MemoryBudget budget, std::size_t bytes) const {
  return budget.has(bytes);
}

bool ThisMachine::share_memory(std::span<const Device> devices) const {
  return runtime::share_memory(devices);
}

}  // namespace warpgraph
