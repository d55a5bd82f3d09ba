// The machine that this process runs on, for plans.
#pragma once

#include "core/memory/memory_budget.hpp"
#include "plan/machine.hpp"

#include <functional>
#include <optional>
#include <span>
#include <vector>

namespace warpgraph {

/// The machine that this process runs on. The client knows which GPUs its calls may use.
class ThisMachine final : public plan::Machine {
 public:
  /// gpu() returns the GPU that "auto" may take, gpus() all. Both are asked for where it matters.
  ThisMachine(std::function<std::optional<Device>()> gpu,
              std::function<std::vector<Device>()> gpus);

  [[nodiscard]] std::optional<Device> gpu() const override;
  [[nodiscard]] double seconds_to_begin() const override;
  [[nodiscard]] std::vector<Device> gpus() const override;
  [[nodiscard]] std::size_t free_memory(Device device) const override;
  [[nodiscard]] bool has_memory(MemoryBudget budget, std::size_t bytes) const override;
  [[nodiscard]] bool share_memory(std::span<const Device> devices) const override;

 private:
  std::function<std::optional<Device>()> gpu_;
  std::function<std::vector<Device>()> gpus_;
};

}  // namespace warpgraph
