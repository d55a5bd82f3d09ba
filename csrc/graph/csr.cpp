#include "graph/csr.hpp"

#include "core/containers/at.hpp"
#include "core/error.hpp"
#include "core/threads/parallel.hpp"
#include "core/threads/small_work.hpp"
#include "graph/checks/checks.hpp"
#include "graph/checks/entry_errors.hpp"

namespace warpgraph {

std::string vertex_range(vertex_t n_vertices) {
  if (n_vertices == 0) return "a graph without vertices";
  return concat("a graph with ", n_vertices, " vertices (0..", n_vertices - 1, ")");
}

vertex_t tail_of(const CsrPattern& graph, edge_t position) {
  vertex_t low = 0;
  vertex_t high = graph.n_vertices;
  while (high - low > 1) {
    const vertex_t middle = low + (high - low) / 2;
    (graph.offsets[middle] <= position ? low : high) = middle;
  }
  return low;
}

namespace {

/// Time that one core takes to check one entry.
constexpr double ns_per_check = 0.25;

template <class Index>
void require_vertices(const Index* heads, edge_t n_arcs, vertex_t n_vertices) {
  // A head or its distance from the last vertex is negative if and only if the head is not a
  // vertex: one test of a sign, which takes fewer vector instructions than two comparisons.
  using Unsigned = std::make_unsigned_t<Index>;
  const auto last = static_cast<Unsigned>(Index{n_vertices} - 1);
  const auto signs = [=](std::int64_t e) {
    const auto head = static_cast<Unsigned>(heads[e]);
    return head | (last - head);
  };
  const Unsigned all_signs = parallel_reduce(n_arcs, Unsigned{0}, signs, std::bit_or<>{}, 1 << 15);
  if (static_cast<Index>(all_signs) >= 0) return;
  const std::int64_t bad =
      parallel_find_first(n_arcs, [&](std::int64_t e) { return static_cast<Index>(signs(e)) < 0; });
  EXPECTS(bad == n_arcs, "indices[", bad, "] is ", heads[bad], ", which is not a vertex of ",
          vertex_range(n_vertices));
}

/// Returns the first row that ends before it starts, or n_vertices.
template <class Offset>
std::int64_t first_falling_row(const Offset* offsets, vertex_t n_vertices) {
  return parallel_find_first(n_vertices,
                             [=](std::int64_t u) { return offsets[u] > offsets[u + 1]; });
}

}  // namespace

void validate_offsets(const CsrPattern& graph) {
  const CallThreads threads = threads_for(ns_per_check * static_cast<double>(graph.n_vertices));
  const Offsets& offsets = graph.offsets;
  EXPECTS(offsets[0] == 0, "indptr[0] is ", offsets[0], ", but a CSR matrix starts at 0");
  const std::int64_t row = offsets.is_wide()
                               ? first_falling_row(offsets.wide(), graph.n_vertices)
                               : first_falling_row(offsets.narrow(), graph.n_vertices);
  EXPECTS(row == graph.n_vertices, "indptr is not sorted: indptr[", row, "] is ", offsets[row],
          " and indptr[", row + 1, "] is ", offsets[row + 1], ", but it must not fall");
  EXPECTS(offsets[graph.n_vertices] == graph.n_arcs, "indptr ends at ", offsets[graph.n_vertices],
          ", but there are ", graph.n_arcs, " stored entries");
}

void validate_heads(const CsrPattern& graph) {
  HeadsCheck check(graph.n_vertices);
  look_at_all(check, std::span<const vertex_t>(graph.heads, at(graph.n_arcs)));
  if (!check.is_passed()) require_vertices(graph.heads, graph.n_arcs, graph.n_vertices);
}

void validate_structure(const CsrPattern& graph) {
  validate_offsets(graph);
  validate_heads(graph);
}

HostVector<vertex_t> narrow_heads(std::span<const std::int64_t> heads, vertex_t n_vertices) {
  HostVector<vertex_t> narrow(heads.size());
  HeadsCheck check(n_vertices);
  const auto n = static_cast<std::int64_t>(heads.size());
  parallel_blocks(n, 1 << 15, [&](int, std::int64_t first, std::int64_t last) {
    check.narrow(heads.subspan(at(first), at(last - first)), narrow.data() + first);
  });
  if (!check.is_passed()) require_vertices(heads.data(), n, n_vertices);
  return narrow;
}

template <class W>
void validate_weights(std::span<const W> weights, CsrPattern graph) {
  if constexpr (std::is_floating_point_v<W>) {
    const auto n = static_cast<std::int64_t>(weights.size());
    const CallThreads threads = threads_for(ns_per_check * static_cast<double>(n));
    const W* values = weights.data();
    const std::int64_t bad =
        parallel_find_first(n, [&](std::int64_t e) { return values[e] != values[e]; });
    if (bad == n) return;
    const ByName arc{tail_of(graph, bad), graph.heads[bad]};
    throw EntryError<std::invalid_argument>(
        bad, values[bad],
        {"the weight of entry ", arc, ", data[", bad, "], is NaN; weights must be numbers"});
  }
}

namespace {

/// Returns the position of the first weight that is_wanted, or -1.
template <class W, class Wanted>
edge_t find_weight(std::span<const W> weights, Wanted is_wanted) {
  const auto n = static_cast<std::int64_t>(weights.size());
  const std::int64_t found = parallel_find_first(
      n, [values = weights.data(), is_wanted](std::int64_t e) { return is_wanted(values[e]); });
  return found == n ? -1 : found;
}

}  // namespace

template <class W>
edge_t find_negative(std::span<const W> weights) {
  return find_weight(weights, [](W weight) { return weight < W{0}; });
}

template <class W>
UnusualWeights find_unusual(std::span<const W> weights) {
  if constexpr (std::is_floating_point_v<W>) {
    return {find_negative(weights), -1};
  } else {
    // The largest integer and 1, added as unsigned numbers, have the sign of a negative one. So
    // the signs of all weights, and of all with 1 added, tell whether there is anything to find.
    using Unsigned = std::make_unsigned_t<W>;
    const Unsigned all_bits = parallel_reduce(
        static_cast<std::int64_t>(weights.size()), Unsigned{0},
        [values = weights.data()](std::int64_t e) {
          const auto bits = static_cast<Unsigned>(values[e]);
          return static_cast<Unsigned>(bits | (bits + 1));
        },
        [](Unsigned a, Unsigned b) { return static_cast<Unsigned>(a | b); }, light_grain);
    if (static_cast<W>(all_bits) >= W{0}) return {};
    return {find_negative(weights),
            find_weight(weights, [](W weight) { return weight == infinity<W>(); })};
  }
}

WARPGRAPH_INSTANTIATE_FOR_EACH_WEIGHT(validate_weights)
WARPGRAPH_INSTANTIATE_FOR_EACH_WEIGHT(find_negative)
WARPGRAPH_INSTANTIATE_FOR_EACH_WEIGHT(find_unusual)

}  // namespace warpgraph
