// Edge-parallel Bellman-Ford [5 in sssp.hpp]. A round is one launch; a thread relaxes an edge, in
// both directions if the graph is symmetric. One word holds the number of the last round that
// changed a distance.
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
// a value from it is at most as old as the launch, and the argument above holds. This is why a
// round is a launch, not a step between two grid barriers of a persistent kernel: there a stale
// distance could survive a round that changes nothing, and end the search too early.
//
// Termination. A round that lowers no distance writes nothing, so all its reads were coherent,
// cached or not; it compared all arcs with the current distances, and no arc can lower any. A round
// that lowers a distance writes its number, which only grows. A launch returns at once if the last
// change was before the preceding round. Within a launch all threads decide alike: either an
// earlier round was the last, and nothing is written any more, or the number is that of this round
// or of the one before. So the host need not check between rounds: it launches a batch of rounds,
// then waits for the batch before.
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

/// The rounds of a batch are the rounds so far, divided by this: waiting for a batch costs as much
/// as some empty launches, and launches after the last round are wasted.
constexpr std::int32_t batch_divisor = 8;
/// A twentieth of a second's work, so that the host reacts to Ctrl-C in time when two batches are
/// in flight.
constexpr edge_t max_edges_per_batch = edge_t{1} << 29;
/// The first check for negative cycles; another one each time that the rounds have doubled.
constexpr std::int32_t rounds_before_first_check = 64;
template <class W>
class BellmanFordRounds {
 public:
  BellmanFordRounds(const cuda::Stream& stream, const DeviceEdgeListView<W>& edges, W limit,
                    bool read_only, bool non_negative, W* distances)
      : stream_(stream),
        reader_(stream.device()),
        edges_(edges),
        limit_(limit),
        kernel_(read_only ? kernel<true>(non_negative) : kernel<false>(non_negative)),
        distances_(distances),
        last_change_(1, stream),
        batch_ends_{cuda::Event(stream.device(), cudaEventDisableTiming),
                    cuda::Event(stream.device(), cudaEventDisableTiming)} {
    blocks_ = relaxation_blocks<W>(stream, kernel_, edges.n_edges);
    cuda::fill_bytes(last_change_.data(), 0, 1, stream);
  }

  [[nodiscard]] std::int32_t launched() const noexcept { return round_; }

  /// Launches a batch and waits for the one before; false if that contained the last round needed.
  bool advance() {
    const std::int32_t before = round_;
    launch_batch();
    if (before == 0) return true;
    // On a separate stream, so that the copy does not wait for the batch just launched. It may
    // return a round of that batch already, which is harmless.
    (*reader_).wait_for(batch_ends_[1 - newest_batch_].get());
    return cuda::read_back(last_change_.data(), *reader_) >= before;
  }

 private:
  using Kernel = EdgeRelaxation<W>;

  template <bool read_only>
  static Kernel kernel(bool non_negative) {
    return non_negative ? relax_edges<W, read_only, true> : relax_edges<W, read_only, false>;
  }

  void launch_batch() {
    const edge_t max_rounds = std::max<edge_t>(1, max_edges_per_batch / (edges_.n_edges + 1));
    const edge_t n_rounds = std::clamp<edge_t>(round_ / batch_divisor, 1, max_rounds);
    for (edge_t i = 0; i < n_rounds; ++i) {
      cuda::launch(stream_, blocks_, cuda::threads_per_block, 0, kernel_, edges_, limit_,
                   distances_, distances_, ++round_, last_change_.data());
    }
    newest_batch_ = 1 - newest_batch_;
    batch_ends_[newest_batch_].record(stream_.get());
  }

  const cuda::Stream& stream_;
  const cuda::BorrowedStream reader_;
  const DeviceEdgeListView<W> edges_;
  const W limit_;
  const Kernel kernel_;
  W* const distances_;
  const cuda::DeviceBuffer<std::int32_t> last_change_;
  const cuda::Event batch_ends_[2];  // of the two newest batches
  int newest_batch_ = 0;
  std::int64_t blocks_ = 0;
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
void bellman_ford_on(const cuda::Stream& stream, const DeviceEdgeListView<W>& edges,
                     const CsrView<W>& host, const SsspOptions<W>& options,
                     const BellmanFordVariant& variant, W* distances) {
  // With negative weights, a sum beyond the limit may decrease again.
  const W limit = options.negative_weights ? infinity<W>() : options.limit;
  BellmanFordRounds<W> rounds(stream, edges, limit, variant.read_only_loads,
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
WARPGRAPH_INSTANTIATE_FOR_EACH_WEIGHT(bellman_ford_on)
WARPGRAPH_INSTANTIATE_FOR_EACH_WEIGHT(bellman_ford_on_devices)

}  // namespace warpgraph::shortest_paths
