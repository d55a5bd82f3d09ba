// A cache of structures that algorithms derive from a graph on a device and reuse in later calls:
// an edge list, an order, a partition. The graph's copy on the device owns it.
#pragma once

#include "core/cuda/stream.hpp"
#include "core/function_ref.hpp"

#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <typeindex>
#include <utility>

namespace warpgraph::cuda {

class DerivedCache {
 public:
  /// Makes an empty cache. Structures are made on `stream`, which must outlive this.
  explicit DerivedCache(const Stream& stream) : stream_(stream) {}

  /// Returns the cached structure of type T for `variant`, or nullptr.
  template <class T>
  [[nodiscard]] std::shared_ptr<const T> find(std::uint64_t variant) const {
    return std::static_pointer_cast<const T>(find_any({typeid(T), variant}));
  }

  /// Returns the cached structure, a T with bytes(); if it is missing, make(stream) makes it, and
  /// other threads that call get() wait meanwhile. The structure may be used on any stream of the
  /// device and lives as long as the pointer.
  template <class T, class Make>
  [[nodiscard]] std::shared_ptr<const T> get(std::uint64_t variant, Make&& make) {
    return std::static_pointer_cast<const T>(get_any({typeid(T), variant}, [&](Entry& entry) {
      const auto made = std::make_shared<const T>(std::forward<Make>(make)(stream_));
      entry = {made, made->bytes()};
    }));
  }

  [[nodiscard]] std::size_t bytes() const;

 private:
  struct Entry {
    std::shared_ptr<const void> structure;
    std::size_t bytes = 0;
  };
  using Key = std::pair<std::type_index, std::uint64_t>;

  [[nodiscard]] std::shared_ptr<const void> find_any(const Key& key) const;
  [[nodiscard]] std::shared_ptr<const void> get_any(const Key& key,
                                                    const FunctionRef<void(Entry&)>& make);

  const Stream& stream_;
  // A signal handler may make another one while make() polls.
  std::recursive_mutex making_;
  mutable std::mutex mutex_;  // guards entries_
  std::map<Key, Entry> entries_;
};

}  // namespace warpgraph::cuda
