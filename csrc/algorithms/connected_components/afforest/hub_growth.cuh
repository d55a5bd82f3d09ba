// The giant component of a graph with a hub, before any sets are united, as in the first step of
// Multistep [7 in connected_components.hpp]: the heads of the hub are in it, and then each vertex
// that has a head in it. A vertex looks at a few heads only, bottom-up as in bfs.hpp, and stops at
// the first one that is: of an R-MAT graph of 2^22 vertices, the heads of the hub are 7 percent of
// the giant component, one pass over the other vertices finds 92 percent, and two 99.97. The rest
// is left to union-find.
//
// Where Afforest unites, with some ten reads of 4 bytes per sampled arc all over n parents, this
// reads a bit per head, and the bits of 2^26 vertices fit the L2 cache. Passes need no order: a
// vertex that joins during a pass may or may not be seen by others, and the labels are the same.
#pragma once

#include "algorithms/connected_components/afforest/root_numbers.cuh"
#include "algorithms/connected_components/afforest/view.cuh"
#include "core/cuda/containers/bitmap_words.cuh"
#include "core/cuda/launch.cuh"

namespace warpgraph::afforest {

/// Heads that a vertex looks at in a pass: a sector of memory has eight.
inline constexpr int heads_per_pass = 8;
/// The number of these heads that are read together.
inline constexpr int heads_at_once = 4;

/// Returns whether another pass is worth it. `left` vertices of n have arcs but are not in the
/// giant component, `left_before` were before the last pass.
__host__ __device__ constexpr bool gains_by_pass(unsigned long long left,
                                                 unsigned long long left_before, vertex_t n) {
  return left > static_cast<unsigned long long>(n) / 64 && left < left_before / 8 * 7;
}
/// Returns whether the vertices that are left are so few that their arcs are better united without
/// sampling.
__host__ __device__ constexpr bool is_giant_found(unsigned long long left, vertex_t n) {
  return left <= static_cast<unsigned long long>(n) / 4;
}

/// The growth of the giant component from a hub. All threads of a grid call these functions, with
/// barriers in between.
template <Extent extent>
class HubGrowth : Rows<extent> {
  using Rows<extent>::view_;
  using Rows<extent>::first_row;
  using Rows<extent>::end_row;
  using Rows<extent>::has_row;
  using Rows<extent>::row_begin;
  using Rows<extent>::row_end;

 public:
  __device__ explicit HubGrowth(const View& view) : Rows<extent>(view), n_(view.graph.n_vertices) {}

  __device__ void clear() const {
    const std::int64_t words = n_words(n_);
    for (std::int64_t i = cuda::global_index(); i < words; i += n_threads()) view_.giant[i] = 0;
    if (cuda::global_index() < max_passes) view_.n_left[cuda::global_index()] = 0;
  }

  /// Adds the hub and the heads of its row. `rows` has the rows of `first` and of vertices after
  /// it.
  __device__ void join(vertex_t hub, const CsrPattern& rows, vertex_t first) const {
    const edge_t begin = rows.begin(hub - first);
    const edge_t end = rows.end(hub - first);
    for (edge_t e = begin + cuda::global_index(); e <= end; e += n_threads()) {
      const vertex_t v = e < end ? rows.heads[e] : hub;
      atomicOr(&view_.giant[v / cuda::warp_lanes], bit_of(v));
    }
  }

  /// Adds the vertices with a head in the giant component. The first pass marks those without arcs
  /// among the roots. Adds up the number of the others.
  __device__ void pass(int number) const {
    const int left = number == 0 ? visit_all_rows() : visit_open_rows();
    if (cuda::lane() == 0 && left > 0) {
      atomicAdd(&view_.n_left[number], static_cast<unsigned long long>(left));
    }
  }

  /// Writes the parents of all vertices. Returns the giant component's root, its smallest vertex.
  __device__ vertex_t write_parents() const {
    const vertex_t root = smallest_vertex();
    const std::int64_t words = n_words(n_);
    for (std::int64_t first = cuda::global_warp() * cuda::warp_lanes; first < words;
         first += cuda::n_global_warps() * cuda::warp_lanes) {
      const std::int64_t own = first + cuda::lane();
      const std::uint32_t bits = own < words ? relaxed_load(view_.giant[own]) : 0;
      // Bits of no vertex are set, as flatten() leaves them.
      if (own + 1 == words) relaxed_store(view_.giant[own], bits | ~vertices_of(own, 0, n_));
      for (int i = 0; i < cuda::warp_lanes; ++i) {
        const std::int64_t v = (first + i) * cuda::warp_lanes + cuda::lane();
        const std::uint32_t of_word = __shfl_sync(cuda::all_lanes, bits, i);
        if (v < n_) view_.labels[v] = has_own_bit(of_word) ? root : static_cast<vertex_t>(v);
      }
    }
    return root;
  }

  /// Takes the bits of the vertices first .. end - 1 from another member's bitmap.
  __device__ void take_bits(const std::uint32_t* from, vertex_t first, vertex_t end) const {
    for (std::int64_t word = first / cuda::warp_lanes + cuda::global_index(); word < n_words(end);
         word += n_threads()) {
      const std::uint32_t theirs = vertices_of(word, first, end);
      const std::uint32_t bits = relaxed_load(from[word]) & theirs;
      // A word with vertices of several members is written by several threads.
      if (theirs == cuda::all_lanes) {
        relaxed_store(view_.giant[word], bits);
      } else if (bits != 0) {
        atomicOr(&view_.giant[word], bits);
      }
    }
  }

 private:
  __device__ static std::int64_t n_threads() { return cuda::n_global_warps() * cuda::warp_lanes; }
  __device__ static std::uint32_t bit_of(vertex_t v) { return 1u << (v % cuda::warp_lanes); }
  __device__ static bool has_own_bit(std::uint32_t word) {
    return (word >> cuda::lane() & 1u) != 0;
  }
  /// Returns the bits of first .. end - 1 in a word.
  __device__ static std::uint32_t vertices_of(std::int64_t word, std::int64_t first,
                                              std::int64_t end) {
    const std::int64_t start = word * cuda::warp_lanes;
    const std::int64_t lanes = cuda::warp_lanes;
    return cuda::lanes_between(static_cast<int>(max(first - start, std::int64_t{0})),
                               static_cast<int>(min(end - start, lanes)));
  }

  /// The heads that a vertex looks at.
  struct Heads {
    edge_t begin = 0;
    edge_t end = 0;
  };

  /// Makes a pass over all rows. A warp has two words at a time: the reads of a lane's two rows
  /// overlap. Returns the number of vertices that are left, on all lanes.
  __device__ int visit_all_rows() const {
    constexpr int words_at_once = 2;
    int left = 0;
    const std::int64_t end = n_words(end_row());
    for (std::int64_t word = first_row() / cuda::warp_lanes + cuda::global_warp() * words_at_once;
         word < end; word += cuda::n_global_warps() * words_at_once) {
      Heads heads[words_at_once];
      bool is_open[words_at_once];
      bool joins[words_at_once];
      for (int k = 0; k < words_at_once; ++k) {
        const std::int64_t v = (word + k) * cuda::warp_lanes + cuda::lane();
        is_open[k] = has_row(v) && !has_own_bit(relaxed_load(view_.giant[word + k]));
        if (is_open[k]) heads[k] = heads_of(static_cast<vertex_t>(v));
      }
      find_inside(heads, joins);
      for (int k = 0; k < words_at_once; ++k) {
        const bool has_arcs = heads[k].begin < heads[k].end;
        const unsigned joining = __ballot_sync(cuda::all_lanes, joins[k]);
        const unsigned alone = __ballot_sync(cuda::all_lanes, is_open[k] && !has_arcs);
        left += __popc(__ballot_sync(cuda::all_lanes, has_arcs && !joins[k]));
        if (cuda::lane() != 0 || word + k >= end) continue;
        if (joining != 0) {
          relaxed_store(view_.giant[word + k], relaxed_load(view_.giant[word + k]) | joining);
        }
        view_.roots[word + k] = alone;
      }
    }
    return left;
  }

  /// Makes a pass after the first one, when few vertices of a word are left. Returns their number.
  __device__ int visit_open_rows() const {
    int left = 0;
    const auto open = [&](std::int64_t word) {
      return ~(relaxed_load(view_.giant[word]) | view_.roots[word]) &
             vertices_of(word, first_row(), end_row());
    };
    cuda::visit_bits(first_row() / cuda::warp_lanes, n_words(end_row()), open, [&](std::int64_t v) {
      Heads heads[1];
      bool joins[1];
      if (v >= 0) heads[0] = heads_of(static_cast<vertex_t>(v));
      find_inside(heads, joins);
      if (joins[0]) {
        const auto joining = static_cast<vertex_t>(v);
        atomicOr(&view_.giant[joining / cuda::warp_lanes], bit_of(joining));
      }
      left += __popc(__ballot_sync(cuda::all_lanes, v >= 0 && !joins[0]));
    });
    return left;
  }

  [[nodiscard]] __device__ Heads heads_of(vertex_t v) const {
    const edge_t begin = row_begin(v);
    const edge_t end = row_end(v);
    return {begin, end < begin + heads_per_pass ? end : begin + heads_per_pass};
  }

  /// Finds out of each of a lane's vertices whether one of the heads is in the giant component.
  template <int n>
  __device__ void find_inside(const Heads (&of)[n], bool (&is_inside)[n]) const {
    for (bool& one : is_inside) one = false;
    for (int first = 0; first < heads_per_pass; first += heads_at_once) {
      vertex_t heads[n][heads_at_once];
      for (int k = 0; k < n; ++k) {
        for (int i = 0; i < heads_at_once; ++i) {
          const edge_t e = of[k].begin + first + i;
          heads[k][i] = e < of[k].end && !is_inside[k] ? view_.graph.heads[e] : no_vertex;
        }
      }
      for (int k = 0; k < n; ++k) {
        for (const vertex_t head : heads[k]) {
          if (head == no_vertex) continue;
          const std::uint32_t word = relaxed_load(view_.giant[head / cuda::warp_lanes]);
          is_inside[k] = is_inside[k] || (word & bit_of(head)) != 0;
        }
      }
    }
  }

  /// Returns the smallest vertex of the giant component, which has one. Each warp looks for it: it
  /// is in one of the first words unless the graph is numbered in an unlikely way.
  __device__ vertex_t smallest_vertex() const {
    for (std::int64_t first = 0;; first += cuda::warp_lanes) {
      const std::int64_t word = first + cuda::lane();
      const std::uint32_t bits = word < n_words(n_) ? relaxed_load(view_.giant[word]) : 0;
      const unsigned lanes = __ballot_sync(cuda::all_lanes, bits != 0);
      if (lanes == 0) continue;
      const int owner = cuda::first_lane(lanes);
      const std::uint32_t of_owner = __shfl_sync(cuda::all_lanes, bits, owner);
      return static_cast<vertex_t>((first + owner) * cuda::warp_lanes) + cuda::first_lane(of_owner);
    }
  }

  const vertex_t n_;
};

}  // namespace warpgraph::afforest
