// A cache of structures that algorithms derive from a graph on a device and reuse in later calls:
// an edge list, an order, a partition. The graph's copy on the device owns it.
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

  /// The cached structure of type T for `variant`, or nullptr.
  template <class T>
  [[nodiscard]] std::shared_ptr<const T> find(std::uint64_t variant) const {
    const std::lock_guard lock(mutex_);
    const auto found = entries_.find({typeid(T), variant});
    if (found == entries_.end()) return nullptr;
    return std::static_pointer_cast<const T>(found->second.structure);
  }

  /// The same; make(stream) makes it, a T with bytes(), if it is missing. Other threads that call
  /// get meanwhile wait. The structure may be used on any stream of the device and lives as long as
  /// the pointer.
  template <class T, class Make>
  [[nodiscard]] std::shared_ptr<const T> get(std::uint64_t variant, Make&& make) {
    const std::lock_guard making(making_);
    if (std::shared_ptr<const T> found = find<T>(variant)) return found;
    const auto made = std::make_shared<const T>(std::forward<Make>(make)(stream_));
    stream_.synchronize();
    const std::lock_guard lock(mutex_);
    entries_[{typeid(T), variant}] = {made, made->bytes()};
    return made;
  }

  [[nodiscard]] std::size_t bytes() const {
    const std::lock_guard lock(mutex_);
    std::size_t sum = 0;
    for (const auto& [key, entry] : entries_) sum += entry.bytes;
    return sum;
  }

 private:
  struct Entry {
    std::shared_ptr<const void> structure;
    std::size_t bytes = 0;
  };

  const Stream& stream_;
  std::mutex making_;
  mutable std::mutex mutex_;  // guards entries_
  std::map<std::pair<std::type_index, std::uint64_t>, Entry> entries_;
};

}  // namespace warpgraph::cuda
