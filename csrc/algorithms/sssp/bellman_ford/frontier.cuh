// The frontier of a round of Bellman-Ford: the vertices whose distances the round before has
// lowered. If their rows have few arcs, the round relaxes these instead of all edges: see
// bellman_ford_cuda.cu.
#pragma once

#include "algorithms/sssp/bellman_ford/replicas.cuh"
#include "core/containers/at.hpp"
#include "core/cuda/launch.cuh"
#include "core/cuda/memory/buffer.hpp"
#include "primitives/chunk_queue.cuh"
#include "primitives/relaxation/relax.hpp"

namespace warpgraph::shortest_paths {

/// The counts of a member's own vertices whose distances a round has lowered.
struct FrontierCounts {
  unsigned long long chunks;  // of their rows, in the queue
  unsigned long long arcs;    // of their rows
};
/// The counts that are kept: those that are added to, those of the two rounds before, and those
/// that are cleared.
inline constexpr int n_frontier_counts = 4;

/// The arcs that a round relaxes: none if the search has ended.
enum class Pass { none, frontier, edges };

/// The counts of all members, of the only one in a search by one device. Those of round 0 are of
/// the sources.
struct TeamFrontier {
  const FrontierCounts* of[max_parts];
  int n_members;
  unsigned long long few_arcs;

  [[nodiscard]] __device__ unsigned long long arcs(std::int32_t round) const {
    unsigned long long sum = 0;
    for (int i = 0; i < n_members; ++i) sum += relaxed_load(of[i][slot(round)].arcs);
    return sum;
  }
  /// Returns whether the vertices that a round lowers are queued. After a round that has lowered
  /// many, their arcs are only counted.
  [[nodiscard]] __device__ bool is_queued(std::int32_t round) const {
    return arcs(round - 1) <= 8 * few_arcs;
  }
  [[nodiscard]] __device__ Pass pass_of(std::int32_t round) const {
    const unsigned long long n = arcs(round - 1);
    if (n == 0) return Pass::none;
    return n <= few_arcs && is_queued(round - 1) ? Pass::frontier : Pass::edges;
  }
  /// Returns the index of the counts of a round; before the first one they are zero.
  [[nodiscard]] static __device__ int slot(std::int32_t round) {
    return (round + n_frontier_counts) % n_frontier_counts;
  }
};

/// A member's view of its frontier. Its own vertices are begin .. end - 1.
template <class W>
struct FrontierView {
  CsrView<W> rows;  // of all vertices; those of other members are empty
  vertex_t begin;
  vertex_t end;
  W* relaxed;  // the distance that a row of its own was last relaxed with
  RowChunk* queue;
  FrontierCounts* counts;
  BlockMarks marks;  // of all vertices
  TeamFrontier all;
};

/// The shared memory of a block of queue_threads threads that builds a frontier.
struct FrontierMemory {
  vertex_t buffers[queue_warps][warp_buffer_size];
  bool is_queued;
  bool has_ended;
  bool is_marked;  // what the round has lowered
};

/// Queues the vertices that a round has lowered. All threads of a block call its functions.
template <class W>
class FrontierBuilder {
 public:
  __device__ FrontierBuilder(const FrontierView<W>& view, std::int32_t round,
                             FrontierMemory& memory)
      : view_(view),
        memory_(memory),
        counts_(view.counts[TeamFrontier::slot(round)]),
        queue_(view.rows, view.queue, counts_.chunks,
               memory.buffers[threadIdx.x / cuda::warp_lanes]) {
    if (threadIdx.x == 0) {
      memory.is_queued = view.all.is_queued(round);
      const Pass pass = view.all.pass_of(round);
      memory.has_ended = round > 0 && pass == Pass::none;
      memory.is_marked = pass == Pass::frontier;
      if (blockIdx.x == 0) view.counts[TeamFrontier::slot(round + 1)] = {};
    }
    __syncthreads();
  }
  [[nodiscard]] __device__ bool has_ended() const { return memory_.has_ended; }

  /// Queues or counts v if its distance is less than `before`, that of the last round. Each lane
  /// has a vertex of the member, or v = no_vertex.
  __device__ void visit(vertex_t v, W before, W distance) {
    const bool is_lowered = distance < before;
    if (is_lowered) view_.relaxed[v - view_.begin] = distance;
    if (memory_.is_queued) {
      queue_.make_room(1);
      queue_.append(is_lowered, v);
    } else if (is_lowered) {
      arcs_ += static_cast<unsigned long long>(view_.rows.degree(v));
    }
  }
  __device__ void finish() {
    queue_.flush();
    const unsigned long long arcs = cuda::warp_sum(arcs_ + queue_.arcs());
    if (cuda::lane() == 0 && arcs != 0) atomicAdd(&counts_.arcs, arcs);
  }

 private:
  const FrontierView<W>& view_;
  const FrontierMemory& memory_;
  FrontierCounts& counts_;
  QueueAppender queue_;
  unsigned long long arcs_ = 0;  // of vertices that are not queued
};

/// Exchanges the distances of vertices first, first + 1, ... that are the member's own, one per
/// lane, and queues those that the round has lowered.
template <class W>
__device__ void exchange_block(std::int64_t first, const Replicas<W>& all,
                               typename Replicas<W>::MemberMask lowering,
                               const FrontierView<W>& view, FrontierBuilder<W>& builder) {
  const std::int64_t at = first + cuda::lane();
  const bool is_own = view.begin <= at && at < view.end;
  const vertex_t v = is_own ? static_cast<vertex_t>(at) : no_vertex;
  const W before = is_own ? view.relaxed[v - view.begin] : W{0};
  builder.visit(v, before, all.exchange(v, before, lowering));
}

/// Gives all members the least distance that any has of a vertex of this one, and finds those
/// vertices whose distances the round has lowered. After a round that relaxed a frontier it reads
/// the distances of marked blocks alone.
template <class W>
__global__ void __launch_bounds__(queue_threads)
    find_frontier(const __grid_constant__ Replicas<W> all,
                  const __grid_constant__ FrontierView<W> view, std::int32_t round) {
  __shared__ FrontierMemory memory;
  FrontierBuilder<W> builder(view, round, memory);
  if (builder.has_ended()) return;
  constexpr std::int64_t lanes = BlockMarks::block_size;
  const std::int64_t n_blocks = (view.end + lanes - 1) / lanes;
  const std::int64_t first_block = view.begin / lanes;
  if (!memory.is_marked) {
    for (std::int64_t block = first_block + cuda::global_warp(); block < n_blocks;
         block += cuda::n_global_warps()) {
      exchange_block(block * lanes, all, all.everyone(), view, builder);
    }
  } else {
    for (std::int64_t block = first_block + lanes * cuda::global_warp(); block < n_blocks;
         block += lanes * cuda::n_global_warps()) {
      const std::int64_t own = block + cuda::lane();
      const auto lowering = own < n_blocks ? all.that_lowered(own, round) : 0;
      unsigned marked = __ballot_sync(cuda::all_lanes, lowering != 0);
      for (; marked != 0; marked &= marked - 1) {
        const int owner = cuda::first_lane(marked);
        exchange_block((block + owner) * lanes, all, __shfl_sync(cuda::all_lanes, lowering, owner),
                       view, builder);
      }
    }
  }
  builder.finish();
}

/// The memory of a member's FrontierView.
template <class W>
class Frontier {
 public:
  /// Allocates the memory. `rows` are those of vertices begin .. end - 1, of a graph of n_arcs
  /// arcs. Every round is a pass over all edges unless `has_rounds`.
  Frontier(const CsrView<W>& rows, vertex_t begin, vertex_t end, edge_t n_arcs,
           const cuda::Stream& stream, bool has_rounds = true)
      : relaxed_(at(end - begin), stream),
        queue_(longest_queue(end - begin, rows.n_arcs), stream),
        counts_(n_frontier_counts, stream),
        marks_(BlockMarks::bytes(rows.n_vertices), stream) {
    const BlockMarks marks(marks_.data());
    view_ = {rows, begin, end, relaxed_.data(), queue_.data(), counts_.data(), marks, {}};
    const edge_t few_arcs = has_rounds ? n_arcs / share_of_few : 0;
    view_.all = {{counts_.data()}, 1, static_cast<unsigned long long>(few_arcs)};
    cuda::fill(relaxed_.data(), infinity<W>(), end - begin, stream);
    cuda::fill_bytes(counts_.data(), 0, n_frontier_counts, stream);
    cuda::fill_bytes(marks_.data(), 0, marks_.size(), stream);
  }
  [[nodiscard]] FrontierView<W>& view() { return view_; }
  [[nodiscard]] const FrontierView<W>& view() const { return view_; }

  /// Returns the bytes for n_own of the vertices, whose rows have n_arcs arcs.
  [[nodiscard]] static std::size_t bytes(vertex_t n_vertices, vertex_t n_own, edge_t n_arcs) {
    return at(n_own) * sizeof(W) + longest_queue(n_own, n_arcs) * sizeof(RowChunk) +
           n_frontier_counts * sizeof(FrontierCounts) + BlockMarks::bytes(n_vertices);
  }

 private:
  /// A frontier of up to 1 / share_of_few of all arcs has few: a pass over all edges relaxes about
  /// eight times as many arcs a second as one over a frontier.
  static constexpr edge_t share_of_few = 8;

  static std::size_t longest_queue(vertex_t n_own, edge_t n_arcs) {
    return at(n_own + n_arcs / chunk_arcs + 1);
  }

  cuda::DeviceBuffer<W> relaxed_;
  cuda::DeviceBuffer<RowChunk> queue_;
  cuda::DeviceBuffer<FrontierCounts> counts_;
  cuda::DeviceBuffer<std::uint8_t> marks_;
  FrontierView<W> view_{};
};

}  // namespace warpgraph::shortest_paths
