// The items under way from one worker to another: a circular array in the destination's memory.
//
// The source writes items to the slots, and then the number of all items sent so far. The
// destination reads them, and then writes the number that it has taken to the source's memory, from
// which the source knows its credit. Each side polls a word of its own memory only; stores to the
// memory of a peer do not wait, loads from it would.
//
// Both numbers begin at 0 and count all items so far, so they only grow. The source writes at most
// room() items before it publishes them; one thread of each side writes that side's number.
//
// Memory order. Many threads of the source write slots; a barrier of their kernel follows, then one
// thread publishes the number. The fences of that barrier have the scope of the device, and the
// release and acquire that of the system; causality is transitive, so a thread that acquires the
// number sees the items. The same holds for reads of the slots and the credit.
#pragma once

#include "core/ordered_atomics.hpp"

#include <cstdint>

namespace warpgraph::runtime {

template <class T>
struct Mailbox {
  T* slots = nullptr;              // in the memory of the destination
  std::uint64_t* sent = nullptr;   // in the destination's memory, too; written by the source
  std::uint64_t* taken = nullptr;  // in the memory of the source; written by the destination
  std::uint32_t capacity = 0;      // a power of two; 0: no mailbox, and no function may be called

  /// Returns the slot of the item with this number.
  WARPGRAPH_HOST_DEVICE T& operator[](std::uint64_t number) const {
    return slots[number & (capacity - 1)];
  }

  // Functions for the source, which has sent n items.

  [[nodiscard]] WARPGRAPH_HOST_DEVICE std::uint32_t room(std::uint64_t n) const {
    return capacity - static_cast<std::uint32_t>(n - acquire_load(*taken));
  }
  WARPGRAPH_HOST_DEVICE void publish(std::uint64_t n) const { release_store(*sent, n); }

  // Functions for the destination, which has taken n items.

  [[nodiscard]] WARPGRAPH_HOST_DEVICE std::uint32_t arrived(std::uint64_t n) const {
    return static_cast<std::uint32_t>(acquire_load(*sent) - n);
  }
  WARPGRAPH_HOST_DEVICE void give_credit(std::uint64_t n) const { release_store(*taken, n); }
};

}  // namespace warpgraph::runtime
