// What a plan may know of the machine. Asking loads the driver of the GPUs, or waits for it: a plan
// asks only where the answer decides.
#pragma once

#include "core/device.hpp"
#include "core/memory/memory_budget.hpp"

#include <cstddef>
#include <optional>
#include <span>
#include <vector>

namespace warpgraph::plan {

class Machine {
 public:
  virtual ~Machine() = default;

  int n_threads = 1;     // of a call on the host
  bool measures = true;  // long calls find the faster one of two ways while they run

  /// Returns the GPU that device="auto" may choose; none if there is none, or none for this caller.
  [[nodiscard]] virtual std::optional<Device> gpu() const = 0;
  /// Returns the seconds until a GPU takes its first work, less what earlier calls of the process
  /// have lost by that; 0 once it has begun, and infinity if there is none, as far as is known.
  /// Asks no driver.
  [[nodiscard]] virtual double seconds_to_begin() const = 0;
  /// Returns all GPUs, which device="cuda:all" may choose.
  [[nodiscard]] virtual std::vector<Device> gpus() const = 0;
  [[nodiscard]] virtual std::size_t free_memory(Device device) const = 0;
  /// Returns whether the budget has so many bytes on its device.
  [[nodiscard]] virtual bool has_memory(MemoryBudget budget, std::size_t bytes) const = 0;
  /// Returns whether the GPUs can access each other's memory.
  [[nodiscard]] virtual bool share_memory(std::span<const Device> devices) const = 0;
};

/// The devices that a ``device=`` argument names, on a machine.
struct Devices {
  enum class Wanted { automatic, all, named };

  Wanted wanted = Wanted::named;
  std::vector<Device> named;  // by the caller, or what a plan with `devices_only` has chosen
  const Machine* machine = nullptr;
};

}  // namespace warpgraph::plan
