// On which devices a call runs: what device="auto" and device="cuda:all" choose.
#pragma once

#include "core/memory/memory_budget.hpp"
#include "plan/facts.hpp"
#include "plan/machine.hpp"
#include "plan/model/model.hpp"
#include "plan/reasons.hpp"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string_view>
#include <vector>

namespace warpgraph::plan {

/// The expected time of a call that several GPUs divide, or of a round of it.
struct Rounds {
  double seconds_on_one = 0;
  double bytes_sent = 0;  // that each device has for all others, sent while devices compute
  double undivided = 0;   // the share of the seconds that more devices do not lessen

  [[nodiscard]] double seconds(std::size_t n_devices) const;
};

/// The devices that suit a request, as an algorithm knows.
struct Suits {
  /// The seconds of the fastest way on the host or on a GPU, in a graph of a shape; none: "auto"
  /// takes the host.
  std::function<double(Place, const Shape&)> seconds = {};
  std::function<Shape()> shape = {};             // asked for where it decides
  bool divides = true;                           // several devices can share the work
  std::optional<std::size_t> bytes_on_one = {};  // on a GPU that does all; none: "cuda:all" is all
  std::size_t least_bytes = 0;                   // "auto" takes no GPU that has not as many
  MemoryBudget budget = {};
  std::function<Rounds()> rounds = {};  // none: no more GPUs gain than have the memory
};

/// Returns one device, or several: for "cuda:all" those GPUs that take the least time. `lost` gets
/// the seconds by which a GPU would take less than the cores that are chosen, if it were ready.
[[nodiscard]] std::vector<Device> choose_devices(const Devices& devices, const Suits& suits,
                                                 Reasons& reasons, double& lost);

/// Throws DeviceError if only some of the devices are the host: `what` runs on the host, or on
/// GPUs.
void refuse_mixed(std::span<const Device> devices, std::string_view what);

/// Returns the first GPU, or the host if there is none.
[[nodiscard]] Device fastest(std::span<const Device> devices);

}  // namespace warpgraph::plan
