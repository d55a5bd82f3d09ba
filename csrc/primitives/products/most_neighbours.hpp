#pragma once

namespace warpgraph::products {

/// Upper bound on the neighbours of a point that products of panels are used for on devices.
inline constexpr int most_neighbours = 128;

}  // namespace warpgraph::products
