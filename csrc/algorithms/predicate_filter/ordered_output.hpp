// The memory for the values that pass, to which all endpoints write.
//
// A segment's values belong after those of all earlier segments: their place is known when all of
// these have been counted. Endpoints take segments in the order of the array, so the wait for a
// place is a wait for what others have begun before.
//
// Memory is bytes, so that this is compiled once for all types of values. Positions, places and
// counts are in values.
#pragma once

#include "runtime/waiting.hpp"

#include <atomic>
#include <cstddef>
#include <map>
#include <mutex>
#include <optional>
#include <span>
#include <string>

namespace warpgraph {

/// A range of positions in the array.
struct SegmentRange {
  std::size_t begin = 0;
  std::size_t end = 0;
};

class OrderedOutput {
 public:
  OrderedOutput(std::span<std::byte> memory, std::size_t value_size, bool may_overwrite)
      : memory_(memory), value_size_(value_size), may_overwrite_(may_overwrite) {}

  /// Counts the n values of a segment that pass.
  void count(SegmentRange segment, std::size_t n);
  /// Takes the place of a segment of which some values pass, once; nothing if it is not known yet.
  std::optional<std::size_t> take_place(std::size_t begin);
  /// Waits until the place of the segment is known.
  void wait_for_place(std::size_t begin, const std::string& endpoint);

  /// Returns the memory at the place of a segment that is to be filtered, for all of its values;
  /// empty if the place is not known or has less memory.
  std::span<std::byte> room_for(SegmentRange segment);
  /// Returns whether memory after the values that pass may change.
  [[nodiscard]] bool may_overwrite() const noexcept { return may_overwrite_; }
  /// Writes values at a place; those for which there is no memory left are not written.
  void write(std::size_t place, std::span<const std::byte> values);

  [[nodiscard]] std::size_t value_size() const noexcept { return value_size_; }
  /// Returns the number of values of the array before the first segment that is not counted.
  [[nodiscard]] std::size_t n_counted() const noexcept { return n_counted_.load(); }
  /// Returns how many of the counted values pass.
  [[nodiscard]] std::size_t n_passed() const {
    const std::lock_guard lock(mutex_);
    return n_passed_;
  }

 private:
  struct Counted {
    std::size_t end = 0;
    std::size_t n = 0;
  };

  const std::span<std::byte> memory_;
  const std::size_t value_size_;
  const bool may_overwrite_;
  std::atomic<std::size_t> n_counted_{0};  // changes under the mutex
  mutable std::mutex mutex_;
  std::map<std::size_t, Counted> counted_;     // after a segment that is not, by their begin
  std::map<std::size_t, std::size_t> places_;  // that are known and not taken, by begin
  std::size_t n_passed_ = 0;
  runtime::Doorbell changed_;
};

}  // namespace warpgraph
