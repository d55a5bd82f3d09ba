// On which devices a call runs: what device="auto" and device="cuda:all" choose.
#pragma once

#include "core/memory/memory_budget.hpp"
#include "plan/machine.hpp"
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
  std::int64_t work = 0;  // the size of the input, in these units:
  std::string_view unit = "edges";
  std::optional<std::int64_t> worthwhile = {};   // a GPU gains from this much work on; none: never
  bool divides = true;                           // several devices can share the work
  std::optional<std::size_t> bytes_on_one = {};  // on a GPU that does all; none: "cuda:all" is all
  std::size_t least_bytes = 0;                   // "auto" takes no GPU that has not as many
  MemoryBudget budget = {};
  std::function<Rounds()> rounds = {};  // none: no more GPUs gain than have the memory
};

/// Returns one device, or several: for "cuda:all" those GPUs that take the least time.
[[nodiscard]] std::vector<Device> choose_devices(const Devices& devices, const Suits& suits,
                                                 Reasons& reasons);

/// Throws DeviceError if only some of the devices are the host: `what` runs on the host, or on
/// GPUs.
void refuse_mixed(std::span<const Device> devices, std::string_view what);

/// Returns the first GPU, or the host if there is none.
[[nodiscard]] Device fastest(std::span<const Device> devices);

}  // namespace warpgraph::plan
