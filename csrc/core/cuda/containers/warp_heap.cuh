// A priority queue of (key, vertex) entries that one warp owns and its 32 lanes process together.
//
// The queue is a 32-ary heap of nodes [1]. A node is a row of 32 entries, sorted when it is made.
// Entries are removed only at its front, so its minimum, its top, is the first one left. The heap
// orders the tops: no top is less than its parent's. Each lane reads one child, so a step down the
// heap reads 32 tops at once; 33 nodes have one level below the root, 1057 have two. Entries that
// do not fill a node yet are in the open node, unsorted.
//
// Differences from [1]:
//   - A slot of the heap holds a node's top and place, and only those are moved. Rows are not
//   moved;
//     an empty row is reused.
//   - A warp pushes together: a ballot packs the entries of its lanes. 32 of them are sorted by
//     shuffles and become a node, which is then sifted up. No rows are merged: 32 entries cost one
//     sort of 15 steps and about one exchange of slots.
//   - pop_up_to() removes all entries up to a threshold. Tops up to the threshold form a tree with
//     the root of the heap, so it visits the children of visited nodes, one lane per node, each
//     lane removing entries from its own row. Then it restores the heap order of the changed slots
//     from the last to the first: slots below are in order by then, and since all ancestors of a
//     changed slot have changed as well, a node that fills a hole need not be sifted up. 31 of 32
//     slots have no children, so that takes a step down for the root and for few others.
//   - Tops and rows are in shared memory up to the sizes in HeapShape, the others in global memory.
//     The number of nodes is fixed, but reaching it is no failure: is_full() reports it, and
//     drop_half() passes the entries of half of the nodes, approximately those with the larger
//     keys, to its caller, which stores them elsewhere.
//
// Free rows are stored after the last slot: the places of slots 0 .. n_rows - 1 are a permutation
// of the rows used so far, and removing a node exchanges its place with the last one.
//
// Keys must be ordered: no NaN. Counts are the same in every lane and are kept in registers. Every
// function that writes ends with a __syncwarp(), which makes its writes visible to all lanes.
//
// [1] Crosetto: CUPQ, a CUDA implementation of a priority queue applied to the many-to-many
//     shortest path problem. github.com/crosetto/cupq.
#pragma once

#include "core/cuda/warp.cuh"
#include "core/types.hpp"

#include <cstddef>
#include <cstdint>

namespace warpgraph::cuda {

/// The size of a heap and the part of it in shared memory.
struct HeapShape {
  int nodes = 1;         // of 32 entries; at least 1
  int shared_rows = 0;   // nodes whose entries are in shared memory
  int shared_slots = 0;  // slots in shared memory; there is one per node

  /// Returns the bytes of shared memory per warp: the open node, rows, slots.
  template <class Key>
  [[nodiscard]] WARPGRAPH_HOST_DEVICE std::size_t shared_bytes() const {
    return n_shared() * (sizeof(Key) + sizeof(vertex_t));
  }
  /// Returns the bytes of global memory per warp: the other rows and slots, and a copy of the
  /// shared memory between launches.
  template <class Key>
  [[nodiscard]] WARPGRAPH_HOST_DEVICE std::size_t global_bytes() const {
    return state_bytes + (n_shared() + n_global()) * (sizeof(Key) + sizeof(vertex_t));
  }

  static constexpr std::size_t state_bytes = 16;
  static constexpr int open_entries = 2 * warp_lanes;

  [[nodiscard]] WARPGRAPH_HOST_DEVICE std::size_t n_shared() const {
    return static_cast<std::size_t>(warp_lanes) * shared_rows + shared_slots + open_entries;
  }
  /// Returns the number of global entries, rounded up so that the next warp's keys and state are
  /// aligned to 16 bytes.
  [[nodiscard]] WARPGRAPH_HOST_DEVICE std::size_t n_global() const {
    const std::size_t n = static_cast<std::size_t>(warp_lanes) * (nodes - shared_rows) +
                          static_cast<std::size_t>(nodes - shared_slots) + n_shared();
    return (n + 3) / 4 * 4 - n_shared();
  }
};

template <class Key>
class WarpHeap {
 public:
  struct Entry {
    Key key;
    vertex_t vertex;
  };

  /// Makes an empty heap. `shared` and `global` have the bytes that `shape` requires, aligned to
  /// 16.
  __device__ WarpHeap(HeapShape shape, std::byte* shared, std::byte* global)
      : shape_(shape),
        state_(reinterpret_cast<int*>(global)),
        open_keys_(reinterpret_cast<Key*>(shared)),
        open_vertices_(reinterpret_cast<vertex_t*>(open_keys_ + shape.n_shared())),
        saved_keys_(reinterpret_cast<Key*>(global + HeapShape::state_bytes)),
        global_keys_(saved_keys_ + shape.n_shared()),
        saved_vertices_(reinterpret_cast<vertex_t*>(global_keys_ + shape.n_global())),
        global_vertices_(saved_vertices_ + shape.n_shared()) {}

  __device__ void clear() { n_nodes_ = n_rows_ = n_open_ = 0; }
  __device__ bool empty() const { return n_nodes_ == 0 && n_open_ == 0; }
  /// Returns whether no further node fits.
  __device__ bool is_full() const { return n_nodes_ == shape_.nodes; }
  __device__ int n_nodes() const { return n_nodes_; }

  /// Returns the minimum key. The heap must not be empty.
  __device__ Key least() const {
    const bool open = lane() < n_open_;
    const Key first = n_nodes_ > 0 ? top_of(0) : open_keys_[0];
    return warp_min(open && open_keys_[lane()] < first ? open_keys_[lane()] : first);
  }

  /// Inserts the entries of the lanes with `wanted`. The heap must not be full.
  __device__ void push(bool wanted, Key key, vertex_t vertex) {
    const unsigned pushing = __ballot_sync(all_lanes, wanted);
    if (wanted) {
      const int to = n_open_ + __popc(pushing & lanemask_lt());
      open_keys_[to] = key;
      open_vertices_[to] = vertex;
    }
    n_open_ += __popc(pushing);
    __syncwarp();
    if (n_open_ >= warp_lanes) close_node();
  }

  /// Removes an entry of the minimum key and returns it in every lane. The heap must not be empty.
  __device__ Entry pop() {
    const Key key = least();
    if (n_nodes_ == 0 || key < top_of(0)) return pop_open(key);
    const unsigned place = place_of(0);
    const Entry entry{key, vertices_at(place)};
    if (place % warp_lanes == warp_lanes - 1) {
      remove(0);
    } else {
      sift_down(0, keys_at(place + 1), place + 1);
    }
    return entry;
  }

  /// Moves at most `most` (>= 32) entries up to the threshold to keys[0 .. count) and
  /// vertices[0 .. count), in arbitrary order, and returns their count. If it is less than `most`,
  /// the first 1057 nodes have no further entry up to the threshold.
  __device__ int pop_up_to(Key threshold, int most, Key* keys, vertex_t* vertices) {
    PopRequest request{threshold, most, pop_open_up_to(threshold, keys, vertices), keys, vertices};
    const Visited root = pop_from_slots(0, 1, request);
    if (root.changed != 0) {
      const Visited children = pop_from_slots(1, warp_lanes, request);
      for (unsigned unvisited = children.changed; unvisited != 0;) {
        const int bit = extract_last_bit(unvisited);
        const int first = first_child(1 + bit);
        if (first < n_nodes_ && request.count < most) {
          repair(first, pop_from_slots(first, warp_lanes, request));
        }
      }
#pragma unroll 1  // repair() is long
      for (int slot = 1; slot >= 0; --slot) repair(slot, slot == 1 ? children : root);
    }
    return request.count;
  }

  /// Removes nodes until at most half are left: first those whose top is above the mean top, then
  /// the last ones. All lanes together call visit(exists, key, vertex) for their entries.
  template <class Visit>
  __device__ void drop_half(Visit&& visit) {
    const int kept = n_nodes_ / 2;
    const double mean = mean_top();
    for (int slot = n_nodes_ - 1; slot >= 0; --slot) {
      if (static_cast<double>(top_of(slot)) > mean) drop(slot, visit);
    }
    while (n_nodes_ > kept) drop(n_nodes_ - 1, visit);
    for (int slot = (n_nodes_ + warp_lanes - 2) / warp_lanes - 1; slot >= 0; --slot) {
      sift_down(slot, top_of(slot), place_of(slot));
    }
  }

  /// Saves shared memory and registers to global memory, for resume() in a later launch with the
  /// same global memory.
  __device__ void suspend() {
    for (std::size_t i = lane(); i < shape_.n_shared(); i += warp_lanes) {
      saved_keys_[i] = open_keys_[i];
      saved_vertices_[i] = open_vertices_[i];
    }
    if (lane() == 0) {
      state_[0] = n_nodes_;
      state_[1] = n_rows_;
      state_[2] = n_open_;
    }
  }
  __device__ void resume() {
    for (std::size_t i = lane(); i < shape_.n_shared(); i += warp_lanes) {
      open_keys_[i] = saved_keys_[i];
      open_vertices_[i] = saved_vertices_[i];
    }
    n_nodes_ = state_[0];
    n_rows_ = state_[1];
    n_open_ = state_[2];
    __syncwarp();
  }

 private:
  /// Bit masks over up to 32 adjacent slots: those that lost entries, and those that are empty.
  struct Visited {
    unsigned changed;
    unsigned emptied;
  };
  struct PopRequest {
    Key threshold;
    int most;
    int count;
    Key* keys;
    vertex_t* vertices;
  };

  __device__ static int first_child(int slot) { return slot * warp_lanes + 1; }
  __device__ static int extract_last_bit(unsigned& bits) {
    const int last = 31 - __clz(static_cast<int>(bits));
    bits ^= 1u << last;
    return last;
  }

  // A place is 32 * row + position of the first entry left: the index of that entry in all rows.
  // Shared memory holds the open node, rows, then slots; global memory the other rows, then the
  // other slots.
  template <class T>
  __device__ T& at(T* shared, T* global, unsigned place) const {
    const unsigned n = static_cast<unsigned>(shape_.shared_rows) * warp_lanes;
    return place < n ? shared[HeapShape::open_entries + place] : global[place - n];
  }
  template <class T>
  __device__ T& slot_at(T* shared, T* global, int slot) const {
    const int behind_rows = HeapShape::open_entries + shape_.shared_rows * warp_lanes;
    const auto behind_others =
        static_cast<std::size_t>(shape_.nodes - shape_.shared_rows) * warp_lanes;
    return slot < shape_.shared_slots ? shared[behind_rows + slot]
                                      : global[behind_others + (slot - shape_.shared_slots)];
  }
  __device__ Key& keys_at(unsigned place) const { return at(open_keys_, global_keys_, place); }
  __device__ vertex_t& vertices_at(unsigned place) const {
    return at(open_vertices_, global_vertices_, place);
  }
  __device__ Key& top_of(int slot) const { return slot_at(open_keys_, global_keys_, slot); }
  __device__ unsigned place_of(int slot) const {
    return static_cast<unsigned>(slot_at(open_vertices_, global_vertices_, slot));
  }
  __device__ void set_place(int slot, unsigned place) const {
    slot_at(open_vertices_, global_vertices_, slot) = static_cast<vertex_t>(place);
  }
  __device__ void set(int slot, Key top, unsigned place) const {
    top_of(slot) = top;
    set_place(slot, place);
  }

  /// Turns 32 entries of the open node into a node of the heap.
  __device__ void close_node() {
    Key key = open_keys_[lane()];
    vertex_t vertex = open_vertices_[lane()];
    const int behind = warp_lanes + lane();
    const bool moves_up = behind < n_open_;
    const Key key_behind = open_keys_[behind];
    const vertex_t vertex_behind = open_vertices_[behind];
    __syncwarp();
    if (moves_up) {
      open_keys_[lane()] = key_behind;
      open_vertices_[lane()] = vertex_behind;
    }
    n_open_ -= warp_lanes;
    warp_sort(key, vertex);
    const unsigned row =
        n_nodes_ < n_rows_ ? place_of(n_nodes_) / warp_lanes : static_cast<unsigned>(n_rows_++);
    const unsigned place = row * warp_lanes;
    keys_at(place + lane()) = key;
    vertices_at(place + lane()) = vertex;
    __syncwarp();
    if (lane() == 0) sift_up(n_nodes_, key, place);
    ++n_nodes_;
    __syncwarp();
  }

  /// Moves the node up to its place in heap order, by one lane.
  __device__ void sift_up(int slot, Key top, unsigned place) const {
    while (slot > 0) {
      const int parent = (slot - 1) / warp_lanes;
      if (!(top < top_of(parent))) break;
      set(slot, top_of(parent), place_of(parent));
      slot = parent;
    }
    set(slot, top, place);
  }

  /// Puts a node into a slot and sifts it down. All lanes call this.
  __device__ void sift_down(int slot, Key top, unsigned place) {
    while (first_child(slot) < n_nodes_) {
      const int child = first_child(slot) + lane();
      const bool exists = child < n_nodes_;
      const Key child_top = exists ? top_of(child) : top;
      const unsigned child_place = exists ? place_of(child) : 0;
      const Key least_top = warp_min(child_top);
      if (!(least_top < top)) break;
      const unsigned minimum_lanes = __ballot_sync(all_lanes, child_top == least_top);
      const int winner = first_lane(minimum_lanes);
      __syncwarp();  // all lanes read before one writes
      if (lane() == winner) set(slot, child_top, child_place);
      slot = first_child(slot) + winner;
    }
    __syncwarp();
    if (lane() == 0) set(slot, top, place);
    __syncwarp();
  }

  /// Removes a slot's node; the last node replaces it and is sifted down.
  __device__ void remove(int slot) { repair(slot, {1, 1}); }

  __device__ double mean_top() const {
    double sum = 0;
    for (int slot = lane(); slot < n_nodes_; slot += warp_lanes) {
      sum += static_cast<double>(top_of(slot)) / n_nodes_;
    }
    return warp_sum(sum);
  }

  /// Removes a node with all its entries. The last node replaces it without restoring the order.
  template <class Visit>
  __device__ void drop(int slot, Visit&& visit) {
    const unsigned place = place_of(slot);
    const unsigned mine = place / warp_lanes * warp_lanes + lane();
    visit(mine >= place, keys_at(mine), vertices_at(mine));
    const int last = --n_nodes_;
    const Key top = top_of(last);
    const unsigned last_place = place_of(last);
    __syncwarp();
    if (lane() == 0) {
      set_place(last, place);
      set(slot, top, last_place);
    }
    __syncwarp();
  }

  __device__ Entry pop_open(Key key) {
    const unsigned minimum_lanes =
        __ballot_sync(all_lanes, lane() < n_open_ && open_keys_[lane()] == key);
    const int winner = first_lane(minimum_lanes);
    const vertex_t vertex = open_vertices_[winner];
    --n_open_;
    __syncwarp();
    if (lane() == winner) {
      open_keys_[winner] = open_keys_[n_open_];
      open_vertices_[winner] = open_vertices_[n_open_];
    }
    __syncwarp();
    return {key, vertex};
  }

  __device__ int pop_open_up_to(Key threshold, Key* keys, vertex_t* vertices) {
    const bool exists = lane() < n_open_;
    const Key key = open_keys_[lane()];
    const vertex_t vertex = open_vertices_[lane()];
    const bool leaves = exists && !(threshold < key);
    const unsigned leaving = __ballot_sync(all_lanes, leaves);
    const unsigned remaining = __ballot_sync(all_lanes, exists && !leaves);
    __syncwarp();
    if (exists) {
      const int to = __popc((leaves ? leaving : remaining) & lanemask_lt());
      (leaves ? keys : open_keys_)[to] = key;
      (leaves ? vertices : open_vertices_)[to] = vertex;
    }
    n_open_ = __popc(remaining);
    __syncwarp();
    return __popc(leaving);
  }

  /// Removes entries from the slots first .. first + width - 1, one lane per slot.
  __device__ Visited pop_from_slots(int first, int width, PopRequest& request) const {
    const int slot = first + lane();
    const bool exists = lane() < width && slot < n_nodes_;
    Key top = exists ? top_of(slot) : request.threshold;
    unsigned place = exists ? place_of(slot) : 0;
    bool pops = exists && !(request.threshold < top);
    bool changed = false;
    bool emptied = false;
    while (request.count < request.most) {
      const unsigned popping = __ballot_sync(all_lanes, pops);
      if (popping == 0) break;
      const int to = request.count + __popc(popping & lanemask_lt());
      if (pops && to < request.most) {
        request.keys[to] = top;
        request.vertices[to] = vertices_at(place);
        changed = true;
        emptied = place % warp_lanes == warp_lanes - 1;
        if (!emptied) top = keys_at(++place);
        pops = !emptied && !(request.threshold < top);
      }
      request.count += __popc(popping);
    }
    if (request.count > request.most) request.count = request.most;
    if (changed && !emptied) set(slot, top, place);
    __syncwarp();
    return {__ballot_sync(all_lanes, changed), __ballot_sync(all_lanes, emptied)};
  }

  /// Restores the heap order of visited slots; all slots below them must be in order. The last node
  /// replaces one that was emptied. Later slots are in order or deeper, so a node that fills a hole
  /// is in order itself.
  __device__ void repair(int first, Visited visited) {
    while (visited.changed != 0) {
      const int bit = extract_last_bit(visited.changed);
      const int slot = first + bit;
      const bool is_emptied = (visited.emptied >> bit & 1u) != 0;
      if (is_emptied ? slot == n_nodes_ - 1 : first_child(slot) >= n_nodes_) {
        n_nodes_ -= is_emptied ? 1 : 0;
        continue;
      }
      const int from = is_emptied ? --n_nodes_ : slot;
      const unsigned freed = place_of(slot);
      const Key top = top_of(from);
      const unsigned place = place_of(from);
      __syncwarp();
      if (is_emptied && lane() == 0) set_place(from, freed);
      sift_down(slot, top, place);
    }
  }

  const HeapShape shape_;
  int n_nodes_ = 0;
  int n_rows_ = 0;  // rows ever used; free ones are after the last slot
  int n_open_ = 0;  // fewer than 32 except during a push
  int* const state_;
  Key* const open_keys_;  // shared memory begins with the open node
  vertex_t* const open_vertices_;
  Key* const saved_keys_;
  Key* const global_keys_;
  vertex_t* const saved_vertices_;
  vertex_t* const global_vertices_;
};

}  // namespace warpgraph::cuda
