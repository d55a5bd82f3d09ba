// Checks for memory before it is allocated. An algorithm states the bytes that it needs. If there
// are fewer, the error names both numbers; otherwise an allocation would fail half-way, or the
// system would kill the process.
#pragma once

#include "core/device.hpp"

#include <cstddef>
#include <string>
#include <string_view>

namespace warpgraph {

/// Formats bytes as "1.5 GiB" or "312 bytes".
[[nodiscard]] std::string format_bytes(std::size_t bytes);

/// Returns the end of an error's sentence: the available bytes, their cause, and the ways out. The
/// first of these is to change that cause; `advice`, which may be empty, is another one that suits
/// the call.
[[nodiscard]] std::string what_there_is(std::size_t bytes, bool is_limited,
                                        std::string_view advice);

/// Returns the rest of a limit after `taken` bytes: 0 for a limit of 0, which means no limit, and 1
/// if the limit is used up.
[[nodiscard]] constexpr std::size_t left_of_limit(std::size_t limit, std::size_t taken) noexcept {
  if (limit == 0) return 0;
  return limit > taken ? limit - taken : 1;
}

class MemoryBudget {
 public:
  /// Makes a budget of `limit` bytes; for 0, of the memory that is free on the device at the time
  /// of the call.
  explicit MemoryBudget(Device device, std::size_t limit = 0) : device_(device), limit_(limit) {}

  [[nodiscard]] Device device() const noexcept { return device_; }
  /// Returns the bytes that may be allocated now.
  [[nodiscard]] std::size_t available() const;
  /// Returns whether available() is at least `bytes`; usually faster than calling that.
  [[nodiscard]] bool has(std::size_t bytes) const;
  /// Throws OutOfMemory if fewer than `bytes` are available. The error names `what`, both numbers,
  /// whether the limit or the machine has no more, and `advice`: a way out beside more memory.
  void require(std::string_view what, std::size_t bytes, std::string_view advice) const;

 private:
  Device device_;
  std::size_t limit_;
};

}  // namespace warpgraph
