#include "algorithms/hierarchy/customizable/triangles.hpp"

#include "core/processor/function_clones.hpp"

#include <algorithm>

namespace warpgraph::hierarchy_detail {
namespace {

/// Does the work of shorten_between(): each pair of r's arcs i < j may shorten the arc between
/// their heads. Pairs are visited in the order of view.places.
template <bool symmetric, class L>
[[gnu::always_inline]] inline void push_through(const TriangleView& view, vertex_t r, vertex_t end,
                                                L* up, L* down) {
  const std::uint16_t* place = view.places + view.starts[r];
  const edge_t last = view.offsets[r + 1];
  for (edge_t i = view.offsets[r]; i < last && view.heads[i] < end; ++i) {
    const edge_t first = view.offsets[view.heads[i]];
    const L from = up[i];
    const L to = symmetric ? from : down[i];
    for (edge_t j = i + 1; j < last; ++j) {
      const edge_t arc = first + *place++;
      up[arc] = std::min<L>(up[arc], to + up[j]);
      if (!symmetric) down[arc] = std::min<L>(down[arc], down[j] + from);
    }
  }
}

/// Does the work of shorten_own(): in each pair of r's arcs i < j, either may be shortened by the
/// other and the arc between their heads.
template <bool symmetric, class L>
[[gnu::always_inline]] inline void pull_over(const TriangleView& view, vertex_t r, const L* up,
                                             const L* down, L* shorter_up, L* shorter_down) {
  const std::uint16_t* place = view.places + view.starts[r];
  const edge_t last = view.offsets[r + 1];
  for (edge_t i = view.offsets[r]; i < last; ++i) {
    const L* const up_of_head = shorter_up + view.offsets[view.heads[i]];
    const L* const down_of_head =
        symmetric ? up_of_head : shorter_down + view.offsets[view.heads[i]];
    L least_up = shorter_up[i];
    L least_down = symmetric ? L{} : shorter_down[i];
    const edge_t next = i + 1;
    // Iterations are independent: each writes an arc of r, and reads arcs of higher ranks besides.
#ifndef __clang__  // Clang does not know this pragma.
#pragma GCC ivdep
#endif
    for (edge_t j = next; j < last; ++j) {
      const std::uint16_t of_arc = place[j - next];
      const L to_head = up_of_head[of_arc];
      const L from_head = symmetric ? to_head : down_of_head[of_arc];
      shorter_up[j] = std::min<L>(shorter_up[j], up[i] + to_head);
      least_up = std::min<L>(least_up, up[j] + from_head);
      if (symmetric) continue;
      shorter_down[j] = std::min<L>(shorter_down[j], from_head + down[i]);
      least_down = std::min<L>(least_down, to_head + down[j]);
    }
    shorter_up[i] = least_up;
    if (!symmetric) shorter_down[i] = least_down;
    place += last - next;
  }
}

}  // namespace

#define WARPGRAPH_DEFINE(L)                                                                       \
  WARPGRAPH_FOR_THIS_CPU void shorten_between(const TriangleView& view, vertex_t r, vertex_t end, \
                                              L* up, L* down) {                                   \
    if (down == nullptr) return push_through<true>(view, r, end, up, down);                       \
    push_through<false>(view, r, end, up, down);                                                  \
  }                                                                                               \
  WARPGRAPH_FOR_THIS_CPU void shorten_own(const TriangleView& view, vertex_t r, const L* up,      \
                                          const L* down, L* shorter_up, L* shorter_down) {        \
    if (down == nullptr) return pull_over<true>(view, r, up, down, shorter_up, shorter_down);     \
    pull_over<false>(view, r, up, down, shorter_up, shorter_down);                                \
  }
WARPGRAPH_FOR_EACH_LENGTH(WARPGRAPH_DEFINE)
#undef WARPGRAPH_DEFINE

}  // namespace warpgraph::hierarchy_detail
