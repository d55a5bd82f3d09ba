// Copies of an object on CUDA devices: one for each index of a device, or for each list of them,
// made on first use and kept.
#pragma once

#include <cstddef>
#include <map>
#include <memory>
#include <mutex>

namespace warpgraph {

/// `Copy` has bytes(). Thread-safe.
template <class Copy, class Key = int>
class DeviceCopies {
 public:
  /// Returns use(copy) for the copy of a key. make() returns it in a std::unique_ptr the first
  /// time; if make() throws, no copy is kept. Other threads wait for both if they use the same key.
  template <class Make, class Use>
  decltype(auto) with(const Key& key, Make&& make, Use&& use) {
    Entry& entry = entry_of(key);
    const std::lock_guard lock(entry.mutex);
    if (!entry.copy) entry.copy = make();
    return use(*entry.copy);
  }

  /// Bytes of all copies.
  [[nodiscard]] std::size_t bytes() const {
    const std::lock_guard lock(mutex_);
    std::size_t bytes = 0;
    for (const auto& [key, entry] : entries_) {
      const std::lock_guard lock_of_entry(entry.mutex);
      if (entry.copy) bytes += entry.copy->bytes();
    }
    return bytes;
  }

 private:
  struct Entry {
    mutable std::mutex mutex;
    std::unique_ptr<Copy> copy;
  };

  Entry& entry_of(const Key& key) {
    const std::lock_guard lock(mutex_);
    return entries_[key];  // entries of a map stay where they are
  }

  mutable std::mutex mutex_;  // guards entries_
  std::map<Key, Entry> entries_;
};

}  // namespace warpgraph
