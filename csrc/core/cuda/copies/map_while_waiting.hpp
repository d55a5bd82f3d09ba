// Maps the pages of results on the host while a device computes the results.
#pragma once

#include "core/function_ref.hpp"

#include <atomic>
#include <cstddef>
#include <span>

namespace warpgraph::cuda {

/// A scope in which waits of its thread for streams map the pages of an array on all threads, if
/// that is large, on the host, and new. The operating system fills new pages with zeros first: 256
/// MiB take 16 cores 5 ms, as long as a copy from a device.
class MapWhileWaiting {
 public:
  template <class T>
  explicit MapWhileWaiting(std::span<T> array)
      : MapWhileWaiting(array.data(), array.size_bytes()) {}
  MapWhileWaiting(void* array, std::size_t bytes);
  MapWhileWaiting(const MapWhileWaiting&) = delete;
  MapWhileWaiting& operator=(const MapWhileWaiting&) = delete;
  ~MapWhileWaiting() { newest_ = earlier_; }

  /// Maps the arrays of this thread until `done`, which all threads call. Mapping is a hint, so
  /// this throws nothing.
  static void map_until(FunctionRef<bool()> done) noexcept {
    for (MapWhileWaiting* of = newest_; of != nullptr; of = of->earlier_) of->map_own_until(done);
  }

 private:
  void map_own_until(FunctionRef<bool()> done) noexcept;

  std::byte* const array_;
  const std::size_t bytes_;           // 0: none to map
  std::atomic<std::size_t> next_{0};  // pages before this byte are mapped, or will be
  MapWhileWaiting* const earlier_;
  static inline thread_local MapWhileWaiting* newest_ = nullptr;
};

}  // namespace warpgraph::cuda
