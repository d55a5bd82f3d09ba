// The memory that one call may take. It is made where the arguments of the call are checked and
// travels with the call; what the call returns or a graph keeps is charged where it is made.
#pragma once

#include "core/memory/memory_budget.hpp"

#include <algorithm>
#include <atomic>
#include <span>

namespace warpgraph {

/// A limit in bytes, and what is left of it. Without a limit nothing is counted, and the free
/// memory of the machine is the limit. Threads may share it.
class Ledger {
 public:
  explicit Ledger(std::size_t limit = MemoryBudget::no_limit) noexcept
      : limit_(limit), left_(limit) {}

  /// Sets the devices that compute. If the host is none of them, the limit is for each device
  /// alone, and from now on the memory of the host does not count.
  void run_on(std::span<const Device> devices) noexcept {
    if (is_limited()) spares_host_ = std::ranges::all_of(devices, &Device::is_cuda);
  }

  [[nodiscard]] bool is_limited() const noexcept { return limit_ != MemoryBudget::no_limit; }
  /// Returns the limit with which the call began, or MemoryBudget::no_limit.
  [[nodiscard]] std::size_t limit() const noexcept { return limit_; }
  /// Returns whether the memory of a device counts.
  [[nodiscard]] bool counts(Device device) const noexcept {
    return is_limited() && (device.is_cuda() || !spares_host_);
  }
  /// Returns what is left where the call computes, or MemoryBudget::no_limit.
  [[nodiscard]] std::size_t left() const noexcept { return left_; }
  /// Returns what is left where the call computes, as a budget.
  [[nodiscard]] MemoryBudget budget() const { return MemoryBudget({}, left()); }
  /// Returns what is left for a part of the call on this device.
  [[nodiscard]] MemoryBudget left_on(Device device) const noexcept {
    return MemoryBudget(device, counts(device) ? left() : MemoryBudget::no_limit);
  }
  /// Returns the ledger of a part of the call that runs on the host.
  [[nodiscard]] Ledger on_host() const noexcept { return Ledger(left_on(Device{}).left()); }

  /// Throws OutOfMemory if fewer bytes are left or free, as MemoryBudget::require.
  void require(std::string_view what, std::size_t bytes, std::string_view advice,
               Device device = {}) const {
    left_on(device).require(what, bytes, advice);
  }
  /// Charges memory that has been allocated.
  void charge(std::size_t bytes, Device device = {}) noexcept {
    if (!counts(device)) return;
    std::size_t before = left_;
    const auto after = [&] { return MemoryBudget(device, before).after(bytes).left(); };
    while (!left_.compare_exchange_weak(before, after())) continue;
  }
  /// Charges memory that is about to be allocated, or throws OutOfMemory and charges nothing.
  void reserve(std::string_view what, std::size_t bytes, std::string_view advice,
               Device device = {}) {
    require(what, bytes, advice, device);
    charge(bytes, device);
  }

 private:
  const std::size_t limit_;
  std::atomic<bool> spares_host_{false};
  std::atomic<std::size_t> left_;
};

}  // namespace warpgraph
