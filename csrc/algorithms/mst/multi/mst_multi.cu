// A spanning forest by a team of CUDA devices: team_forest.cuh finds it. Each member looks up its
// own edges, the first one puts those of all in Kruskal's order, and all copy them to the host.
#include "algorithms/mst/kruskals_order.cuh"
#include "algorithms/mst/multi/mst_multi.hpp"
#include "algorithms/mst/multi/team_forest.cuh"
#include "graph/device_tail.cuh"

namespace warpgraph::mst {
namespace {

/// Arrays of edges on a device.
template <class W>
struct EdgeArrays {
  cuda::DeviceBuffer<vertex_t> ends;
  cuda::DeviceBuffer<W> weights;
  cuda::DeviceBuffer<edge_t> positions;  // in the whole graph

  EdgeArrays(std::int64_t n, const cuda::Stream& stream)
      : ends(2 * static_cast<std::size_t>(n), stream),
        weights(static_cast<std::size_t>(n), stream),
        positions(static_cast<std::size_t>(n), stream) {}

  /// Of a sort and the arrays before and after it, for each edge.
  static constexpr std::size_t bytes_to_order =
      2 * (2 * sizeof(vertex_t) + sizeof(W) + sizeof(edge_t)) + 3 * sizeof(edge_t) +
      3 * sizeof(order_key_t<W>);
};

/// Look at the positions of a member's edges in its own rows, of which the first is `first`.
template <class W>
__global__ void look_up_member_edges(CsrView<W> rows, edge_t first, const edge_t* positions,
                                     std::int64_t n, vertex_t* ends, W* weights,
                                     edge_t* in_whole_graph) {
  const std::int64_t i = cuda::global_index();
  if (i >= n) return;
  const edge_t e = positions[i];
  ends[2 * i] = tail_on_device(rows, e);
  ends[2 * i + 1] = rows.heads[e];
  weights[i] = rows.weights[e];
  in_whole_graph[i] = first + e;
}

template <class W>
__global__ void gather_edges(const edge_t* order, std::int64_t n, const vertex_t* ends,
                             const W* weights, const edge_t* positions, vertex_t* ordered_ends,
                             W* ordered_weights, edge_t* ordered_positions) {
  const std::int64_t i = cuda::global_index();
  if (i >= n) return;
  const edge_t from = order[i];
  ordered_ends[2 * i] = ends[2 * from];
  ordered_ends[2 * i + 1] = ends[2 * from + 1];
  ordered_weights[i] = weights[from];
  ordered_positions[i] = positions[from];
}

/// The edges of all members one after the other, on the device of the first.
template <class W>
EdgeArrays<W> edges_of_all(const std::vector<CsrView<W>>& rows,
                           const std::vector<edge_t>& first_entries,
                           const std::vector<MemberPositions>& found, std::int64_t n,
                           const runtime::DeviceTeam& team) {
  EdgeArrays<W> all(n, team.stream(0));
  const runtime::TeamWait wait(team);
  std::deque<EdgeArrays<W>> parts;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const cuda::Stream& stream = team.stream(static_cast<int>(i));
    const EdgeArrays<W>& part = parts.emplace_back(found[i].n, stream);
    cuda::launch_for(stream, found[i].n, look_up_member_edges<W>, rows[i], first_entries[i],
                     found[i].items.data(), found[i].n, part.ends.data(), part.weights.data(),
                     part.positions.data());
  }
  team.barrier();
  std::size_t done = 0;
  for (const EdgeArrays<W>& part : parts) {
    const std::size_t size = part.positions.size();
    cuda::copy(all.ends.data() + 2 * done, part.ends.data(), 2 * size, team.stream(0));
    cuda::copy(all.weights.data() + done, part.weights.data(), size, team.stream(0));
    cuda::copy(all.positions.data() + done, part.positions.data(), size, team.stream(0));
    done += size;
  }
  return all;
}

/// The edges, which are in the order of their positions, in Kruskal's order.
template <class W>
EdgeArrays<W> in_order(const EdgeArrays<W>& edges, bool heaviest_first,
                       const cuda::Stream& stream) {
  const auto n = static_cast<std::int64_t>(edges.positions.size());
  const cuda::DeviceBuffer<edge_t> indices(edges.positions.size(), stream);
  cuda::iota(indices.data(), n, stream);
  CsrView<W> weights;  // all that an order needs of a graph
  weights.weights = edges.weights.data();
  const cuda::DeviceBuffer<edge_t> order =
      in_kruskals_order(KeyedGraph<W>(weights, heaviest_first), indices.data(), n, stream);
  EdgeArrays<W> ordered(n, stream);
  cuda::launch_for(stream, n, gather_edges<W>, order.data(), n, edges.ends.data(),
                   edges.weights.data(), edges.positions.data(), ordered.ends.data(),
                   ordered.weights.data(), ordered.positions.data());
  return ordered;
}

/// Copies arrays of the first member to the host. Each member copies a part of them, over its own
/// connection.
class CopyByAll {
 public:
  explicit CopyByAll(const runtime::DeviceTeam& team) : team_(team) { team.barrier(); }

  /// The items are there after finish().
  template <class T>
  HostVector<T> copy(const cuda::DeviceBuffer<T>& items) {
    HostVector<T> host(items.size());
    const std::size_t share = items.size() / static_cast<std::size_t>(team_.size()) + 1;
    for (int i = 0; i < team_.size(); ++i) {
      const std::size_t first = std::min(share * static_cast<std::size_t>(i), items.size());
      const std::size_t n = std::min(share, items.size() - first);
      out_.copy(host.data() + first, received(items.data() + first, n, i), n, team_.stream(i));
    }
    return host;
  }
  void finish() { out_.finish(); }

 private:
  template <class T>
  const T* received(const T* items, std::size_t n, int member) {
    if (member == 0) return items;
    const cuda::Stream& stream = team_.stream(member);
    const auto& memory = received_.emplace_back(n * sizeof(T), stream);
    T* const there = reinterpret_cast<T*>(memory.data());
    cuda::copy(there, items, n, stream);
    return there;
  }

  const runtime::DeviceTeam& team_;
  std::deque<cuda::DeviceBuffer<std::byte>> received_;
  cuda::CopyOut out_;
};

template <class W, class WordRank>
std::vector<MemberPositions> find_edges(const std::vector<CsrView<W>>& rows,
                                        const std::vector<edge_t>& first_entries,
                                        const MstOptions& options,
                                        const std::vector<Device>& devices,
                                        runtime::DeviceTeam& team) {
  const std::size_t other_bytes =
      static_cast<std::size_t>(rows.front().n_vertices) * sizeof(edge_t);
  return TeamForest<W, WordRank>(rows, first_entries, options, devices, other_bytes, team).solve();
}

/// Ranks have as few words as possible: see mst_cuda().
template <class W>
std::vector<MemberPositions> find_edges(const std::vector<CsrView<W>>& rows,
                                        const std::vector<edge_t>& first_entries,
                                        const MstOptions& options,
                                        const std::vector<Device>& devices,
                                        runtime::DeviceTeam& team) {
  return for_rank_of<W>(first_entries.back(), [&]<class WordRank>() {
    return find_edges<W, WordRank>(rows, first_entries, options, devices, team);
  });
}

}  // namespace

template <class W>
SpanningForest<W> mst_on_devices(const std::vector<Device>& devices,
                                 const std::vector<edge_t>& first_entries,
                                 const RowsOnDevice<W>& rows_on, const MstOptions& options) {
  if (first_entries.back() == 0) return {};
  std::vector<CsrView<W>> rows;
  for (std::size_t i = 0; i < devices.size(); ++i) rows.push_back(rows_on(devices[i], i));
  runtime::DeviceTeam team(devices);
  const std::vector<MemberPositions> found =
      find_edges(rows, first_entries, options, devices, team);
  std::int64_t n = 0;
  for (const MemberPositions& positions : found) n += positions.n;
  MemoryBudget(devices.front(), options.memory_limit)
      .require("the edges of a spanning forest",
               static_cast<std::size_t>(n) * EdgeArrays<W>::bytes_to_order,
               "raise memory_limit or pass more devices");
  const EdgeArrays<W> edges = edges_of_all(rows, first_entries, found, n, team);
  team.end_step("look up edges");
  const EdgeArrays<W> ordered = in_order(edges, options.maximum, team.stream(0));
  team.end_step("order");
  const runtime::TeamWait wait(team);
  CopyByAll copies(team);
  SpanningForest<W> forest{copies.copy(ordered.ends), copies.copy(ordered.weights),
                           copies.copy(ordered.positions)};
  copies.finish();
  team.end_step("copy to the host");
  return forest;
}

WARPGRAPH_INSTANTIATE_FOR_EACH_WEIGHT(mst_on_devices)

}  // namespace warpgraph::mst
