#include "core/cuda/copies/map_while_waiting.hpp"

#include "core/device.hpp"
#include "core/memory/host_pages.hpp"
#include "core/threads/parallel.hpp"

#include <algorithm>
#include <utility>

namespace warpgraph::cuda {
namespace {

/// Bytes below which the calling thread maps them before others have woken.
constexpr std::size_t worth_threads = std::size_t{1} << 20;
constexpr int max_threads = 32;
/// Bytes that a thread maps at a time, those of a huge page: it waits until all of it is zero.
constexpr std::size_t piece = std::size_t{2} << 20;

/// Returns whether an array is on the host and was not written before, as a page near its end
/// tells: memory that a shorter array has left has pages at the front.
bool has_new_pages(const std::byte* array, std::size_t bytes) {
  return bytes >= worth_threads && !device_holding(array).is_cuda() &&
         !is_mapped(array + bytes - worth_threads / 2);
}

}  // namespace

MapWhileWaiting::MapWhileWaiting(void* array, std::size_t bytes)
    : array_(static_cast<std::byte*>(array)),
      bytes_(has_new_pages(static_cast<std::byte*>(array), bytes) ? bytes : 0),
      earlier_(std::exchange(newest_, this)) {}

void MapWhileWaiting::map_own_until(FunctionRef<bool()> done) noexcept {
  if (next_ >= bytes_) return;
  try {
    if (done()) return;
    run_team(std::min(num_threads(), max_threads), [&](const Team& team) {
      while (!team.stopping() && !done()) {
        const std::size_t first = next_.fetch_add(piece, std::memory_order_relaxed);
        if (first >= bytes_) return;
        populate_pages(array_ + first, std::min(piece, bytes_ - first));
      }
    });
  } catch (...) {  // The wait reports errors of the device.
  }
}

}  // namespace warpgraph::cuda
