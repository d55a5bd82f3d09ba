// The search of one warp: Dijkstra's algorithm with a warp-wide heap, a bundle of entries at a
// time.
//
// A step pops all entries up to a little above the least key and relaxes their vertices' arcs, an
// arc a lane. A vertex may so be relaxed before its distance is final, and is relaxed again when it
// falls: the result is the same fixed point (sssp.hpp), and on roads the bundles are narrow enough
// that it rarely happens. What bundles buy is time: a step waits for memory about as long for fifty
// vertices as for one (for their distances and rows, then heads, then the distances of those).
//
// The width of a bundle follows the graph: wider when a bundle was too small, at least to the next
// key; narrower when it was too large. It decides about time only.
//
// A row of distances belongs to one warp. Its lanes lower distances by atomic minima without asking
// whether they were the ones who did: a lane that found its candidate smaller pushes it, and an
// entry is outdated if the distance is less when it is popped. So of several lanes that lower one
// vertex all push, and the least counts. The lanes see each other's minima after __syncwarp(); one
// seen too late would only mean that a vertex is relaxed twice.
//
// A heap that is full gives half of its entries away: a bit for each of their vertices, whose
// distances the row has anyway. When the heap runs empty it takes them back. So the search needs
// n bits beside the row, and a heap of any size.
#pragma once

#include "core/atomics.hpp"
#include "core/cuda/warp_heap.cuh"
#include "graph/csr.hpp"
#include "primitives/relaxation/relax.hpp"

namespace warpgraph::many_to_many_steps {

/// What all searches of a call share.
template <class W>
struct SearchSettings {
  CsrView<W> graph;
  W limit;
  const vertex_t* targets;
  int n_targets;  // 0: every vertex is wanted
  cuda::HeapShape shape;
};

/// Where a warp keeps its search between launches.
template <class W>
struct SearchState {
  int row = -1;  // of the chunk; -1: none
  int next_target;
  W width;
  W last_least;
  W spilled_least;
  bool has_spilled;
  bool was_small;
  bool overflows;
};

template <class W>
class WarpSearch {
 public:
  /// Bytes of shared memory behind those of the heap.
  static constexpr std::size_t bundle_bytes = 192 * (sizeof(W) + sizeof(vertex_t));

  /// `shared` as the heap's shape asks for, then bundle_bytes; `spilled` is a bit a vertex, all 0.
  __device__ WarpSearch(const SearchSettings<W>& settings, std::byte* shared, std::byte* heap,
                        unsigned* spilled)
      : graph_(settings.graph),
        settings_(settings),
        keys_(reinterpret_cast<W*>(shared)),
        vertices_(reinterpret_cast<vertex_t*>(keys_ + bundle)),
        heap_(settings.shape, shared + bundle_bytes, heap),
        spilled_(spilled) {}

  /// All of the row must be infinite.
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
  /// Forgets what a search that ended early left behind.
  __device__ void end() {
    if (!state_.has_spilled) return;
    for (vertex_t i = cuda::lane(); i < n_words(); i += cuda::warp_lanes) spilled_[i] = 0;
    __syncwarp();
  }
  /// An integer distance may not fit: a path to some vertex grew beyond the type.
  __device__ bool overflows() const {
    return __ballot_sync(cuda::all_lanes, state_.overflows) != 0;
  }

  /// Relaxes one bundle. False when the search is over. `work` counts down with the time taken.
  __device__ bool step(int& work) {
    if (heap_.empty()) {
      if (!state_.has_spilled) return false;
      take_spilled_back(work);
      if (heap_.empty()) return false;
    }
    const W least = heap_.least();
    if (has_all_targets(least)) return false;
    set_width(least);
    const int count = heap_.pop_up_to(extend(least, state_.width), bundle, keys_, vertices_);
    // An empty heap has no more to give, however wide the bundle.
    state_.was_small = count < enough && !heap_.empty();
    if (count >= bundle) state_.width -= state_.width / 4;
    for (int first = 0; first < count; first += cuda::warp_lanes) {
      relax_vertices(first, count, work);
    }
    --work;
    return true;
  }

 private:
  /// Entries in a bundle: at most, and so many that it need not become wider. On New York's roads
  /// this gives 131 entries a step, and 0.6 % of the vertices are relaxed twice; with half as many
  /// 0.2 %, with twice as many 4 %, but the lanes of the last 32 of a bundle are often idle.
  static constexpr int bundle = 192;
  static constexpr int enough = 96;
  /// Vertices with more arcs get the warp for themselves.
  static constexpr edge_t many_arcs = 128;
  /// Arcs of a lane that are under way at the same time.
  static constexpr int arcs_ahead = 4;

  /// The next entry's distance from the one before tells how far apart entries are.
  __device__ void set_width(W least) {
    if (state_.was_small) {
      const W gap = least > state_.last_least ? static_cast<W>(least - state_.last_least) : W{0};
      const W wider = extend(state_.width, static_cast<W>(state_.width / 4));
      state_.width = gap > wider ? gap : wider;
    }
    state_.last_least = least;
  }

  /// No distance below `least`, the least key of all, can fall any more. At it, weights of zero may
  /// still lead to other vertices, which belong to the tree.
  __device__ bool has_all_targets(W least) {
    if (settings_.n_targets == 0) return false;
    if (state_.has_spilled && state_.spilled_least < least) least = state_.spilled_least;
    while (state_.next_target < settings_.n_targets) {
      const int i = state_.next_target + cuda::lane();
      const bool open =
          i < settings_.n_targets && !(relaxed_load(row_[settings_.targets[i]]) < least);
      const unsigned open_ones = __ballot_sync(cuda::all_lanes, open);
      if (open_ones != 0) {
        state_.next_target += __ffs(static_cast<int>(open_ones)) - 1;
        return false;
      }
      state_.next_target += cuda::warp_lanes;
    }
    return true;
  }

  /// The entries first .. count - 1 of the bundle, 32 at most, an entry a lane.
  __device__ void relax_vertices(int first, int count, int& work) {
    const bool exists = first + cuda::lane() < count;
    const W at = exists ? keys_[first + cuda::lane()] : W{0};
    const vertex_t u = exists ? vertices_[first + cuda::lane()] : 0;
    const edge_t begin = graph_.begin(u);
    const edge_t degree = graph_.end(u) - begin;
    const bool is_current = exists && !(relaxed_load(row_[u]) < at);
    const bool is_large = is_current && degree > many_arcs;
    const int own = is_current && !is_large ? static_cast<int>(degree) : 0;
    relax_together(at, begin, own, work);
    unsigned large_ones = __ballot_sync(cuda::all_lanes, is_large);
    for (; large_ones != 0; large_ones &= large_ones - 1) {
      const int from = __ffs(static_cast<int>(large_ones)) - 1;
      relax_row(__shfl_sync(cuda::all_lanes, at, from), __shfl_sync(cuda::all_lanes, begin, from),
                __shfl_sync(cuda::all_lanes, degree, from), work);
    }
  }

  /// Lays the rows of the lanes' vertices end to end and deals their arcs to the lanes.
  __device__ void relax_together(W at, edge_t begin, int degree, int& work) {
    constexpr int stride = arcs_ahead * cuda::warp_lanes;
    const int start = cuda::warp_exclusive_sum(degree);
    const int total = __shfl_sync(cuda::all_lanes, start + degree, cuda::warp_lanes - 1);
    for (int base = 0; base < total; base += stride, --work) {
      relax_some([&](int k, edge_t& arc, W& from) {
        // Where the batch ends, all lanes know it.
        if (base + k * cuda::warp_lanes >= total) return false;
        const int i = base + k * cuda::warp_lanes + cuda::lane();
        const int owner = owner_of(i, start);
        arc = __shfl_sync(cuda::all_lanes, begin, owner) +
              (i - __shfl_sync(cuda::all_lanes, start, owner));
        from = __shfl_sync(cuda::all_lanes, at, owner);
        return i < total;
      });
    }
  }

  /// The last lane that starts at or before i; lanes without arcs start where the next one does.
  __device__ static int owner_of(int i, int start) {
    int owner = 0;
    for (int step = cuda::warp_lanes / 2; step > 0; step /= 2) {
      if (__shfl_sync(cuda::all_lanes, start, owner + step) <= i) owner += step;
    }
    return owner;
  }

  __device__ void relax_row(W at, edge_t begin, edge_t degree, int& work) {
    constexpr int stride = arcs_ahead * cuda::warp_lanes;
    for (edge_t base = 0; base < degree; base += stride, --work) {
      relax_some([&](int k, edge_t& arc, W& from) {
        const edge_t i = base + k * cuda::warp_lanes + cuda::lane();
        arc = begin + i;
        from = at;
        return i < degree;
      });
    }
  }

  /// deal(k, arc, from) sets a lane's k-th arc and the distance of its tail, if there is one. All
  /// loads of one kind go out before the first is waited for.
  template <class Deal>
  __device__ void relax_some(Deal&& deal) {
    vertex_t heads[arcs_ahead];
    W through[arcs_ahead];
    W seen[arcs_ahead];
#pragma unroll
    for (int k = 0; k < arcs_ahead; ++k) {
      edge_t arc = 0;
      W from{0};
      const bool exists = deal(k, arc, from);
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
    for (int k = 0; k < arcs_ahead; ++k) {
      seen[k] = through[k] == infinity<W>() ? through[k] : relaxed_load(row_[heads[k]]);
    }
#pragma unroll
    for (int k = 0; k < arcs_ahead; ++k) {
      const bool falls = through[k] < seen[k];
      if (__ballot_sync(cuda::all_lanes, falls) == 0) continue;
      if (falls) lower_non_negative(row_[heads[k]], through[k]);
      if (heap_.is_full()) spill();
      heap_.push(falls, through[k], heads[k]);
    }
    __syncwarp();
  }

  __device__ void spill() {
    W least = state_.has_spilled ? state_.spilled_least : infinity<W>();
    __syncwarp();
    heap_.drop_half([&](bool exists, W key, vertex_t v) {
      if (!exists || relaxed_load(row_[v]) < key) return;
      atomicOr(&spilled_[v / bits], 1u << (v % bits));
      if (key < least) least = key;
    });
    state_.spilled_least = cuda::warp_min(least);
    state_.has_spilled = true;
  }

  /// Fills the heap by half, so that there is room for what these vertices lead to, with the
  /// nearest as far as that is easily told.
  __device__ void take_spilled_back(int& work) {
    const W nearest = nearest_spilled();
    const int most_nodes = (settings_.shape.nodes + 1) / 2;
    bool all_fit = true;
    bool all_near = true;
    for (vertex_t first = 0; first < n_words() && all_fit; first += cuda::warp_lanes) {
      const vertex_t word = first + cuda::lane();
      const unsigned marked = word < n_words() ? spilled_[word] : 0;
      unsigned stay = 0;
      if (first % 1024 == 0) --work;
      for (unsigned todo = marked; __ballot_sync(cuda::all_lanes, todo != 0) != 0;) {
        all_fit = heap_.n_nodes() < most_nodes;
        if (!all_fit) {
          stay |= todo;
          break;
        }
        const vertex_t v = todo != 0 ? word * bits + __ffs(static_cast<int>(todo)) - 1 : 0;
        const W at = relaxed_load(row_[v]);
        const bool goes = todo != 0 && !(nearest < at);
        heap_.push(goes, at, v);
        const unsigned bit = todo & (0u - todo);
        if (!goes) stay |= bit;
        todo ^= bit;
      }
      if (word < n_words() && stay != marked) spilled_[word] = stay;
      if (__ballot_sync(cuda::all_lanes, stay != 0) != 0) all_near = false;
    }
    __syncwarp();
    state_.has_spilled = !(all_fit && all_near);
    if (all_fit) state_.spilled_least = nearest;
  }

  /// A distance up to which about as many spilled vertices lie as there is room for: if they are
  /// evenly spread, the mean has half of them before it. Some lie before what is returned.
  __device__ W nearest_spilled() {
    W least = infinity<W>();
    double sum = 0;
    double n = 0;
    for (vertex_t word = cuda::lane(); word < n_words(); word += cuda::warp_lanes) {
      for (unsigned todo = spilled_[word]; todo != 0; todo &= todo - 1) {
        const W at = relaxed_load(row_[word * bits + __ffs(static_cast<int>(todo)) - 1]);
        if (at < least) least = at;
        sum += static_cast<double>(at);
        n += 1;
      }
    }
    least = cuda::warp_min(least);
    for (int step = cuda::warp_lanes / 2; step > 0; step /= 2) {
      sum += __shfl_xor_sync(cuda::all_lanes, sum, step);
      n += __shfl_xor_sync(cuda::all_lanes, n, step);
    }
    const double room = static_cast<double>(settings_.shape.nodes) * cuda::warp_lanes / 2;
    if (n <= room) return infinity<W>();
    const auto first = static_cast<double>(least);
    const double wanted = first + (sum / n - first) * 2 * room / n;
    const bool fits = wanted > first && wanted < static_cast<double>(infinity<W>());
    return fits ? static_cast<W>(wanted) : least;
  }

  static constexpr vertex_t bits = 32;  // a word
  __device__ vertex_t n_words() const { return (graph_.n_vertices - 1) / bits + 1; }

  const CsrView<W> graph_;
  const SearchSettings<W> settings_;
  W* const keys_;
  vertex_t* const vertices_;
  cuda::WarpHeap<W> heap_;
  unsigned* const spilled_;
  W* row_ = nullptr;
  SearchState<W> state_{};
};

}  // namespace warpgraph::many_to_many_steps
