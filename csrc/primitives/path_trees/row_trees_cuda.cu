#include "core/atomics.hpp"
#include "core/cuda/launch.cuh"
#include "core/cuda/warp.cuh"
#include "graph/symmetry.hpp"
#include "primitives/path_trees/row_trees.hpp"
#include "primitives/relaxation/relax.hpp"

#include <algorithm>
#include <type_traits>

namespace warpgraph::shortest_paths {
namespace {

constexpr int lanes = cuda::warp_lanes;
constexpr int warps = static_cast<int>(cuda::threads_per_block) / lanes;
/// Arcs of a vertex from which on all warps of a block share it: a warp would be at it for several
/// microseconds, in which the others do the rest of 32 vertices.
constexpr edge_t arcs_of_a_hub = 256;
/// A block of them looks after all vertices of a batch.
constexpr int threads_that_join = 1024;

std::int64_t batches_of(std::int64_t n_rows) { return (n_rows + lanes - 1) / lanes; }
std::int64_t tiles_of(vertex_t n_vertices) {
  return (std::int64_t{n_vertices} + lanes - 1) / lanes;
}

std::size_t numbers_of(std::int64_t n_rows, vertex_t n_vertices) {
  return static_cast<std::size_t>(n_rows) * static_cast<std::size_t>(n_vertices);
}

/// Rows of distances, and where those of a vertex are put side by side: batch after batch of 32
/// rows. Rows that a last batch lacks reach nothing.
template <class W>
struct Band {
  const W* rows;
  std::int64_t stride;
  std::int64_t n_rows;
  vertex_t n_vertices;
  W* side_by_side;
};

/// A graph turned round, the distances to its vertices as Band puts them, and what is found.
template <class W, class Index>
struct Batches {
  CsrView<W> turned;
  const W* side_by_side;
  std::int64_t n_rows;
  const vertex_t* sources;  // of the rows; nullptr: first_source and those that follow
  vertex_t first_source;
  Index* predecessors;  // row by row
  /// A bit for each source of a batch that reaches a vertex without a predecessor, and how many
  /// such vertices a row has. The source itself does not count.
  unsigned* missing;
  vertex_t* n_missing;

  __device__ bool is_source(std::int64_t row, vertex_t v) const {
    if (row >= n_rows) return false;
    return v == (sources != nullptr ? sources[row] : first_source + static_cast<vertex_t>(row));
  }
};

/// What a block works on: 32 vertices, for the sources of a batch.
struct Tile {
  std::int64_t batch;
  vertex_t first;

  __device__ explicit Tile(vertex_t n_vertices) {
    const std::int64_t tiles = (std::int64_t{n_vertices} + lanes - 1) / lanes;
    batch = blockIdx.x / tiles;
    first = static_cast<vertex_t>(blockIdx.x % tiles * lanes);
  }
};

__device__ int warp() { return static_cast<int>(threadIdx.x) / lanes; }

template <class W>
__global__ void put_side_by_side(Band<W> band) {
  __shared__ W square[lanes][lanes + 1];
  const Tile tile(band.n_vertices);
  const std::int64_t column = tile.first + cuda::lane();
  for (int i = warp(); i < lanes; i += warps) {
    const std::int64_t row = tile.batch * lanes + i;
    const bool exists = row < band.n_rows && column < band.n_vertices;
    square[i][cuda::lane()] = exists ? band.rows[row * band.stride + column] : infinity<W>();
  }
  __syncthreads();
  W* const to = band.side_by_side + tile.batch * band.n_vertices * lanes + cuda::lane();
  for (int j = warp(); j < lanes && tile.first + j < band.n_vertices; j += warps) {
    to[(std::int64_t{tile.first} + j) * lanes] = square[cuda::lane()][j];
  }
}

/// The best tail so far for a vertex, from the source of a lane. Tails come smallest first, so that
/// of several equally good ones the first stays.
template <Sums sums, class W>
struct Candidate {
  // Integers are added as unsigned ones: two that are not negative cannot wrap round.
  using Number = typename std::conditional_t<std::is_integral_v<W>, std::make_unsigned<W>,
                                             std::type_identity<W>>::type;
  Number to;
  Number best;  // sum; what it may be at most, if there is no tail yet
  vertex_t tail;

  __device__ Candidate(W distance, W tolerance)
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

  /// Takes over what was found among later arcs.
  __device__ void join(Number later, vertex_t its_tail) {
    if (its_tail == no_vertex || (tail != no_vertex && !(later < best))) return;
    best = later;
    tail = its_tail;
  }
};

template <Sums sums, class W, class Index>
class TileOfTrees {
 public:
  __device__ TileOfTrees(const Batches<W, Index>& batches, W tolerance)
      : batches_(batches),
        turned_(batches.turned),
        tolerance_(tolerance),
        tile_(turned_.n_vertices),
        distances_(batches.side_by_side + tile_.batch * turned_.n_vertices * lanes + cuda::lane()) {
  }

  __device__ void run() {
    const vertex_t mine = tile_.first + cuda::lane();
    const unsigned hubs = __ballot_sync(
        cuda::all_lanes, mine < turned_.n_vertices && turned_.degree(mine) > arcs_of_a_hub);
    for (int j = warp(); j < lanes && tile_.first + j < turned_.n_vertices; j += warps) {
      if ((hubs >> j & 1) != 0) continue;
      const vertex_t v = tile_.first + j;
      settle(j, among(v, turned_.begin(v), turned_.end(v)));
    }
    for (unsigned left = hubs; left != 0; left &= left - 1) share_hub(__ffs(left) - 1);
    __syncthreads();
    write();
    if (n_missing_ != 0) atomicAdd(&batches_.n_missing[row()], n_missing_);
  }

 private:
  using Best = Candidate<sums, W>;
  using Number = typename Best::Number;

  __device__ static vertex_t (&found())[lanes][lanes + 1] {
    __shared__ vertex_t memory[lanes][lanes + 1];
    return memory;
  }
  /// What the warps found among their shares of a hub's arcs.
  struct Shares {
    Number best[warps][lanes];
    vertex_t tails[warps][lanes];
  };
  __device__ static Shares& shares() {
    __shared__ Shares memory;
    return memory;
  }

  /// The best tail of a vertex among some of its arcs.
  __device__ Best among(vertex_t v, edge_t first, edge_t last) const {
    Best best(distances_[std::int64_t{v} * lanes], tolerance_);
#pragma unroll 4
    for (edge_t e = first; e < last; ++e) {
      const vertex_t u = turned_.heads[e];
      best.try_arc(u, distances_[std::int64_t{u} * lanes], turned_.weights[e]);
    }
    return best;
  }

  /// All warps of the block.
  __device__ void share_hub(int j) {
    const vertex_t v = tile_.first + j;
    const edge_t share = (turned_.degree(v) + warps - 1) / warps;
    const edge_t first = turned_.begin(v) + warp() * share;
    const edge_t end = turned_.end(v);
    Best best = among(v, first < end ? first : end, first + share < end ? first + share : end);
    Shares& memory = shares();
    memory.best[warp()][cuda::lane()] = best.best;
    memory.tails[warp()][cuda::lane()] = best.tail;
    __syncthreads();
    if (warp() == 0) {
      for (int i = 1; i < warps; ++i) {
        best.join(memory.best[i][cuda::lane()], memory.tails[i][cuda::lane()]);
      }
      settle(j, best);
    }
    __syncthreads();
  }

  __device__ void settle(int j, const Best& best) {
    const bool reached = best.to != static_cast<Number>(infinity<W>());
    found()[cuda::lane()][j] = reached ? best.tail : no_vertex;
    const vertex_t v = tile_.first + j;
    const bool misses = reached && best.tail == no_vertex && !batches_.is_source(row(), v);
    n_missing_ += misses ? 1 : 0;
    const unsigned all = __ballot_sync(cuda::all_lanes, misses);
    if (cuda::lane() == 0) batches_.missing[tile_.batch * turned_.n_vertices + v] = all;
  }

  /// Of this lane's source.
  __device__ std::int64_t row() const { return tile_.batch * lanes + cuda::lane(); }

  __device__ void write() const {
    const std::int64_t column = tile_.first + cuda::lane();
    if (column >= turned_.n_vertices) return;
    for (int i = warp(); i < lanes; i += warps) {
      const std::int64_t row = tile_.batch * lanes + i;
      if (row >= batches_.n_rows) return;
      batches_.predecessors[row * turned_.n_vertices + column] =
          static_cast<Index>(found()[i][cuda::lane()]);
    }
  }

  const Batches<W, Index>& batches_;
  const CsrView<W>& turned_;
  const W tolerance_;
  const Tile tile_;
  const W* const distances_;  // from this lane's source to vertex 0
  vertex_t n_missing_ = 0;    // reached from the source of this lane, and no tail was found
};

template <Sums sums, class W, class Index>
__global__ void hang_tiles(Batches<W, Index> batches, W tolerance) {
  TileOfTrees<sums, W, Index>(batches, tolerance).run();
}

/// Vertices that are reached over arcs which add nothing hang below equally near ones that have
/// their place, round after round, below the smallest of a round: the levels of predecessors.cpp.
/// A block has a batch. `joining` has room for as many words as `missing`.
template <class W, class Index>
__global__ void __launch_bounds__(threads_that_join)
    join_equally_near(Batches<W, Index> batches, unsigned* joining) {
  const std::int64_t batch = blockIdx.x;
  const std::int64_t row = batch * lanes + cuda::lane();
  const bool has_missing = row < batches.n_rows && batches.n_missing[row] != 0;
  if (__ballot_sync(cuda::all_lanes, has_missing) == 0) return;  // all warps see the same
  __shared__ bool goes_on;
  const vertex_t n_vertices = batches.turned.n_vertices;
  unsigned* const missing = batches.missing + batch * n_vertices;
  joining += batch * n_vertices;
  const W* const distances = batches.side_by_side + batch * n_vertices * lanes + cuda::lane();
  constexpr vertex_t step = threads_that_join / lanes;
  vertex_t n_joined = 0;
  do {
    __syncthreads();
    if (threadIdx.x == 0) goes_on = false;
    __syncthreads();
    for (vertex_t v = warp(); v < n_vertices; v += step) {
      const unsigned open = missing[v];
      if (open == 0) continue;
      const bool wanted = (open >> cuda::lane() & 1u) != 0;
      const W to = distances[std::int64_t{v} * lanes];
      vertex_t tail = no_vertex;
      for (edge_t e = batches.turned.begin(v), end = batches.turned.end(v); e < end; ++e) {
        const vertex_t u = batches.turned.heads[e];
        // Nothing is added: the weight is 0, or so small that it is lost.
        const bool hangs = (missing[u] >> cuda::lane() & 1u) == 0;
        const W from = distances[std::int64_t{u} * lanes];
        const bool joins =
            wanted && hangs && from == to && extend_forward(from, batches.turned.weights[e]) == to;
        if (joins && tail == no_vertex) tail = u;
      }
      const unsigned joined = __ballot_sync(cuda::all_lanes, tail != no_vertex);
      if (cuda::lane() == 0) joining[v] = joined;
      if (tail != no_vertex) {
        batches.predecessors[row * n_vertices + v] = static_cast<Index>(tail);
        ++n_joined;
      }
    }
    __syncthreads();
    for (vertex_t v = static_cast<vertex_t>(threadIdx.x); v < n_vertices; v += threads_that_join) {
      if (missing[v] == 0 || joining[v] == 0) continue;
      missing[v] &= ~joining[v];
      goes_on = true;
    }
    __syncthreads();
  } while (goes_on);
  if (n_joined != 0) atomicSub(&batches.n_missing[row], n_joined);
}

/// Lowers *negated to the negative of the largest finite distance.
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
std::shared_ptr<const TurnedGraph<W>> turned_round(const CsrView<W>& host,
                                                   cuda::DerivedCache* derived,
                                                   const cuda::Stream& stream) {
  const auto turn = [&](const cuda::Stream& on) { return TurnedGraph<W>(host, on); };
  if (derived == nullptr) return std::make_shared<const TurnedGraph<W>>(turn(stream));
  return derived->template get<TurnedGraph<W>>(host.weights != nullptr, turn);
}

}  // namespace

template <class W>
TurnedGraph<W>::TurnedGraph(const CsrView<W>& host, const cuda::Stream& stream)
    : TurnedGraph(transpose(host), stream) {}

template <class W>
TurnedGraph<W>::TurnedGraph(const Csr<W>& turned, const cuda::Stream& stream)
    : pattern_(turned.view(), stream),
      weights_(cuda::to_device(std::span<const W>(turned.weights), stream)) {
  stream.synchronize();
}

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
                      std::int64_t most_rows, cuda::DerivedCache* derived,
                      const cuda::Stream& stream)
    : n_vertices_(host.n_vertices),
      sources_(sources),
      stream_(stream),
      beside_(stream.device()),
      turned_(turned_round(host, derived, stream)),
      side_by_side_(numbers_of(batches_of(most_rows) * lanes, host.n_vertices), *beside_),
      hung_(numbers_of(most_rows, host.n_vertices) *
                (is_narrow() ? sizeof(std::int16_t) : sizeof(vertex_t)),
            *beside_),
      missing_(2 * numbers_of(batches_of(most_rows), host.n_vertices), *beside_),
      n_missing_(static_cast<std::size_t>(n_rows), *beside_),
      written_(stream.device(), cudaEventDisableTiming),
      is_hung_(stream.device(), cudaEventDisableTiming) {
  cuda::fill_bytes(n_missing_.data(), 0, n_missing_.size(), *beside_);
}

template <class W>
std::size_t RowTrees<W>::bytes_needed(const CsrPattern& graph, std::int64_t n_rows,
                                      std::int64_t most_rows) {
  return TurnedGraph<W>::bytes_needed(graph) +
         numbers_of(batches_of(most_rows) * lanes, graph.n_vertices) *
             (sizeof(W) + sizeof(vertex_t)) +
         2 * numbers_of(batches_of(most_rows), graph.n_vertices) * sizeof(unsigned) +
         static_cast<std::size_t>(n_rows) * sizeof(vertex_t);
}

template <class W>
void RowTrees<W>::hang(const W* rows, std::int64_t stride, std::int64_t first, std::int64_t n,
                       Sums sums) {
  written_.record(stream_.get());
  (*beside_).wait_for(written_.get());
  const Band<W> band{rows, stride, n, n_vertices_, side_by_side_.data()};
  cuda::launch(*beside_, batches_of(n) * tiles_of(n_vertices_), cuda::threads_per_block, 0,
               put_side_by_side<W>, band);
  hang_batches(side_by_side_.data(), first, n, sums);
}

template <class W>
void RowTrees<W>::hang_batches(const W* side_by_side, std::int64_t first, std::int64_t n,
                               Sums sums) {
  first_ = first;
  n_ = n;
  written_.record(stream_.get());
  (*beside_).wait_for(written_.get());
  if (is_narrow()) {
    hang_as<std::int16_t>(side_by_side, sums);
  } else {
    hang_as<vertex_t>(side_by_side, sums);
  }
  is_hung_.record((*beside_).get());
}

template <class W>
template <class Index>
void RowTrees<W>::hang_as(const W* side_by_side, Sums sums) {
  const Batches<W, Index> batches{turned_->view(),
                                  side_by_side,
                                  n_,
                                  sources_ != nullptr ? sources_ + first_ : nullptr,
                                  static_cast<vertex_t>(first_),
                                  reinterpret_cast<Index*>(hung_.data()),
                                  missing_.data(),
                                  n_missing_.data() + first_};
  const auto launch = [&](auto kernel) {
    cuda::launch(*beside_, batches_of(n_) * tiles_of(n_vertices_), cuda::threads_per_block, 0,
                 kernel, batches, tree_tolerance<W>(n_vertices_));
  };
  if (sums != Sums::in_any_order) {
    launch(hang_tiles<Sums::along_paths, W, Index>);
    cuda::launch(*beside_, batches_of(n_), threads_that_join, 0, join_equally_near<W, Index>,
                 batches, missing_.data() + missing_.size() / 2);
  } else if constexpr (std::is_floating_point_v<W>) {
    launch(hang_tiles<Sums::in_any_order, W, Index>);
  }
}

template <class W>
std::vector<std::int64_t> RowTrees<W>::unfinished(std::int64_t first, std::int64_t n) const {
  std::vector<vertex_t> missing(static_cast<std::size_t>(n));
  cuda::copy(missing.data(), n_missing_.data() + first, missing.size(), *beside_);
  (*beside_).synchronize();
  std::vector<std::int64_t> rows;
  for (std::int64_t i = 0; i < n; ++i) {
    if (missing[static_cast<std::size_t>(i)] != 0) rows.push_back(first + i);
  }
  return rows;
}

#define WARPGRAPH_INSTANTIATE(W)                                                \
  template class TurnedGraph<W>;                                                \
  template class RowTrees<W>;                                                   \
  template W farthest_on<W>(const W*, std::int64_t, std::int64_t, std::int64_t, \
                            const cuda::Stream&);
WARPGRAPH_FOR_EACH_WEIGHT(WARPGRAPH_INSTANTIATE)
#undef WARPGRAPH_INSTANTIATE

}  // namespace warpgraph::shortest_paths
