// Memory is asked for before it is taken: an algorithm states what it will need, and gets a
// sentence with both numbers instead of an allocation that fails half-way or a killed process.
#pragma once

#include "core/device.hpp"

#include <cstddef>
#include <string>
#include <string_view>

namespace warpgraph {

/// "1.5 GiB", "312 bytes".
[[nodiscard]] std::string format_bytes(std::size_t bytes);

/// What is left of a limit once `taken` bytes are; 0, as there is none, for a limit of 0. Of one
/// that is used up a byte is left, since 0 would lift it.
[[nodiscard]] constexpr std::size_t left_of_limit(std::size_t limit, std::size_t taken) noexcept {
  if (limit == 0) return 0;
  return limit > taken ? limit - taken : 1;
}

class MemoryBudget {
 public:
  /// limit 0: whatever is free on the device at the time of asking.
  explicit MemoryBudget(Device device, std::size_t limit = 0) : device_(device), limit_(limit) {}

  [[nodiscard]] Device device() const noexcept { return device_; }
  /// Bytes that may be taken now.
  [[nodiscard]] std::size_t available() const;
  /// Whether that is so many at least; mostly quicker than asking how many.
  [[nodiscard]] bool has(std::size_t bytes) const;
  /// Throws OutOfMemory naming `what`, the bytes needed, the bytes there are and `way_out`.
  void require(std::string_view what, std::size_t bytes, std::string_view way_out) const;

 private:
  Device device_;
  std::size_t limit_;
};

}  // namespace warpgraph
