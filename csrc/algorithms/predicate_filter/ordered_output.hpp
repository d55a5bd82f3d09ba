// The memory for the values that pass, to which all endpoints write.
#pragma once

#include "core/processor/copy_past_caches.hpp"
#include "runtime/waiting.hpp"

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <span>
#include <string>
#include <utility>

namespace warpgraph {

/// A segment's values belong after those of all earlier segments. Endpoints claim segments in the
/// order of the array and take turns in this order, so the segment whose turn it is belongs to an
/// endpoint that waits for no other one. All numbers are bytes, as in the runtime.
class OrderedOutput {
 public:
  OrderedOutput(std::span<std::byte> memory, std::size_t n_bytes)
      : memory_(memory), n_bytes_(n_bytes) {}

  /// Returns whether all segments before the byte `begin` of the array are counted.
  [[nodiscard]] bool is_turn_of(std::size_t begin) const { return n_counted_.load() == begin; }
  /// Waits until all segments before the bytes begin .. begin + bytes - 1 of the array are counted.
  /// Then counts this one, and writes the values of it that pass, as far as there is memory.
  void write(std::size_t begin, std::size_t bytes, std::span<const std::byte> passed,
             const std::string& endpoint) {
    // nvcc and the C++ compiler both compile this header, and put implicit captures in other
    // orders.
    turn_.wait([this, begin] { return is_turn_of(begin); },
               [&endpoint] { return endpoint + " waits for segments before its own"; });
    const std::size_t place = std::exchange(n_passed_, n_passed_ + passed.size());
    n_counted_.store(begin + bytes);
    turn_.ring();
    if (begin + bytes == n_bytes_) end_.ring();
    if (place >= memory_.size()) return;
    constexpr std::size_t no_cache_has = std::size_t{64} << 20;
    std::byte* const to = memory_.data() + place;
    const std::size_t n = std::min(passed.size(), memory_.size() - place);
    if (memory_.size() < no_cache_has) {
      std::copy_n(passed.data(), n, to);
    } else {
      copy_past_caches(to, passed.data(), n);
    }
  }

  /// Waits until more bytes of the array are counted than `seen`; returns their number. Only the
  /// last segment rings for it; a wait looks by itself every 10 ms.
  std::size_t wait_for_more(std::size_t seen) {
    end_.wait([this, seen] { return n_counted_.load() > seen; },
              [] { return "the host waits for values"; });
    return n_counted_.load();
  }
  /// Returns the bytes of all values that pass, after the last segment.
  [[nodiscard]] std::size_t n_passed() const noexcept { return n_passed_; }

 private:
  const std::span<std::byte> memory_;
  const std::size_t n_bytes_;  // of the array
  std::atomic<std::size_t> n_counted_{0};
  std::size_t n_passed_ = 0;  // changed by the endpoint whose turn it is
  runtime::Doorbell turn_;
  runtime::Doorbell end_;
};

}  // namespace warpgraph
