// Labels of vertices, and sums of them with weights that do not fit their type.
#pragma once

#include "algorithms/nearest_facilities/nearest_facilities.hpp"

namespace warpgraph::nearest_facilities_detail {

/// A facility and the length of a path from it.
template <class W>
struct Label {
  W distance = infinity<W>();
  vertex_t facility = no_vertex;

  friend WARPGRAPH_HOST_DEVICE bool operator<(const Label& a, const Label& b) {
    return a.distance < b.distance || (a.distance == b.distance && a.facility < b.facility);
  }
};

/// Throws std::overflow_error, naming the arc, if a vertex that has less than k labels has none of
/// a facility because the distance does not fit W.
template <class W>
void check_overflow_of_labels(const CsrView<W>& graph, std::int64_t k,
                              const NearestFacilities<W>& found);

}  // namespace warpgraph::nearest_facilities_detail
