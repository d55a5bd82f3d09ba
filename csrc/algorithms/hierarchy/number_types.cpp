#include "algorithms/hierarchy/number_types.hpp"

#include "algorithms/hierarchy/largest_sum.hpp"
#include "core/threads/parallel.hpp"
#include "graph/checks/entry_errors.hpp"

#include <cmath>

namespace warpgraph::hierarchy_detail {
namespace {

Csr<std::int32_t> to_32_bits(Csr<std::int64_t>&& wide) {
  Csr<std::int32_t> narrow;
  narrow.offsets = std::move(wide.offsets);
  narrow.heads = std::move(wide.heads);
  narrow.weights.resize(wide.weights.size());
  parallel_for(static_cast<std::int64_t>(wide.weights.size()), [&](std::int64_t e) {
    const auto i = static_cast<std::size_t>(e);
    narrow.weights[i] = static_cast<std::int32_t>(wide.weights[i]);
  });
  return narrow;
}

}  // namespace

template <class W>
bool all_weights_integral(const CsrView<W>& graph) {
  if (graph.weights == nullptr) return true;
  constexpr auto end = static_cast<double>(unreached<std::int64_t>());
  const edge_t first_unfit = parallel_find_first(graph.n_arcs, [&](std::int64_t e) {
    const W weight = graph.weights[e];
    if constexpr (std::is_integral_v<W>) {
      return std::int64_t{weight} >= unreached<std::int64_t>();
    } else {
      return (weight != std::nearbyint(weight) || weight >= end) && weight != infinity<W>();
    }
  });
  if (std::is_integral_v<W> && first_unfit < graph.n_arcs) {
    const W weight = graph.weights[first_unfit];
    const ByName arc{tail_of(graph, first_unfit), graph.heads[first_unfit]};
    throw EntryError<std::overflow_error>(
        first_unfit, weight,
        {"the weight ", weight, " of entry ", arc, " is beyond 62 bits: ", weights_too_large});
  }
  return first_unfit == graph.n_arcs;
}

AnyHierarchy to_narrowest_type(Hierarchy<std::int64_t>&& wide) {
  const std::int64_t largest = largest_sum(wide);
  if (largest >= unreached<std::int64_t>()) {
    throw std::overflow_error(weights_too_large);
  }
  if (largest >= unreached<std::int32_t>()) return std::move(wide);
  Hierarchy<std::int32_t> narrow;
  narrow.n_vertices = wide.n_vertices;
  narrow.n_core = wide.n_core;
  narrow.symmetric = wide.symmetric;
  narrow.vertices = std::move(wide.vertices);
  narrow.position_of = std::move(wide.position_of);
  narrow.level_starts = std::move(wide.level_starts);
  narrow.down = to_32_bits(std::move(wide.down));
  if (!wide.symmetric) narrow.up = to_32_bits(std::move(wide.up));
  return narrow;
}

WARPGRAPH_INSTANTIATE_FOR_EACH_WEIGHT(all_weights_integral)

}  // namespace warpgraph::hierarchy_detail

namespace warpgraph {

template <class W>
void refuse_large_weights(const CsrView<W>& graph) {
  if constexpr (std::is_integral_v<W>) (void)hierarchy_detail::all_weights_integral(graph);
}

WARPGRAPH_INSTANTIATE_FOR_EACH_WEIGHT(refuse_large_weights)

}  // namespace warpgraph
