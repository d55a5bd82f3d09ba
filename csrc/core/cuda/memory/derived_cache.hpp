// What algorithms derive from a graph on a device and want to find again in the next call: an edge
// list, an order, a partition. It belongs to the graph, and is freed with its copy on the device.
#pragma once

#include "core/cuda/stream.hpp"

#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <typeindex>
#include <utility>

namespace warpgraph::cuda {

class DerivedCache {
 public:
  /// Structures are made on `stream`, which must outlive this.
  explicit DerivedCache(const Stream& stream) : stream_(stream) {}

  /// The structure of type T that was made for `variant`, or nullptr.
  template <class T>
  [[nodiscard]] std::shared_ptr<const T> find(std::uint64_t variant) const {
    const std::lock_guard lock(mutex_);
    const auto found = kept_.find({typeid(T), variant});
    if (found == kept_.end()) return nullptr;
    return std::static_pointer_cast<const T>(found->second.structure);
  }

  /// The same, made by make(stream), a T with bytes(), if it is not there. Whoever asks meanwhile
  /// waits. It may be used on any stream of the device, and lives as long as the pointer does.
  template <class T, class Make>
  [[nodiscard]] std::shared_ptr<const T> get(std::uint64_t variant, Make&& make) {
    const std::lock_guard making(making_);
    if (std::shared_ptr<const T> found = find<T>(variant)) return found;
    const auto made = std::make_shared<const T>(std::forward<Make>(make)(stream_));
    stream_.synchronize();
    const std::lock_guard lock(mutex_);
    kept_[{typeid(T), variant}] = {made, made->bytes()};
    return made;
  }

  [[nodiscard]] std::size_t bytes() const {
    const std::lock_guard lock(mutex_);
    std::size_t sum = 0;
    for (const auto& [key, kept] : kept_) sum += kept.bytes;
    return sum;
  }

 private:
  struct Kept {
    std::shared_ptr<const void> structure;
    std::size_t bytes = 0;
  };

  const Stream& stream_;
  std::mutex making_;
  mutable std::mutex mutex_;  // guards kept_
  std::map<std::pair<std::type_index, std::uint64_t>, Kept> kept_;
};

}  // namespace warpgraph::cuda
