// Edge-parallel Bellman-Ford [5 in sssp.hpp], with frontiers where they are small. A round after
// many lowered distances relaxes all edges; a thread relaxes an edge, in both directions if the
// graph is symmetric. A round after few relaxes the rows of the frontier: by that, an H100 takes 49
// ms instead of 118 for an R-MAT graph of 2^26 vertices. A round is three launches; those that find
// nothing to do return at once:
//
//   relax_frontier   the rows of the vertices whose distances the round before has lowered, or
//   relax_edges      all edges,
//   find_frontier    compares distances with those that rows were last relaxed with, counts the
//                    arcs of the rows that have to be relaxed again, and queues their vertices
//                    unless they are many. relax_frontier marks the blocks of vertices in which it
//                    lowers a distance, so that others need not be read.
//
// Races. Distances only decrease, by atomic minima, and every value is the sum along some walk. A
// thread may read a stale distance, or one that another thread is lowering: the value is at most
// that at the start of the launch, since memory is coherent between launches. So after round r
// every vertex whose shortest walk has at most r arcs has its distance (after 2r rounds with
// negative weights, where a thread that lowers one end leaves the other end to the next round).
// Plain stores instead of atomic minima would reach the same distances, but could overwrite a
// smaller value, and the number of rounds would not be bounded by the number of vertices.
//
// Read-only loads. Distances are read through the read-only data cache, and written through another
// pointer. That cache is not coherent with writes, but it is empty at the start of every launch, so
// a value from it is at most as old as the launch, and the argument above holds.
//
// Termination. After find_frontier, every row was relaxed with the distance that its vertex has, or
// is counted in the frontier. So if there is nothing to relax, no arc can lower any distance, and
// all later launches return at once. The host need not check between rounds: it launches a batch of
// rounds, then waits for the batch before.
#include "algorithms/sssp/bellman_ford/team_bellman_ford.cuh"
#include "algorithms/sssp/device_searches.hpp"
#include "core/cuda/memory/peer_access.hpp"
#include "core/cuda/stream_pool.hpp"
#include "core/interrupt.hpp"
#include "core/memory/host_vector.hpp"
#include "primitives/relaxation/overflow.hpp"

#include <algorithm>

namespace warpgraph::shortest_paths {
namespace {

/// The divisor of the rounds so far that gives the rounds of a batch: waiting for a batch costs as
/// much as some empty launches, and launches after the last round are wasted.
constexpr std::int32_t batch_divisor = 8;
/// The most edges of a batch, a twentieth of a second's work: the host reacts to Ctrl-C in time
/// when two batches are in flight.
constexpr edge_t max_edges_per_batch = edge_t{1} << 29;
/// Rounds before the first check for negative cycles; another one follows each time that the rounds
/// have doubled.
constexpr std::int32_t rounds_before_first_check = 64;

template <class W>
class BellmanFordRounds {
 public:
  BellmanFordRounds(const cuda::Stream& stream, const DeviceEdgeListView<W>& edges,
                    const CsrView<W>& rows, W limit, bool read_only, bool non_negative,
                    W* distances)
      : stream_(stream),
        reader_(stream.device()),
        edges_(edges),
        frontier_(rows, 0, rows.n_vertices, rows.n_arcs, stream),
        limit_(limit),
        relax_edges_(read_only ? kernel<true>(non_negative) : kernel<false>(non_negative)),
        relax_frontier_(non_negative ? relax_frontier<W, true> : relax_frontier<W, false>),
        distances_(distances),
        replicas_{1, {distances}, {frontier_.view().marks}},
        last_round_(1, stream),
        batch_ends_{cuda::Event(stream.device(), cudaEventDisableTiming),
                    cuda::Event(stream.device(), cudaEventDisableTiming)} {
    blocks_of_edges_ = relaxation_blocks<W>(stream, relax_edges_, edges.n_edges);
    blocks_of_frontier_ = blocks_for_frontier(stream, relax_frontier_, rows.n_vertices);
    blocks_of_find_ = blocks_for_frontier(stream, find_frontier<W>, rows.n_vertices);
    cuda::fill_bytes(last_round_.data(), 0, 1, stream);
    find_next();
  }

  [[nodiscard]] std::int32_t launched() const noexcept { return round_; }

  /// Launches a batch and waits for the one before. Returns false if that contained the last round
  /// needed.
  bool advance() {
    const std::int32_t before = round_;
    launch_batch();
    if (before == 0) return true;
    // The stream is a separate one, so that the copy does not wait for the batch just launched. It
    // may return a round of that batch already, which is harmless.
    (*reader_).wait_for(batch_ends_[1 - newest_batch_].get());
    return cuda::read_back(last_round_.data(), *reader_) >= before;
  }

 private:
  template <bool read_only>
  static EdgeRelaxation<W> kernel(bool non_negative) {
    return non_negative ? relax_edges<W, read_only, true> : relax_edges<W, read_only, false>;
  }

  void launch_batch() {
    const edge_t max_rounds = std::max<edge_t>(1, max_edges_per_batch / (edges_.n_edges + 1));
    const edge_t n_rounds = std::clamp<edge_t>(round_ / batch_divisor, 1, max_rounds);
    for (edge_t i = 0; i < n_rounds; ++i) {
      ++round_;
      cuda::launch(stream_, blocks_of_frontier_, queue_threads, 0, relax_frontier_,
                   frontier_.view(), limit_, distances_, round_, last_round_.data());
      if (edges_.n_edges > 0) {
        cuda::launch(stream_, blocks_of_edges_, cuda::threads_per_block, 0, relax_edges_, edges_,
                     limit_, distances_, distances_, frontier_.view().all, round_);
      }
      find_next();
    }
    newest_batch_ = 1 - newest_batch_;
    batch_ends_[newest_batch_].record(stream_.get());
  }

  void find_next() {
    cuda::launch(stream_, blocks_of_find_, queue_threads, 0, find_frontier<W>, replicas_,
                 frontier_.view(), round_);
  }

  const cuda::Stream& stream_;
  const cuda::BorrowedStream reader_;
  const DeviceEdgeListView<W> edges_;
  const Frontier<W> frontier_;
  const W limit_;
  const EdgeRelaxation<W> relax_edges_;
  void (*const relax_frontier_)(FrontierView<W>, W, W*, std::int32_t, std::int32_t*);
  W* const distances_;
  const Replicas<W> replicas_;
  const cuda::DeviceBuffer<std::int32_t> last_round_;
  const cuda::Event batch_ends_[2];  // of the two newest batches
  int newest_batch_ = 0;
  std::int64_t blocks_of_edges_ = 0;
  std::int64_t blocks_of_frontier_ = 0;
  std::int64_t blocks_of_find_ = 0;
  std::int32_t round_ = 0;
};

}  // namespace

template <class W>
vertex_t segment_length_for(const BellmanFordVariant& variant, vertex_t n_vertices, Device device) {
  if (!variant.segments) return 0;
  vertex_t length = variant.segment_length;
  if (length == 0) {
    int l2_cache = 0;
    CUDA_TRY(cudaDeviceGetAttribute(&l2_cache, cudaDevAttrL2CacheSize, device.index));
    length = std::max(1, l2_cache / 2 / 3 / static_cast<int>(sizeof(W)));
  }
  return n_vertices / 3 < length ? 0 : length;
}

template <class W>
std::size_t bellman_ford_bytes(const CsrPattern& graph) {
  return Frontier<W>::bytes(graph.n_vertices, graph.n_vertices, graph.n_arcs);
}

template <class W>
void bellman_ford_on(const cuda::Stream& stream, const DeviceEdgeListView<W>& edges,
                     const CsrView<W>& graph, const CsrView<W>& host, const SsspOptions<W>& options,
                     const BellmanFordVariant& variant, W* distances) {
  // With negative weights, a sum beyond the limit may decrease again.
  const W limit = options.negative_weights ? infinity<W>() : options.limit;
  BellmanFordRounds<W> rounds(stream, edges, graph, limit, variant.read_only_loads,
                              !options.negative_weights, distances);
  std::int32_t check_at_round = rounds_before_first_check;
  while (rounds.advance()) {
    poll();
    if (options.negative_weights && rounds.launched() >= check_at_round) {
      check_at_round = 2 * rounds.launched();
      const auto seen = cuda::to_host<HostVector<W>>(
          distances, static_cast<std::size_t>(host.n_vertices), stream);
      check_negative_cycle<W>(host, seen, rounds.launched() <= host.n_vertices);
    }
  }
}

template <class W>
bool bellman_ford_on_devices(const CsrView<W>& graph, vertex_t source,
                             const SsspOptions<W>& options, W* distances) {
  const std::vector<Device>& devices = options.parts->devices();
  const auto plan_for = [&](Device device) {
    return DeviceEdgeListPlan{options.symmetric,
                              segment_length_for<W>({}, graph.n_vertices, device), true};
  };
  TeamBellmanFord<W>::require_memory(graph, options, plan_for);
  cuda::enable_peer_access(devices);
  runtime::DeviceTeam team(devices);
  return TeamBellmanFord<W>(graph, options, plan_for, team).run(source, distances);
}

WARPGRAPH_INSTANTIATE_FOR_EACH_WEIGHT(segment_length_for)
WARPGRAPH_INSTANTIATE_FOR_EACH_WEIGHT(bellman_ford_bytes)
WARPGRAPH_INSTANTIATE_FOR_EACH_WEIGHT(bellman_ford_on)
WARPGRAPH_INSTANTIATE_FOR_EACH_WEIGHT(bellman_ford_on_devices)

}  // namespace warpgraph::shortest_paths
