// Edge-parallel Bellman-Ford [5 in sssp.hpp]: a round is one launch, in which a thread relaxes one
// edge, both ways if the graph is symmetric; a flag says whether a round changed anything.
//
// Races: distances only fall, by atomic minima, and every value is the sum along some walk. A
// thread may read a distance that another is just lowering; its candidate is then too large, which
// is no harm: the round counts as one that changed something, and the next repeats the comparison.
// A round without a change read every distance as it stayed, so no arc can lower any, and they are
// final. Plain stores instead of atomic minima would get there, too, but a smaller value could be
// overwritten, and the number of rounds would no longer be bounded by that of vertices.
#include "algorithms/sssp/device_searches.hpp"
#include "algorithms/sssp/edge_list.cuh"
#include "core/host_vector.hpp"
#include "core/interrupt.hpp"

#include <algorithm>

namespace warpgraph::sssp_steps {
namespace {

/// Of the rounds so far, the part that may be launched before the flag is read again: reading it
/// stops the device for as long as several small rounds take, rounds behind the last are wasted.
constexpr std::int32_t rounds_per_round_ahead = 8;
/// But never more than this many edges, a tenth of a second's work, so that Ctrl-C is heard.
constexpr edge_t most_edges_ahead = edge_t{1} << 30;
/// When a negative cycle is first looked for; then each time that the rounds have doubled.
constexpr std::int32_t rounds_before_first_look = 64;

template <class W>
__device__ bool relax(W from, W weight, W to, W limit, W& distance) {
  if (from == infinity<W>()) return false;
  const W through = extend(from, weight);
  return through < to && through <= limit && lower(distance, through);
}

template <class W>
__global__ void relax_edges(EdgeListView<W> edges, W limit, W* distances, std::int32_t round,
                            std::int32_t* last_change) {
  const edge_t e = cuda::global_index();
  if (e >= edges.n_edges) return;
  const vertex_t u = edges.tails[e];
  const vertex_t v = edges.heads[e];
  const W weight = edges.weight(e);
  const W at_u = distances[u];
  const W at_v = distances[v];
  // Unless the weight is negative, only one of both ways can lower anything; if it is, the next
  // round takes the other.
  if (relax(at_u, weight, at_v, limit, distances[v]) ||
      (edges.both_ways && relax(at_v, weight, at_u, limit, distances[u]))) {
    relaxed_store(*last_change, round);
  }
}

std::int32_t rounds_ahead(std::int32_t round, edge_t n_edges) {
  const edge_t most = std::max<edge_t>(1, most_edges_ahead / (n_edges + 1));
  return static_cast<std::int32_t>(std::clamp<edge_t>(round / rounds_per_round_ahead, 1, most));
}

template <class W>
void look_for_cycle_on_host(const cuda::Stream& stream, const CsrView<W>& host, const W* distances,
                            std::int32_t round) {
  HostVector<W> seen(static_cast<std::size_t>(host.n_vertices));
  cuda::copy(seen.data(), distances, seen.size(), stream);
  stream.synchronize();
  look_for_negative_cycle<W>(host, seen, round <= host.n_vertices);
}

}  // namespace

template <class W>
void bellman_ford_on(const cuda::Stream& stream, const EdgeListView<W>& edges,
                     const CsrView<W>& host, const SsspOptions<W>& options, W* distances) {
  const cuda::DeviceBuffer<std::int32_t> flag(1, stream);
  cuda::fill_bytes(flag.data(), 0, 1, stream);
  // Sums that may fall again must not be cut off.
  const W limit = options.negative_weights ? infinity<W>() : options.limit;
  std::int32_t look_at_round = rounds_before_first_look;
  for (std::int32_t round = 0, last_change = 0; last_change == round;) {
    for (std::int32_t ahead = rounds_ahead(round, edges.n_edges); ahead > 0; --ahead) {
      cuda::launch_for(stream, edges.n_edges, relax_edges<W>, edges, limit, distances, ++round,
                       flag.data());
    }
    last_change = cuda::read_back(flag.data(), stream);
    poll();
    if (options.negative_weights && last_change == round && round >= look_at_round) {
      look_at_round = 2 * round;
      look_for_cycle_on_host(stream, host, distances, round);
    }
  }
}

#define WARPGRAPH_INSTANTIATE(W)                                                                   \
  template void bellman_ford_on<W>(const cuda::Stream&, const EdgeListView<W>&, const CsrView<W>&, \
                                   const SsspOptions<W>&, W*);
WARPGRAPH_FOR_EACH_WEIGHT(WARPGRAPH_INSTANTIATE)
#undef WARPGRAPH_INSTANTIATE

}  // namespace warpgraph::sssp_steps
