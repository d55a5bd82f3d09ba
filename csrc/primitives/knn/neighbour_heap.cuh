// Lists of many neighbours as heaps in device memory, the last neighbour on top. The heaps of
// neighbouring points are interleaved, so that the lanes of a warp access consecutive places.
#pragma once

#include "core/types.hpp"

#include <cstdint>

namespace warpgraph::knn {

/// A heap of pairs of a key and an id, in the order of both; no_vertex comes after every id.
template <class T>
struct NeighbourHeap {
  T* key;
  vertex_t* id;
  std::int64_t stride;
  int length;

  struct Item {
    T key;
    vertex_t id;
    /// Compares keys and then ids: as an unsigned number, no_vertex is the largest.
    __device__ bool operator<(const Item& other) const {
      return key != other.key
                 ? key < other.key
                 : static_cast<std::uint32_t>(id) < static_cast<std::uint32_t>(other.id);
    }
  };

  __device__ Item at(int i) const { return {key[i * stride], id[i * stride]}; }
  __device__ void put(int i, Item item) const {
    key[i * stride] = item.key;
    id[i * stride] = item.id;
  }
  __device__ void clear() const {
    for (int i = 0; i < length; ++i) put(i, {infinity<T>(), no_vertex});
  }
  /// Replaces the top of the first `n` items. Returns the new top.
  __device__ Item replace_top(Item item, int n) const {
    int hole = 0;
    Item top = item;
    for (int child = 1; child < n; child = 2 * hole + 1) {
      Item larger = at(child);
      if (child + 1 < n) {
        const Item right = at(child + 1);
        if (larger < right) {
          larger = right;
          ++child;
        }
      }
      if (!(item < larger)) break;
      put(hole, larger);
      if (hole == 0) top = larger;
      hole = child;
    }
    put(hole, item);
    return top;
  }
  /// Sorts the heap: afterwards the nearest neighbour is first.
  __device__ void sort() const {
    for (int last = length - 1; last > 0; --last) {
      const Item top = at(0);
      replace_top(at(last), last);
      put(last, top);
    }
  }
};

/// A heap that knows its top: the last of the `heap.length` nearest neighbours so far.
template <class T>
struct HeapList {
  NeighbourHeap<T> heap;
  typename NeighbourHeap<T>::Item top;

  __device__ void clear() {
    heap.clear();
    top = {infinity<T>(), no_vertex};
  }
  __device__ T radius() const { return top.key; }
  __device__ bool is_before_last(vertex_t id) const { return top.id == no_vertex || id < top.id; }
  /// Inserts a neighbour; `found` is within the radius.
  __device__ __forceinline__ void insert(T found, vertex_t id) {
    if (found == top.key && !is_before_last(id)) return;
    top = heap.replace_top({found, id}, heap.length);
  }
};

}  // namespace warpgraph::knn
