// Near-far search [6 in sssp.hpp] in one cooperative kernel, which works on without the host until
// its budget is spent, so that the host can look for Ctrl-C, and then goes on where it stood.
//
// Vertices that were lowered to at most a threshold are near and relaxed at once, the others are
// far. When no near ones are left, distances up to the threshold are final, and a collection raises
// the threshold by a width and brings forward what became near. What decides the time:
//
//   Roads and meshes: how long a hop takes, of which paths have thousands. So a block keeps what it
//   lowers in a queue in shared memory and goes on alone for up to `fused_steps` hops; only then
//   do the blocks meet. That relaxes some vertices before their time, which is cheap: the width is
//   tens of weights for the same reason. A hop then is two dependent trips to memory, as few
//   instructions as possible (near_far_hop.cuh), and a barrier of the block: 1.3 microseconds.
//   Power laws: memory bandwidth. The queue overflows, the lists carry everything, a warp lays the
//   arcs of its vertices end to end, and long rows are cut into pieces for the whole grid.
//
// No list can overflow with harm, since all can be found again from the distances: near vertices
// are those beyond what is settled up to the threshold, far ones those beyond. If the near list is
// too short, one step looks at all vertices instead. If the far list is, far vertices are no longer
// listed, and collections look at all vertices, until few enough are left. On power-law graphs,
// where most vertices are far at once, that is faster than listing them, too.
//
// Races: distances only fall, by atomic minima. Whoever lowers one pushes the vertex with the new
// distance, so each pair of both is pushed once; a stale pair is dropped. A thread may work with a
// distance that another is just lowering; the other's push repeats the work.
#include "algorithms/sssp/device_searches.hpp"
#include "algorithms/sssp/near_far/near_far_block.cuh"
#include "algorithms/sssp/searches.hpp"
#include "core/cuda/memory/buffer.hpp"
#include "core/interrupt.hpp"

#include <algorithm>
#include <cmath>

namespace warpgraph::shortest_paths {
namespace {

/// One block a multiprocessor, of as many threads as have 128 registers each: more threads would
/// have fewer, and with four arcs under way these already have more loads in flight than memory
/// answers (2048 of them a microsecond and multiprocessor are 270 G/s, a gather gets 160).
constexpr unsigned most_threads = 512;

/// What a launch may do before it returns, in arcs. Even at 10 G arcs/s, a tenth of what an H200
/// does, that is 50 ms.
constexpr std::int64_t arcs_a_launch = std::int64_t{1} << 29;
template <class W>
__global__ void __launch_bounds__(most_threads, 1) search_near_far(NearFarView<W> view) {
  __shared__ BlockMemory<W> block;
  BlockSearch<W>(view, block).run();
}

/// The source is near, and nothing is settled.
template <class W>
__global__ void start_search(NearFarView<W> view, vertex_t source, W width) {
  NearFarCounters<W> counters{};
  counters.near[0] = 1;
  counters.least[0] = infinity<W>();
  *view.counters = counters;
  view.near_even.store(0, source, W{0});
  NearFarState<W> at{};
  at.last_collection = -1;
  at.settled = W{-1};
  at.width = at.threshold = width;
  at.far_is_listed = true;
  *view.state = at;
}

/// A list need not hold all vertices, but the longer it is, the more seldom it is given up.
struct Capacities {
  std::int64_t near, far, pieces;

  explicit Capacities(const CsrPattern& graph) {
    const auto n = std::int64_t{graph.n_vertices};
    const std::int64_t least = std::min<std::int64_t>(n, 1024);
    near = std::max(least, n / 2);
    far = std::max(least, n / 4);
    pieces = std::clamp<std::int64_t>(graph.n_arcs / (arcs_per_piece / 2), 64, 1 << 20);
  }
  [[nodiscard]] std::size_t items() const { return static_cast<std::size_t>(2 * (near + far)); }
};

template <class W>
double mean_degree(const CsrView<W>& graph) {
  return std::max(1.0, static_cast<double>(graph.n_arcs) / graph.n_vertices);
}

/// The width of the near window, in mean weights. Narrow ones mean many steps, wide ones that
/// vertices are relaxed again; fused steps make the second cheap, so this is many times what cores
/// want. On an H200, grids of 1 M, 4 M and 24 M vertices want 64 to 96, 32 to 64 and 8 to 26: the
/// larger a graph, the more of it is near at once, and it need not be made more. Roads, of which
/// less is near, want 128 or more. Of degree 30, cliques in a row want 0.5 to 1, and R-MAT graphs
/// less than 0.1; but a window that turns out too narrow grows, so the cliques lose little by it.
double mean_weights_a_window(double n_vertices, double degree) {
  const double few = 4 / degree;
  return std::min(256.0,
                  90000 / std::sqrt(n_vertices) * (few < 1 ? few * few * few * few : few * few));
}

/// Hops that a block goes on alone. Of few arcs it can relax many vertices before it has to share
/// them; where rows are long, what others lower meanwhile is worth more than a barrier costs.
int fused_steps_for(double degree) { return degree < 8 ? 24 : 4; }

template <class W>
W width_of(const CsrView<W>& host, double asked_for) {
  const double mean = typical_weight(host);
  const double width = asked_for > 0 ? asked_for
                       : mean == 0
                           ? 1.0
                           : mean * mean_weights_a_window(host.n_vertices, mean_degree(host));
  if constexpr (std::is_integral_v<W>) {
    constexpr auto most = static_cast<double>(infinity<W>() / 2);
    return static_cast<W>(std::clamp(width, 1.0, most));
  } else {
    constexpr auto most = static_cast<double>(std::numeric_limits<W>::max());
    constexpr auto least = static_cast<double>(std::numeric_limits<W>::min());
    return static_cast<W>(std::clamp(width, least, most));
  }
}

template <class W>
class NearFarSearch {
 public:
  NearFarSearch(const cuda::Stream& stream, const CsrView<W>& graph, const CsrView<W>& host,
                const SsspOptions<W>& options, const vertex_t* targets, W* distances)
      : stream_(stream),
        tuning_(options.near_far),
        capacities_(host),
        vertices_(capacities_.items(), stream),
        values_(capacities_.items(), stream),
        pieces_(static_cast<std::size_t>(capacities_.pieces), stream),
        counters_(1, stream),
        state_(1, stream),
        width_(width_of(host, tuning_.width)) {
    view_.graph = graph;
    view_.distances = distances;
    view_.limit = options.limit;
    view_.fused_steps =
        tuning_.fused_steps >= 0 ? tuning_.fused_steps : fused_steps_for(mean_degree(host));
    view_.budget = arcs_a_launch;
    view_.targets = targets;
    view_.n_targets = static_cast<std::int64_t>(options.targets.size());
    lay_out_lists();
  }

  void run(vertex_t source) {
    cuda::launch(stream_, 1, 1, 0, start_search<W>, view_, source, width_);
    const auto threads = static_cast<unsigned>(tuning_.threads);
    std::int64_t blocks = cuda::resident_blocks(stream_, search_near_far<W>, threads, 0);
    if (tuning_.blocks > 0) blocks = std::min<std::int64_t>(blocks, tuning_.blocks);
    for (NearFarState<W> at{}; !at.is_done;) {
      cuda::launch_cooperative(stream_, blocks, threads, 0, search_near_far<W>, view_);
      at = cuda::read_back(state_.data(), stream_);
      report_progress(std::min<std::int64_t>(at.relaxed, view_.graph.n_vertices),
                      view_.graph.n_vertices);
    }
  }

 private:
  void lay_out_lists() {
    std::int64_t first = 0;
    const auto take = [&](std::int64_t capacity) {
      const ItemList<W> list{vertices_.data() + first, values_.data() + first, capacity};
      first += capacity;
      return list;
    };
    view_.near_even = take(capacities_.near);
    view_.near_odd = take(capacities_.near);
    view_.far_even = take(capacities_.far);
    view_.far_odd = take(capacities_.far);
    view_.pieces = pieces_.data();
    view_.piece_capacity = capacities_.pieces;
    view_.counters = counters_.data();
    view_.state = state_.data();
  }

  const cuda::Stream& stream_;
  const NearFarTuning& tuning_;
  const Capacities capacities_;
  cuda::DeviceBuffer<vertex_t> vertices_;
  cuda::DeviceBuffer<W> values_;
  cuda::DeviceBuffer<Piece> pieces_;
  cuda::DeviceBuffer<NearFarCounters<W>> counters_;
  cuda::DeviceBuffer<NearFarState<W>> state_;
  const W width_;
  NearFarView<W> view_;
};

}  // namespace

template <class W>
std::size_t near_far_bytes(const CsrPattern& graph) {
  const Capacities capacities(graph);
  return capacities.items() * (sizeof(vertex_t) + sizeof(W)) +
         static_cast<std::size_t>(capacities.pieces) * sizeof(Piece) + sizeof(NearFarCounters<W>) +
         sizeof(NearFarState<W>);
}

template <class W>
void near_far_on(const cuda::Stream& stream, const CsrView<W>& graph, const CsrView<W>& host,
                 vertex_t source, const SsspOptions<W>& options, const vertex_t* targets,
                 W* distances) {
  EXPECTS(options.near_far.threads % 32 == 0 && options.near_far.threads > 0 &&
              options.near_far.threads <= static_cast<int>(most_threads),
          "near_far runs in blocks of 32, 64, ... ", most_threads, " threads, not ",
          options.near_far.threads);
  NearFarSearch<W>(stream, graph, host, options, targets, distances).run(source);
}

#define WARPGRAPH_INSTANTIATE(W)                                                          \
  template std::size_t near_far_bytes<W>(const CsrPattern&);                              \
  template void near_far_on<W>(const cuda::Stream&, const CsrView<W>&, const CsrView<W>&, \
                               vertex_t, const SsspOptions<W>&, const vertex_t*, W*);
WARPGRAPH_FOR_EACH_WEIGHT(WARPGRAPH_INSTANTIATE)
#undef WARPGRAPH_INSTANTIATE

}  // namespace warpgraph::shortest_paths
