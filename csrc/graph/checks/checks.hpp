// Checks of the arrays of a graph, in parts: by all threads of the host, or while the arrays are
// copied to a device.
#pragma once

#include "core/types.hpp"

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <span>

namespace warpgraph {

/// A check of heads, parts of which any threads look at.
class HeadsCheck {
 public:
  explicit HeadsCheck(vertex_t n_vertices) : n_vertices_(n_vertices) {}
  void look_at(std::span<const vertex_t> heads) noexcept;
  /// Looks at heads of 64 bits, and writes them as 32 bits.
  void narrow(std::span<const std::int64_t> heads, vertex_t* to) noexcept;
  /// Returns whether all heads that were looked at are vertices.
  [[nodiscard]] bool is_passed() const noexcept {
    return !found_other_.load(std::memory_order_relaxed);
  }

 private:
  const vertex_t n_vertices_;
  std::atomic<bool> found_other_{false};
};

/// A check of weights, parts of which any threads look at: whether there is one that is NaN, or
/// that find_unusual() finds.
template <class W>
class WeightsCheck {
 public:
  void look_at(std::span<const W> weights) noexcept;
  /// Returns the number of weights that were looked at.
  [[nodiscard]] std::size_t n_seen() const noexcept {
    return n_seen_.load(std::memory_order_relaxed);
  }
  /// Returns whether all weights that were looked at are ordinary.
  [[nodiscard]] bool is_passed() const noexcept {
    return !found_other_.load(std::memory_order_relaxed);
  }

 private:
  std::atomic<std::size_t> n_seen_{0};
  std::atomic<bool> found_other_{false};
};

/// Weights that are looked at part by part, by any threads that have time.
template <class W>
class WeightParts {
 public:
  WeightParts(WeightsCheck<W>& check, std::span<const W> weights)
      : check_(check), weights_(weights) {}
  /// Looks at the next part, or returns false if none is left.
  bool look_at_next() noexcept;

 private:
  WeightsCheck<W>& check_;
  const std::span<const W> weights_;
  std::atomic<std::size_t> next_{0};
};

/// Looks at all items by the threads of the host.
void look_at_all(HeadsCheck& check, std::span<const vertex_t> heads);
template <class W>
void look_at_all(WeightsCheck<W>& check, std::span<const W> weights);

}  // namespace warpgraph
