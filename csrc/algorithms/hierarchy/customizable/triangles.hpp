// The inner loops of customization: triangles of a vertex and two of its higher neighbours.
#pragma once

#include "algorithms/hierarchy/customizable/customizable.hpp"

namespace warpgraph::hierarchy_detail {

/// The arrays of a HierarchyStructure that triangles need.
struct TriangleView {
  explicit TriangleView(const HierarchyStructure& s)
      : offsets(s.offsets.data()),
        heads(s.heads.data()),
        starts(s.triangle_starts.data()),
        places(s.places.data()) {}

  const edge_t* offsets;
  const vertex_t* heads;
  const edge_t* starts;
  const std::uint16_t* places;
};

// Lengths by arc, from the lower rank to the higher one and back; both are those of `up` if `down`
// is nullptr. They are added without overflow checks. WARPGRAPH_FOR_EACH_LENGTH(X) calls X(L) for
// their types.
#define WARPGRAPH_FOR_EACH_LENGTH(X) X(std::uint32_t) X(std::uint64_t) X(double)
#define WARPGRAPH_DECLARE(L)                                                                     \
  /** Shortens the arcs between r's heads, in rows of ranks below `end`, by paths through r. */  \
  void shorten_between(const TriangleView& view, vertex_t r, vertex_t end, L* up, L* down);      \
  /** Shortens r's arcs by paths through another head. `up` and `down` are lengths before, those \
      in `shorter` have their distances in higher rows. */                                       \
  void shorten_own(const TriangleView& view, vertex_t r, const L* up, const L* down,             \
                   L* shorter_up, L* shorter_down);
WARPGRAPH_FOR_EACH_LENGTH(WARPGRAPH_DECLARE)
#undef WARPGRAPH_DECLARE

}  // namespace warpgraph::hierarchy_detail
