// Predecessors from rows of distances on a device: a warp searches the arcs into a vertex for the
// 32 sources of a batch, a lane for each.
#include "core/atomics.hpp"
#include "core/cuda/cub/as_bits.hpp"
#include "core/cuda/launch.cuh"
#include "core/cuda/warp.cuh"
#include "graph/symmetry/symmetry.hpp"
#include "primitives/path_trees/row_trees.hpp"
#include "primitives/relaxation/relax.hpp"

#include <algorithm>
#include <bit>
#include <type_traits>

namespace warpgraph::shortest_paths {
namespace {

constexpr int lanes = cuda::warp_lanes;
constexpr int warps = static_cast<int>(cuda::threads_per_block) / lanes;
/// Number of arcs beyond which the row of a vertex is divided among all warps of a block. A single
/// warp would take several microseconds for it, for which the other warps would wait when the rest
/// of the block's 32 vertices is done.
constexpr edge_t max_warp_degree = 256;
/// Number of threads of the block that attaches equally near vertices of a batch.
constexpr int attach_threads = 1024;

std::int64_t batches_of(std::int64_t n_rows) { return (n_rows + lanes - 1) / lanes; }
std::int64_t tiles_of(vertex_t n_vertices) {
  return (std::int64_t{n_vertices} + lanes - 1) / lanes;
}

std::size_t matrix_size(std::int64_t n_rows, vertex_t n_vertices) {
  return static_cast<std::size_t>(n_rows) * static_cast<std::size_t>(n_vertices);
}

/// The transposed graph, the interleaved distances, and the results.
template <class W>
struct RowBatches {
  CsrView<W> transposed;
  const W* interleaved;
  std::int64_t n_rows;
  const vertex_t* sources;  // sources of the rows; nullptr: first_source, first_source + 1, ..
  vertex_t first_source;
  /// The predecessors row by row, of 16 bits if they are narrow, else vertex_t. They are written
  /// once: kernels for each type would take twice as long to compile.
  void* predecessors;
  bool are_narrow;
  /// A mask for each batch and vertex of the sources that reach the vertex but have no predecessor
  /// for it; and the number of such vertices of each row. The source itself is not counted.
  unsigned* missing;
  vertex_t* n_missing;

  __device__ void set_predecessor(std::int64_t place, vertex_t tail) const {
    if (are_narrow) {
      static_cast<std::int16_t*>(predecessors)[place] = static_cast<std::int16_t>(tail);
    } else {
      static_cast<vertex_t*>(predecessors)[place] = tail;
    }
  }
  __device__ bool is_source(std::int64_t row, vertex_t v) const {
    if (row >= n_rows) return false;
    return v == (sources != nullptr ? sources[row] : first_source + static_cast<vertex_t>(row));
  }
};

/// The work of a block: 32 vertices, for the sources of a batch.
struct VertexTile {
  std::int64_t batch;
  vertex_t first;

  __device__ explicit VertexTile(vertex_t n_vertices) {
    const std::int64_t tiles = (std::int64_t{n_vertices} + lanes - 1) / lanes;
    batch = blockIdx.x / tiles;
    first = static_cast<vertex_t>(blockIdx.x % tiles * lanes);
  }
};

__device__ int warp() { return static_cast<int>(threadIdx.x) / lanes; }

/// Interleaves rows of distances: batch after batch of 32 rows, the 32 distances of each vertex.
/// Missing rows of the last batch have infinite distances. Distances are moved as their bits.
template <class Bits>
__global__ void interleave_rows(const Bits* rows, std::int64_t stride, std::int64_t n_rows,
                                vertex_t n_vertices, Bits* interleaved, Bits infinite) {
  __shared__ Bits square[lanes][lanes + 1];
  const VertexTile tile(n_vertices);
  const std::int64_t column = tile.first + cuda::lane();
  for (int i = warp(); i < lanes; i += warps) {
    const std::int64_t row = tile.batch * lanes + i;
    const bool exists = row < n_rows && column < n_vertices;
    square[i][cuda::lane()] = exists ? rows[row * stride + column] : infinite;
  }
  __syncthreads();
  Bits* const to = interleaved + tile.batch * n_vertices * lanes + cuda::lane();
  for (int j = warp(); j < lanes && tile.first + j < n_vertices; j += warps) {
    to[(std::int64_t{tile.first} + j) * lanes] = square[cuda::lane()][j];
  }
}

/// The best tail so far for a vertex and the source of a lane. Tails come in ascending order; of
/// equally good ones the first, which is the smallest, is kept.
template <Sums sums, class W>
struct BestTail {
  using Number = NonNegativeSum<W>;
  Number to;
  Number best;  // least sum; without a tail yet, the largest admissible sum
  vertex_t tail;

  __device__ BestTail(W distance, W tolerance)
      : to(static_cast<Number>(distance)), best(to), tail(no_vertex) {
    if constexpr (sums == Sums::in_any_order) best += to * static_cast<Number>(tolerance);
  }

  __device__ void try_arc(vertex_t u, W distance, W weight) {
    const auto from = static_cast<Number>(distance);
    const Number through = from + static_cast<Number>(weight);
    const bool is_first = tail == no_vertex;
    bool better;
    if constexpr (sums == Sums::in_any_order) {
      better = through < best || (is_first && through == best);
    } else {
      better = is_first && through == best;
    }
    if (!(better && from < to)) return;
    best = through;
    tail = u;
  }

  /// Combines this with the result for later arcs.
  __device__ void merge(Number later, vertex_t later_tail) {
    if (later_tail == no_vertex || (tail != no_vertex && !(later < best))) return;
    best = later;
    tail = later_tail;
  }
};

/// The search for the predecessors of a tile's vertices, by a block.
template <Sums sums, class W>
class TileRecovery {
 public:
  __device__ TileRecovery(const RowBatches<W>& batches, W tolerance)
      : batches_(batches),
        transposed_(batches.transposed),
        tolerance_(tolerance),
        tile_(transposed_.n_vertices),
        distances_(batches.interleaved + tile_.batch * transposed_.n_vertices * lanes +
                   cuda::lane()) {}

  __device__ void run() {
    const vertex_t my_vertex = tile_.first + cuda::lane();
    const unsigned long_rows =
        __ballot_sync(cuda::all_lanes, my_vertex < transposed_.n_vertices &&
                                           transposed_.degree(my_vertex) > max_warp_degree);
    for (int j = warp(); j < lanes && tile_.first + j < transposed_.n_vertices; j += warps) {
      if ((long_rows >> j & 1) != 0) continue;
      const vertex_t v = tile_.first + j;
      store(j, best_of_arcs(v, transposed_.begin(v), transposed_.end(v)));
    }
    for (unsigned left = long_rows; left != 0; left &= left - 1) {
      search_long_row(cuda::first_lane(left));
    }
    __syncthreads();
    write();
    if (n_missing_ != 0) atomicAdd(&batches_.n_missing[row()], n_missing_);
  }

 private:
  using Best = BestTail<sums, W>;
  using Number = typename Best::Number;

  __device__ static vertex_t (&found_tails())[lanes][lanes + 1] {
    __shared__ vertex_t memory[lanes][lanes + 1];
    return memory;
  }
  /// Shared-memory reduction buffer: the result of each warp for its part of a long row.
  struct PartialBest {
    Number best[warps][lanes];
    vertex_t tails[warps][lanes];
  };
  __device__ static PartialBest& partial_best() {
    __shared__ PartialBest memory;
    return memory;
  }

  /// Returns the best tail of a vertex among the arcs first .. last - 1.
  __device__ Best best_of_arcs(vertex_t v, edge_t first, edge_t last) const {
    Best best(distances_[std::int64_t{v} * lanes], tolerance_);
#pragma unroll 4
    for (edge_t e = first; e < last; ++e) {
      const vertex_t u = transposed_.heads[e];
      best.try_arc(u, distances_[std::int64_t{u} * lanes], transposed_.weights[e]);
    }
    return best;
  }

  /// Finds and stores the best tails of the tile's vertex j by all warps of the block, which call
  /// it.
  __device__ void search_long_row(int j) {
    const vertex_t v = tile_.first + j;
    const edge_t per_warp = (transposed_.degree(v) + warps - 1) / warps;
    const edge_t first = transposed_.begin(v) + warp() * per_warp;
    const edge_t end = transposed_.end(v);
    Best best =
        best_of_arcs(v, first < end ? first : end, first + per_warp < end ? first + per_warp : end);
    PartialBest& memory = partial_best();
    memory.best[warp()][cuda::lane()] = best.best;
    memory.tails[warp()][cuda::lane()] = best.tail;
    __syncthreads();
    if (warp() == 0) {
      for (int i = 1; i < warps; ++i) {
        best.merge(memory.best[i][cuda::lane()], memory.tails[i][cuda::lane()]);
      }
      store(j, best);
    }
    __syncthreads();
  }

  /// Keeps the best tail of the tile's vertex j for each lane's source, and notes the sources that
  /// reach the vertex without one. All lanes of a warp call it.
  __device__ void store(int j, const Best& best) {
    const bool reached = best.to != static_cast<Number>(infinity<W>());
    found_tails()[cuda::lane()][j] = reached ? best.tail : no_vertex;
    const vertex_t v = tile_.first + j;
    const bool misses = reached && best.tail == no_vertex && !batches_.is_source(row(), v);
    n_missing_ += misses ? 1 : 0;
    const unsigned all = __ballot_sync(cuda::all_lanes, misses);
    if (cuda::lane() == 0) batches_.missing[tile_.batch * transposed_.n_vertices + v] = all;
  }

  /// Returns the row of this lane's source.
  __device__ std::int64_t row() const { return tile_.batch * lanes + cuda::lane(); }

  /// Writes the tails of the tile row by row.
  __device__ void write() const {
    const std::int64_t column = tile_.first + cuda::lane();
    if (column >= transposed_.n_vertices) return;
    for (int i = warp(); i < lanes; i += warps) {
      const std::int64_t row = tile_.batch * lanes + i;
      if (row >= batches_.n_rows) return;
      batches_.set_predecessor(row * transposed_.n_vertices + column,
                               found_tails()[i][cuda::lane()]);
    }
  }

  const RowBatches<W>& batches_;
  const CsrView<W>& transposed_;
  const W tolerance_;
  const VertexTile tile_;
  const W* const distances_;  // distances of this lane's source; stride `lanes`
  vertex_t n_missing_ = 0;    // vertices that this lane's source reaches and that have no tail
};

template <Sums sums, class W>
__global__ void attach_tiles(RowBatches<W> batches, W tolerance) {
  TileRecovery<sums, W>(batches, tolerance).run();
}

/// Attaches vertices that are reached over arcs which add nothing, in rounds. The predecessor is
/// the smallest equally near vertex that was in the tree before the round: the levels of
/// predecessors.cpp. One block per batch. `attaching` has as many words as `missing`.
template <class W>
__global__ void __launch_bounds__(attach_threads)
    attach_equally_near(RowBatches<W> batches, unsigned* attaching) {
  const std::int64_t batch = blockIdx.x;
  const std::int64_t row = batch * lanes + cuda::lane();
  const bool has_missing = row < batches.n_rows && batches.n_missing[row] != 0;
  if (__ballot_sync(cuda::all_lanes, has_missing) == 0) return;  // uniform over the block
  __shared__ bool changed;
  const vertex_t n_vertices = batches.transposed.n_vertices;
  unsigned* const missing = batches.missing + batch * n_vertices;
  attaching += batch * n_vertices;
  const W* const distances = batches.interleaved + batch * n_vertices * lanes + cuda::lane();
  constexpr vertex_t step = attach_threads / lanes;
  vertex_t n_attached = 0;
  do {
    __syncthreads();
    if (threadIdx.x == 0) changed = false;
    __syncthreads();
    for (vertex_t v = warp(); v < n_vertices; v += step) {
      const unsigned missing_rows = missing[v];
      if (missing_rows == 0) continue;
      const bool is_missing = (missing_rows >> cuda::lane() & 1u) != 0;
      const W to = distances[std::int64_t{v} * lanes];
      vertex_t tail = no_vertex;
      for (edge_t e = batches.transposed.begin(v), end = batches.transposed.end(v); e < end; ++e) {
        const vertex_t u = batches.transposed.heads[e];
        // The arc adds nothing: its weight is 0, or vanishes in rounding.
        const bool is_attached = (missing[u] >> cuda::lane() & 1u) == 0;
        const W from = distances[std::int64_t{u} * lanes];
        const bool attaches = is_missing && is_attached && from == to &&
                              extend_non_negative(from, batches.transposed.weights[e]) == to;
        if (attaches && tail == no_vertex) tail = u;
      }
      const unsigned attached = __ballot_sync(cuda::all_lanes, tail != no_vertex);
      if (cuda::lane() == 0) attaching[v] = attached;
      if (tail != no_vertex) {
        batches.set_predecessor(row * n_vertices + v, tail);
        ++n_attached;
      }
    }
    __syncthreads();
    for (vertex_t v = static_cast<vertex_t>(threadIdx.x); v < n_vertices; v += attach_threads) {
      if (missing[v] == 0 || attaching[v] == 0) continue;
      missing[v] &= ~attaching[v];
      changed = true;  // a benign race: all threads store the same
    }
    __syncthreads();
  } while (changed);
  if (n_attached != 0) atomicSub(&batches.n_missing[row], n_attached);
}

/// Lowers *negated to the negative of the largest finite distance, by atomic minima.
template <class W>
__global__ void find_farthest(const W* rows, std::int64_t stride, std::int64_t n_rows,
                              std::int64_t n_columns, W* negated) {
  W least{0};
  for (std::int64_t row = blockIdx.x; row < n_rows; row += gridDim.x) {
    for (std::int64_t i = threadIdx.x; i < n_columns; i += blockDim.x) {
      const W distance = rows[row * stride + i];
      if (distance != infinity<W>() && -distance < least) least = -distance;
    }
  }
  least = cuda::warp_min(least);
  if (cuda::lane() == 0) lower(*negated, least);
}

template <class W>
std::shared_ptr<const TransposedGraph<W>> transposed_on_device(const CsrView<W>& host,
                                                               cuda::DerivedCache* derived,
                                                               const cuda::Stream& stream) {
  const auto transpose_on = [&](const cuda::Stream& on) {
    const Csr<W> transposed = transpose(host);
    TransposedGraph<W> copy{{transposed.view(), on}};
    on.synchronize();  // before the arrays on the host are freed
    return copy;
  };
  if (derived == nullptr) return std::make_shared<const TransposedGraph<W>>(transpose_on(stream));
  return derived->template get<TransposedGraph<W>>(host.weights != nullptr, transpose_on);
}

}  // namespace

template <class W>
W farthest_on(const W* rows, std::int64_t stride, std::int64_t n_rows, std::int64_t n_columns,
              const cuda::Stream& stream) {
  const cuda::DeviceBuffer<W> negated(1, stream);
  cuda::fill_bytes(negated.data(), 0, 1, stream);
  constexpr std::int64_t blocks = 4096;  // enough for any device
  cuda::launch(stream, std::min(n_rows, blocks), cuda::threads_per_block, 0, find_farthest<W>, rows,
               stride, n_rows, n_columns, negated.data());
  return -cuda::read_back(negated.data(), stream);
}

template <class W>
RowTrees<W>::RowTrees(const CsrView<W>& host, std::int64_t n_rows, const vertex_t* sources,
                      std::int64_t rows_per_band, cuda::DerivedCache* derived,
                      const cuda::Stream& stream)
    : n_vertices_(host.n_vertices),
      sources_(sources),
      stream_(stream),
      own_stream_(stream.device()),
      transposed_(transposed_on_device(host, derived, stream)),
      interleaved_(matrix_size(batches_of(rows_per_band) * lanes, host.n_vertices), *own_stream_),
      predecessors_(matrix_size(rows_per_band, host.n_vertices) *
                        (is_narrow() ? sizeof(std::int16_t) : sizeof(vertex_t)),
                    *own_stream_),
      missing_(2 * matrix_size(batches_of(rows_per_band), host.n_vertices), *own_stream_),
      n_missing_(static_cast<std::size_t>(n_rows), *own_stream_),
      written_(stream.device(), cudaEventDisableTiming),
      attached_(stream.device(), cudaEventDisableTiming) {
  cuda::fill_bytes(n_missing_.data(), 0, n_missing_.size(), *own_stream_);
}

template <class W>
std::size_t RowTrees<W>::bytes_needed(const CsrPattern& graph, std::int64_t n_rows,
                                      std::int64_t rows_per_band) {
  return (static_cast<std::size_t>(graph.n_vertices) + 1) * sizeof(edge_t) +
         static_cast<std::size_t>(graph.n_arcs) * (sizeof(vertex_t) + sizeof(W)) +
         matrix_size(batches_of(rows_per_band) * lanes, graph.n_vertices) *
             (sizeof(W) + sizeof(vertex_t)) +
         2 * matrix_size(batches_of(rows_per_band), graph.n_vertices) * sizeof(unsigned) +
         static_cast<std::size_t>(n_rows) * sizeof(vertex_t);
}

template <class W>
void RowTrees<W>::attach(const W* rows, std::int64_t stride, std::int64_t first, std::int64_t n,
                         Sums sums) {
  using Bits = cuda::bits_t<W>;
  written_.record(stream_.get());
  (*own_stream_).wait_for(written_.get());
  cuda::launch(*own_stream_, batches_of(n) * tiles_of(n_vertices_), cuda::threads_per_block, 0,
               interleave_rows<Bits>, cuda::as_bits(rows), stride, n, n_vertices_,
               cuda::as_bits(interleaved_.data()), std::bit_cast<Bits>(infinity<W>()));
  attach_batches(interleaved_.data(), first, n, sums);
}

template <class W>
void RowTrees<W>::attach_batches(const W* interleaved, std::int64_t first, std::int64_t n,
                                 Sums sums) {
  first_ = first;
  n_ = n;
  written_.record(stream_.get());
  (*own_stream_).wait_for(written_.get());
  const RowBatches<W> batches{transposed_->view(),
                              interleaved,
                              n_,
                              sources_ != nullptr ? sources_ + first_ : nullptr,
                              static_cast<vertex_t>(first_),
                              predecessors_.data(),
                              is_narrow(),
                              missing_.data(),
                              n_missing_.data() + first_};
  const auto launch = [&](auto kernel) {
    cuda::launch(*own_stream_, batches_of(n_) * tiles_of(n_vertices_), cuda::threads_per_block, 0,
                 kernel, batches, tree_tolerance<W>(n_vertices_));
  };
  if (sums != Sums::in_any_order) {
    launch(attach_tiles<Sums::along_paths, W>);
    cuda::launch(*own_stream_, batches_of(n_), attach_threads, 0, attach_equally_near<W>, batches,
                 missing_.data() + missing_.size() / 2);
  } else if constexpr (std::is_floating_point_v<W>) {
    launch(attach_tiles<Sums::in_any_order, W>);
  }
  attached_.record((*own_stream_).get());
}

template <class W>
std::vector<std::int64_t> RowTrees<W>::unfinished(std::int64_t first, std::int64_t n) const {
  const auto missing = cuda::to_host<std::vector<vertex_t>>(
      n_missing_.data() + first, static_cast<std::size_t>(n), *own_stream_);
  std::vector<std::int64_t> rows;
  for (std::int64_t i = 0; i < n; ++i) {
    if (missing[static_cast<std::size_t>(i)] != 0) rows.push_back(first + i);
  }
  return rows;
}

#define WARPGRAPH_INSTANTIATE(W) template class RowTrees<W>;
WARPGRAPH_FOR_EACH_WEIGHT(WARPGRAPH_INSTANTIATE)
#undef WARPGRAPH_INSTANTIATE
WARPGRAPH_INSTANTIATE_FOR_EACH_WEIGHT(farthest_on)

}  // namespace warpgraph::shortest_paths
