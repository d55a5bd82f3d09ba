// Renumbering a graph on a device, so that gathers along its arcs hit caches more often.
//
// Two orders, both found in one pass. In graphs in which few vertices have most of the arcs, the
// vertices of most arcs come first: a cache line then has only vertices that are read often. In
// other graphs, vertices with the same smallest neighbour become neighbours: those of a cluster
// mostly have the same one.
#pragma once

#include "core/cuda/cub/scan.hpp"
#include "core/cuda/cub/sort_pairs.hpp"
#include "core/cuda/for_each.cuh"
#include "core/cuda/warp.cuh"
#include "graph/device_csr.hpp"
#include "graph/for_each_edge.cuh"

#include <optional>

namespace warpgraph::cuda {

namespace detail {

/// Difference of numbers below which two vertices are near: their contributions of 8 bytes each
/// take an eighth of a first-level cache.
inline constexpr vertex_t near_numbers = 4096;
/// Number of vertices from which properties of the graph are estimated.
inline constexpr std::int64_t sampled_vertices = 1 << 16;
inline constexpr edge_t sampled_arcs = 16;  // for each of them
/// Number of arcs of a vertex that are searched for its smallest neighbour.
inline constexpr edge_t searched_arcs = 64;
/// Multiple of the mean degree from which on a vertex is large.
inline constexpr edge_t large_multiple = 4;

struct OrderSample {
  unsigned long long arcs;  // number of sampled arcs
  unsigned long long near;  // sampled arcs whose ends are near each other
  unsigned long long degrees;
  unsigned long long large_degrees;
};

struct SampleOrder {
  CsrPattern graph;
  const vertex_t* number;  // nullptr: the present numbers
  std::int64_t stride;
  edge_t large_degree;
  OrderSample* sample;

  [[nodiscard]] __device__ vertex_t number_of(vertex_t v) const {
    return number == nullptr ? v : number[v];
  }
  __device__ void operator()(std::int64_t i) const {
    const auto u = static_cast<vertex_t>(i * stride);
    const edge_t degree = graph.degree(u);
    const edge_t first = graph.begin(u);
    const edge_t last = first + min(degree, sampled_arcs);
    unsigned long long near = 0;
    for (edge_t e = first; e < last; ++e) {
      const vertex_t gap = number_of(u) - number_of(graph.heads[e]);
      if (gap < near_numbers && gap > -near_numbers) ++near;
    }
    atomicAdd(&sample->arcs, static_cast<unsigned long long>(last - first));
    atomicAdd(&sample->near, near);
    atomicAdd(&sample->degrees, static_cast<unsigned long long>(degree));
    if (degree >= large_degree) {
      atomicAdd(&sample->large_degrees, static_cast<unsigned long long>(degree));
    }
  }
};

struct DegreeKey {
  CsrPattern graph;
  std::uint32_t* keys;
  __device__ void operator()(std::int64_t v) const {
    const edge_t degree = graph.degree(static_cast<vertex_t>(v));
    keys[v] = ~static_cast<std::uint32_t>(min(degree, edge_t{0xffffffff}));
  }
};

struct SmallestNeighbourKey {
  CsrPattern graph;
  std::uint32_t* keys;
  __device__ void operator()(std::int64_t v) const {
    auto smallest = static_cast<vertex_t>(v);
    const edge_t first = graph.begin(smallest);
    const edge_t last = min(graph.end(smallest), first + searched_arcs);
    for (edge_t e = first; e < last; ++e) smallest = min(smallest, graph.heads[e]);
    keys[v] = static_cast<std::uint32_t>(smallest);
  }
};

struct WriteNumber {
  const vertex_t* order;
  vertex_t* number;
  __device__ void operator()(std::int64_t i) const { number[order[i]] = static_cast<vertex_t>(i); }
};

template <class Offset>
struct WriteDegree {
  CsrPattern graph;
  const vertex_t* order;
  Offset* degrees;  // has one more item, which is 0
  __device__ void operator()(std::int64_t i) const {
    degrees[i] = i == graph.n_vertices ? 0 : static_cast<Offset>(graph.degree(order[i]));
  }
};

/// Copies the arcs of the rows. Word is an integer as large as a weight.
template <class Offset, class Word>
struct MoveArc {
  CsrView<Word> graph;
  const vertex_t* row_number;
  const vertex_t* number;
  const Offset* offsets;
  vertex_t* heads;
  Word* weights;
  __device__ void operator()(vertex_t tail, vertex_t head, edge_t e) const {
    const edge_t to = offsets[row_number[tail]] + (e - graph.begin(tail));
    heads[to] = number[head];
    if (graph.weights != nullptr) weights[to] = graph.weights[e];
  }
};

inline OrderSample sample_order(const CsrPattern& graph, const vertex_t* number,
                                const Stream& stream) {
  const DeviceBuffer<OrderSample> sample(1, stream);
  fill_bytes(sample.data(), 0, 1, stream);
  const std::int64_t n = std::min<std::int64_t>(graph.n_vertices, sampled_vertices);
  const edge_t mean = graph.n_arcs / graph.n_vertices;
  for_each(
      stream, n,
      SampleOrder{graph, number, graph.n_vertices / n, large_multiple * (mean + 1), sample.data()});
  return read_back(sample.data(), stream);
}

/// Returns whether at least a half of the sampled arcs join vertices that are near.
inline bool has_locality(const OrderSample& sample) { return 2 * sample.near >= sample.arcs; }

template <class Key>
DeviceBuffer<vertex_t> order_by(const CsrPattern& graph, const Stream& stream) {
  const auto n = static_cast<std::size_t>(graph.n_vertices);
  const DeviceBuffer<std::uint32_t> keys(n, stream);
  const DeviceBuffer<std::uint32_t> sorted_keys(n, stream);
  const DeviceBuffer<vertex_t> vertices(n, stream);
  DeviceBuffer<vertex_t> order(n, stream);
  for_each(stream, graph.n_vertices, Key{graph, keys.data()});
  iota(vertices.data(), graph.n_vertices, stream);
  sort_pairs(keys.data(), sorted_keys.data(), vertices.data(), order.data(), graph.n_vertices, 32,
             stream);
  return order;
}

inline DeviceBuffer<vertex_t> numbers_of(const vertex_t* order, vertex_t n, const Stream& stream) {
  DeviceBuffer<vertex_t> number(static_cast<std::size_t>(n), stream);
  for_each(stream, n, WriteNumber{order, number.data()});
  return number;
}

}  // namespace detail

/// An order in which gathers hit caches more often: vertex vertices[i] should become number i.
struct GatherOrder {
  DeviceBuffer<vertex_t> vertices;
  bool is_by_degree;  // the vertices of most arcs come first
};

/// A graph with other numbers for its vertices. The arcs of a row keep their order.
class RenumberedGraph {
 public:
  /// Renumbers a graph: vertex order[i] becomes number i. Asynchronous; offsets are as wide as
  /// those of the graph. If `rows` is not nullptr, row i is that of vertex rows[i] instead.
  RenumberedGraph(const AnyCsrView& graph, DeviceBuffer<vertex_t> order, bool is_by_degree,
                  const Stream& stream, const vertex_t* rows = nullptr)
      : n_vertices_(graph.n_vertices),
        n_arcs_(graph.n_arcs),
        is_by_degree_(is_by_degree),
        order_(std::move(order)),
        heads_(static_cast<std::size_t>(graph.n_arcs), stream),
        weights_(graph.bytes_of_weights().size(), stream) {
    if (graph.offsets.is_wide()) {
      number_rows(graph, rows, wide_, stream);
    } else {
      number_rows(graph, rows, narrow_, stream);
    }
  }

  [[nodiscard]] CsrPattern pattern() const noexcept {
    const Offsets offsets =
        wide_.data() != nullptr ? Offsets(wide_.data()) : Offsets(narrow_.data());
    return {n_vertices_, n_arcs_, offsets, heads_.data()};
  }
  [[nodiscard]] const void* weights() const noexcept { return weights_.data(); }
  [[nodiscard]] const vertex_t* order() const noexcept { return order_.data(); }
  /// Returns whether the vertices of most arcs come first.
  [[nodiscard]] bool is_by_degree() const noexcept { return is_by_degree_; }
  [[nodiscard]] std::size_t bytes() const noexcept {
    return order_.bytes() + narrow_.bytes() + wide_.bytes() + heads_.bytes() + weights_.bytes();
  }
  /// Returns an upper bound on bytes() plus the memory for finding the order and moving the arcs.
  [[nodiscard]] static std::size_t bytes_needed(const AnyCsrView& graph) {
    const std::size_t per_vertex = 2 * sizeof(edge_t) + 8 * sizeof(vertex_t);
    const std::size_t per_arc = sizeof(vertex_t) + graph.weight_bytes;
    return static_cast<std::size_t>(graph.n_vertices) * per_vertex +
           static_cast<std::size_t>(graph.n_arcs) * per_arc;
  }

 private:
  template <class Offset>
  void number_rows(const AnyCsrView& graph, const vertex_t* rows, DeviceBuffer<Offset>& offsets,
                   const Stream& stream) {
    const DeviceBuffer<vertex_t> number = detail::numbers_of(order_.data(), n_vertices_, stream);
    const DeviceBuffer<vertex_t> row_number =
        rows == nullptr ? DeviceBuffer<vertex_t>() : detail::numbers_of(rows, n_vertices_, stream);
    const std::int64_t n_offsets = std::int64_t{n_vertices_} + 1;
    offsets = DeviceBuffer<Offset>(static_cast<std::size_t>(n_offsets), stream);
    for_each(
        stream, n_offsets,
        detail::WriteDegree<Offset>{graph, rows == nullptr ? order_.data() : rows, offsets.data()});
    exclusive_sum(offsets.data(), n_offsets, stream);
    const vertex_t* const of_rows = rows == nullptr ? number.data() : row_number.data();
    if (graph.weight_bytes <= sizeof(std::uint32_t)) {
      move_arcs<std::uint32_t>(graph, of_rows, number.data(), offsets.data(), stream);
    } else {
      move_arcs<std::uint64_t>(graph, of_rows, number.data(), offsets.data(), stream);
    }
  }
  template <class Word, class Offset>
  void move_arcs(const AnyCsrView& graph, const vertex_t* row_number, const vertex_t* number,
                 const Offset* offsets, const Stream& stream) {
    const CsrView<Word> from = with_weights(graph, static_cast<const Word*>(graph.weights));
    auto* const weights = reinterpret_cast<Word*>(weights_.data());
    for_each_edge(
        stream, from, AllVertices{n_vertices_}, EdgeMapping::merge_path,
        detail::MoveArc<Offset, Word>{from, row_number, number, offsets, heads_.data(), weights});
  }

  vertex_t n_vertices_;
  edge_t n_arcs_;
  bool is_by_degree_;
  DeviceBuffer<vertex_t> order_;
  DeviceBuffer<std::int32_t> narrow_;
  DeviceBuffer<std::int64_t> wide_;
  DeviceBuffer<vertex_t> heads_;
  DeviceBuffer<std::byte> weights_;
};

/// Returns an order of the graph in which gathers hit caches more often, or nothing if the present
/// one is good or the graph has neither large vertices nor clusters. Vertices with few arcs are
/// better left near those that a mesh or a road network numbers next to them. The graph has at
/// least one vertex. Waits for the stream.
inline std::optional<GatherOrder> order_for_gathers(const CsrPattern& graph, const Stream& stream) {
  if (graph.has_low_degree()) return std::nullopt;
  const detail::OrderSample sample = detail::sample_order(graph, nullptr, stream);
  if (detail::has_locality(sample)) return std::nullopt;
  if (4 * sample.large_degrees >= sample.degrees) {
    return GatherOrder{detail::order_by<detail::DegreeKey>(graph, stream), true};
  }
  DeviceBuffer<vertex_t> order = detail::order_by<detail::SmallestNeighbourKey>(graph, stream);
  const DeviceBuffer<vertex_t> number = detail::numbers_of(order.data(), graph.n_vertices, stream);
  if (!detail::has_locality(detail::sample_order(graph, number.data(), stream))) {
    return std::nullopt;
  }
  return GatherOrder{std::move(order), false};
}

/// Returns the graph in that order, or nothing. Waits for the stream.
inline std::optional<RenumberedGraph> renumber_for_gathers(const AnyCsrView& graph,
                                                           const Stream& stream) {
  std::optional<GatherOrder> order = order_for_gathers(graph, stream);
  if (!order) return std::nullopt;
  return RenumberedGraph(graph, std::move(order->vertices), order->is_by_degree, stream);
}

}  // namespace warpgraph::cuda
