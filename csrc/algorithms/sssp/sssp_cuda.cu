// Edge-parallel Bellman-Ford [5 in sssp.hpp]: a round is one launch, in which a thread relaxes one
// edge, both ways if the graph is symmetric; a flag says whether a round changed anything.
//
// Races: distances only fall, by atomic minima, and every value is the sum along some walk. A
// thread may read a distance that another is just lowering; its candidate is then too large, which
// is no harm: the round counts as one that changed something, and the next repeats the comparison.
// A round without a change read every distance as it stayed, so no arc can lower any, and they are
// final. Plain stores instead of atomic minima would get there, too, but a smaller value could be
// overwritten, and the number of rounds would no longer be bounded by that of vertices.
#include "algorithms/sssp/edge_list.cuh"
#include "core/interrupt.hpp"
#include "core/memory_budget.hpp"

#include <algorithm>

namespace warpgraph {
namespace {

using namespace sssp_steps;

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

/// Sets a flag if a distance does not fit its type; check_overflow then finds out which.
template <class W>
struct FindOverflow {
  const W* distances;
  std::int32_t* found;
  __device__ void operator()(vertex_t u, vertex_t v, W weight) const {
    if (!fits(distances[u], weight, distances[v])) relaxed_store(*found, std::int32_t{1});
  }
};

template <class W>
__global__ void forget_beyond_kernel(W limit, W* distances, vertex_t n_vertices) {
  const std::int64_t v = cuda::global_index();
  if (v < n_vertices && limit < distances[v]) distances[v] = infinity<W>();
}

template <class W>
void require_memory(const CsrView<W>& graph, const SsspOptions<W>& options, bool wants_tree,
                    const cuda::Stream& stream) {
  const std::size_t per_vertex = sizeof(W) + (wants_tree ? 2 * sizeof(vertex_t) : 0);
  MemoryBudget(stream.device(), options.memory_limit)
      .require("finding shortest paths",
               EdgeList<W>::bytes_needed(graph, options.symmetric) +
                   static_cast<std::size_t>(graph.n_vertices) * per_vertex,
               "ask for a narrower dtype or use device=\"cpu\"");
}

template <class W>
class BellmanFordOnCuda {
 public:
  BellmanFordOnCuda(const CsrView<W>& graph, const CsrView<W>& host, const SsspOptions<W>& options,
                    SsspResult<W> result, const cuda::Stream& stream)
      : host_(host),
        options_(options),
        result_(result),
        stream_(stream),
        n_vertices_(static_cast<std::size_t>(graph.n_vertices)),
        edges_(graph, stream),
        distances_(n_vertices_, stream),
        flag_(1, stream) {
    if (options.symmetric) edges_.list_pairs_once(stream);
  }

  void run(vertex_t source) {
    search(source);
    copy_distances();
    const W wanted = farthest_wanted(
        options_, [&](vertex_t v) { return result_.distances[static_cast<std::size_t>(v)]; });
    const bool searched_all = options_.negative_weights || wanted == infinity<W>();
    if (searched_all) check_overflow_on_device();
    if (!options_.negative_weights) forget_beyond_on_both(wanted);
    if (!result_.predecessors.empty()) recover_tree(source);
    if (options_.negative_weights) forget_beyond(options_.limit, result_.distances);
  }

 private:
  void search(vertex_t source) {
    cuda::fill(distances_.data(), infinity<W>(), host_.n_vertices, stream_);
    cuda::fill(distances_.data() + source, W{0}, 1, stream_);
    cuda::fill_bytes(flag_.data(), 0, 1, stream_);
    // Sums that may fall again must not be cut off.
    const W limit = options_.negative_weights ? infinity<W>() : options_.limit;
    const EdgeListView<W> edges = edges_.view();
    std::int32_t look_at_round = rounds_before_first_look;
    for (std::int32_t round = 0, last_change = 0; last_change == round;) {
      for (std::int32_t ahead = rounds_ahead(round); ahead > 0; --ahead) {
        cuda::launch_for(stream_, edges.n_edges, relax_edges<W>, edges, limit, distances_.data(),
                         ++round, flag_.data());
      }
      last_change = cuda::read_back(flag_.data(), stream_);
      poll();
      if (options_.negative_weights && last_change == round && round >= look_at_round) {
        look_at_round = 2 * round;
        copy_distances();
        look_for_negative_cycle<W>(host_, result_.distances, round <= host_.n_vertices);
      }
    }
  }

  [[nodiscard]] std::int32_t rounds_ahead(std::int32_t round) const {
    const edge_t most = std::max<edge_t>(1, most_edges_ahead / (edges_.view().n_edges + 1));
    return static_cast<std::int32_t>(std::clamp<edge_t>(round / rounds_per_round_ahead, 1, most));
  }

  void copy_distances() {
    cuda::copy(result_.distances.data(), distances_.data(), n_vertices_, stream_);
    stream_.synchronize();
  }

  void check_overflow_on_device() {
    if (!std::is_integral_v<W> && !options_.negative_weights) return;
    cuda::fill_bytes(flag_.data(), 0, 1, stream_);
    for_each_arc(stream_, edges_.view(), FindOverflow<W>{distances_.data(), flag_.data()});
    if (cuda::read_back(flag_.data(), stream_) != 0) {
      check_overflow<W>(host_, result_.distances);
    }
  }

  void forget_beyond_on_both(W limit) {
    if (limit == infinity<W>()) return;
    cuda::launch_for(stream_, host_.n_vertices, forget_beyond_kernel<W>, limit, distances_.data(),
                     host_.n_vertices);
    forget_beyond(limit, result_.distances);
  }

  void recover_tree(vertex_t source) {
    const cuda::DeviceBuffer<vertex_t> predecessors(n_vertices_, stream_);
    recover_predecessors_on<W>(stream_, edges_.view(), host_.n_vertices, source,
                               options_.negative_weights, distances_.data(), predecessors.data());
    cuda::copy(result_.predecessors.data(), predecessors.data(), n_vertices_, stream_);
    stream_.synchronize();
  }

  const CsrView<W>& host_;
  const SsspOptions<W>& options_;
  const SsspResult<W> result_;
  const cuda::Stream& stream_;
  const std::size_t n_vertices_;
  EdgeList<W> edges_;
  cuda::DeviceBuffer<W> distances_;
  cuda::DeviceBuffer<std::int32_t> flag_;
};

}  // namespace

template <class W>
void sssp_cuda(const CsrView<W>& graph, const CsrView<W>& host, vertex_t source,
               const SsspOptions<W>& options, SsspResult<W> result, const cuda::Stream& stream) {
  EXPECTS(options.method == SsspMethod::bellman_ford,
          "bellman_ford is the only method on CUDA devices");
  require_memory(graph, options, !result.predecessors.empty(), stream);
  BellmanFordOnCuda<W>(graph, host, options, result, stream).run(source);
  report_progress(graph.n_vertices, graph.n_vertices);
}

#define WARPGRAPH_INSTANTIATE(W)                                             \
  template void sssp_cuda<W>(const CsrView<W>&, const CsrView<W>&, vertex_t, \
                             const SsspOptions<W>&, SsspResult<W>, const cuda::Stream&);
WARPGRAPH_FOR_EACH_WEIGHT(WARPGRAPH_INSTANTIATE)
#undef WARPGRAPH_INSTANTIATE

}  // namespace warpgraph
