// The number type of a hierarchy's sums: the narrowest in which they are exact.
#pragma once

#include "algorithms/hierarchy/hierarchy.hpp"

namespace warpgraph::hierarchy_detail {

/// Returns whether all finite weights are integers of at most 62 bits. Throws std::overflow_error
/// if weights of an integer type are larger.
template <class W>
bool all_weights_integral(const CsrView<W>& graph);

/// Converts to 32 bits if all sums fit. Throws std::overflow_error if sums may not fit 62 bits.
AnyHierarchy to_narrowest_type(Hierarchy<std::int64_t>&& wide);

}  // namespace warpgraph::hierarchy_detail
