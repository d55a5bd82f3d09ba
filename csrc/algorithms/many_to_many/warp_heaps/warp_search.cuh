// The search of one warp: Dijkstra's algorithm with the heap of core/cuda/containers/warp_heap.cuh,
// a bundle of entries at a time.
//
// A step pops all entries up to slightly above the minimum key, the bundle, and relaxes the arcs of
// their vertices, one per lane. So a vertex may be relaxed before its distance is final; it is
// relaxed again when the distance decreases. The result is the same fixed point (see sssp.hpp), and
// on roads bundles are narrow enough that this is rare. Bundles save time: a step waits for memory
// about as long for fifty vertices as for one (for their distances and rows, then heads, then the
// distances of those).
//
// The width of a bundle, a range of keys, adapts to the graph. It grows when a bundle was too
// small, at least to the next key, and shrinks when it was too large. It affects time only.
//
// A row of distances belongs to one warp. Its lanes lower distances by atomic minima without asking
// whose value was stored. A lane pushes its candidate if that was smaller than the distance it had
// read; an entry is outdated if the distance is less when it is popped. So if several lanes lower
// one vertex, all of them push, and the minimum counts. The lanes see each other's minima after
// __syncwarp(). Seeing one too late would only mean that a vertex is relaxed twice.
//
// A full heap drops half of its entries: they are spilled, to one bit for each of their vertices,
// whose distances are in the row. When the heap is empty, they are reloaded. So the search needs n
// bits beside the row, and a heap of any size.
#pragma once

#include "core/atomics.hpp"
#include "core/cuda/containers/warp_heap.cuh"
#include "graph/csr.hpp"
#include "primitives/relaxation/relax.hpp"

namespace warpgraph::many_to_many_detail {

/// The settings that all searches of a call share.
template <class W>
struct SearchSettings {
  CsrView<W> graph;
  W limit;
  const vertex_t* targets;
  int n_targets;  // 0: every vertex is wanted
  cuda::HeapShape shape;
};

/// The state of a warp's search between launches.
template <class W>
struct SearchState {
  int row = -1;     // of the chunk; -1: none
  int next_target;  // the targets before it are settled
  W width;
  W last_least;     // the minimum key of the last step
  W spilled_least;  // a lower bound of the distances of spilled vertices
  bool has_spilled;
  bool was_small;  // the last bundle had few entries
  bool overflows;
};

template <class W>
class WarpSearch {
 public:
  /// The bytes of shared memory in addition to those of the heap.
  static constexpr std::size_t bundle_bytes = 192 * (sizeof(W) + sizeof(vertex_t));

  /// `shared` has bundle_bytes, then what the heap's shape requires; `spilled` has one bit per
  /// vertex, all 0.
  __device__ WarpSearch(const SearchSettings<W>& settings, std::byte* shared, std::byte* heap,
                        unsigned* spilled)
      : graph_(settings.graph),
        settings_(settings),
        keys_(reinterpret_cast<W*>(shared)),
        vertices_(reinterpret_cast<vertex_t*>(keys_ + bundle_size)),
        heap_(settings.shape, shared + bundle_bytes, heap),
        spilled_(spilled) {}

  /// Begins a search from a source. All distances of the row must be infinite.
  __device__ void begin(vertex_t source, W* row) {
    row_ = row;
    state_ = {};
    heap_.clear();
    if (cuda::lane() == 0) row[source] = W{0};
    heap_.push(cuda::lane() == 0, W{0}, source);
  }
  __device__ void suspend(SearchState<W>& to) {
    heap_.suspend();
    state_.overflows = overflows();
    if (cuda::lane() == 0) to = state_;
  }
  __device__ void resume(const SearchState<W>& from, W* row) {
    row_ = row;
    state_ = from;
    heap_.resume();
  }
  /// Clears the spill marks of a search that ended early.
  __device__ void end() {
    if (!state_.has_spilled) return;
    for (vertex_t i = cuda::lane(); i < n_words(); i += cuda::warp_lanes) spilled_[i] = 0;
    __syncwarp();
  }
  /// Returns whether an integer distance may not fit: a path to some vertex grew beyond the type.
  __device__ bool overflows() const {
    return __ballot_sync(cuda::all_lanes, state_.overflows) != 0;
  }

  /// Relaxes one bundle. Returns false when the search is over. `work` decreases with the time
  /// taken.
  __device__ bool step(int& work) {
    if (heap_.empty()) {
      if (!state_.has_spilled) return false;
      reload_spilled(work);
      if (heap_.empty()) return false;
    }
    const W least = heap_.least();
    if (has_all_targets(least)) return false;
    set_width(least);
    const int count = heap_.pop_up_to(extend(least, state_.width), bundle_size, keys_, vertices_);
    // If the heap is empty, a wider bundle would not have been larger.
    state_.was_small = count < min_bundle && !heap_.empty();
    if (count >= bundle_size) state_.width -= state_.width / 4;
    for (int first = 0; first < count; first += cuda::warp_lanes) {
      relax_vertices(first, count, work);
    }
    --work;
    return true;
  }

 private:
  /// The maximum number of entries in a bundle, and the number below which the next one is wider.
  /// On New York's roads this gives 131 entries per step, and 0.6 % of the vertices are relaxed
  /// twice; with half as many 0.2 %, with twice as many 4 %, but the lanes of the last 32 of a
  /// bundle are often idle.
  static constexpr int bundle_size = 192;
  static constexpr int min_bundle = 96;
  /// The most arcs of a vertex whose row a lane relaxes with others; the whole warp relaxes a
  /// longer row.
  static constexpr edge_t large_degree = 128;
  /// Arcs per lane that are loaded at the same time.
  static constexpr int arcs_in_flight = 4;

  /// Sets the width: the gap between the minimum keys of two steps tells how far apart entries are.
  __device__ void set_width(W least) {
    if (state_.was_small) {
      const W gap = least > state_.last_least ? static_cast<W>(least - state_.last_least) : W{0};
      const W wider = extend(state_.width, static_cast<W>(state_.width / 4));
      state_.width = gap > wider ? gap : wider;
    }
    state_.last_least = least;
  }

  /// Returns whether all targets are settled. No distance below `least`, the minimum key, can
  /// decrease any more. At `least`, weights of zero may still lead to other vertices, which belong
  /// to the tree.
  __device__ bool has_all_targets(W least) {
    if (settings_.n_targets == 0) return false;
    if (state_.has_spilled && state_.spilled_least < least) least = state_.spilled_least;
    while (state_.next_target < settings_.n_targets) {
      const int i = state_.next_target + cuda::lane();
      const bool open =
          i < settings_.n_targets && !(relaxed_load(row_[settings_.targets[i]]) < least);
      const unsigned open_mask = __ballot_sync(cuda::all_lanes, open);
      if (open_mask != 0) {
        state_.next_target += cuda::first_lane(open_mask);
        return false;
      }
      state_.next_target += cuda::warp_lanes;
    }
    return true;
  }

  /// Relaxes the vertices of the entries first .. count - 1 of the bundle, at most 32, one per
  /// lane.
  __device__ void relax_vertices(int first, int count, int& work) {
    const bool exists = first + cuda::lane() < count;
    const W distance = exists ? keys_[first + cuda::lane()] : W{0};
    const vertex_t u = exists ? vertices_[first + cuda::lane()] : 0;
    const edge_t begin = graph_.begin(u);
    const edge_t degree = graph_.end(u) - begin;
    const bool is_current = exists && !(relaxed_load(row_[u]) < distance);
    const bool is_large = is_current && degree > large_degree;
    const int small_degree = is_current && !is_large ? static_cast<int>(degree) : 0;
    relax_small_rows(distance, begin, small_degree, work);
    unsigned large_mask = __ballot_sync(cuda::all_lanes, is_large);
    for (; large_mask != 0; large_mask &= large_mask - 1) {
      const int from = cuda::first_lane(large_mask);
      relax_large_row(__shfl_sync(cuda::all_lanes, distance, from),
                      __shfl_sync(cuda::all_lanes, begin, from),
                      __shfl_sync(cuda::all_lanes, degree, from), work);
    }
  }

  /// Concatenates the rows of the lanes' vertices and distributes their arcs evenly over the lanes.
  __device__ void relax_small_rows(W distance, edge_t begin, int degree, int& work) {
    constexpr int stride = arcs_in_flight * cuda::warp_lanes;
    const int start = cuda::warp_exclusive_sum(degree);
    const int total = __shfl_sync(cuda::all_lanes, start + degree, cuda::warp_lanes - 1);
    for (int base = 0; base < total; base += stride, --work) {
      relax_arcs([&](int k, edge_t& arc, W& from) {
        // All lanes return here, or none.
        if (base + k * cuda::warp_lanes >= total) return false;
        const int i = base + k * cuda::warp_lanes + cuda::lane();
        const int owner = cuda::owner_of(i, start);
        arc = __shfl_sync(cuda::all_lanes, begin, owner) +
              (i - __shfl_sync(cuda::all_lanes, start, owner));
        from = __shfl_sync(cuda::all_lanes, distance, owner);
        return i < total;
      });
    }
  }

  /// Relaxes the row of one vertex by all lanes.
  __device__ void relax_large_row(W distance, edge_t begin, edge_t degree, int& work) {
    constexpr int stride = arcs_in_flight * cuda::warp_lanes;
    for (edge_t base = 0; base < degree; base += stride, --work) {
      relax_arcs([&](int k, edge_t& arc, W& from) {
        const edge_t i = base + k * cuda::warp_lanes + cuda::lane();
        arc = begin + i;
        from = distance;
        return i < degree;
      });
    }
  }

  /// Relaxes arcs. assign_arc(k, arc, from) sets a lane's k-th arc and the distance of its tail,
  /// and returns whether there is one. All loads of one kind are issued before the first is waited
  /// for.
  template <class AssignArc>
  __device__ void relax_arcs(AssignArc&& assign_arc) {
    vertex_t heads[arcs_in_flight];
    W through[arcs_in_flight];
    W known[arcs_in_flight];
#pragma unroll
    for (int k = 0; k < arcs_in_flight; ++k) {
      edge_t arc = 0;
      W from{0};
      const bool exists = assign_arc(k, arc, from);
      heads[k] = exists ? graph_.heads[arc] : 0;
      through[k] = infinity<W>();
      if (exists) {
        const W weight = shortest_paths::weight_of(graph_, arc);
        const W sum = extend(from, weight);
        if (!(settings_.limit < sum)) through[k] = sum;
        if (std::is_integral_v<W> && sum == infinity<W>() && weight != sum) {
          state_.overflows = true;
        }
      }
    }
#pragma unroll
    for (int k = 0; k < arcs_in_flight; ++k) {
      known[k] = through[k] == infinity<W>() ? through[k] : relaxed_load(row_[heads[k]]);
    }
    unsigned lowering[arcs_in_flight];
#pragma unroll
    for (int k = 0; k < arcs_in_flight; ++k) {
      const bool is_lower = through[k] < known[k];
      lowering[k] = __ballot_sync(cuda::all_lanes, is_lower);
      if (is_lower) lower_non_negative(row_[heads[k]], through[k]);
    }
    // Pushing is long, and so stands in the code once, not for every k.
#pragma unroll 1
    for (int k = 0; k < arcs_in_flight; ++k) {
      unsigned lanes = lowering[0];
      W key = through[0];
      vertex_t head = heads[0];
#pragma unroll
      for (int i = 1; i < arcs_in_flight; ++i) {
        lanes = i == k ? lowering[i] : lanes;
        key = i == k ? through[i] : key;
        head = i == k ? heads[i] : head;
      }
      if (lanes == 0) continue;
      if (heap_.is_full()) spill();
      heap_.push((lanes >> cuda::lane() & 1u) != 0, key, head);
    }
    __syncwarp();
  }

  /// Drops half of the heap's entries, and marks the vertices of those that are not outdated.
  __device__ void spill() {
    W least = state_.has_spilled ? state_.spilled_least : infinity<W>();
    __syncwarp();
    heap_.drop_half([&](bool exists, W key, vertex_t v) {
      if (!exists || relaxed_load(row_[v]) < key) return;
      atomicOr(&spilled_[v / bits_per_word], 1u << (v % bits_per_word));
      if (key < least) least = key;
    });
    state_.spilled_least = cuda::warp_min(least);
    state_.has_spilled = true;
  }

  /// Fills half of the heap with spilled vertices, so that there is capacity for the vertices they
  /// lead to: with the nearest, as far as an estimate tells.
  __device__ void reload_spilled(int& work) {
    const W threshold = reload_threshold();
    const int max_nodes = (settings_.shape.nodes + 1) / 2;
    bool all_fit = true;
    bool none_kept = true;
    for (vertex_t first = 0; first < n_words() && all_fit; first += cuda::warp_lanes) {
      const vertex_t word = first + cuda::lane();
      const unsigned marked = word < n_words() ? spilled_[word] : 0;
      unsigned kept = 0;
      if (first % 1024 == 0) --work;
      for (unsigned remaining = marked; __ballot_sync(cuda::all_lanes, remaining != 0) != 0;) {
        all_fit = heap_.n_nodes() < max_nodes;
        if (!all_fit) {
          kept |= remaining;
          break;
        }
        const vertex_t v =
            remaining != 0 ? word * bits_per_word + __ffs(static_cast<int>(remaining)) - 1 : 0;
        const W distance = relaxed_load(row_[v]);
        const bool reloads = remaining != 0 && !(threshold < distance);
        heap_.push(reloads, distance, v);
        const unsigned bit = remaining & (0u - remaining);
        if (!reloads) kept |= bit;
        remaining ^= bit;
      }
      if (word < n_words() && kept != marked) spilled_[word] = kept;
      if (__ballot_sync(cuda::all_lanes, kept != 0) != 0) none_kept = false;
    }
    __syncwarp();
    state_.has_spilled = !(all_fit && none_kept);
    if (all_fit) state_.spilled_least = threshold;
  }

  /// Returns a distance up to which about as many spilled vertices lie as half of the heap holds:
  /// if they are evenly spread, half of them lie below the mean. At least one lies within the
  /// result.
  __device__ W reload_threshold() {
    W least = infinity<W>();
    double sum = 0;
    double n = 0;
    for (vertex_t word = cuda::lane(); word < n_words(); word += cuda::warp_lanes) {
      for (unsigned remaining = spilled_[word]; remaining != 0; remaining &= remaining - 1) {
        const W distance =
            relaxed_load(row_[word * bits_per_word + __ffs(static_cast<int>(remaining)) - 1]);
        if (distance < least) least = distance;
        sum += static_cast<double>(distance);
        n += 1;
      }
    }
    least = cuda::warp_min(least);
    for (int step = cuda::warp_lanes / 2; step > 0; step /= 2) {
      sum += __shfl_xor_sync(cuda::all_lanes, sum, step);
      n += __shfl_xor_sync(cuda::all_lanes, n, step);
    }
    const double capacity = static_cast<double>(settings_.shape.nodes) * cuda::warp_lanes / 2;
    if (n <= capacity) return infinity<W>();
    const auto first = static_cast<double>(least);
    const double estimate = first + (sum / n - first) * 2 * capacity / n;
    const bool fits = estimate > first && estimate < static_cast<double>(infinity<W>());
    return fits ? static_cast<W>(estimate) : least;
  }

  static constexpr vertex_t bits_per_word = 32;
  __device__ vertex_t n_words() const { return (graph_.n_vertices - 1) / bits_per_word + 1; }

  const CsrView<W> graph_;
  const SearchSettings<W> settings_;
  W* const keys_;
  vertex_t* const vertices_;
  cuda::WarpHeap<W> heap_;
  unsigned* const spilled_;
  W* row_ = nullptr;
  SearchState<W> state_{};
};

}  // namespace warpgraph::many_to_many_detail
