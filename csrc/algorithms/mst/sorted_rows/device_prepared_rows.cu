#include "algorithms/mst/edge_order.hpp"
#include "algorithms/mst/sorted_rows/device_boruvka.hpp"
#include "core/cuda/copies/upload.hpp"
#include "core/cuda/cub/scan.hpp"
#include "core/cuda/cub/sort_pairs.hpp"
#include "core/cuda/launch.cuh"
#include "core/cuda/warp.cuh"
#include "core/memory/memory_budget.hpp"

#include <bit>

namespace warpgraph::mst {
namespace {

/// The value with which an arc is sorted by its tail: head and rank.
using payload_t = std::uint64_t;

/// Calls visit(e, index) for the edges of one row, those with greater heads, in order. Returns
/// their number. A full warp calls it.
template <class Visit>
__device__ edge_t visit_upper_arcs(const CsrPattern& graph, vertex_t u, Visit&& visit) {
  edge_t n = 0;
  for (edge_t first = graph.begin(u); first < graph.end(u); first += cuda::warp_lanes) {
    const edge_t e = first + cuda::lane();
    const bool is_edge = e < graph.end(u) && graph.heads[e] > u;
    const unsigned edges = __ballot_sync(cuda::all_lanes, is_edge);
    if (is_edge) visit(e, n + __popc(edges & cuda::lanemask_lt()));
    n += __popc(edges);
  }
  return n;
}

/// Makes counts[u] the number of edges in row u; one warp per row.
__global__ void count_edges(CsrPattern graph, edge_t* counts) {
  const std::int64_t u = cuda::global_index() / cuda::warp_lanes;
  if (u >= graph.n_vertices) return;
  const edge_t n = visit_upper_arcs(graph, static_cast<vertex_t>(u), [](edge_t, edge_t) {});
  if (cuda::lane() == 0) counts[u] = n;
}

/// The edges in the order of their positions.
template <class Key>
struct EdgesView {
  vertex_t* tails;
  edge_t* positions;
  Key* keys;
};

template <class Bits>
__global__ void list_edges(KeyedBits<Bits> graph, const edge_t* starts, EdgesView<Bits> edges) {
  const std::int64_t row = cuda::global_index() / cuda::warp_lanes;
  if (row >= graph.n_vertices) return;
  const auto u = static_cast<vertex_t>(row);
  visit_upper_arcs(graph, u, [&](edge_t e, edge_t index) {
    const edge_t i = starts[row] + index;
    edges.tails[i] = u;
    edges.positions[i] = e;
    edges.keys[i] = graph.key(e);
  });
}

/// Lists both arcs of the edge of each rank.
template <class Key>
__global__ void list_arcs(EdgesView<Key> edges, const std::uint32_t* order, std::int64_t n_edges,
                          const vertex_t* heads, edge_t* position_of, std::uint32_t* tails,
                          payload_t* arcs) {
  const std::int64_t rank = cuda::global_index();
  if (rank >= n_edges) return;
  const edge_t e = edges.positions[order[rank]];
  const auto u = static_cast<std::uint32_t>(edges.tails[order[rank]]);
  const auto v = static_cast<std::uint32_t>(heads[e]);
  position_of[rank] = e;
  tails[2 * rank] = u;
  tails[2 * rank + 1] = v;
  arcs[2 * rank] = payload_t{v} << 32 | static_cast<payload_t>(rank);
  arcs[2 * rank + 1] = payload_t{u} << 32 | static_cast<payload_t>(rank);
}

/// Turns arcs sorted by tail into rows. Thread n_arcs writes the offsets after the last tail.
__global__ void build_rows(const std::uint32_t* tails, const payload_t* arcs, edge_t n_arcs,
                           vertex_t n_vertices, edge_t* offsets, vertex_t* heads, rank_t* ranks) {
  const edge_t i = cuda::global_index();
  if (i > n_arcs) return;
  const std::int64_t tail = i < n_arcs ? static_cast<std::int64_t>(tails[i]) : n_vertices;
  const std::int64_t before = i > 0 ? static_cast<std::int64_t>(tails[i - 1]) : -1;
  for (std::int64_t u = before + 1; u <= tail; ++u) offsets[u] = i;
  if (i == n_arcs) return;
  heads[i] = static_cast<vertex_t>(arcs[i] >> 32);
  ranks[i] = static_cast<rank_t>(arcs[i]);
}

/// Sorts the edges of the graph into Kruskal's order and lists their arcs: see list_arcs.
template <class Bits>
void list_sorted_arcs(const KeyedBits<Bits>& graph, std::int64_t n_edges, const edge_t* starts,
                      edge_t* position_of, std::uint32_t* tails, payload_t* arcs,
                      const cuda::Stream& stream) {
  using Key = Bits;
  const cuda::DeviceBuffer<vertex_t> edge_tails(static_cast<std::size_t>(n_edges), stream);
  const cuda::DeviceBuffer<edge_t> positions(static_cast<std::size_t>(n_edges), stream);
  cuda::SortBuffer<Key> keys(n_edges, stream);
  cuda::SortBuffer<std::uint32_t> order(n_edges, stream);
  const EdgesView<Key> edges{edge_tails.data(), positions.data(), keys.data()};
  cuda::launch_for(stream, graph.n_vertices * std::int64_t{cuda::warp_lanes}, list_edges<Bits>,
                   graph, starts, edges);
  cuda::iota(order.data(), n_edges, stream);
  cuda::sort_pairs(keys, order, n_edges, static_cast<int>(8 * sizeof(Key)), stream);
  cuda::launch_for(stream, n_edges, list_arcs<Key>, edges, order.data(), n_edges, graph.heads,
                   position_of, tails, arcs);
}

/// Returns the start of each row's edges in the list of all, then the number of edges.
cuda::DeviceBuffer<edge_t> edge_starts(const CsrPattern& graph, const cuda::Stream& stream) {
  const std::int64_t n = graph.n_vertices;
  cuda::DeviceBuffer<edge_t> starts(static_cast<std::size_t>(n) + 1, stream);
  cuda::fill_bytes(starts.data() + n, 0, 1, stream);
  cuda::launch_for(stream, n * cuda::warp_lanes, count_edges, graph, starts.data());
  cuda::exclusive_sum(starts.data(), n + 1, stream);
  return starts;
}

/// Returns the peak of the preparation: the list of edges and their order, or the arcs, twice.
template <class Key>
std::size_t preparation_bytes(std::int64_t n_edges) {
  constexpr std::size_t of_list = sizeof(vertex_t) + sizeof(edge_t) + 2 * sizeof(std::uint32_t);
  constexpr std::size_t of_arcs = 4 * (sizeof(std::uint32_t) + sizeof(payload_t));
  return static_cast<std::size_t>(n_edges) *
         (of_list + sizeof(edge_t) + std::max(2 * sizeof(Key), of_arcs));
}

}  // namespace

template <class W>
DevicePreparedRows::DevicePreparedRows(const CsrView<W>& graph, bool maximum, MemoryBudget budget,
                                       const cuda::Stream& stream)
    : stream_(&stream),
      n_vertices_(graph.n_vertices),
      offsets_(static_cast<std::size_t>(graph.n_vertices) + 1, stream) {
  const auto ranked = keyed_bits(graph, maximum);
  const cuda::DeviceBuffer<edge_t> starts = edge_starts(graph, stream);
  const edge_t n_edges = cuda::read_back(starts.data() + graph.n_vertices, stream);
  check_rankable(n_edges);
  budget.on(stream.device())
      .require("sorting the rows of the graph", preparation_bytes<order_key_t<W>>(n_edges),
               "use method=\"filter\", or device=\"cpu\"");
  const std::int64_t n_arcs = 2 * n_edges;
  positions_ = cuda::DeviceBuffer<edge_t>(static_cast<std::size_t>(n_edges), stream);
  cuda::SortBuffer<std::uint32_t> tails(n_arcs, stream);
  cuda::SortBuffer<payload_t> arcs(n_arcs, stream);
  list_sorted_arcs(ranked, n_edges, starts.data(), positions_.data(), tails.data(), arcs.data(),
                   stream);
  cuda::sort_pairs(tails, arcs, n_arcs,
                   std::bit_width(static_cast<std::uint32_t>(graph.n_vertices)), stream);
  tails.finish();
  arcs.finish();
  heads_ = cuda::DeviceBuffer<vertex_t>(static_cast<std::size_t>(n_arcs), stream);
  ranks_ = cuda::DeviceBuffer<rank_t>(static_cast<std::size_t>(n_arcs), stream);
  cuda::launch_for(stream, n_arcs + 1, build_rows, tails.data(), arcs.data(), n_arcs,
                   graph.n_vertices, offsets_.data(), heads_.data(), ranks_.data());
}

std::size_t DevicePreparedRows::bytes() const noexcept {
  return offsets_.bytes() + heads_.bytes() + ranks_.bytes() + positions_.bytes();
}

RowsView DevicePreparedRows::view() const noexcept {
  const CsrPattern rows{n_vertices_, static_cast<edge_t>(ranks_.size()), Offsets(offsets_.data()),
                        heads_.data()};
  return {rows, ranks_.data()};
}

#define WARPGRAPH_INSTANTIATE(W)                                                   \
  template DevicePreparedRows::DevicePreparedRows(const CsrView<W>&, bool maximum, \
                                                  MemoryBudget budget, const cuda::Stream&);
WARPGRAPH_FOR_EACH_WEIGHT(WARPGRAPH_INSTANTIATE)
#undef WARPGRAPH_INSTANTIATE

}  // namespace warpgraph::mst
