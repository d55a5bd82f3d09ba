// A priority queue of (key, vertex) entries that one warp owns and its 32 lanes work at together.
//
// The queue is a 32-ary heap of nodes [1]. A node is a row of 32 entries that was sorted when it
// was made; entries leave it at the front only, so its least is the first of those left, its top.
// The heap keeps the tops in order: no top is less than that of its node's parent. A lane looks at
// a child, so a step down the heap reads 32 tops at once, and 33 nodes have one level below the
// root, 1057 have two. Entries that do not fill a node yet wait in an open node, unsorted.
//
// What differs from [1]:
//   - A slot of the heap holds a node's top and place, and only those are moved: rows stay where
//     they are until they are empty and their place is used again.
//   - Entries come in by the warp: a ballot packs those that the lanes want to push, 32 of them are
//     sorted by shuffles and become a node at once, whose top then rises. Nothing is merged: for 32
//     entries that is one sort of 15 steps and about one exchange of slots.
//   - pop_up_to() takes all entries up to a threshold. Tops up to the threshold form a tree with
//     the root of the heap, so the children of visited nodes are visited, a lane a node, each lane
//     taking entries from its own row. Afterwards changed slots are put in order from the last to
//     the first: those below are in order then, and since every ancestor of a changed slot has
//     changed, too, a node that fills a hole need not rise. Hardly any slot has children (31 of 32
//     have none), so that costs a step down for the root and for few others.
//   - Tops and rows lie in shared memory as far as the caller gives room, and in global memory from
//     there on. The number of nodes is fixed, but nothing fails at that number: is_full() says that
//     it is reached, and drop_half() hands the entries of half of the nodes, those with the larger
//     keys as far as that is easily told, to its caller, which keeps them elsewhere.
//
// Rows that no slot holds are found behind the last slot: the places of slots 0 .. n_rows - 1 are
// a permutation of the rows used so far, and removing a node exchanges its place with the last.
//
// Keys must be ordered: no NaN. Counts are the same in every lane and live in registers; lanes see
// what others wrote by the __syncwarp() at the end of every function that writes.
//
// [1] Crosetto: CUPQ, a CUDA implementation of a priority queue applied to the many-to-many
//     shortest path problem. github.com/crosetto/cupq.
#pragma once

#include "core/cuda/warp.cuh"
#include "core/types.hpp"

#include <cstddef>
#include <cstdint>

namespace warpgraph::cuda {

/// How large a heap is, and how much of it lies in shared memory.
struct HeapShape {
  int nodes = 1;         // of 32 entries; at least 1
  int shared_rows = 0;   // of those, whose entries lie in shared memory
  int shared_slots = 0;  // of the slots, one a node

  /// Bytes of shared memory a warp: the open node, rows, slots.
  template <class Key>
  [[nodiscard]] WARPGRAPH_HOST_DEVICE std::size_t shared_bytes() const {
    return n_shared() * (sizeof(Key) + sizeof(vertex_t));
  }
  /// Bytes of global memory a warp: what is not shared, and where that is kept between launches.
  template <class Key>
  [[nodiscard]] WARPGRAPH_HOST_DEVICE std::size_t global_bytes() const {
    return state_bytes + (n_shared() + n_global()) * (sizeof(Key) + sizeof(vertex_t));
  }

  static constexpr std::size_t state_bytes = 16;
  static constexpr int open_entries = 2 * warp_lanes;

  [[nodiscard]] WARPGRAPH_HOST_DEVICE std::size_t n_shared() const {
    return static_cast<std::size_t>(warp_lanes) * shared_rows + shared_slots + open_entries;
  }
  /// Rounded up so that the next warp's keys, and its state, stand at multiples of 16 bytes.
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

  /// `shared` and `global` have the bytes that `shape` asks for, at multiples of 16. Empty.
  __device__ WarpHeap(HeapShape shape, std::byte* shared, std::byte* global)
      : shape_(shape),
        state_(reinterpret_cast<int*>(global)),
        open_keys_(reinterpret_cast<Key*>(shared)),
        open_vertices_(reinterpret_cast<vertex_t*>(open_keys_ + shape.n_shared())),
        mirror_(reinterpret_cast<Key*>(global + HeapShape::state_bytes)),
        global_keys_(mirror_ + shape.n_shared()),
        mirrored_vertices_(reinterpret_cast<vertex_t*>(global_keys_ + shape.n_global())),
        global_vertices_(mirrored_vertices_ + shape.n_shared()) {}

  __device__ void clear() { n_nodes_ = n_rows_ = n_open_ = 0; }
  __device__ bool empty() const { return n_nodes_ == 0 && n_open_ == 0; }
  /// No room for a further node.
  __device__ bool is_full() const { return n_nodes_ == shape_.nodes; }
  __device__ int n_nodes() const { return n_nodes_; }

  /// The least key. Not empty.
  __device__ Key least() const {
    const bool open = lane() < n_open_;
    const Key first = n_nodes_ > 0 ? top_of(0) : open_keys_[0];
    return warp_min(open && open_keys_[lane()] < first ? open_keys_[lane()] : first);
  }

  /// Inserts the entries of the lanes that want it. Not full.
  __device__ void push(bool wanted, Key key, vertex_t vertex) {
    const unsigned pushers = __ballot_sync(all_lanes, wanted);
    if (wanted) {
      const int to = n_open_ + __popc(pushers & lanes_below());
      open_keys_[to] = key;
      open_vertices_[to] = vertex;
    }
    n_open_ += __popc(pushers);
    __syncwarp();
    if (n_open_ >= warp_lanes) close_node();
  }

  /// Removes an entry with the least key, and returns it in every lane. Not empty.
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

  /// Moves entries up to the threshold, at most `most` (32 or more) of them, to keys[0 .. count)
  /// and vertices[0 .. count) in no particular order, and returns their count. If fewer than `most`
  /// are moved, none up to the threshold is left in the first 1057 nodes.
  __device__ int pop_up_to(Key threshold, int most, Key* keys, vertex_t* vertices) {
    Taking taking{threshold, most, take_open(threshold, keys, vertices), keys, vertices};
    const Visited root = take(0, 1, taking);
    if (root.changed != 0) {
      const Visited children = take(1, warp_lanes, taking);
      for (unsigned todo = children.changed; todo != 0;) {
        const int bit = take_last_bit(todo);
        const int first = first_child(1 + bit);
        if (first < n_nodes_ && taking.count < most) repair(first, take(first, warp_lanes, taking));
      }
      repair(1, children);
      repair(0, root);
    }
    return taking.count;
  }

  /// Removes nodes until half are left at most, and calls visit(exists, key, vertex) in all lanes
  /// together for their entries: first nodes whose top is above the mean of all, then the last.
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

  /// Writes what is in shared memory and registers to global memory, for a resume() in a later
  /// launch with the same memory.
  __device__ void suspend() {
    for (std::size_t i = lane(); i < shape_.n_shared(); i += warp_lanes) {
      mirror_[i] = open_keys_[i];
      mirrored_vertices_[i] = open_vertices_[i];
    }
    if (lane() == 0) {
      state_[0] = n_nodes_;
      state_[1] = n_rows_;
      state_[2] = n_open_;
    }
  }
  __device__ void resume() {
    for (std::size_t i = lane(); i < shape_.n_shared(); i += warp_lanes) {
      open_keys_[i] = mirror_[i];
      open_vertices_[i] = mirrored_vertices_[i];
    }
    n_nodes_ = state_[0];
    n_rows_ = state_[1];
    n_open_ = state_[2];
    __syncwarp();
  }

 private:
  /// Which of up to 32 neighbouring slots gave entries away, and which have none left; bit by bit.
  struct Visited {
    unsigned changed;
    unsigned emptied;
  };
  struct Taking {
    Key threshold;
    int most;
    int count;
    Key* keys;
    vertex_t* vertices;
  };

  __device__ static int first_child(int slot) { return slot * warp_lanes + 1; }
  __device__ static int take_last_bit(unsigned& bits) {
    const int last = 31 - __clz(static_cast<int>(bits));
    bits ^= 1u << last;
    return last;
  }

  // A place is a row's number times 32 plus the position of the first entry left, so it is the
  // index of that entry among all rows. Shared memory holds the open node, rows, then slots; global
  // memory the other rows, then the other slots.
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

  /// Makes a node of 32 of the open entries.
  __device__ void close_node() {
    Key key = open_keys_[lane()];
    vertex_t vertex = open_vertices_[lane()];
    const int behind = warp_lanes + lane();
    const bool stays = behind < n_open_;
    const Key key_behind = open_keys_[behind];
    const vertex_t vertex_behind = open_vertices_[behind];
    __syncwarp();
    if (stays) {
      open_keys_[lane()] = key_behind;
      open_vertices_[lane()] = vertex_behind;
    }
    n_open_ -= warp_lanes;
    sort_lanes(key, vertex);
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

  /// For one lane.
  __device__ void sift_up(int slot, Key top, unsigned place) const {
    while (slot > 0) {
      const int parent = (slot - 1) / warp_lanes;
      if (!(top < top_of(parent))) break;
      set(slot, top_of(parent), place_of(parent));
      slot = parent;
    }
    set(slot, top, place);
  }

  /// Puts a node into a slot, or below it where that is what the order asks for.
  __device__ void sift_down(int slot, Key top, unsigned place) {
    while (first_child(slot) < n_nodes_) {
      const int child = first_child(slot) + lane();
      const bool exists = child < n_nodes_;
      const Key its_top = exists ? top_of(child) : top;
      const unsigned its_place = exists ? place_of(child) : 0;
      const Key least_top = warp_min(its_top);
      if (!(least_top < top)) break;
      const unsigned least_ones = __ballot_sync(all_lanes, its_top == least_top);
      const int winner = __ffs(static_cast<int>(least_ones)) - 1;
      __syncwarp();  // all have read before one writes
      if (lane() == winner) set(slot, its_top, its_place);
      slot = first_child(slot) + winner;
    }
    __syncwarp();
    if (lane() == 0) set(slot, top, place);
    __syncwarp();
  }

  /// Removes a slot's node; the last node takes its place.
  __device__ void remove(int slot) {
    const unsigned freed = place_of(slot);
    const int last = --n_nodes_;
    if (slot == last) return;
    const Key top = top_of(last);
    const unsigned place = place_of(last);
    __syncwarp();
    if (lane() == 0) set_place(last, freed);
    sift_down(slot, top, place);
  }

  __device__ double mean_top() const {
    double sum = 0;
    for (int slot = lane(); slot < n_nodes_; slot += warp_lanes) {
      sum += static_cast<double>(top_of(slot)) / n_nodes_;
    }
    for (int step = warp_lanes / 2; step > 0; step /= 2) {
      sum += __shfl_xor_sync(all_lanes, sum, step);
    }
    return sum;
  }

  /// Removes a node whatever is left in it, out of order: the last node takes its place as it is.
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
    const unsigned least_ones =
        __ballot_sync(all_lanes, lane() < n_open_ && open_keys_[lane()] == key);
    const int winner = __ffs(static_cast<int>(least_ones)) - 1;
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

  __device__ int take_open(Key threshold, Key* keys, vertex_t* vertices) {
    const bool exists = lane() < n_open_;
    const Key key = open_keys_[lane()];
    const vertex_t vertex = open_vertices_[lane()];
    const bool goes = exists && !(threshold < key);
    const unsigned going = __ballot_sync(all_lanes, goes);
    const unsigned staying = __ballot_sync(all_lanes, exists && !goes);
    __syncwarp();
    if (exists) {
      const int to = __popc((goes ? going : staying) & lanes_below());
      (goes ? keys : open_keys_)[to] = key;
      (goes ? vertices : open_vertices_)[to] = vertex;
    }
    n_open_ = __popc(staying);
    __syncwarp();
    return __popc(going);
  }

  /// Takes entries from the slots first .. first + width - 1, a lane a slot.
  __device__ Visited take(int first, int width, Taking& taking) const {
    const int slot = first + lane();
    const bool exists = lane() < width && slot < n_nodes_;
    Key top = exists ? top_of(slot) : taking.threshold;
    unsigned place = exists ? place_of(slot) : 0;
    bool takes = exists && !(taking.threshold < top);
    bool changed = false;
    bool emptied = false;
    while (taking.count < taking.most) {
      const unsigned takers = __ballot_sync(all_lanes, takes);
      if (takers == 0) break;
      const int to = taking.count + __popc(takers & lanes_below());
      if (takes && to < taking.most) {
        taking.keys[to] = top;
        taking.vertices[to] = vertices_at(place);
        changed = true;
        emptied = place % warp_lanes == warp_lanes - 1;
        if (!emptied) top = keys_at(++place);
        takes = !emptied && !(taking.threshold < top);
      }
      taking.count += __popc(takers);
    }
    if (taking.count > taking.most) taking.count = taking.most;
    if (changed && !emptied) set(slot, top, place);
    __syncwarp();
    return {__ballot_sync(all_lanes, changed), __ballot_sync(all_lanes, emptied)};
  }

  /// Puts visited slots in order again, when all below them are. Slots behind them are in order or
  /// further down, so the node that fills a hole is in order itself.
  __device__ void repair(int first, Visited visited) {
    while (visited.changed != 0) {
      const int bit = take_last_bit(visited.changed);
      const int slot = first + bit;
      if ((visited.emptied >> bit & 1u) != 0) {
        remove(slot);
      } else if (first_child(slot) < n_nodes_) {
        sift_down(slot, top_of(slot), place_of(slot));
      }
    }
  }

  const HeapShape shape_;
  int n_nodes_ = 0;
  int n_rows_ = 0;  // that were ever used; those no slot holds stand behind the last slot
  int n_open_ = 0;  // fewer than 32 but during a push
  int* const state_;
  Key* const open_keys_;  // shared memory begins with the open node
  vertex_t* const open_vertices_;
  Key* const mirror_;
  Key* const global_keys_;
  vertex_t* const mirrored_vertices_;
  vertex_t* const global_vertices_;
};

}  // namespace warpgraph::cuda
