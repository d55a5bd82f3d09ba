// The memory for the values that pass, to which all endpoints write.
//
// A segment's values belong after those of all earlier segments: their place is known when all of
// these have been counted. Endpoints take segments in the order of the array, so the wait for a
// place is a wait for what others have begun before.
#pragma once

#include "core/memory/copy_past_caches.hpp"
#include "runtime/waiting.hpp"

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <map>
#include <mutex>
#include <optional>
#include <span>
#include <string>

namespace warpgraph {

/// Positions in the array.
struct SegmentRange {
  std::size_t begin = 0;
  std::size_t end = 0;
};

template <class T>
class OrderedOutput {
 public:
  OrderedOutput(std::span<T> memory, bool may_overwrite)
      : memory_(memory), may_overwrite_(may_overwrite) {}

  /// n values of a segment pass.
  void count(SegmentRange segment, std::size_t n) {
    {
      const std::lock_guard lock(mutex_);
      counted_[segment.begin] = {segment.end, n};
      std::size_t end = n_counted_.load(std::memory_order_relaxed);
      for (auto next = counted_.begin(); next != counted_.end() && next->first == end;
           next = counted_.erase(next)) {
        if (next->second.n > 0) places_[end] = n_passed_;
        n_passed_ += next->second.n;
        end = next->second.end;
      }
      n_counted_.store(end);
    }
    changed_.ring();
  }
  /// The place of a segment of which some values pass, once; nothing: it is not known yet.
  std::optional<std::size_t> take_place(std::size_t begin) {
    const std::lock_guard lock(mutex_);
    const auto found = places_.find(begin);
    if (found == places_.end()) return std::nullopt;
    const std::size_t place = found->second;
    places_.erase(found);
    return place;
  }
  /// Returns when the place of the segment is known. who(): the endpoint's name.
  template <class Who>
  void wait_for_place(std::size_t begin, Who&& who) {
    changed_.wait([&] { return n_counted() > begin; },
                  [&] { return who() + " waits for segments before its own"; });
  }

  /// Memory at the place of a segment that is to be filtered, for all of its values; empty if the
  /// place is not known or has not so much memory.
  std::span<T> room_for(SegmentRange segment) {
    if (n_counted() != segment.begin) return {};
    const std::lock_guard lock(mutex_);
    const std::size_t n = segment.end - segment.begin;
    return n_passed_ + n <= memory_.size() ? memory_.subspan(n_passed_, n) : std::span<T>();
  }
  /// Whether memory after the values that pass may change.
  [[nodiscard]] bool may_overwrite() const noexcept { return may_overwrite_; }
  /// Of values for which there is no memory left, nothing is written.
  void write(std::size_t place, const T* values, std::size_t n) {
    if (place >= memory_.size()) return;
    constexpr std::size_t no_cache_has = std::size_t{64} << 20;
    n = std::min(n, memory_.size() - place);
    if (memory_.size_bytes() < no_cache_has) {
      std::copy_n(values, n, memory_.data() + place);
    } else {
      copy_past_caches(memory_.data() + place, values, n * sizeof(T));
    }
  }

  /// Values of the array before the first segment that is not counted.
  [[nodiscard]] std::size_t n_counted() const noexcept { return n_counted_.load(); }
  /// Of those before, how many pass.
  [[nodiscard]] std::size_t n_passed() const {
    const std::lock_guard lock(mutex_);
    return n_passed_;
  }

 private:
  struct Counted {
    std::size_t end = 0;
    std::size_t n = 0;
  };

  const std::span<T> memory_;
  const bool may_overwrite_;
  std::atomic<std::size_t> n_counted_{0};  // changes under the mutex
  mutable std::mutex mutex_;
  std::map<std::size_t, Counted> counted_;     // after a segment that is not, by their begin
  std::map<std::size_t, std::size_t> places_;  // that are known and not taken, by begin
  std::size_t n_passed_ = 0;
  runtime::Doorbell changed_;
};

}  // namespace warpgraph
