// check_overflow for distances in device memory. A pass over all arcs takes up to a quarter of the
// time of a search, and is seldom needed: if the largest distance plus the largest weight fits the
// type, so does every other sum. The largest weight is computed once per graph. Graphs with
// negative weights always get the pass.
#include "core/cuda/warp.cuh"
#include "core/memory/host_vector.hpp"
#include "primitives/relaxation/device_overflow.cuh"
#include "primitives/relaxation/overflow.hpp"
#include "primitives/relaxation/relax.hpp"

#include <algorithm>

namespace warpgraph::shortest_paths {
namespace {

/// Sets a flag if a distance does not fit its type. check_overflow on the host then finds the arc.
template <class W>
struct FindOverflow {
  const W* distances;
  std::int32_t* found;
  __device__ void operator()(vertex_t u, vertex_t v, W weight) const {
    if (!fits(distances[u], weight, distances[v])) relaxed_store(*found, std::int32_t{1});
  }
};

/// Sets a flag if a finite distance is more than `most`.
template <class W>
__global__ void find_farther(W most, const W* distances, vertex_t n_vertices, std::int32_t* found) {
  const std::int64_t v = cuda::global_index();
  if (v >= n_vertices) return;
  const W distance = distances[v];
  if (most < distance && distance < infinity<W>()) relaxed_store(*found, std::int32_t{1});
}

/// Lowers `negated`, which is initially 0, to the negative of the largest finite weight. Weights
/// are not negative.
template <class W>
__global__ void find_heaviest(const W* weights, edge_t n, W* negated) {
  const edge_t stride = static_cast<edge_t>(gridDim.x) * blockDim.x;
  W least{0};
  for (edge_t e = cuda::global_index(); e < n; e += stride) {
    const W weight = weights[e];
    if (weight != infinity<W>() && -weight < least) least = -weight;
  }
  least = cuda::warp_min(least);
  if (cuda::lane() == 0) lower(*negated, least);
}

/// The largest weight: a derived structure, kept with the graph.
template <class W>
struct HeaviestWeight {
  W weight;
  [[nodiscard]] std::size_t bytes() const noexcept { return sizeof(*this); }
};

template <class W>
W heaviest_weight(const cuda::Stream& stream, const CsrView<W>& graph,
                  cuda::DerivedCache* derived) {
  if (graph.weights == nullptr) return W{1};
  const auto find = [&](const cuda::Stream& on) {
    const cuda::DeviceBuffer<W> negated(1, on);
    cuda::fill_bytes(negated.data(), 0, 1, on);
    constexpr unsigned threads = cuda::threads_per_block;
    const std::int64_t blocks = std::min((graph.n_arcs + threads - 1) / threads,
                                         cuda::resident_blocks(on, find_heaviest<W>, threads, 0));
    cuda::launch(on, blocks, threads, 0, find_heaviest<W>, graph.weights, graph.n_arcs,
                 negated.data());
    return HeaviestWeight<W>{static_cast<W>(-cuda::read_back(negated.data(), on))};
  };
  if (derived == nullptr) return find(stream).weight;
  return derived->template get<HeaviestWeight<W>>(0, find)->weight;
}

/// Calls use(the graph on the host), which is copied there if only the device has its arcs.
template <class W, class Use>
void with_arcs_on_host(const cuda::Stream& stream, const CsrView<W>& graph, const CsrView<W>& host,
                       Use&& use) {
  if (host.heads != nullptr) return use(host);
  const auto n_arcs = static_cast<std::size_t>(graph.n_arcs);
  const auto heads = cuda::to_host<HostVector<vertex_t>>(graph.heads, n_arcs, stream);
  HostVector<W> weights;
  if (graph.weights != nullptr) {
    weights = cuda::to_host<HostVector<W>>(graph.weights, n_arcs, stream);
  }
  CsrView<W> copy = host;
  copy.heads = heads.data();
  copy.weights = graph.weights != nullptr ? weights.data() : nullptr;
  use(copy);
}

/// Returns whether search(flag) has launched a kernel that sets the flag. Waits for the stream.
template <class Search>
bool finds(const cuda::Stream& stream, Search&& search) {
  const cuda::DeviceBuffer<std::int32_t> flag(1, stream);
  cuda::fill_bytes(flag.data(), 0, 1, stream);
  search(flag.data());
  return cuda::read_back(flag.data(), stream) != 0;
}

}  // namespace

template <class W>
bool fit_with_weights_on(const cuda::Stream& stream, const CsrView<W>& rows,
                         cuda::DerivedCache* derived, const W* distances) {
  if (!std::is_integral_v<W> || rows.n_arcs == 0) return true;
  const W most = infinity<W>() - W{1} - heaviest_weight(stream, rows, derived);
  return !finds(stream, [&](std::int32_t* farther) {
    cuda::launch_for(stream, rows.n_vertices, find_farther<W>, most, distances, rows.n_vertices,
                     farther);
  });
}

template <class W>
void check_overflow_on(const cuda::Stream& stream, const DeviceArcs<W>& arcs,
                       const CsrView<W>& host, bool negative_weights, cuda::DerivedCache* derived,
                       const W* distances) {
  if (!std::is_integral_v<W> && !negative_weights) return;
  if (!negative_weights && fit_with_weights_on(stream, arcs.graph, derived, distances)) return;
  const auto visit_arcs = [&](std::int32_t* overflow) {
    for_each_arc(stream, arcs, FindOverflow<W>{distances, overflow});
  };
  if (!finds(stream, visit_arcs)) return;
  const auto found =
      cuda::to_host<HostVector<W>>(distances, static_cast<std::size_t>(host.n_vertices), stream);
  with_arcs_on_host(stream, arcs.graph, host,
                    [&](const CsrView<W>& graph) { check_overflow<W>(graph, found); });
}

WARPGRAPH_INSTANTIATE_FOR_EACH_WEIGHT(fit_with_weights_on)
WARPGRAPH_INSTANTIATE_FOR_EACH_WEIGHT(check_overflow_on)

}  // namespace warpgraph::shortest_paths
