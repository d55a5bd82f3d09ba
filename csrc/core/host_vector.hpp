// A vector whose resize() leaves numbers uninitialised. Zeroing gigabytes in one thread, only for
// many threads to overwrite them, would cost as much as the work itself.
#pragma once

#include <memory>
#include <utility>
#include <vector>

namespace warpgraph {

template <class T>
struct UninitialisedAllocator : std::allocator<T> {
  template <class U>
  struct rebind {
    using other = UninitialisedAllocator<U>;
  };
  template <class U>
  void construct(U* place) noexcept(noexcept(U())) {
    ::new (static_cast<void*>(place)) U;
  }
  template <class U, class... Arguments>
  void construct(U* place, Arguments&&... arguments) {
    std::construct_at(place, std::forward<Arguments>(arguments)...);
  }
};

template <class T>
using HostVector = std::vector<T, UninitialisedAllocator<T>>;

}  // namespace warpgraph
