// The memory that a call may take. A budget is made where the call enters, from what is left of its
// memory_limit, and travels down with it by value. A step that allocates states its bytes first: if
// there are fewer, the error names both numbers; otherwise an allocation would fail half-way, or
// the system would kill the process. What the next step may take is a budget again:
//
//   budget.require("sorting the edges", bytes, advice);  // freed when the step ends
//   const MemoryBudget left = budget.charge("a copy of the rows", bytes, advice);  // kept for more
//   left.after(held).on(stream.device()).require("a forest", bytes, advice);
//
// The limit of a call holds for each of its devices: on() changes only the device. Options carry
// the budget on the host, and a step on a GPU says on(stream.device()).
#pragma once

#include "core/device.hpp"
#include "core/memory_need.hpp"

#include <algorithm>
#include <cstddef>
#include <limits>
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

/// The rest of a call's memory limit, and the device on which it is spent.
class MemoryBudget {
 public:
  /// Makes a budget without a limit, on the host.
  MemoryBudget() = default;
  /// Makes a budget of `limit` bytes, or of the memory that is free on the device at the time of
  /// the call.
  explicit MemoryBudget(Device device, std::size_t limit = no_limit)
      : device_(device), limit_(limit) {}

  static constexpr std::size_t no_limit = std::numeric_limits<std::size_t>::max();

  [[nodiscard]] Device device() const noexcept { return device_; }
  [[nodiscard]] bool is_limited() const noexcept { return limit_ != no_limit; }
  /// Returns what is left of the limit, or no_limit.
  [[nodiscard]] std::size_t left() const noexcept { return limit_ + uncounted_; }

  /// Returns the same budget for the memory of another device.
  [[nodiscard]] MemoryBudget on(Device device) const {
    MemoryBudget there = *this;
    there.device_ = device;
    return there;
  }
  /// Returns what is left when `bytes` are taken.
  [[nodiscard]] MemoryBudget after(std::size_t bytes) const {
    MemoryBudget rest = *this;
    rest.uncounted_ = uncounted_ - std::min(uncounted_, bytes);
    if (is_limited()) rest.limit_ -= std::min(limit_, counted(bytes));
    return rest;
  }
  /// Returns the budget of a step that counts `bytes` which this budget does not count, such as
  /// those of results. Errors leave them out, as the limit does.
  [[nodiscard]] MemoryBudget before(std::size_t bytes) const {
    MemoryBudget more = *this;
    if (is_limited()) more.uncounted_ += bytes;
    return more;
  }

  /// Returns the bytes that may be allocated now.
  [[nodiscard]] std::size_t available() const;
  /// Returns whether available() is at least `bytes`; usually faster than calling that.
  [[nodiscard]] bool has(std::size_t bytes) const;
  /// Throws OutOfMemory if fewer than `bytes` are available. The error names `what`, both numbers,
  /// whether the limit or the machine has no more, and `advice`: a way out beside more memory.
  void require(std::string_view what, std::size_t bytes, std::string_view advice) const;
  void require(const MemoryNeed& need) const { require(need.what, need.bytes, need.advice); }
  /// Requires `bytes`, and returns what is left when they are taken.
  [[nodiscard]] MemoryBudget charge(std::string_view what, std::size_t bytes,
                                    std::string_view advice) const {
    require(what, bytes, advice);
    return after(bytes);
  }
  [[nodiscard]] MemoryBudget charge(const MemoryNeed& need) const {
    require(need);
    return after(need.bytes);
  }

 private:
  [[nodiscard]] std::size_t counted(std::size_t bytes) const {
    return bytes - std::min(bytes, uncounted_);
  }

  Device device_;
  std::size_t limit_ = no_limit;  // bytes left
  std::size_t uncounted_ = 0;     // of the next bytes that are required or taken
};

}  // namespace warpgraph
