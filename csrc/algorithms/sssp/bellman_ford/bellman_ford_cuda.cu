// Edge-parallel Bellman-Ford [5 in sssp.hpp]: a round is one launch, in which a thread relaxes an
// edge, both ways if the graph is symmetric; the number of the last round that changed anything
// stands in one word.
//
// Races. Distances only fall, by atomic minima, and every value is the sum along some walk. A
// thread may read a distance that another is just lowering, or one that was out of date before:
// what it reads is at least as low as when the launch began, since memory is coherent between
// launches. So after round r every vertex whose shortest walk has at most r arcs has its distance
// (2r with negative weights, where a thread that lowers one end leaves the other to the next
// round). Plain stores instead of atomic minima would get there, too, but a smaller value could be
// overwritten, and the number of rounds would no longer be bounded by that of vertices.
//
// Read-only loads. Distances are read through the cache for constant data, beside the pointer by
// which they are written. That cache is not kept coherent with writes, but it starts empty with
// every launch, so a value from it is as old as the launch at most: all that is said above holds.
// This is why a round is a launch, and not a step between two barriers of a kernel that stays:
// there a stale distance could live on through a round that changes nothing, and end the search too
// soon.
//
// The end. In a round that lowers no distance nothing is written, so all its reads were coherent,
// whichever way they went; it compared all arcs with the distances as they are, and no arc can
// lower any. A round that lowers one writes its number, which only grows. A launch whose number is
// not next to that of the last change comes after the end and returns at once; within a launch all
// threads decide alike, because either a round before was the last, and nobody writes any more, or
// it was not, and the number is that of this round or of the one before. So the host need not look
// between rounds: it launches a batch of them, and waits for the batch before.
#include "algorithms/sssp/device_searches.hpp"
#include "core/cuda/stream_pool.hpp"
#include "core/interrupt.hpp"
#include "core/memory/host_vector.hpp"
#include "primitives/relaxation/edge_list.cuh"
#include "primitives/relaxation/overflow.hpp"

#include <algorithm>

namespace warpgraph::shortest_paths {
namespace {

/// A batch has this part of the rounds so far: waiting for one costs as much as some empty
/// launches, and launches behind the last round are wasted.
constexpr std::int32_t rounds_per_round_ahead = 8;
/// But never more than this many edges, a twentieth of a second's work, so that Ctrl-C is heard
/// when two batches are under way.
constexpr edge_t most_edges_ahead = edge_t{1} << 29;
/// When a negative cycle is first looked for; then each time that the rounds have doubled.
constexpr std::int32_t rounds_before_first_look = 64;
/// A multiprocessor's rounds of blocks in a launch: more of them even out what blocks take, and
/// each costs the launch of a block.
constexpr std::int64_t waves = 4;

template <class W, bool read_only>
__device__ W look_up(const W* distances, vertex_t v) {
  if constexpr (read_only) return __ldg(distances + v);
  return relaxed_load(distances[v]);
}

template <bool non_negative, class W>
__device__ bool relax(W from, W weight, W to, W limit, W& distance) {
  if (from == infinity<W>()) return false;
  const W through = non_negative ? extend_forward(from, weight) : extend(from, weight);
  if (!(through < to && through <= limit)) return false;
  if constexpr (non_negative) return lower_non_negative(distance, through);
  return lower(distance, through);
}

/// `seen` and `distances` are the same array.
template <class W, bool read_only, bool non_negative>
__global__ void relax_edges(EdgeListView<W> edges, W limit, const W* seen, W* distances,
                            std::int32_t round, std::int32_t* last_change) {
  if (relaxed_load(*last_change) < round - 1) return;
  bool changed = false;
  const edge_t stride = static_cast<edge_t>(gridDim.x) * blockDim.x;
  for (edge_t e = cuda::global_index(); e < edges.n_edges; e += stride) {
    const vertex_t u = edges.tails[e];
    const vertex_t v = edges.heads[e];
    const W weight = edges.weight(e);
    const W at_u = look_up<W, read_only>(seen, u);
    const W at_v = look_up<W, read_only>(seen, v);
    // Unless the weight is negative, only one of both ways can lower anything; if it is, the next
    // round takes the other.
    changed |= relax<non_negative>(at_u, weight, at_v, limit, distances[v]) ||
               (edges.both_ways && relax<non_negative>(at_v, weight, at_u, limit, distances[u]));
  }
  if (changed && relaxed_load(*last_change) != round) relaxed_store(*last_change, round);
}

template <class W>
void look_for_cycle_on_host(const cuda::Stream& stream, const CsrView<W>& host, const W* distances,
                            std::int32_t round) {
  HostVector<W> seen(static_cast<std::size_t>(host.n_vertices));
  cuda::copy(seen.data(), distances, seen.size(), stream);
  stream.synchronize();
  look_for_negative_cycle<W>(host, seen, round <= host.n_vertices);
}

template <class W>
class Rounds {
 public:
  Rounds(const cuda::Stream& stream, const EdgeListView<W>& edges, W limit, bool read_only,
         bool non_negative, W* distances)
      : stream_(stream),
        reader_(stream.device()),
        edges_(edges),
        limit_(limit),
        kernel_(read_only ? kernel<true>(non_negative) : kernel<false>(non_negative)),
        distances_(distances),
        last_change_(1, stream),
        ends_{cuda::Event(stream.device(), cudaEventDisableTiming),
              cuda::Event(stream.device(), cudaEventDisableTiming)} {
    constexpr unsigned threads = cuda::threads_per_block;
    blocks_ = std::min((edges.n_edges + threads - 1) / threads,
                       waves * cuda::resident_blocks(stream, kernel_, threads, 0));
    cuda::fill_bytes(last_change_.data(), 0, 1, stream);
  }

  [[nodiscard]] std::int32_t launched() const noexcept { return round_; }

  /// Launches a batch and waits for the one before; false when that was the last to be needed.
  bool advance() {
    const std::int32_t before = round_;
    launch_batch();
    if (before == 0) return true;
    // On a stream of its own, so that the answer does not wait for the batch just launched. By then
    // it may be of that batch already, which is no harm.
    (*reader_).wait_for(ends_[1 - newest_].get());
    return cuda::read_back(last_change_.data(), *reader_) >= before;
  }

 private:
  using Kernel = void (*)(EdgeListView<W>, W, const W*, W*, std::int32_t, std::int32_t*);

  template <bool read_only>
  static Kernel kernel(bool non_negative) {
    return non_negative ? relax_edges<W, read_only, true> : relax_edges<W, read_only, false>;
  }

  void launch_batch() {
    const edge_t most = std::max<edge_t>(1, most_edges_ahead / (edges_.n_edges + 1));
    const edge_t wanted = std::clamp<edge_t>(round_ / rounds_per_round_ahead, 1, most);
    for (edge_t i = 0; i < wanted; ++i) {
      cuda::launch(stream_, blocks_, cuda::threads_per_block, 0, kernel_, edges_, limit_,
                   distances_, distances_, ++round_, last_change_.data());
    }
    newest_ = 1 - newest_;
    ends_[newest_].record(stream_.get());
  }

  const cuda::Stream& stream_;
  const cuda::BorrowedStream reader_;
  const EdgeListView<W> edges_;
  const W limit_;
  const Kernel kernel_;
  W* const distances_;
  const cuda::DeviceBuffer<std::int32_t> last_change_;
  const cuda::Event ends_[2];  // of the two newest batches
  int newest_ = 0;
  std::int64_t blocks_ = 0;
  std::int32_t round_ = 0;
};

}  // namespace

template <class W>
vertex_t segment_length_for(const BellmanFordTuning& tuning, vertex_t n_vertices, Device device) {
  if (!tuning.segments) return 0;
  vertex_t length = tuning.segment_length;
  if (length == 0) {
    int l2_cache = 0;
    CUDA_TRY(cudaDeviceGetAttribute(&l2_cache, cudaDevAttrL2CacheSize, device.index));
    length = std::max(1, l2_cache / 2 / 3 / static_cast<int>(sizeof(W)));
  }
  return n_vertices / 3 < length ? 0 : length;
}

template <class W>
void bellman_ford_on(const cuda::Stream& stream, const EdgeListView<W>& edges,
                     const CsrView<W>& host, const SsspOptions<W>& options, W* distances) {
  // Sums that may fall again must not be cut off.
  const W limit = options.negative_weights ? infinity<W>() : options.limit;
  Rounds<W> rounds(stream, edges, limit, options.bellman_ford.read_only_loads,
                   !options.negative_weights, distances);
  std::int32_t look_at_round = rounds_before_first_look;
  while (rounds.advance()) {
    poll();
    if (options.negative_weights && rounds.launched() >= look_at_round) {
      look_at_round = 2 * rounds.launched();
      look_for_cycle_on_host(stream, host, distances, rounds.launched());
    }
  }
}

#define WARPGRAPH_INSTANTIATE(W)                                                                   \
  template vertex_t segment_length_for<W>(const BellmanFordTuning&, vertex_t, Device);             \
  template void bellman_ford_on<W>(const cuda::Stream&, const EdgeListView<W>&, const CsrView<W>&, \
                                   const SsspOptions<W>&, W*);
WARPGRAPH_FOR_EACH_WEIGHT(WARPGRAPH_INSTANTIATE)
#undef WARPGRAPH_INSTANTIATE

}  // namespace warpgraph::shortest_paths
