// Copies of an object on CUDA devices: one for each index of a device, or for each list of them,
// made on first use and kept.
#pragma once

#include "core/containers/made_once.hpp"

#include <cstddef>
#include <map>
#include <mutex>
#include <optional>
#include <utility>

namespace warpgraph {

/// Copies of an object by key. Thread-safe. `Copy` has bytes(), which threads may call while others
/// use the copy.
template <class Copy, class Key = int>
class DeviceCopies {
 public:
  /// Returns use(copy) for the copy of a key. make() returns it in a std::unique_ptr the first
  /// time; if make() throws, no copy is kept. Other threads wait for both if they use the same key.
  template <class Make, class Use>
  decltype(auto) with(const Key& key, Make&& make, Use&& use) {
    return entry_of(key).with(std::forward<Make>(make), std::forward<Use>(use));
  }

  /// Returns the least key that has a copy. Does not wait for others.
  [[nodiscard]] std::optional<Key> first() const {
    const std::lock_guard lock(mutex_);
    for (const auto& [key, entry] : entries_) {
      if (entry.if_made() != nullptr) return key;
    }
    return std::nullopt;
  }

  /// Returns whether a key has a copy. Does not wait for others.
  [[nodiscard]] bool has(const Key& key) const {
    const std::lock_guard lock(mutex_);
    const auto found = entries_.find(key);
    return found != entries_.end() && found->second.if_made() != nullptr;
  }

  /// Returns the bytes of all copies that are made. Does not wait for others.
  [[nodiscard]] std::size_t bytes() const {
    const std::lock_guard lock(mutex_);
    std::size_t bytes = 0;
    for (const auto& [key, entry] : entries_) {
      if (const Copy* const copy = entry.if_made()) bytes += copy->bytes();
    }
    return bytes;
  }

 private:
  using Entry = MadeOnce<Copy>;

  Entry& entry_of(const Key& key) {
    const std::lock_guard lock(mutex_);
    return entries_[key];  // entries of a map stay where they are
  }

  mutable std::mutex mutex_;  // guards entries_
  std::map<Key, Entry> entries_;
};

}  // namespace warpgraph
